//! The blocks that wait for a visit, in the order of the sweeps that [`super::solver`] describes.

use crate::cfg::{Cfg, Direction, full_postorder};
use crate::entity::Block;
use cranelift_entity::EntityRef;

/// A set of blocks that is emptied in sweeps.
pub(super) struct Worklist<'g> {
    cfg: &'g Cfg<'g>,
    direction: Direction,
    waiting: Vec<bool>,
    /// The order of this sweep.
    order: Order,
    /// The order of the sweeps before and after this one, once there was one.
    other: Option<Order>,
    /// Bits by position: what waits for this sweep. None is set before `cursor`.
    ahead: Vec<u64>,
    ahead_count: usize,
    cursor: usize,
    /// What waits for the next sweep.
    behind: Vec<Block>,
}

impl<'g> Worklist<'g> {
    /// All blocks wait.
    pub(super) fn new(cfg: &'g Cfg<'g>, direction: Direction) -> Worklist<'g> {
        let count = cfg.block_count();
        let mut ahead = vec![u64::MAX; count.div_ceil(64)];
        if !count.is_multiple_of(64) {
            ahead[count / 64] = (1 << (count % 64)) - 1;
        }
        Worklist {
            cfg,
            direction,
            waiting: vec![true; count],
            order: Order::with_flow(cfg, direction),
            other: None,
            ahead,
            ahead_count: count,
            cursor: 0,
            behind: Vec::new(),
        }
    }

    /// Lets a block wait, unless it does already.
    pub(super) fn push(&mut self, block: Block) {
        if std::mem::replace(&mut self.waiting[block.index()], true) {
            return;
        }
        let position = self.order.positions[block.index()] as usize;
        if position >= self.cursor {
            self.wait_for_this_sweep(position);
        } else {
            self.behind.push(block);
        }
    }

    /// The next block to visit.
    pub(super) fn pop(&mut self) -> Option<Block> {
        if self.ahead_count == 0 {
            self.turn();
        }
        let mut at = self.cursor / 64;
        while *self.ahead.get(at)? == 0 {
            at += 1;
        }
        let word = &mut self.ahead[at];
        let position = at * 64 + word.trailing_zeros() as usize;
        *word &= *word - 1;
        self.ahead_count -= 1;
        self.cursor = position + 1;
        let block = self.order.blocks[position];
        self.waiting[block.index()] = false;
        Some(block)
    }

    /// Starts the next sweep, if anything waits for it.
    fn turn(&mut self) {
        if self.behind.is_empty() {
            self.cursor = self.order.blocks.len();
            return;
        }
        let (cfg, direction) = (self.cfg, self.direction);
        let next = self.other.take().unwrap_or_else(|| Order::against_flow(cfg, direction));
        self.other = Some(std::mem::replace(&mut self.order, next));
        self.cursor = usize::MAX;
        while let Some(block) = self.behind.pop() {
            let position = self.order.positions[block.index()] as usize;
            self.cursor = self.cursor.min(position);
            self.wait_for_this_sweep(position);
        }
    }

    fn wait_for_this_sweep(&mut self, position: usize) {
        self.ahead[position / 64] |= 1 << (position % 64);
        self.ahead_count += 1;
    }
}

/// An order of all blocks.
struct Order {
    blocks: Vec<Block>,
    /// By block.
    positions: Vec<u32>,
}

impl Order {
    /// Reverse postorder of a walk in the direction of the flow.
    fn with_flow(cfg: &Cfg<'_>, direction: Direction) -> Order {
        let mut blocks = full_postorder(cfg, direction);
        blocks.reverse();
        Order::new(blocks)
    }

    /// Postorder of a walk against the flow.
    fn against_flow(cfg: &Cfg<'_>, direction: Direction) -> Order {
        Order::new(full_postorder(cfg, direction.reversed()))
    }

    fn new(blocks: Vec<Block>) -> Order {
        let mut positions = vec![0; blocks.len()];
        for (position, block) in blocks.iter().enumerate() {
            positions[block.index()] = position as u32;
        }
        Order { blocks, positions }
    }
}
