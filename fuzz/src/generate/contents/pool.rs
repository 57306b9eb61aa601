//! What a mutable function can read and write: for each type, all its locals, anywhere.
//!
//! A local comes into being when it first occurs. So none is without an occurrence, and numbers
//! follow the text.

use super::types::Ty;
use crate::generate::draw::scale;
use backedge_core::ir::Local;
use smallvec::SmallVec;

/// A local that may not have occurred yet.
#[derive(Clone, Debug)]
pub(super) struct Slot {
    pub(super) ty: Ty,
    pub(super) local: Option<Local>,
    /// Whether it is a parameter of the function or of a block already.
    is_param: bool,
}

/// The locals of one function.
#[derive(Clone, Debug)]
pub(super) struct Pool {
    pub(super) slots: Vec<Slot>,
    by_type: [Vec<u32>; Ty::COUNT],
}

impl Pool {
    /// A pool with so many locals of each type.
    pub(super) fn new(counts: &[(Ty, usize)]) -> Pool {
        let mut pool = Pool { slots: Vec::with_capacity(32), by_type: Default::default() };
        for &(ty, count) in counts {
            (0..count).for_each(|_| _ = pool.add(ty, false));
        }
        pool
    }

    fn add(&mut self, ty: Ty, is_param: bool) -> u32 {
        let slot = self.slots.len() as u32;
        self.slots.push(Slot { ty, local: None, is_param });
        self.by_type[ty.index()].push(slot);
        slot
    }

    /// A slot that becomes a parameter: now and then one that instructions write as well.
    pub(super) fn param(&mut self, ty: Ty, byte: u8) -> u32 {
        let shared = if byte >= 160 { self.pick(ty, byte << 2) } else { None };
        match shared.filter(|&slot| !self.slots[slot as usize].is_param) {
            Some(slot) => {
                self.slots[slot as usize].is_param = true;
                slot
            }
            None => self.add(ty, true),
        }
    }

    /// One of the type's slots; `None` if there are none.
    pub(super) fn pick(&self, ty: Ty, byte: u8) -> Option<u32> {
        let slots = &self.by_type[ty.index()];
        slots.get(scale(byte, slots.len())).copied()
    }

    /// One of up to four of the type's slots, those that belong to the block.
    pub(super) fn pick_near(&self, ty: Ty, block: usize, byte: u8) -> Option<u32> {
        let slots = &self.by_type[ty.index()];
        let window = slots.len().min(4);
        slots.get((3 * block + scale(byte, window)) % slots.len().max(1)).copied()
    }
}

/// Slots of the parameters of one block.
pub(super) type Params = SmallVec<[u32; 4]>;
