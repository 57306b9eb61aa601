//! How code reaches the graph and the analyses: two traits that any representation can implement.
//!
//! Positions: instruction `i` of a block counts from 0, and the terminator is the last one. A slot
//! is the position of a successor in its terminator, so that two slots with one target are two edges.

use crate::entity::{Block, Value};

/// Code that is divided into blocks.
pub trait Code {
    /// How many blocks there are; they are numbered from 0.
    fn block_count(&self) -> usize;

    /// Where control enters.
    fn entry(&self) -> Block {
        Block::from_u32(0)
    }

    /// What people call the block.
    fn block_name(&self, block: Block) -> &str;

    /// How many instructions the block has, its terminator included.
    fn inst_count(&self, block: Block) -> usize;

    /// Calls `visit` with the target of each slot of the block's terminator, in order.
    fn successors(&self, block: Block, visit: impl FnMut(Block));
}

/// Code whose reads and writes are known.
pub trait Values: Code {
    /// How many values there are; they are numbered from 0.
    fn value_count(&self) -> usize;

    /// Calls `visit` on each value that instruction `inst` reads, once an occurrence. Arguments of
    /// edges are not among them.
    fn uses(&self, block: Block, inst: usize, visit: impl FnMut(Value));

    /// Calls `visit` on each value that instruction `inst` overwrites whole, after it has read.
    fn defs(&self, block: Block, inst: usize, visit: impl FnMut(Value));

    /// Calls `visit` on each value defined on entry to the block, all at once: its phis.
    fn phi_defs(&self, block: Block, visit: impl FnMut(Value));

    /// Calls `visit` on each value that the edge in `slot` reads: the operands of the target's phis.
    fn edge_uses(&self, block: Block, slot: usize, visit: impl FnMut(Value));

    /// Calls `visit` on each value defined on the edge in `slot` alone, before the edge reads.
    fn edge_defs(&self, block: Block, slot: usize, visit: impl FnMut(Value));

    /// Whether instruction `inst` is a call.
    fn is_call(&self, block: Block, inst: usize) -> bool;
}
