//! Postorder of the blocks that the entry reaches.
//!
//! A block stands after everything that a depth-first walk first met through it. Without back edges
//! that means: after all its successors. One walk, linear in blocks and edges.

use super::Cfg;
use super::walk::{Direction, Step, depth_first};
use crate::entity::Block;
use cranelift_entity::EntityRef;
use std::marker::PhantomData;

/// A postorder, and which blocks can be reached at all.
///
/// ```compile_fail,E0502
/// use backedge_core::{cfg::{Cfg, Postorder}, ir::builder};
/// let mut function = builder::diamond();
/// let postorder = Postorder::new(&Cfg::build(&function));
/// function.blocks.clear();
/// postorder.blocks();
/// ```
#[derive(Clone, Debug)]
pub struct Postorder<'c> {
    order: Vec<Block>,
    /// Of each block; [`UNREACHABLE`] for those that are not in the order.
    positions: Vec<u32>,
    code: PhantomData<&'c ()>,
}

const UNREACHABLE: u32 = u32::MAX;

impl<'c> Postorder<'c> {
    /// Walks the graph. Of two successors, that of the lower slot stands later.
    pub fn new(cfg: &Cfg<'c>) -> Postorder<'c> {
        let mut order = Vec::with_capacity(cfg.block_count());
        let mut positions = vec![UNREACHABLE; cfg.block_count()];
        let roots = Some(cfg.entry()).filter(|_| cfg.block_count() > 0);
        depth_first(cfg, Direction::Forward, roots, |step| {
            if let Step::Leave(block) = step {
                positions[block.index()] = order.len() as u32;
                order.push(block);
            }
        });
        Postorder { order, positions, code: PhantomData }
    }

    /// The reachable blocks in postorder; the entry is the last.
    pub fn blocks(&self) -> &[Block] {
        &self.order
    }

    /// The reachable blocks in reverse postorder; the entry is the first.
    pub fn reversed(&self) -> impl DoubleEndedIterator<Item = Block> + ExactSizeIterator {
        self.order.iter().rev().copied()
    }

    /// Where the block stands in the order; `None` if it can't be reached.
    pub fn position(&self, block: Block) -> Option<usize> {
        let position = self.positions[block.index()];
        (position != UNREACHABLE).then_some(position as usize)
    }

    /// Whether a path leads from the entry to the block.
    pub fn is_reachable(&self, block: Block) -> bool {
        self.positions[block.index()] != UNREACHABLE
    }

    /// The blocks that can't be reached, by number.
    pub fn unreachable(&self) -> impl Iterator<Item = Block> {
        let marked = self.positions.iter().enumerate();
        marked.filter(|(_, position)| **position == UNREACHABLE).map(|(block, _)| Block::new(block))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cfg::testing::{any_graph, block, graph, numbers, reach};
    use proptest::prelude::*;

    #[test]
    fn slots_give_the_order() {
        let graph = graph(&[&[1, 2], &[3], &[3], &[]]);
        let postorder = Postorder::new(&Cfg::build(&graph));
        assert_eq!(numbers(postorder.reversed()), [0, 1, 2, 3]);
        assert_eq!(postorder.position(block(3)), Some(0));
    }

    #[test]
    fn unreachable_blocks_are_left_out() {
        let graph = graph(&[&[0], &[0, 2], &[]]);
        let postorder = Postorder::new(&Cfg::build(&graph));
        assert_eq!(numbers(postorder.blocks().iter().copied()), [0]);
        assert_eq!(numbers(postorder.unreachable()), [1, 2]);
        assert_eq!(postorder.position(block(2)), None);
    }

    proptest! {
        /// Only an edge whose target reaches its source may retreat.
        #[test]
        fn retreating_edges_are_on_cycles(graph in any_graph()) {
            let cfg = Cfg::build(&graph);
            let postorder = Postorder::new(&cfg);
            let reachable = reach(&cfg, cfg.entry(), None);
            prop_assert_eq!(postorder.blocks().len(), reachable.len());
            prop_assert!(reachable.iter().all(|&block| postorder.is_reachable(block)));
            prop_assert_eq!(postorder.blocks().last(), Some(&cfg.entry()));
            for (_, edge) in cfg.edges().filter(|(_, edge)| postorder.is_reachable(edge.from)) {
                if postorder.position(edge.to) >= postorder.position(edge.from) {
                    prop_assert!(reach(&cfg, edge.to, None).contains(&edge.from));
                }
            }
        }
    }
}
