//! Machine instructions: what they do, and which registers they read, write and destroy.
//!
//! Registers are listed apart from the operation, so that an allocator need not know any operation:
//! [`MInst::regs`] in the order that each operation documents, with implicit ones (arguments and
//! results of calls) at the end. Immediates and labels are part of the operation.

use super::reg::{Reg, RegSet};
use crate::entity::Block;
use crate::ir::Name;
use smallvec::SmallVec;

/// How an instruction touches a register.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum Access {
    /// Reads it. All reads come before all [`Access::Def`]s.
    Use,
    /// Writes it, after everything has been read: it can share a register with a use.
    Def,
    /// Writes it while other operands are still to be read: it can share a register with no other
    /// operand.
    EarlyDef,
}

/// A register operand.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct RegOperand {
    /// The register.
    pub reg: Reg,
    /// How it is touched.
    pub access: Access,
    /// No bits of the instruction name it: the calling convention does. Always physical.
    pub implicit: bool,
}

impl RegOperand {
    /// An explicit read.
    pub fn reads(reg: Reg) -> RegOperand {
        RegOperand { reg, access: Access::Use, implicit: false }
    }

    /// An explicit write.
    pub fn writes(reg: Reg) -> RegOperand {
        RegOperand { reg, access: Access::Def, implicit: false }
    }

    /// An explicit early write.
    pub fn writes_early(reg: Reg) -> RegOperand {
        RegOperand { reg, access: Access::EarlyDef, implicit: false }
    }

    /// The same operand, implicit.
    #[must_use]
    pub fn implicitly(self) -> RegOperand {
        RegOperand { implicit: true, ..self }
    }

    /// Whether it is written.
    pub fn is_def(self) -> bool {
        self.access != Access::Use
    }
}

/// Register operands of one instruction.
pub type RegOperands = SmallVec<[RegOperand; 4]>;

/// A register-register operation of RV64IM: `rd, rs1, rs2`.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Alu {
    Add,
    Sub,
    Mul,
    Div,
    Divu,
    Rem,
    Remu,
    And,
    Or,
    Xor,
    Sll,
    Srl,
    Sra,
    Slt,
    Sltu,
}

/// A register-immediate operation of RV64I: `rd, rs1, imm`. Immediates are -2048 to 2047, of shifts 0
/// to 63.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum AluImm {
    Addi,
    Andi,
    Ori,
    Xori,
    Slti,
    Sltiu,
    Slli,
    Srli,
    Srai,
}

/// A condition of a branch: `rs1, rs2`.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Cond {
    Eq,
    Ne,
    Lt,
    Ge,
    Ltu,
    Geu,
}

impl Cond {
    /// The condition that holds exactly where this one does not.
    #[must_use]
    pub fn inverse(self) -> Cond {
        match self {
            Cond::Eq => Cond::Ne,
            Cond::Ne => Cond::Eq,
            Cond::Lt => Cond::Ge,
            Cond::Ge => Cond::Lt,
            Cond::Ltu => Cond::Geu,
            Cond::Geu => Cond::Ltu,
        }
    }
}

/// A 64-bit word of the frame. The encoder turns it into an offset from `sp`.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum FrameSlot {
    /// At this byte offset of the spill area: only in allocated code.
    Spill(u32),
    /// The function's own argument on the stack: 0 is the ninth argument.
    Incoming(u32),
    /// An argument on the stack for a call: 0 is the ninth argument.
    Outgoing(u32),
}

/// What an instruction does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MOp {
    /// `[def rd, use rs1, use rs2]`
    Alu(Alu),
    /// `[def rd, use rs1]`
    AluImm(AluImm, i32),
    /// `[early def quotient, def remainder, use rs1, use rs2]`: a division and a remainder of the same
    /// operands, as the manual recommends them: the quotient is written before the remainder reads.
    DivRem {
        /// Signed or unsigned.
        signed: bool,
    },
    /// `[def rd]`: any 64-bit constant.
    LoadImm(i64),
    /// `[def rd, use rs]`
    Move,
    /// `[def rd, use c, use a, use b]`: `a` where `c` is not zero, else `b`.
    Select,
    /// `[early def rd, use index]`: the address of word `index`, modulo its size, of the program's
    /// memory. The early definition holds the mask while `index` is still to be read.
    MemoryAddress {
        /// Size of the memory in words, a power of two.
        words: u64,
    },
    /// `[def rd, use address]`: the 64-bit word at the address.
    Load,
    /// `[use address, use value]`
    Store,
    /// `[def rd]`
    FrameLoad(FrameSlot),
    /// `[use rs]`
    FrameStore(FrameSlot),
    /// Implicit operands only: uses of the argument registers, then definitions of `a0` if the result
    /// is read, and of `a1` if the call catches.
    Call {
        /// A function or an extern.
        callee: Name,
        /// `a1` says whether the callee unwound, and the code that follows looks at it. Otherwise an
        /// unwind ends the run.
        catches: bool,
    },
}

/// A machine instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MInst {
    /// What it does.
    pub op: MOp,
    /// The registers that it reads and writes, in the order that the operation documents.
    pub regs: RegOperands,
    /// Physical registers in which it may leave anything, apart from those that it defines.
    pub clobbers: RegSet,
}

impl MInst {
    /// An instruction that clobbers nothing.
    pub fn new(op: MOp, regs: impl IntoIterator<Item = RegOperand>) -> MInst {
        MInst { op, regs: regs.into_iter().collect(), clobbers: RegSet::EMPTY }
    }

    /// The registers that it reads.
    pub fn uses(&self) -> impl Iterator<Item = Reg> {
        self.regs.iter().filter(|operand| !operand.is_def()).map(|operand| operand.reg)
    }

    /// The registers that it writes.
    pub fn defs(&self) -> impl Iterator<Item = Reg> {
        self.regs.iter().filter(|operand| operand.is_def()).map(|operand| operand.reg)
    }

    /// Whether it copies one register to another, `(to, from)`.
    pub fn as_move(&self) -> Option<(Reg, Reg)> {
        match (&self.op, &self.regs[..]) {
            (MOp::Move, [to, from]) => Some((to.reg, from.reg)),
            _ => None,
        }
    }

    /// Whether it is a call.
    pub fn is_call(&self) -> bool {
        matches!(self.op, MOp::Call { .. })
    }
}

/// A successor with an argument for each of its parameters. In allocated code there are none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MTarget {
    /// The block.
    pub block: Block,
    /// Registers that the edge reads.
    pub args: SmallVec<[Reg; 4]>,
}

/// What a terminator does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MTermKind {
    /// No operand.
    Jump(MTarget),
    /// `[use rs1, use rs2]`
    Branch {
        /// When the first target is taken.
        cond: Cond,
        /// If it holds.
        then_to: MTarget,
        /// If not.
        else_to: MTarget,
    },
    /// `[use value]`: a comparison for each key.
    Switch {
        /// If no key matches.
        default: MTarget,
        /// Distinct keys.
        cases: Vec<(i64, MTarget)>,
    },
    /// Implicit uses: `a0` if there is a result, and `a1`: 0, or 1 to unwind.
    Return,
    /// No operand: stops the run.
    Unreachable,
}

/// A terminator. It defines and clobbers nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MTerm {
    /// What it does.
    pub kind: MTermKind,
    /// The registers that it reads, in the order that the kind documents.
    pub regs: RegOperands,
}

impl MTermKind {
    /// Calls `visit` on each successor, in the order of the slots.
    pub fn for_each_target<'t>(&'t self, mut visit: impl FnMut(&'t MTarget)) {
        match self {
            MTermKind::Jump(to) => visit(to),
            MTermKind::Branch { then_to, else_to, .. } => {
                visit(then_to);
                visit(else_to);
            }
            MTermKind::Switch { default, cases } => {
                visit(default);
                cases.iter().for_each(|(_, to)| visit(to));
            }
            MTermKind::Return | MTermKind::Unreachable => {}
        }
    }

    /// Calls `visit` on each successor, in the order of the slots, to change it.
    pub fn for_each_target_mut(&mut self, mut visit: impl FnMut(&mut MTarget)) {
        match self {
            MTermKind::Jump(to) => visit(to),
            MTermKind::Branch { then_to, else_to, .. } => {
                visit(then_to);
                visit(else_to);
            }
            MTermKind::Switch { default, cases } => {
                visit(default);
                cases.iter_mut().for_each(|(_, to)| visit(to));
            }
            MTermKind::Return | MTermKind::Unreachable => {}
        }
    }

    /// The successor in this slot, in constant time.
    pub fn target(&self, slot: usize) -> Option<&MTarget> {
        match (self, slot) {
            (MTermKind::Jump(to), 0) | (MTermKind::Branch { then_to: to, .. }, 0) => Some(to),
            (MTermKind::Branch { else_to: to, .. }, 1) => Some(to),
            (MTermKind::Switch { default: to, .. }, 0) => Some(to),
            (MTermKind::Switch { cases, .. }, slot) => cases.get(slot - 1).map(|(_, to)| to),
            _ => None,
        }
    }
}
