//! Dominators by deletion: `d` dominates `n` iff every path from the entry to `n` passes `d`, that
//! is, iff deleting `d` cuts `n` off from the entry.

use super::graph::Graph;
use backedge_core::ir::Block;
use cranelift_entity::EntityRef;

/// Which block dominates which, for the blocks that the entry reaches.
#[derive(Clone, Debug)]
pub struct Dominators {
    reachable: Vec<bool>,
    /// `dominates[d * blocks + n]`.
    dominates: Vec<bool>,
}

impl Dominators {
    /// Deletes one block after the other. Time and space grow with the square of the blocks.
    pub fn new(graph: &Graph) -> Dominators {
        let reachable = graph.reachable();
        let mut dominates = Vec::with_capacity(reachable.len() * reachable.len());
        for deleted in graph.blocks() {
            let still = graph.reachable_without(Some(deleted));
            dominates.extend(reachable.iter().zip(still).map(|(&before, after)| before && !after));
        }
        Dominators { reachable, dominates }
    }

    /// By block: whether the entry reaches it.
    pub fn reachable(&self) -> &[bool] {
        &self.reachable
    }

    /// Whether `n` is reachable and every path to it passes `d`. A block dominates itself.
    pub fn dominates(&self, d: Block, n: Block) -> bool {
        self.dominates[d.index() * self.reachable.len() + n.index()]
    }

    /// The strict dominator of `n` that all its other strict dominators dominate. None for the entry
    /// and for what it does not reach.
    pub fn idom(&self, n: Block) -> Option<Block> {
        (0..self.reachable.len())
            .map(Block::new)
            .filter(|&d| d != n && self.dominates(d, n))
            .reduce(|near, d| if self.dominates(near, d) { d } else { near })
    }
}
