//! The equations as an analysis for the solver, and tables of the results.

use super::summary::Summary;
use super::{Sets, ValueSet};
use crate::cfg::{Cfg, Direction, EdgeData, Values};
use crate::dataflow::solver::{Analysis, Solution, solve};
use crate::entity::{Block, Edge};
use cranelift_entity::EntityRef;

/// Which table.
#[derive(Copy, Clone, Debug)]
pub(super) enum Fact {
    LiveIn,
    LiveOut,
    AtEnd,
    EdgeLive,
    Before,
}

/// All sets, a table for each kind of fact.
#[derive(Clone, Debug)]
pub(super) struct Facts<S: Sets> {
    sets: S,
    tables: [S::Table; 5],
}

/// The problem that the solver is given.
struct Flow<'f, C, S> {
    code: &'f C,
    summary: &'f Summary,
    sets: S,
}

impl<C: Values, S: Sets> Flow<'_, C, S> {
    /// From `live_in` of the target to what is live on the edge. The state is not settled.
    fn cross(&mut self, edge: EdgeData, state: &mut S::Set) {
        let sets = &mut self.sets;
        self.code.phi_defs(edge.to, |value| sets.set(state, value, false));
        self.code.edge_uses(edge.from, edge.slot as usize, |value| sets.set(state, value, true));
    }
}

impl<C: Values, S: Sets> Analysis for Flow<'_, C, S> {
    const DIRECTION: Direction = Direction::Backward;
    type State = S::Set;

    fn bottom(&mut self) -> S::Set {
        self.sets.empty()
    }

    fn join(&mut self, into: &mut S::Set, from: &S::Set) -> bool {
        self.sets.unite(into, from)
    }

    fn transfer_block(&mut self, block: Block, state: &mut S::Set) {
        for &value in self.summary.defs(block) {
            self.sets.set(state, value, false);
        }
        for &value in self.summary.exposed_uses(block) {
            self.sets.set(state, value, true);
        }
        self.sets.settle(state);
    }

    fn transfer_edge(&mut self, _: Edge, data: EdgeData, state: &mut S::Set) {
        self.cross(data, state);
        self.code
            .edge_defs(data.from, data.slot as usize, |value| self.sets.set(state, value, false));
        self.sets.settle(state);
    }
}

impl<S: Sets> Facts<S> {
    pub(super) fn solve<C: Values>(code: &C, cfg: &Cfg<'_>, summary: &Summary) -> Facts<S> {
        let mut flow = Flow { code, summary, sets: S::new(code.value_count()) };
        let solution = solve(&mut flow, cfg);
        Facts::collect(flow, &solution, cfg)
    }

    fn collect<C: Values>(
        mut flow: Flow<'_, C, S>,
        solution: &Solution<S::Set>,
        cfg: &Cfg<'_>,
    ) -> Facts<S> {
        let blocks = || flow.sets.table(cfg.block_count());
        let [mut live_in, mut live_out, mut at_end] = [blocks(), blocks(), blocks()];
        let mut edge_live = flow.sets.table(cfg.edge_count());
        let (mut on_edge, mut out) = (flow.sets.empty(), flow.sets.empty());
        for block in cfg.blocks() {
            let index = block.index();
            out.clone_from(solution.incoming(block));
            for edge in cfg.succs(block) {
                let data = cfg.edge(edge);
                on_edge.clone_from(solution.outgoing(data.to));
                flow.cross(data, &mut on_edge);
                flow.sets.settle(&mut on_edge);
                flow.sets.put(&mut edge_live, edge.index(), &on_edge);
                flow.code.edge_defs(block, data.slot as usize, |value| {
                    if flow.sets.view(&on_edge).contains(value) {
                        flow.sets.set(&mut out, value, true);
                    }
                });
                flow.sets.settle(&mut out);
            }
            flow.sets.put(&mut live_out, index, &out);
            flow.sets.put(&mut live_in, index, solution.outgoing(block));
            flow.sets.put(&mut at_end, index, solution.incoming(block));
        }
        let before = flow.sets.table(0);
        let tables = [live_in, live_out, at_end, edge_live, before];
        Facts { sets: flow.sets, tables }
    }

    pub(super) fn get(&self, fact: Fact, index: usize) -> ValueSet<'_> {
        self.sets.get(&self.tables[fact as usize], index)
    }

    /// Fills the table of what is live before each instruction. Those of block `b` have the rows
    /// `starts[b]..starts[b + 1]`.
    pub(super) fn fill_before<C: Values>(&mut self, code: &C, starts: &[u32]) {
        let count = starts.last().map_or(0, |&count| count as usize);
        let mut before = self.sets.table(count);
        let mut state = self.sets.empty();
        for (index, range) in starts.windows(2).enumerate() {
            let block = Block::new(index);
            self.sets.load(&self.tables[Fact::AtEnd as usize], index, &mut state);
            for inst in (0..(range[1] - range[0]) as usize).rev() {
                code.defs(block, inst, |value| self.sets.set(&mut state, value, false));
                code.uses(block, inst, |value| self.sets.set(&mut state, value, true));
                self.sets.settle(&mut state);
                self.sets.put(&mut before, range[0] as usize + inst, &state);
            }
        }
        self.tables[Fact::Before as usize] = before;
    }
}
