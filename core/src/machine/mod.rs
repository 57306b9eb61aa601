//! Machine IR: RV64IM before and after register allocation.
//!
//! The blocks, the phis as block parameters, and the graph are those of the IR. Before allocation
//! registers are virtual but for those that the calling convention names; after it all are physical,
//! parameters and arguments are gone, and moves, spills and reloads stand as instructions.
//!
//! **Convention.** lp64: arguments in `a0` to `a7`, then on the stack; the result in `a0`. Besides,
//! every function says in `a1` whether it unwinds (1) or returns (0). `s0` to `s11` are callee-saved.
//!
//! **Rules** that lowered code keeps. A physical register is live within one block only, but for the
//! arguments in the entry. Every virtual register is defined on all paths to its uses.

pub mod adapter;
pub mod inst;
pub mod lower;
mod print;
pub mod reg;
pub mod validate;

pub use inst::{
    Access, Alu, AluImm, Cond, FrameSlot, MInst, MOp, MTarget, MTerm, MTermKind, RegOperand,
    RegOperands,
};
pub use lower::{Unsupported, lower};
pub use reg::{Reg, RegSet};

use crate::entity::Block;
use crate::ir::Name;
use cranelift_entity::PrimaryMap;

/// A function in Machine IR.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MFunction {
    /// The name, without `@`.
    pub name: Name,
    /// How many virtual registers there are.
    pub virtuals: u32,
    /// The blocks. Those of the IR come first, with the same numbers; the first is the entry, which has
    /// no parameters.
    pub blocks: PrimaryMap<Block, MBlock>,
    /// Words that calls need for arguments on the stack.
    pub outgoing_words: u32,
    /// Bytes of the spill area; 0 before allocation.
    pub spill_bytes: u32,
    /// Callee-saved registers that the prologue saves and the epilogue restores; empty before
    /// allocation.
    pub saved: RegSet,
}

/// A block in Machine IR.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MBlock {
    /// The label.
    pub name: Name,
    /// Virtual registers that are defined, all at once, on entry.
    pub params: Vec<Reg>,
    /// Instructions, without the terminator.
    pub insts: Vec<MInst>,
    /// What ends the block.
    pub term: MTerm,
}

impl MFunction {
    /// Register operands of an instruction; the terminator is the last.
    pub fn operands(&self, block: Block, inst: usize) -> &RegOperands {
        let data = &self.blocks[block];
        data.insts.get(inst).map_or(&data.term.regs, |inst| &inst.regs)
    }

    /// What an instruction clobbers; a terminator nothing.
    pub fn clobbers(&self, block: Block, inst: usize) -> RegSet {
        self.blocks[block].insts.get(inst).map_or(RegSet::EMPTY, |inst| inst.clobbers)
    }

    /// How many instructions there are, terminators left out.
    pub fn inst_count(&self) -> usize {
        self.blocks.values().map(|block| block.insts.len()).sum()
    }

    /// A virtual register that no other instruction names.
    pub fn new_virtual(&mut self) -> Reg {
        self.virtuals += 1;
        Reg::virtual_register(self.virtuals - 1)
    }
}
