//! The one depth-first walk. Its stack is on the heap, so that no graph is too deep for a thread.

use super::Cfg;
use crate::entity::Block;
use cranelift_entity::EntityRef;

/// Which way edges are followed.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Direction {
    /// From a block to its successors.
    Forward,
    /// From a block to its predecessors.
    Backward,
}

impl Direction {
    /// The other direction.
    #[must_use]
    pub fn reversed(self) -> Direction {
        match self {
            Direction::Forward => Direction::Backward,
            Direction::Backward => Direction::Forward,
        }
    }
}

/// What happens on a walk.
pub(crate) enum Step {
    /// A block is met for the first time, coming from its parent.
    Enter(Block, Option<Block>),
    /// All that can be reached through the block has been entered.
    Leave(Block),
}

/// Walks from each root in turn to what no earlier root reached. Later slots are tried first, so
/// that the blocks of a reversed postorder stand in the order of the slots.
pub(crate) fn depth_first(
    cfg: &Cfg<'_>,
    direction: Direction,
    roots: impl IntoIterator<Item = Block>,
    mut step: impl FnMut(Step),
) {
    let mut entered = vec![false; cfg.block_count()];
    let mut is_new = |block: Block| !std::mem::replace(&mut entered[block.index()], true);
    let mut path: Vec<(Block, usize)> = Vec::new();
    for root in roots {
        if !is_new(root) {
            continue;
        }
        step(Step::Enter(root, None));
        path.push((root, cfg.degree(root, direction)));
        while let Some((block, left)) = path.last_mut() {
            let block = *block;
            if *left == 0 {
                path.pop();
                step(Step::Leave(block));
                continue;
            }
            *left -= 1;
            let next = cfg.far_end(cfg.nth_edge(block, *left, direction), direction);
            if is_new(next) {
                step(Step::Enter(next, Some(block)));
                path.push((next, cfg.degree(next, direction)));
            }
        }
    }
}

/// A postorder of all blocks, those included that the start (the entry, or going backward the
/// exits) does not reach.
pub(crate) fn full_postorder(cfg: &Cfg<'_>, direction: Direction) -> Vec<Block> {
    let mut order = Vec::with_capacity(cfg.block_count());
    let leave = |step| {
        if let Step::Leave(block) = step {
            order.push(block);
        }
    };
    match direction {
        Direction::Forward if cfg.block_count() == 0 => {}
        Direction::Forward => {
            depth_first(cfg, direction, std::iter::once(cfg.entry()).chain(cfg.blocks()), leave);
        }
        Direction::Backward => {
            depth_first(cfg, direction, cfg.exits().chain(cfg.blocks().rev()), leave);
        }
    }
    order
}
