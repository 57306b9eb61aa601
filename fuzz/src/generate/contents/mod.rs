//! Fills graphs with locals, instructions and terminators: graphs become a program.
//!
//! [`swarm`] draws what may occur in the case, [`signature`] what can be called. Then each function
//! is filled block by block ([`body`]); [`scope`] says which locals can be read and written where,
//! and is all that differs between mutable and SSA functions.
//!
//! An instruction reads a fixed number of bytes, and so does a terminator. A changed byte changes
//! one of them, and does not shift what the others read.

mod body;
mod chain;
mod definite;
mod insts;
mod names;
mod owned;
mod pool;
mod scope;
mod signature;
mod swarm;
mod terms;
mod types;

use super::draw::Draw;
use super::graph::Graph;
use backedge_core::ir::Program;
use signature::Signatures;
pub(super) use swarm::Swarm;

/// A program with a function for each graph.
pub(super) fn fill(graphs: &[Graph], swarm: &Swarm, draw: &mut Draw) -> Program {
    let signatures = Signatures::draw(draw, swarm, graphs);
    Program {
        directives: Vec::new(),
        externs: signatures.externs(),
        memory: swarm.memory,
        functions: graphs
            .iter()
            .enumerate()
            .map(|(index, graph)| body::fill(graph, index, swarm, &signatures, draw))
            .collect(),
    }
}
