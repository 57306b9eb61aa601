//! Registers of RV64, virtual registers, and sets of the former.

use crate::entity::Value;
use std::fmt;

/// A register: `x0` to `x31` are physical, all above are virtual. As a [`Value`] it keeps its number.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Reg(u32);

/// How many physical registers there are; the number of the first virtual register.
pub const PHYSICAL: u32 = 32;

impl Reg {
    /// Reads as zero; what is written to it is lost.
    pub const ZERO: Reg = Reg(0);
    /// The return address.
    pub const RA: Reg = Reg(1);
    /// The stack pointer.
    pub const SP: Reg = Reg(2);
    /// `t0`: the encoder's own. Expansions and far jumps use it, and it tells the environment what is
    /// asked of it. Never allocated, clobbered by calls.
    pub const T0: Reg = Reg(5);
    /// The first argument, and the result.
    pub const A0: Reg = Reg(10);
    /// The second argument; after a call, whether the callee unwound.
    pub const A1: Reg = Reg(11);
    /// `t5` and `t6`: never allocated. Moves use them, between slots and in cycles.
    pub const SCRATCH: [Reg; 2] = [Reg(30), Reg(31)];

    /// The physical register `x{number}`.
    ///
    /// # Panics
    /// If there is no such register.
    pub const fn physical(number: u32) -> Reg {
        assert!(number < PHYSICAL);
        Reg(number)
    }

    /// The virtual register with this index, from 0.
    pub const fn virtual_register(index: u32) -> Reg {
        Reg(PHYSICAL + index)
    }

    /// The register with this number, virtual ones from [`PHYSICAL`] on.
    pub const fn from_number(number: u32) -> Reg {
        Reg(number)
    }

    /// The number, virtual ones from [`PHYSICAL`] on.
    pub const fn number(self) -> u32 {
        self.0
    }

    /// Whether it is one of the machine's.
    pub const fn is_physical(self) -> bool {
        self.0 < PHYSICAL
    }

    /// Whether it is yet to be given a place.
    pub const fn is_virtual(self) -> bool {
        !self.is_physical()
    }

    /// The register that carries argument `index`; `None` for those on the stack.
    pub fn argument(index: usize) -> Option<Reg> {
        (index < 8).then(|| Reg(10 + index as u32))
    }

    /// Whether values in it are tracked: zero, `ra`, `sp`, `gp` and `tp` are no one's to give away.
    pub const fn is_tracked(self) -> bool {
        self.0 >= 5
    }
}

impl From<Reg> for Value {
    fn from(reg: Reg) -> Value {
        Value::from_u32(reg.0)
    }
}

impl From<Value> for Reg {
    fn from(value: Value) -> Reg {
        Reg(value.as_u32())
    }
}

/// By the names of the calling convention.
const NAMES: [&str; PHYSICAL as usize] = [
    "zero", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "s0", "s1", "a0", "a1", "a2", "a3", "a4",
    "a5", "a6", "a7", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "t3", "t4",
    "t5", "t6",
];

impl fmt::Display for Reg {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match NAMES.get(self.0 as usize) {
            Some(name) => f.write_str(name),
            None => write!(f, "v{}", self.0 - PHYSICAL),
        }
    }
}

impl fmt::Debug for Reg {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A set of physical registers.
#[derive(Copy, Clone, Default, PartialEq, Eq, Hash)]
pub struct RegSet(u32);

impl RegSet {
    /// No register.
    pub const EMPTY: RegSet = RegSet(0);
    /// `ra`, `t0` to `t6` and `a0` to `a7`: a call may leave anything in them.
    pub const CALLER_SAVED: RegSet = RegSet(0xf003_fce2);
    /// `s0` to `s11`: a function gives them back as it got them.
    pub const CALLEE_SAVED: RegSet = RegSet(0x0ffc_0300);

    /// These registers.
    pub fn of(regs: impl IntoIterator<Item = Reg>) -> RegSet {
        regs.into_iter().fold(RegSet::EMPTY, RegSet::with)
    }

    /// The set with `reg` in it. Virtual registers are never members.
    #[must_use]
    pub fn with(self, reg: Reg) -> RegSet {
        RegSet(self.0 | Self::bit(reg))
    }

    /// The set without `reg`.
    #[must_use]
    pub fn without(self, reg: Reg) -> RegSet {
        RegSet(self.0 & !Self::bit(reg))
    }

    /// Whether `reg` is a member.
    pub fn contains(self, reg: Reg) -> bool {
        self.0 & Self::bit(reg) != 0
    }

    /// Whether it has no member.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// How many members it has.
    pub fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// Members of either.
    #[must_use]
    pub fn union(self, other: RegSet) -> RegSet {
        RegSet(self.0 | other.0)
    }

    /// Members of both.
    #[must_use]
    pub fn intersection(self, other: RegSet) -> RegSet {
        RegSet(self.0 & other.0)
    }

    /// Members that `other` lacks.
    #[must_use]
    pub fn difference(self, other: RegSet) -> RegSet {
        RegSet(self.0 & !other.0)
    }

    /// The members, lowest number first.
    pub fn iter(self) -> impl Iterator<Item = Reg> {
        let mut rest = self.0;
        std::iter::from_fn(move || {
            let lowest = (rest != 0).then(|| rest.trailing_zeros())?;
            rest &= rest - 1;
            Some(Reg(lowest))
        })
    }

    const fn bit(reg: Reg) -> u32 {
        if reg.is_physical() { 1 << reg.0 } else { 0 }
    }
}

impl fmt::Debug for RegSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

/// Registers in the order in which they are made available to allocators: caller- and callee-saved
/// ones take turns, so that any number of them has both.
const ALLOCATION_ORDER: [u32; 24] =
    [10, 9, 6, 18, 11, 8, 12, 19, 13, 20, 14, 21, 15, 22, 16, 23, 17, 24, 7, 25, 28, 26, 29, 27];

/// The fewest registers that any function can be allocated with.
pub const FEWEST_REGISTERS: usize = 3;

/// All registers that can be allocated.
pub const MOST_REGISTERS: usize = ALLOCATION_ORDER.len();

/// The first `count` registers that may be allocated, in the order in which to try them.
///
/// # Panics
/// If `count` is not within [`FEWEST_REGISTERS`] and [`MOST_REGISTERS`].
pub fn allocatable(count: usize) -> Vec<Reg> {
    assert!((FEWEST_REGISTERS..=MOST_REGISTERS).contains(&count), "{count} registers");
    ALLOCATION_ORDER[..count].iter().map(|&number| Reg(number)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_convention_divides_the_registers() {
        let untouched = RegSet::of([Reg::ZERO, Reg::SP, Reg(3), Reg(4)]);
        let all = untouched.union(RegSet::CALLER_SAVED).union(RegSet::CALLEE_SAVED);
        assert_eq!(all.len(), 32);
        assert_eq!(untouched.len() + RegSet::CALLER_SAVED.len() + RegSet::CALLEE_SAVED.len(), 32);
        assert_eq!(RegSet::CALLEE_SAVED.len(), 12);
        assert!(RegSet::CALLEE_SAVED.iter().all(|reg| reg.to_string().starts_with('s')));
    }

    #[test]
    fn scratch_registers_and_those_of_the_machine_are_not_given_away() {
        let all = RegSet::of(allocatable(MOST_REGISTERS));
        assert_eq!(all.len(), MOST_REGISTERS);
        for reg in Reg::SCRATCH.into_iter().chain([Reg::ZERO, Reg::RA, Reg::SP, Reg::T0]) {
            assert!(!all.contains(reg), "{reg}");
        }
        assert!((FEWEST_REGISTERS..=MOST_REGISTERS).all(|count| {
            let some = RegSet::of(allocatable(count));
            !some.intersection(RegSet::CALLEE_SAVED).is_empty()
                && !some.intersection(RegSet::CALLER_SAVED).is_empty()
        }));
    }
}
