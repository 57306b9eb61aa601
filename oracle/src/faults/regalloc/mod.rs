//! Register allocators, each with one mistake; without one the allocator is right.
//!
//! It is plain. A few registers, the pool, serve one instruction at a time; most values have a slot, are
//! reloaded before each use and stored after each definition. A value that is read by the first
//! instruction of a block is reloaded on the edges into the block instead. Registers beyond the pool go
//! to values that keep them for life, the residents, given out first fit by interference.

mod code;
mod lives;
mod residents;
mod wrong;

use crate::subject::{NoAnswer, RegisterAllocator, Subject};
use backedge_core::machine::{MFunction, RegSet};
use backedge_core::regalloc::{Allocation, Registers};
use code::Code;
use lives::Lives;

/// What is wrong.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum RegallocFault {
    /// Of the edges into a block, the last is left without a reload.
    ReloadMissingOnOnePath,
    /// Arguments are moved to parameters one after the other.
    ParametersInSequence,
    /// A destination that is also a source is not reloaded.
    DestinationNotReloaded,
    /// Spilled operands of one instruction share a register.
    OperandsShareScratch,
    /// What is live on critical back edges interferes with nothing.
    CriticalBackEdgeIgnored,
    /// Calls clobber nothing.
    ClobbersForgotten,
    /// There is no reload on the edge of an unwind.
    UnwindWithoutReload,
    /// Two values share a slot, live or not.
    SlotReusedWhileLive,
    /// One callee-saved register is not restored.
    CalleeSavedNotRestored,
    /// Terminators read nothing.
    BranchReadsNothing,
    /// Calls neither read their arguments nor define their result.
    ImplicitOperandsIgnored,
    /// Before a use, something never written is moved onto what is used.
    MovesNeverWritten,
    /// Behind a call, something that it clobbered is moved onto what is used.
    MovesClobbered,
    /// An early definition gets the register of a use.
    EarlyDefinitionShares,
    /// Two results of an instruction get one register.
    ResultsShare,
    /// A slot starts in the middle of another.
    SlotsOverlap,
    /// The frame is too small by a slot.
    SlotOutsideFrame,
    /// A register is used that was not given.
    RegisterNotGiven,
    /// What is used behind a call is reloaded before it.
    ReloadedBeforeCall,
    /// An operand that the convention fixes gets another register.
    FixedOperandMoved,
    /// The last block has no operands.
    BlockForgotten,
    /// Panics where there are few registers.
    PanicsOnFewRegisters,
}

/// A plain allocator, right but for its fault.
pub struct Plain {
    name: &'static str,
    fault: Option<RegallocFault>,
}

impl Plain {
    /// The allocator, as a subject of this name.
    pub fn new(name: &'static str, fault: Option<RegallocFault>) -> Plain {
        Plain { name, fault }
    }
}

impl Subject for Plain {
    fn name(&self) -> &str {
        self.name
    }

    fn allocators(&mut self) -> Vec<&mut dyn RegisterAllocator> {
        vec![self]
    }
}

impl RegisterAllocator for Plain {
    fn name(&self) -> &str {
        "plain"
    }

    fn allocate(
        &mut self,
        function: &MFunction,
        registers: &Registers,
    ) -> Result<Allocation, NoAnswer> {
        if self.fault == Some(RegallocFault::PanicsOnFewRegisters) {
            assert!(registers.allocatable.len() > 6, "there are too few registers");
        }
        // As many as any instruction has operands.
        let (pool, rest) = registers.allocatable.split_at(registers.allocatable.len().min(4));
        let lives = Lives::new(function, self.fault);
        let residents = residents::choose(function, &lives, rest, self.fault);
        let mut code = Code::new(function, &lives, pool, residents, self.fault);
        code.run();
        let mut allocation = code.finish();
        wrong::spoil(function, registers, &mut allocation, self.fault);
        allocation.saved = allocation.saved.intersection(RegSet::CALLEE_SAVED);
        Ok(allocation)
    }
}
