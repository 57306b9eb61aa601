//! The graph itself: edges in the order of their slots, and both directions of adjacency.

use super::code::Code;
use super::walk::{Direction, Step, depth_first};
use crate::entity::{Block, Edge};
use cranelift_entity::{EntityRef, EntitySet, PrimaryMap};
use std::marker::PhantomData;
use std::ops::Range;

/// One edge.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct EdgeData {
    /// The block whose terminator branches.
    pub from: Block,
    /// The block that is branched to.
    pub to: Block,
    /// The position of `to` among the successors of `from`.
    pub slot: u32,
}

/// The control-flow graph of some code.
///
/// It borrows the code that it was built from, as does every analysis built on it: as long as one
/// of them can still be asked, the code can't be edited.
///
/// ```compile_fail,E0502
/// use backedge_core::{cfg::Cfg, ir::{Function, builder}};
/// let mut function: Function = builder::diamond();
/// let cfg = Cfg::build(&function);
/// function.blocks.clear();
/// cfg.blocks().count();
/// ```
#[derive(Clone, Debug)]
pub struct Cfg<'c> {
    entry: Block,
    edges: PrimaryMap<Edge, EdgeData>,
    succ_starts: Vec<u32>,
    pred_starts: Vec<u32>,
    preds: Vec<Edge>,
    code: PhantomData<&'c ()>,
}

impl<'c> Cfg<'c> {
    /// Reads the graph off the code, in time linear in its size.
    ///
    /// # Panics
    /// If a successor is no block of the code; [`super::validate`] finds that without a panic.
    pub fn build(code: &'c impl Code) -> Cfg<'c> {
        let count = code.block_count();
        let mut edges = PrimaryMap::new();
        let mut succ_starts = Vec::with_capacity(count + 1);
        let mut pred_starts = vec![0u32; count + 1];
        for from in (0..count).map(Block::new) {
            succ_starts.push(edges.len() as u32);
            let mut slot = 0;
            code.successors(from, |to| {
                pred_starts[to.index() + 1] += 1;
                edges.push(EdgeData { from, to, slot });
                slot += 1;
            });
        }
        succ_starts.push(edges.len() as u32);
        for block in 0..count {
            pred_starts[block + 1] += pred_starts[block];
        }
        let preds = fill_preds(&edges, &pred_starts);
        Cfg { entry: code.entry(), edges, succ_starts, pred_starts, preds, code: PhantomData }
    }

    /// Where control enters.
    pub fn entry(&self) -> Block {
        self.entry
    }

    /// How many blocks there are.
    pub fn block_count(&self) -> usize {
        self.succ_starts.len() - 1
    }

    /// All blocks, by number.
    pub fn blocks(&self) -> impl DoubleEndedIterator<Item = Block> + ExactSizeIterator + use<> {
        (0..self.block_count()).map(Block::new)
    }

    /// How many edges there are.
    pub fn edge_count(&self) -> usize {
        self.edges.len()
    }

    /// All edges, by source and slot.
    pub fn edges(&self) -> impl DoubleEndedIterator<Item = (Edge, &EdgeData)> {
        self.edges.iter()
    }

    /// What an edge joins.
    pub fn edge(&self, edge: Edge) -> EdgeData {
        self.edges[edge]
    }

    /// The edges out of a block, by slot.
    pub fn succs(
        &self,
        block: Block,
    ) -> impl DoubleEndedIterator<Item = Edge> + ExactSizeIterator + use<> {
        self.succ_range(block).map(Edge::new)
    }

    /// The edges into a block, by source and slot.
    pub fn preds(&self, block: Block) -> &[Edge] {
        let range = self.pred_starts[block.index()]..self.pred_starts[block.index() + 1];
        &self.preds[range.start as usize..range.end as usize]
    }

    /// The blocks that a block branches to, by slot, each as often as it is named.
    pub fn succ_blocks(&self, block: Block) -> impl DoubleEndedIterator<Item = Block> {
        self.succs(block).map(|edge| self.edges[edge].to)
    }

    /// The blocks that branch to a block, each as often as it names it.
    pub fn pred_blocks(&self, block: Block) -> impl DoubleEndedIterator<Item = Block> {
        self.preds(block).iter().map(|&edge| self.edges[edge].from)
    }

    /// The blocks without a successor, by number: control leaves the code there, if anywhere.
    pub fn exits(&self) -> impl DoubleEndedIterator<Item = Block> + '_ {
        self.blocks().filter(|&block| self.succ_range(block).is_empty())
    }

    /// The blocks from which a path leads to an exit. If the entry is not among them, the code never
    /// returns.
    pub fn reaching_exit(&self) -> EntitySet<Block> {
        let mut found = EntitySet::with_capacity(self.block_count());
        depth_first(self, Direction::Backward, self.exits(), |step| {
            if let Step::Enter(block, _) = step {
                found.insert(block);
            }
        });
        found
    }

    /// Whether code for this edge alone has no place in either of its ends: the source has several
    /// edges out, and control comes to the target in another way as well (over another edge, parallel
    /// ones included, or from the caller if the target is the entry).
    pub fn is_critical(&self, edge: Edge) -> bool {
        let EdgeData { from, to, .. } = self.edges[edge];
        self.succ_range(from).len() > 1 && self.preds(to).len() + usize::from(to == self.entry) > 1
    }

    /// The critical edges, by number.
    pub fn critical_edges(&self) -> impl DoubleEndedIterator<Item = Edge> + '_ {
        self.edges.keys().filter(|&edge| self.is_critical(edge))
    }

    /// The edges that share both ends with another edge, by number.
    pub fn multi_edges(&self) -> Vec<Edge> {
        let mut last: Vec<Option<Edge>> = vec![None; self.block_count()];
        let mut found = EntitySet::with_capacity(self.edge_count());
        for (edge, data) in &self.edges {
            let other = last[data.to.index()].replace(edge);
            if let Some(other) = other.filter(|&other| self.edges[other].from == data.from) {
                found.insert(other);
                found.insert(edge);
            }
        }
        self.edges.keys().filter(|&edge| found.contains(edge)).collect()
    }

    /// How many edges leave the block in this direction.
    pub(crate) fn degree(&self, block: Block, direction: Direction) -> usize {
        match direction {
            Direction::Forward => self.succ_range(block).len(),
            Direction::Backward => self.preds(block).len(),
        }
    }

    /// The block's edge at `index` in this direction.
    pub(crate) fn nth_edge(&self, block: Block, index: usize, direction: Direction) -> Edge {
        match direction {
            Direction::Forward => Edge::new(self.succ_range(block).start + index),
            Direction::Backward => self.preds(block)[index],
        }
    }

    /// The end of the edge that lies in this direction.
    pub(crate) fn far_end(&self, edge: Edge, direction: Direction) -> Block {
        match direction {
            Direction::Forward => self.edges[edge].to,
            Direction::Backward => self.edges[edge].from,
        }
    }

    fn succ_range(&self, block: Block) -> Range<usize> {
        self.succ_starts[block.index()] as usize..self.succ_starts[block.index() + 1] as usize
    }
}

fn fill_preds(edges: &PrimaryMap<Edge, EdgeData>, starts: &[u32]) -> Vec<Edge> {
    let mut next = starts.to_vec();
    let mut preds = vec![Edge::new(0); edges.len()];
    for (edge, data) in edges {
        let slot = &mut next[data.to.index()];
        preds[*slot as usize] = edge;
        *slot += 1;
    }
    preds
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cfg::testing::{block, graph, numbers};

    #[test]
    fn every_slot_is_an_edge() {
        let graph = graph(&[&[1, 1, 2], &[2], &[]]);
        let cfg = Cfg::build(&graph);
        assert_eq!(numbers(cfg.succ_blocks(block(0))), [1, 1, 2]);
        assert_eq!(numbers(cfg.pred_blocks(block(1))), [0, 0]);
        assert_eq!(numbers(cfg.pred_blocks(block(2))), [0, 1]);
        assert_eq!(cfg.multi_edges(), [0, 1].map(Edge::new));
        assert_eq!(cfg.edge(Edge::new(2)), EdgeData { from: block(0), to: block(2), slot: 2 });
    }

    #[test]
    fn critical_edges() {
        let graph = graph(&[&[1, 2], &[2, 3], &[1, 2], &[]]);
        let cfg = Cfg::build(&graph);
        let critical: Vec<usize> = cfg.critical_edges().map(|edge| edge.index()).collect();
        assert_eq!(critical, [0, 1, 2, 4, 5]);
    }

    #[test]
    fn an_edge_to_the_entry_is_critical_if_its_source_branches() {
        let graph = graph(&[&[1], &[0, 2], &[]]);
        let cfg = Cfg::build(&graph);
        assert_eq!(cfg.critical_edges().collect::<Vec<_>>(), [Edge::new(1)]);
    }

    #[test]
    fn blocks_that_reach_an_exit() {
        let graph = graph(&[&[1, 2], &[], &[2], &[1]]);
        let cfg = Cfg::build(&graph);
        let found = cfg.reaching_exit();
        assert_eq!(numbers(cfg.blocks().filter(|&block| found.contains(block))), [0, 1, 3]);
        assert_eq!(numbers(cfg.exits()), [1]);
    }
}
