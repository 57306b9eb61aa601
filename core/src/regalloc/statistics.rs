//! What an allocation costs.

use crate::machine::{FrameSlot, MFunction, MOp};

/// Counts of instructions in allocated code, and the size of its frame.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Stores to spill slots.
    pub spills: usize,
    /// Loads from spill slots.
    pub reloads: usize,
    /// Copies from register to register, whoever asked for them.
    pub moves: usize,
    /// Callee-saved registers that are saved and restored.
    pub saved: usize,
    /// Bytes of spill slots.
    pub spill_bytes: u32,
}

impl Statistics {
    /// Counts in a function that [`super::rewrite`] made.
    pub fn of(function: &MFunction) -> Statistics {
        let mut counts = Statistics {
            saved: function.saved.len(),
            spill_bytes: function.spill_bytes,
            ..Statistics::default()
        };
        for inst in function.blocks.values().flat_map(|block| &block.insts) {
            match inst.op {
                MOp::FrameStore(FrameSlot::Spill(_)) => counts.spills += 1,
                MOp::FrameLoad(FrameSlot::Spill(_)) => counts.reloads += 1,
                MOp::Move => counts.moves += 1,
                _ => {}
            }
        }
        counts
    }
}
