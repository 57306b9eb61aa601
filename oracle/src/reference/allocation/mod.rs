//! Whether an allocation is right: on every path each use finds its value where it is read.
//!
//! **Lattice.** A state says of each location, register or slot, which values it holds for certain, and is
//! ordered by inclusion, location by location; paths meet in the intersection. Values are virtual
//! registers, and the physical ones the code names: a callee-saved register's value at the entry is one,
//! an argument, a result. A block that no path has reached yet has no state, which is above all.
//!
//! **Transfer.** A value is what was last written to it, so that
//! - a definition of `v` in `r` takes `v` out of all locations, and then leaves `{v}` in `r`;
//! - a copy `d = s` does the same for `d`, but leaves with it what the register of `s` held;
//! - a move of the allocation copies what a location holds, whatever that is, and a location of which
//!   nothing is known passes just that on: so nothing is ever read from where nothing was written;
//! - a write to a slot destroys what lies in any slot that shares a byte with it;
//! - a clobber leaves nothing, and neither does an instruction in the scratch registers, which are the
//!   moves' alone;
//! - on an edge, after its moves, every argument must be where its parameter is; then all parameters are
//!   defined at once, as copies: whoever holds the argument holds the parameter.
//!
//! States only ever shrink and are finite, so the iteration ends. [`shape`] holds what needs no state:
//! counts, registers that may be used, operands that may not share one, slots. [`walk`] is a second
//! opinion: it executes both codes side by side on random paths.
//!
//! Blocks that no path reaches are held to shape alone, since nothing is certain of no path.

mod flow;
mod shape;
mod state;
#[cfg(test)]
mod tests;
mod transfer;
mod walk;

pub use walk::walk;

use backedge_core::ir::Block;
use backedge_core::machine::{MFunction, Reg};
use backedge_core::regalloc::{Allocation, Location, Registers};
use cranelift_entity::EntityRef;
use std::fmt;

/// Something wrong with an allocation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// A stable name.
    pub kind: Kind,
    /// Where it shows.
    pub at: At,
    /// What is wanted, in words.
    pub expected: String,
    /// What is there instead, in words.
    pub found: String,
}

/// Kinds of violations.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// The answer does not fit the function.
    Malformed,
    /// A register is used that may not be given away.
    NotAllocatable,
    /// An operand that names a physical register got another.
    FixedOperandMoved,
    /// An early definition shares its register with another operand.
    EarlyDefShares,
    /// Two results of one instruction share a register.
    TwoDefsShare,
    /// A result is in a register that its instruction clobbers.
    DefClobbered,
    /// A slot overlaps another, or is not aligned.
    SlotOverlap,
    /// A slot lies outside of the frame.
    SlotOutOfFrame,
    /// A use finds something else in its register.
    WrongValue,
    /// A use finds its register clobbered by a call.
    ClobberedAcrossCall,
    /// An argument is not where its parameter is.
    WrongArgument,
    /// A callee-saved register is neither saved nor back at a return.
    CalleeSavedLost,
}

impl Kind {
    /// Every kind.
    pub const ALL: [Kind; 12] = [
        Kind::Malformed,
        Kind::NotAllocatable,
        Kind::FixedOperandMoved,
        Kind::EarlyDefShares,
        Kind::TwoDefsShare,
        Kind::DefClobbered,
        Kind::SlotOverlap,
        Kind::SlotOutOfFrame,
        Kind::WrongValue,
        Kind::ClobberedAcrossCall,
        Kind::WrongArgument,
        Kind::CalleeSavedLost,
    ];

    /// The name in findings.
    pub const fn name(self) -> &'static str {
        match self {
            Kind::Malformed => "malformed",
            Kind::NotAllocatable => "not-allocatable",
            Kind::FixedOperandMoved => "fixed-operand-moved",
            Kind::EarlyDefShares => "early-def-shares",
            Kind::TwoDefsShare => "two-defs-share",
            Kind::DefClobbered => "def-clobbered",
            Kind::SlotOverlap => "slot-overlap",
            Kind::SlotOutOfFrame => "slot-out-of-frame",
            Kind::WrongValue => "wrong-value",
            Kind::ClobberedAcrossCall => "clobbered-across-call",
            Kind::WrongArgument => "wrong-argument",
            Kind::CalleeSavedLost => "callee-saved-lost",
        }
    }
}

/// Where a violation shows.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum At {
    /// The function as a whole.
    Function,
    /// An instruction; the terminator is the last.
    Inst(Block, usize),
    /// The edge in a slot of a block's terminator.
    Edge(Block, usize),
}

/// Everything wrong with an allocation that can be told: what is wrong with its shape, or else what
/// uses find.
pub fn violations(
    function: &MFunction,
    registers: &Registers,
    allocation: &Allocation,
) -> Vec<Violation> {
    let edges = Edges::new(function);
    let mut found = shape::violations(function, registers, allocation, &edges);
    // Where indices do not fit nothing more can be said.
    if found.iter().all(|violation| violation.kind != Kind::Malformed) {
        found.extend(flow::violations(function, allocation, &edges));
    }
    found
}

/// The edges as an allocation numbers them: block by block, slot by slot.
pub(crate) struct Edges {
    /// By block: the number of its first edge; one more for the end.
    starts: Vec<usize>,
    /// By edge: from where, in which slot, to where.
    ends: Vec<(Block, usize, Block)>,
}

impl Edges {
    pub(crate) fn new(function: &MFunction) -> Edges {
        let mut starts = vec![0];
        let mut ends = Vec::new();
        for (block, data) in &function.blocks {
            let first = ends.len();
            data.term.kind.for_each_target(|to| ends.push((block, ends.len() - first, to.block)));
            starts.push(ends.len());
        }
        Edges { starts, ends }
    }

    pub(crate) fn count(&self) -> usize {
        self.ends.len()
    }

    /// The numbers of a block's edges.
    pub(crate) fn of(&self, block: Block) -> std::ops::Range<usize> {
        self.starts[block.index()]..self.starts[block.index() + 1]
    }

    pub(crate) fn ends(&self, edge: usize) -> (Block, usize, Block) {
        self.ends[edge]
    }
}

/// Whether values in a register are followed: those that nobody may give away always hold what they
/// should.
fn is_followed(reg: Reg) -> bool {
    reg.number() >= 5
}

/// A list in words.
fn words<T: fmt::Display>(items: impl IntoIterator<Item = T>) -> String {
    items.into_iter().map(|item| item.to_string()).collect::<Vec<_>>().join(", ")
}

fn is_scratch(location: Location) -> bool {
    matches!(location, Location::Reg(reg) if Reg::SCRATCH.contains(&reg))
}
