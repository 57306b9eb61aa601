//! Orders of a function's blocks.

use backedge_core::cfg::{Cfg, Dominators, Postorder};
use backedge_core::ir::{Block, Function};

/// Blocks in preorder of the dominator tree, then those that the entry does not reach, in the order of
/// the text. All that a block dominates stands behind it, so ranges of this order are much like regions.
pub(super) fn dominance_order(function: &Function) -> Vec<Block> {
    if function.blocks.is_empty() {
        return Vec::new();
    }
    let cfg = Cfg::build(function);
    let dominators = Dominators::new(&cfg);
    let unreachable = cfg.blocks().filter(|&block| !dominators.is_reachable(block));
    dominators.preorder().iter().copied().chain(unreachable).collect()
}

/// An order of all blocks.
#[derive(Default)]
pub(super) struct Order {
    /// Reverse postorder, then the blocks that the entry does not reach, in the order of the text.
    pub(super) blocks: Vec<Block>,
    /// How many those are.
    pub(super) unreachable: usize,
}

/// The order that a program should stand in.
pub(super) fn reverse_postorder(function: &Function) -> Order {
    if function.blocks.is_empty() {
        return Order::default();
    }
    let postorder = Postorder::new(&Cfg::build(function));
    let unreachable = function.blocks.len() - postorder.blocks().len();
    Order { blocks: postorder.reversed().chain(postorder.unreachable()).collect(), unreachable }
}
