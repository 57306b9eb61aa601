//! Slow answers, read off the definitions.
//!
//! What is here must not share a bug with what it judges. So it uses the data types of the IR and of
//! answers, the library's petgraph for a second opinion, and nothing else: no graph, order, dominator tree, data
//! flow or bit set of `core`. A test below reads the sources and holds this file to its word.
//!
//! [`graph`] is adjacency and reachability, [`dominators`] and [`loops`] and [`reducible`] and
//! [`postorder`] what is read off it, [`second_opinion`] what petgraph says of the same, and
//! [`liveness`] what is live where, [`constants`] what is the same in every run, [`initialized`] what has to be dropped. [`answer`] gives all that as a subject would. [`thunks`] reads the rules of
//! thunk form and of structured form. [`topology`] compares
//! the graphs of the IR and of Machine IR, [`allocation`] follows values
//! through allocated code, [`destprop`] judges merges of locals, and [`interpreter`] says what a program
//! means.

pub mod allocation;
pub mod answer;
pub mod constants;
pub mod destprop;
pub mod dominators;
pub mod graph;
pub mod initialized;
pub mod interpreter;
pub mod liveness;
pub mod loops;
pub mod postorder;
pub mod reducible;
pub mod second_opinion;
pub mod thunks;
pub mod topology;

#[cfg(test)]
mod tests;
