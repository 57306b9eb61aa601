//! The only control-flow graph.
//!
//! Code reaches it through the traits of [`code`]; [`graph`] builds it, and what is derived from it
//! borrows the code too, so that a stale answer can't be asked for.
//!
//! # Rules
//!
//! Whoever implements [`Code`] keeps to these. The listing adapter does, and its tests show it.
//!
//! - A conditional branch goes to its target, and falls through.
//! - An unconditional jump goes to its target alone.
//! - An indirect jump and a return have no static successor.
//! - A call falls through. It is no terminator, unless it names where it unwinds to.
//! - A label is the entry of a block, and no instruction.
//! - What follows a terminator opens a new block, even if nothing reaches it. It is never merged with
//!   the block before.
//! - Each successor slot is an edge of its own: two slots with one target are two edges.
//! - Sugar such as `for` is turned into branches before a graph is built.
//! - A block that can't be reached is part of the graph, and every analysis says what it makes of it.
//!
//! # Reading order
//!
//! [`Cfg`], [`Postorder`], [`Dominators`], [`Loops`], [`RemovalPlan`]. None recurses, and each is
//! linear or nearly so in blocks and edges, whatever the graph. [`validate`] is for graphs that
//! somebody else made, [`listing`] for code that is a flat list of labels and instructions.

pub mod code;
mod dominators;
pub mod graph;
pub mod listing;
mod loops;
mod postorder;
mod removal;
pub mod validate;
mod walk;

pub use code::{Code, Values};
pub use dominators::Dominators;
pub use graph::{Cfg, EdgeData};
pub use loops::{Loop, Loops};
pub use postorder::Postorder;
pub use removal::{PhiInput, RemovalPlan};
pub use walk::Direction;
pub(crate) use walk::full_postorder;

#[cfg(test)]
pub(crate) mod testing;
