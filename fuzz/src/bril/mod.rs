//! The Bril-shaped JSON that solvers in other languages read, and `.bril.json` files.
//!
//! The way of a function to a foreign solver is [`prepare`], which rewrites what the form can't say,
//! then [`json`] or [`export`]. The way back is [`read`].
//!
//! # The form
//! A function is `{"name", "args": [{"name", "type"}], "type", "instrs"}`. An element of `instrs` is
//! `{"label"}` or an instruction `{"op", "dest", "type", "args", "labels", "funcs", "value"}`, of
//! which only `op` is always there. Every block starts with its label and ends with a terminator:
//! `jmp`, `br` and `ret` as in Bril, and under their own names `switch`, `try_call`, `try_drop`,
//! `enter`, `unreachable` and `resume`. `labels` are the successors in the order of their slots. All
//! other operations keep the names of the IR.
//!
//! - `args` holds variables, never constants. Where an operand is a constant, `operands` holds all of
//!   them in order, constants as numbers.
//! - Every instruction has `uses` and `defs`, so that a liveness solver needs to know no operation
//!   but `phi`.
//! - The parameters of a block are `phi` instructions behind its label. They are assigned all at
//!   once, on entry. Their operands are read on the edges: `args` and `labels` pair up, so that
//!   `args[i]` is read on the edge from `labels[i]`, and `uses` is empty. An edge that passes a
//!   constant stands in `consts` instead, as `[label, number]`.
//! - `%p.0.1` is `["p", 0, 1]`: in `place` where the instruction acts on it, in `into` where it
//!   assigns it. An assignment to a part is neither a use nor a definition, and has no `dest`.
//! - `opaque` carries its `text`, and in `partial` the variables that it assigns a part of.
//! - A function lists in `locals` its variables of other types than `int`.
//! - `switch` has a label for the default and then one for each key in `cases`; `try_call` and
//!   `try_drop` have the normal label first.

mod instr;
mod prepare;
mod read;
#[cfg(test)]
mod tests;
mod write;

pub use prepare::prepare;
pub use read::{read, read_bytes};
pub use write::{FunctionJson, export, export_function, json};
