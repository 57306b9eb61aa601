//! Which register is taken when.

use crate::machine::Reg;
use crate::regalloc::lifetimes::{Lifetime, Position, Range};
use std::collections::BTreeMap;

/// Who has a register.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Owner {
    /// The code names it.
    Fixed,
    /// A virtual register, by its index.
    Virtual(u32),
}

/// By start: the end of a range, and whose it is. Ranges do not overlap.
type Taken = BTreeMap<Position, (Position, Owner)>;

/// The registers that may be given away, each with the ranges in which it is taken.
pub(super) struct RegisterFile {
    registers: Vec<(Reg, Taken)>,
}

impl RegisterFile {
    /// All free but where the code itself needs them: by register number.
    pub(super) fn new(allocatable: &[Reg], fixed: &[Vec<Range>]) -> RegisterFile {
        let taken = |reg: Reg| {
            let ranges = fixed[reg.number() as usize].iter();
            ranges.map(|range| (range.start, (range.end, Owner::Fixed))).collect()
        };
        RegisterFile { registers: allocatable.iter().map(|&reg| (reg, taken(reg))).collect() }
    }

    /// How many there are; they go by number from 0.
    pub(super) fn count(&self) -> usize {
        self.registers.len()
    }

    pub(super) fn register(&self, number: usize) -> Reg {
        self.registers[number].0
    }

    /// The first position in a window at which the register is taken and the value alive.
    pub(super) fn conflict(
        &self,
        number: usize,
        lifetime: &Lifetime,
        window: Range,
    ) -> Option<Position> {
        let taken = &self.registers[number].1;
        let conflict = |range: Range| {
            let before = taken.range(..=range.start).next_back();
            match before {
                Some((_, &(end, _))) if end > range.start => Some(range.start),
                _ => taken.range(range.start..range.end).next().map(|(&start, _)| start),
            }
        };
        lifetime.within(window).find_map(conflict)
    }

    /// Everyone who has the register somewhere in a range.
    pub(super) fn owners(&self, number: usize, range: Range) -> impl Iterator<Item = Owner> + '_ {
        let taken = &self.registers[number].1;
        let before = taken.range(..range.start).next_back();
        let before = before.filter(move |(_, (end, _))| *end > range.start);
        let inside = taken.range(range.start..range.end);
        before.into_iter().chain(inside).map(|(_, &(_, owner))| owner)
    }

    /// Gives the register away wherever the value is alive in a window.
    pub(super) fn take(&mut self, number: usize, index: u32, lifetime: &Lifetime, window: Range) {
        let owner = Owner::Virtual(index);
        for range in lifetime.within(window) {
            self.registers[number].1.insert(range.start, (range.end, owner));
        }
    }

    /// Takes it back from a position on, up to the end of a window that was given away.
    pub(super) fn give_back(&mut self, number: usize, lifetime: &Lifetime, window: Range) {
        let taken = &mut self.registers[number].1;
        for range in lifetime.within(window) {
            if taken.remove(&range.start).is_none()
                && let Some((_, (end, _))) = taken.range_mut(..range.start).next_back()
            {
                // The window starts in the middle of a range.
                *end = range.start;
            }
        }
    }
}
