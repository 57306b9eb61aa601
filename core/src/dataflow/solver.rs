//! The worklist solver.
//!
//! An [`Analysis`] gives a join-semilattice of states without infinite ascending chains, and monotone
//! transfer functions for blocks and edges. The solver computes the least states such that
//!
//! ```text
//! incoming(b) = boundary(b), joined with transfer_edge(e, outgoing(a)) of each edge e from a to b
//! outgoing(b) = transfer_block(b, incoming(b))
//! ```
//!
//! where edges lead with the flow: from source to target going forward, from target to source going
//! backward. The equations hold for all blocks: those too that the entry doesn't reach, or that reach
//! no exit.
//!
//! **Termination.** All blocks wait at first. After that a block waits only because a join changed its
//! incoming state, which then rises. A lattice of height `h` allows at most `1 + h` visits of a block.
//!
//! **Cost.** Blocks are visited in sweeps over an order of the graph; one that gets dirty ahead of
//! the sweep is visited in the same sweep, others in the next. Sweeps alternate between two orders:
//! the reverse postorder of a walk with the flow, and the postorder of a walk against it. Without
//! cycles the first sweep is all. Loops that nest deep need as many sweeps as levels in either order
//! alone (facts that move outward one level a sweep in one order, facts that move inward in the
//! other), and a few with both.

use super::worklist::Worklist;
use crate::cfg::{Cfg, Direction, EdgeData};
use crate::entity::{Block, Edge};
use cranelift_entity::EntityRef;

/// A dataflow problem.
pub trait Analysis {
    /// Whether facts flow with control or against it.
    const DIRECTION: Direction;

    /// What is known at a point.
    type State: Clone + PartialEq;

    /// The least state: nothing has reached the point.
    fn bottom(&mut self) -> Self::State;

    /// Raises `state` to what holds where the flow starts: at the entry of the code, or, going
    /// backward, at the end of a block without successors.
    fn boundary(&mut self, block: Block, state: &mut Self::State) {
        let _ = (block, state);
    }

    /// Blocks besides the entry where control can enter, for an analysis that goes forward.
    fn other_entries(&self) -> Vec<Block> {
        Vec::new()
    }

    /// Raises `into` to the least state above both; tells whether that changed it.
    fn join(&mut self, into: &mut Self::State, from: &Self::State) -> bool;

    /// Takes a state through a block, in the direction of the flow.
    fn transfer_block(&mut self, block: Block, state: &mut Self::State);

    /// Takes a state over an edge, in the direction of the flow.
    fn transfer_edge(&mut self, edge: Edge, data: EdgeData, state: &mut Self::State) {
        let _ = (edge, data, state);
    }
}

/// The fixpoint.
#[derive(Clone, Debug)]
pub struct Solution<S> {
    incoming: Vec<S>,
    outgoing: Vec<S>,
    visits: usize,
}

impl<S> Solution<S> {
    /// The state where the flow comes into the block: at its start going forward, at its end going
    /// backward.
    pub fn incoming(&self, block: Block) -> &S {
        &self.incoming[block.index()]
    }

    /// The state where the flow leaves the block.
    pub fn outgoing(&self, block: Block) -> &S {
        &self.outgoing[block.index()]
    }

    /// How often a block was visited.
    pub fn visits(&self) -> usize {
        self.visits
    }
}

/// Solves the problem on the graph. The same input gives the same visits in the same order.
///
/// # Panics
/// In debug builds, if a join is not an upper bound of its inputs, or does not tell rightly whether
/// it changed its state.
pub fn solve<A: Analysis>(analysis: &mut A, cfg: &Cfg<'_>) -> Solution<A::State> {
    let mut incoming = initial(analysis, cfg);
    let mut outgoing = incoming.clone();
    let mut on_edge = analysis.bottom();
    let mut visits = 0;
    let mut worklist = Worklist::new(cfg, A::DIRECTION);
    while let Some(block) = worklist.pop() {
        visits += 1;
        let out = &mut outgoing[block.index()];
        out.clone_from(&incoming[block.index()]);
        analysis.transfer_block(block, out);
        for index in 0..cfg.degree(block, A::DIRECTION) {
            let edge = cfg.nth_edge(block, index, A::DIRECTION);
            on_edge.clone_from(out);
            analysis.transfer_edge(edge, cfg.edge(edge), &mut on_edge);
            let next = cfg.far_end(edge, A::DIRECTION);
            if checked_join(analysis, &mut incoming[next.index()], &on_edge) {
                worklist.push(next);
            }
        }
    }
    Solution { incoming, outgoing, visits }
}

/// Bottom, raised where the flow starts.
fn initial<A: Analysis>(analysis: &mut A, cfg: &Cfg<'_>) -> Vec<A::State> {
    let mut states: Vec<_> = cfg.blocks().map(|_| analysis.bottom()).collect();
    match A::DIRECTION {
        Direction::Forward if states.is_empty() => {}
        Direction::Forward => {
            for entry in analysis.other_entries().into_iter().chain([cfg.entry()]) {
                analysis.boundary(entry, &mut states[entry.index()]);
            }
        }
        Direction::Backward => {
            cfg.exits().for_each(|exit| analysis.boundary(exit, &mut states[exit.index()]));
        }
    }
    states
}

/// Joins; debug builds check that both inputs are below the result, which joining them once more
/// must not change, and that `changed` is true.
fn checked_join<A: Analysis>(analysis: &mut A, into: &mut A::State, from: &A::State) -> bool {
    let before = cfg!(debug_assertions).then(|| into.clone());
    let changed = analysis.join(into, from);
    if let Some(before) = before {
        assert_eq!(changed, before != *into, "the join says rightly whether it changed its state");
        for input in [&before, from] {
            let mut again = into.clone();
            analysis.join(&mut again, input);
            assert!(again == *into, "the join is an upper bound of its inputs");
        }
    }
    changed
}

#[cfg(test)]
mod tests;
