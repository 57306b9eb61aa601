//! The order in which blocks are laid out: each is followed by one of its successors where that is still
//! to be placed, so that few jumps are left. Linear in the blocks and edges.

use crate::entity::Block;
use crate::machine::{MFunction, MTermKind};

/// Every block once, the entry first.
pub(super) fn layout(function: &MFunction) -> Vec<Block> {
    let mut placed = vec![false; function.blocks.len()];
    let mut order = Vec::with_capacity(function.blocks.len());
    for start in function.blocks.keys() {
        let mut next = Some(start);
        while let Some(block) = next.filter(|block| !placed[block.as_u32() as usize]) {
            placed[block.as_u32() as usize] = true;
            order.push(block);
            next = follower(function, block, &placed);
        }
    }
    order
}

/// The successor to lay out next: it may be placed already.
fn follower(function: &MFunction, block: Block, placed: &[bool]) -> Option<Block> {
    let free = |block: Block| placed.get(block.as_u32() as usize) == Some(&false);
    match &function.blocks[block].term.kind {
        MTermKind::Jump(to) => Some(to.block).filter(|&to| free(to)),
        MTermKind::Branch { then_to, else_to, .. } => {
            [else_to.block, then_to.block].into_iter().find(|&to| free(to))
        }
        MTermKind::Switch { default, .. } => Some(default.block).filter(|&to| free(to)),
        MTermKind::Return | MTermKind::Unreachable => None,
    }
}
