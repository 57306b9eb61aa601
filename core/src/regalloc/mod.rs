//! Register allocation: what an allocator is asked, and what it answers.
//!
//! An [`Allocator`] reads a function in Machine IR, whose liveness and interference it gets from the
//! same core as everybody, and answers an [`Allocation`]: a physical register for every operand, a place
//! for every block parameter, and moves in between. It changes no code; the rewrite that both allocators
//! share carries the answer out.

mod coloring;
mod lifetimes;
mod linear_scan;
pub mod parallel_move;
mod rewrite;
mod slots;
mod statistics;

pub use coloring::GraphColoring;
pub use linear_scan::LinearScan;
pub use rewrite::{Malformed, rewrite};
pub use statistics::Statistics;

use crate::entity::{Block, Edge};
use crate::machine::{MFunction, Reg, RegSet};
use smallvec::SmallVec;
use std::fmt;

/// Where a value can be.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Location {
    /// A physical register.
    Reg(Reg),
    /// The 8 bytes of the spill area at this byte offset.
    Slot(u32),
}

impl Location {
    /// The register, if it is one.
    pub fn reg(self) -> Option<Reg> {
        match self {
            Location::Reg(reg) => Some(reg),
            Location::Slot(_) => None,
        }
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Location::Reg(reg) => fmt::Display::fmt(reg, f),
            Location::Slot(offset) => write!(f, "[{offset}]"),
        }
    }
}

impl fmt::Debug for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Where moves can be put.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Point {
    /// Before instruction `inst` of the block (the terminator is the last). What shall come at the start
    /// of a block, behind its parameters, stands before instruction 0; what follows an instruction
    /// stands before the next one.
    Before {
        /// The block.
        block: Block,
        /// The instruction.
        inst: u32,
    },
    /// On an edge, numbered as in the function's [`crate::cfg::Cfg`]: here arguments get to where the
    /// target's parameters are. The rewrite finds a place: the end of the source, the start of the
    /// target, or a block of its own if the edge is critical.
    OnEdge(Edge),
}

/// One move. Moves at one point happen one after another, in the order of the list: an allocator
/// resolves cycles itself ([`Reg::SCRATCH`] is there for that). At least one side is a register; with
/// a slot it is a spill or a reload.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct Edit {
    /// Where.
    pub at: Point,
    /// What is read.
    pub from: Location,
    /// What is written.
    pub to: Location,
}

/// An answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Allocation {
    /// By block, then by instruction (the terminator is the last), then by operand in the order of
    /// [`crate::machine::MInst::regs`]: the register. Physical operands keep theirs.
    pub operands: Vec<Vec<SmallVec<[Reg; 4]>>>,
    /// By block, then by parameter: where the parameter is when the block is entered.
    pub params: Vec<SmallVec<[Location; 4]>>,
    /// The moves, grouped by point in any order of the points; those of one point in order.
    pub edits: Vec<Edit>,
    /// Size of the spill area, in bytes.
    pub spill_bytes: u32,
    /// Callee-saved registers that the prologue saves and the epilogue restores.
    pub saved: RegSet,
}

/// What an allocator may use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Registers {
    /// In the order in which to try them. Operands that name a physical register keep it, member or
    /// not; [`Reg::SCRATCH`] may be used by edits besides.
    pub allocatable: Vec<Reg>,
}

impl Registers {
    /// The first `count` registers.
    ///
    /// # Panics
    /// If `count` is not within 3 and 24.
    pub fn new(count: usize) -> Registers {
        Registers { allocatable: crate::machine::reg::allocatable(count) }
    }

    /// Whether `reg` may be given away.
    pub fn contains(&self, reg: Reg) -> bool {
        self.allocatable.contains(&reg)
    }
}

/// Why there is no allocation.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AllocationError {
    /// An instruction needs more registers than there are.
    #[error("instruction {inst} of {block} needs more than {registers} registers")]
    TooFewRegisters {
        /// The block.
        block: String,
        /// The instruction in it.
        inst: usize,
        /// How many registers there are.
        registers: usize,
    },
}

/// A register allocator.
pub trait Allocator {
    /// What it is called, such as `linear-scan`.
    fn name(&self) -> &'static str;

    /// Allocates.
    ///
    /// # Errors
    /// When there are too few registers.
    fn allocate(
        &mut self,
        function: &MFunction,
        registers: &Registers,
    ) -> Result<Allocation, AllocationError>;
}
