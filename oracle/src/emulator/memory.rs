//! The emulator's memory: the code, the program's memory behind it, and the stack, which lies far away
//! and grows down. What a run writes is remembered by its bounds, and put back before the next.

use super::garbage;
use backedge_core::riscv::Image;
use rvemu::bus::DRAM_BASE;
use rvemu::cpu::{Cpu, DOUBLEWORD};

/// Where the code is.
pub(super) const CODE: u64 = DRAM_BASE;

/// Where the stack starts: it grows down from here.
const STACK_TOP: u64 = STACK_END + STACK_BYTES;

/// Where it ends.
const STACK_END: u64 = DRAM_BASE + (1 << 29);

/// Size of the stack. Its lower end is never touched unless code recurses that deep.
const STACK_BYTES: u64 = 1 << 26;

/// How much of the stack is filled with garbage from the start; below it is what the emulator has.
const FILLED_BYTES: u64 = 1 << 14;

/// Whether a load or store may happen.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Access {
    Allowed,
    Denied,
    /// `sp` is beyond the end of the stack.
    StackUsedUp,
}

/// What is where, and what has been written.
pub(super) struct Memory {
    /// First and last byte of the program's memory, the last excluded.
    data: (u64, u64),
    /// The part of it that the run has written, empty if the first is not below the second.
    written: (u64, u64),
    /// How far the run has written down the stack.
    lowest: u64,
    /// The first address that the first function's caller owns.
    caller: u64,
    /// Up to here there may be code of images before.
    stale: u64,
}

impl Memory {
    pub(super) fn new(cpu: &mut Cpu) -> Memory {
        let lowest = STACK_TOP - FILLED_BYTES;
        let mut memory =
            Memory { data: (CODE, CODE), written: NOTHING, lowest, caller: STACK_TOP, stale: CODE };
        memory.put_back(cpu);
        memory
    }

    /// Loads an image, when what the last run wrote is undone.
    pub(super) fn load(&mut self, cpu: &mut Cpu, image: &Image) {
        // The bus takes the code by value.
        cpu.bus.initialize_dram(image.code.clone());
        let start = CODE + u64::from(image.data_offset);
        self.data = (start, start + image.data_bytes);
        for address in (start..self.data.1.min(self.stale)).step_by(8) {
            write(cpu, address, 0);
        }
        self.stale = self.stale.max(CODE + image.code.len() as u64);
    }

    /// Undoes what the last run wrote.
    pub(super) fn put_back(&mut self, cpu: &mut Cpu) {
        for address in (self.written.0..self.written.1).step_by(8) {
            write(cpu, address, 0);
        }
        for address in (self.lowest..STACK_TOP).step_by(8) {
            write(cpu, address, garbage(address as u32));
        }
        self.written = NOTHING;
        self.lowest = STACK_TOP;
    }

    /// The stack pointer of a caller that passes this many words on the stack.
    pub(super) fn stack_for(&mut self, words: usize) -> u64 {
        let sp = (STACK_TOP - 8 * words as u64) & !15;
        self.caller = sp + 8 * words as u64;
        sp
    }

    /// Writes a word of the stack that is there.
    pub(super) fn poke(&mut self, cpu: &mut Cpu, address: u64, value: u64) {
        self.lowest = self.lowest.min(address);
        write(cpu, address, value);
    }

    /// The words of the stack from `sp` on.
    pub(super) fn stacked(&self, cpu: &mut Cpu, sp: u64, index: u64) -> Option<u64> {
        let address = sp.checked_add(8 * index)?;
        let inside = (STACK_END..STACK_TOP).contains(&address);
        (inside && address.is_multiple_of(8)).then(|| read(cpu, address))
    }

    /// Whether code may read or write here, and remembers what it writes.
    pub(super) fn check(&mut self, address: u64, stores: bool, sp: u64) -> Access {
        if !address.is_multiple_of(8) {
            return Access::Denied;
        }
        if (sp..self.caller).contains(&address) && sp >= STACK_END {
            if stores {
                self.lowest = self.lowest.min(address);
            }
            Access::Allowed
        } else if (self.data.0..self.data.1).contains(&address) {
            if stores {
                self.written = (self.written.0.min(address), self.written.1.max(address + 8));
            }
            Access::Allowed
        } else if (self.data.1..STACK_END).contains(&sp) {
            Access::StackUsedUp
        } else {
            Access::Denied
        }
    }

    /// The program's memory.
    pub(super) fn words(&mut self, cpu: &mut Cpu, words: u64) -> Vec<i64> {
        let mut memory = vec![0; words as usize];
        for address in (self.written.0..self.written.1).step_by(8) {
            if let Some(word) = memory.get_mut(((address - self.data.0) / 8) as usize) {
                *word = read(cpu, address) as i64;
            }
        }
        memory
    }
}

const NOTHING: (u64, u64) = (u64::MAX, 0);

fn write(cpu: &mut Cpu, address: u64, value: u64) {
    // Within the memory that the emulator has, which is all that is written here, this can't fail.
    let _ = cpu.bus.write(address, value, DOUBLEWORD);
}

fn read(cpu: &mut Cpu, address: u64) -> u64 {
    cpu.bus.read(address, DOUBLEWORD).unwrap_or_default()
}
