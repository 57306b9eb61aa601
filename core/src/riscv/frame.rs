//! Where the words of a frame are, and the code that makes a frame and takes it away.
//!
//! From `sp` upwards: arguments for calls, the spill area, the callee-saved registers that are in use,
//! `ra` if there are calls; filled up to a multiple of 16 bytes. The function's own arguments on the
//! stack follow. Offsets that no load or store can hold go through `t0`.

use super::Misfit;
use super::asm::{Asm, RA, SP, T0, X, split};
use super::constant;
use crate::machine::{Alu, FrameSlot, MFunction, Reg};

/// The largest offset from `sp`, in bytes.
const MOST_BYTES: u64 = 1 << 30;

/// The frame of one function, in bytes.
pub(super) struct Frame {
    spill_area: u64,
    saved_area: u64,
    size: u64,
    /// What the prologue saves, at successive words of the saved area.
    saved: Vec<X>,
}

impl Frame {
    /// # Errors
    /// When the frame is larger than an offset can be.
    pub(super) fn new(function: &MFunction) -> Result<Frame, Misfit> {
        let calls = function.blocks.values().flat_map(|block| &block.insts).any(|i| i.is_call());
        let mut saved: Vec<X> = function.saved.iter().map(|reg| reg.number() as X).collect();
        if calls && !function.saved.contains(Reg::RA) {
            saved.push(RA);
        }
        let spill_area = 8 * u64::from(function.outgoing_words);
        let saved_area = (spill_area + u64::from(function.spill_bytes)).next_multiple_of(8);
        let size = (saved_area + 8 * saved.len() as u64).next_multiple_of(16);
        if size > MOST_BYTES {
            return Err(Misfit::FrameOffset(size));
        }
        Ok(Frame { spill_area, saved_area, size, saved })
    }

    /// Makes room, and saves what is to be given back.
    pub(super) fn prologue(&self, asm: &mut Asm) {
        self.move_stack_pointer(asm, Alu::Sub);
        for (index, &reg) in self.saved.iter().enumerate() {
            store(asm, reg, self.saved_area as i32 + 8 * index as i32);
        }
    }

    /// Gives back what was saved, then the room, and returns.
    pub(super) fn epilogue(&self, asm: &mut Asm) {
        for (index, &reg) in self.saved.iter().enumerate() {
            load(asm, reg, self.saved_area as i32 + 8 * index as i32);
        }
        self.move_stack_pointer(asm, Alu::Add);
        asm.ret();
    }

    fn move_stack_pointer(&self, asm: &mut Asm, direction: Alu) {
        let size = self.size as i32;
        match size {
            0 => {}
            1..2048 => asm.addi(SP, SP, if direction == Alu::Sub { -size } else { size }),
            _ => {
                constant::load(asm, T0, self.size as i64);
                asm.alu(direction, SP, SP, T0);
            }
        }
    }

    /// Reads a word of the frame.
    ///
    /// # Errors
    /// When it is further away than an offset can be.
    pub(super) fn load(&self, asm: &mut Asm, rd: X, slot: FrameSlot) -> Result<(), Misfit> {
        load(asm, rd, self.offset(slot)?);
        Ok(())
    }

    /// Writes a word of the frame.
    ///
    /// # Errors
    /// When it is further away than an offset can be.
    pub(super) fn store(&self, asm: &mut Asm, value: X, slot: FrameSlot) -> Result<(), Misfit> {
        store(asm, value, self.offset(slot)?);
        Ok(())
    }

    /// The offset of a word from `sp`. That it is within the area of its kind is not judged here.
    fn offset(&self, slot: FrameSlot) -> Result<i32, Misfit> {
        let offset = match slot {
            FrameSlot::Outgoing(word) => 8 * u64::from(word),
            FrameSlot::Spill(byte) => self.spill_area + u64::from(byte),
            FrameSlot::Incoming(word) => self.size + 8 * u64::from(word),
        };
        if offset > MOST_BYTES { Err(Misfit::FrameOffset(offset)) } else { Ok(offset as i32) }
    }
}

fn fits(offset: i32) -> bool {
    (-2048..=2047).contains(&offset)
}

fn load(asm: &mut Asm, rd: X, offset: i32) {
    if fits(offset) {
        asm.ld(rd, SP, offset);
    } else {
        let low = far(asm, offset);
        asm.ld(rd, T0, low);
    }
}

fn store(asm: &mut Asm, value: X, offset: i32) {
    if fits(offset) {
        asm.sd(value, SP, offset);
    } else {
        let low = far(asm, offset);
        asm.sd(value, T0, low);
    }
}

/// Brings `t0` near enough, and says what is left.
fn far(asm: &mut Asm, offset: i32) -> i32 {
    let (upper, low) = split(offset);
    asm.lui(T0, upper);
    asm.alu(Alu::Add, T0, T0, SP);
    low
}
