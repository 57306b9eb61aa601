//! Constants: which integer locals hold the same value whenever control gets somewhere.
//!
//! Conditional constant propagation (after Wegman and Zadeck, 1991) on mutable locals: forward, on the one
//! solver. A state is [`Lattice::Undefined`] < `Constant` < `Overdefined` for each local, or, least of all,
//! "control does not get here". An edge whose condition is known to go the other way carries nothing, so
//! that a value can be constant only because a branch is never taken.
//!
//! **Rules.** Parameters of the function are overdefined, other integers undefined where control enters,
//! also if control comes back there. What is not an integer is overdefined. An operation on something
//! undefined is undefined: a run that gets there has no meaning. Loads, calls and what other languages do
//! give anything. A condition that is undefined lets control go nowhere, since nothing has assigned
//! it. A block that a thunk is bound to is entered with anything in every local, if the function enters
//! thunks at all.
//!
//! **Termination.** A block's state rises at most twice for each local, and once to be reached; every
//! transfer is monotone.

mod evaluate;
mod flow;
mod fold;
mod lattice;
mod state;
#[cfg(test)]
mod tests;

pub use evaluate::evaluate;
pub use fold::fold;
pub use lattice::Lattice;

use super::solver::{Solution, solve};
use crate::cfg::Cfg;
use crate::entity::{Block, Edge};
use crate::ir::{Function, Local, Op, TerminatorKind};
use flow::Flow;
use state::State;

/// The constants of a function.
pub struct Constants<'f> {
    function: &'f Function,
    solution: Solution<State>,
}

impl<'f> Constants<'f> {
    /// Solves them on the function's graph.
    pub fn solve(function: &'f Function, cfg: &Cfg<'f>) -> Constants<'f> {
        let solution = solve(&mut Flow::new(function), cfg);
        Constants { function, solution }
    }

    /// Whether control may get to the block.
    pub fn is_executable(&self, block: Block) -> bool {
        self.solution.incoming(block).is_reached()
    }

    /// Whether control may take the edge.
    pub fn is_taken(&self, cfg: &Cfg<'_>, edge: Edge) -> bool {
        let data = cfg.edge(edge);
        let state = self.solution.outgoing(data.from);
        state.is_reached() && flow::takes(self.function, data.from, data.slot, state)
    }

    /// What a local holds where the block starts, its parameters bound; `None` if control never gets
    /// there.
    pub fn at_entry(&self, block: Block, local: Local) -> Option<Lattice> {
        self.solution.incoming(block).get(local)
    }

    /// What a local holds at the end of the block, before an edge is taken.
    pub fn at_exit(&self, block: Block, local: Local) -> Option<Lattice> {
        self.solution.outgoing(block).get(local)
    }

    /// Instructions of the block that compute a constant, by position, with its value. Those that are
    /// constants as they stand, or do anything besides, are not among them.
    pub fn foldable(&self, block: Block) -> Vec<(usize, i64)> {
        let mut found = Vec::new();
        self.walk(block, |index, state| {
            let Some(inst) = self.function.blocks[block].insts.get(index) else { return };
            let computes = matches!(inst.op, Op::Copy(_) | Op::Select(..) | Op::Binary(..));
            let is_whole = inst.dest.as_ref().is_some_and(|dest| dest.is_whole());
            if computes
                && is_whole
                && let Lattice::Constant(value) = flow::result(&inst.op, state)
            {
                found.push((index, value));
            }
        });
        found
    }

    /// The only way that control can take out of a block that has several; `None` if there are more, or
    /// none.
    pub fn decided(&self, block: Block) -> Option<u32> {
        let term = &self.function.blocks[block].term.kind;
        let state = self.solution.outgoing(block);
        let chooses = matches!(term, TerminatorKind::Branch { .. } | TerminatorKind::Switch { .. });
        let count = term.targets().len() as u32;
        if !chooses || !state.is_reached() || count < 2 {
            return None;
        }
        let mut taken = (0..count).filter(|&slot| flow::takes(self.function, block, slot, state));
        taken.next().filter(|_| taken.next().is_none())
    }

    /// Calls `visit` with the state before each instruction of a block that control gets to.
    fn walk(&self, block: Block, mut visit: impl FnMut(usize, &State)) {
        let mut state = self.solution.incoming(block).clone();
        if !state.is_reached() {
            return;
        }
        for (index, inst) in self.function.blocks[block].insts.iter().enumerate() {
            visit(index, &state);
            flow::step(self.function, inst, &mut state);
        }
        visit(self.function.blocks[block].insts.len(), &state);
    }
}
