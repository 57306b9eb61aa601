//! Liveness: which values may still be read before they are overwritten.
//!
//! A state is a set of values, the join is union, and the height of the lattice is the number of
//! values. Facts flow backward:
//!
//! ```text
//! edge_live(B, S) = (live_in(S) - phi_defs(S)) + edge_uses(B, S)
//! at_end(B)       = union over the edges out of B of (edge_live(B, S) - edge_defs(B, S))
//! live_in(B)      = (at_end(B) - defs(B)) + exposed_uses(B)
//! live_out(B)     = union over the edges out of B of edge_live(B, S)
//! ```
//!
//! `live_in` is taken after a block's phis are bound, so a phi that is read is live into its own
//! block. A phi's operand is live on its edge, not into the phi's block. What is defined on an edge
//! alone (the result of a call that may unwind) is live on that edge, and live before the terminator
//! only if another edge needs the old value. Blocks that nothing reaches have the facts that follow
//! from the same equations.

mod facts;
mod interference;
mod points;
mod summary;

pub use interference::Interference;
pub use points::{Few, PointLiveness};

use super::sets::{Dense, Sets, Shared, ValueSet};
use crate::cfg::{Cfg, Values};
use crate::entity::{Block, Edge, Value};
use cranelift_entity::EntityRef;
use facts::{Fact, Facts};
use summary::Summary;

/// What is live at the ends of blocks and on edges.
///
/// ```compile_fail,E0502
/// use backedge_core::{cfg::Cfg, dataflow::Liveness, ir::builder};
/// let mut function = builder::diamond();
/// let cfg = Cfg::build(&function);
/// let liveness = Liveness::solve(&function, &cfg);
/// function.blocks.clear();
/// liveness.live_in(cfg.entry());
/// ```
#[derive(Clone, Debug)]
pub struct Liveness<'c, C> {
    code: &'c C,
    cfg: &'c Cfg<'c>,
    summary: Summary,
    form: Form,
}

/// How sets are represented. It changes no answer.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Representation {
    /// Rows of bits: fastest while blocks times values are few.
    Dense,
    /// Sets that share what they have in common: for large code.
    Shared,
}

#[derive(Clone, Debug)]
enum Form {
    Dense(Facts<Dense>),
    Shared(Facts<Shared>),
}

/// Dense sets may take this many words in all (8 MiB).
const DENSE_WORDS: usize = 1 << 20;

impl<'c, C: Values> Liveness<'c, C> {
    /// Solves liveness of the code that the graph was built from.
    ///
    /// # Panics
    /// If the graph has another number of blocks than the code.
    pub fn solve(code: &'c C, cfg: &'c Cfg<'c>) -> Liveness<'c, C> {
        let words = code.value_count().div_ceil(64);
        let insts: usize = cfg.blocks().map(|block| code.inst_count(block)).sum();
        let rows = 8 * cfg.block_count() + cfg.edge_count() + insts;
        let small = rows.saturating_mul(words) <= DENSE_WORDS;
        let representation = if small { Representation::Dense } else { Representation::Shared };
        Liveness::solve_with(code, cfg, representation)
    }

    /// Solves it with sets of a given representation.
    ///
    /// # Panics
    /// If the graph has another number of blocks than the code.
    pub fn solve_with(
        code: &'c C,
        cfg: &'c Cfg<'c>,
        representation: Representation,
    ) -> Liveness<'c, C> {
        assert_eq!(code.block_count(), cfg.block_count(), "the graph is of this code");
        let summary = Summary::new(code, cfg);
        let form = match representation {
            Representation::Dense => Form::Dense(Facts::solve(code, cfg, &summary)),
            Representation::Shared => Form::Shared(Facts::solve(code, cfg, &summary)),
        };
        Liveness { code, cfg, summary, form }
    }

    /// Goes on to what is live at every instruction.
    pub fn at_points(self) -> PointLiveness<'c, C> {
        PointLiveness::new(self)
    }
}

impl<'c, C> Liveness<'c, C> {
    /// The graph.
    pub fn cfg(&self) -> &'c Cfg<'c> {
        self.cfg
    }

    /// What is live into the block, after its phis are bound.
    pub fn live_in(&self, block: Block) -> ValueSet<'_> {
        self.get(Fact::LiveIn, block.index())
    }

    /// What is live out of the block: on any of its edges.
    pub fn live_out(&self, block: Block) -> ValueSet<'_> {
        self.get(Fact::LiveOut, block.index())
    }

    /// What the block has to hand over at its end: `live_out`, less what only comes to be on an edge.
    pub fn at_end(&self, block: Block) -> ValueSet<'_> {
        self.get(Fact::AtEnd, block.index())
    }

    /// What crosses the edge: the operands of the target's phis, and what is live into the target
    /// but its phis.
    pub fn edge_live(&self, edge: Edge) -> ValueSet<'_> {
        self.get(Fact::EdgeLive, edge.index())
    }

    /// What the block's instructions read before they overwrite it, each once, in the order of the
    /// reads.
    pub fn exposed_uses(&self, block: Block) -> &[Value] {
        self.summary.exposed_uses(block)
    }

    /// What the block's instructions overwrite, each once, in the order of the first writes.
    pub fn defs(&self, block: Block) -> &[Value] {
        self.summary.defs(block)
    }

    fn get(&self, fact: Fact, index: usize) -> ValueSet<'_> {
        match &self.form {
            Form::Dense(facts) => facts.get(fact, index),
            Form::Shared(facts) => facts.get(fact, index),
        }
    }
}

#[cfg(test)]
mod tests;
