//! The graph itself: edges in the order of their slots, and both directions of adjacency.

use super::code::Code;
use crate::entity::{Block, Edge};
use cranelift_entity::{EntityRef, PrimaryMap};
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
