//! Instructions, but for calls.

use super::compare::immediate;
use super::{Lowering, Unsupported, register};
use crate::ir::{BinaryOp, Inst, Local, Op, Operand, TerminatorKind};
use crate::machine::{Alu, AluImm, MOp, Reg, RegOperand};

impl<'p> Lowering<'p> {
    /// The instructions of a block, but for a comparison that its terminator does itself.
    pub(super) fn insts(
        &mut self,
        insts: &'p [Inst],
        term: &TerminatorKind,
    ) -> Result<(), Unsupported> {
        self.fused = insts.last().filter(|last| self.can_fuse(last, term));
        let count = insts.len() - usize::from(self.fused.is_some());
        let mut rest = &insts[..count];
        while let [first, tail @ ..] = rest {
            rest = match tail {
                [second, tail @ ..] if self.division_and_remainder(first, second) => tail,
                _ => {
                    self.inst(first)?;
                    tail
                }
            };
        }
        Ok(())
    }

    fn inst(&mut self, inst: &Inst) -> Result<(), Unsupported> {
        if let Op::Store { addr, value } = inst.op {
            let address = self.address(addr)?;
            let value = self.operand(value);
            self.add(MOp::Store, [RegOperand::reads(address), RegOperand::reads(value)]);
            return Ok(());
        }
        if let Op::Call { callee, args } = &inst.op {
            self.call(callee, args, inst.dest.as_ref().map(|dest| register(dest.local)));
            return Ok(());
        }
        // An operation whose result nobody wants still gets a place for it.
        let to = inst.dest.as_ref().map_or_else(|| self.temporary(), |dest| register(dest.local));
        let to = RegOperand::writes(to);
        match inst.op {
            Op::Const(value) | Op::Copy(Operand::Const(value)) => {
                self.add(MOp::LoadImm(value), [to]);
            }
            Op::Copy(Operand::Local(from)) => {
                self.add(MOp::Move, [to, RegOperand::reads(register(from))]);
            }
            Op::Select(cond, a, b) => {
                let [cond, a, b] = [cond, a, b].map(|of| RegOperand::reads(self.operand(of)));
                self.add(MOp::Select, [to, cond, a, b]);
            }
            Op::Binary(op, a, b) => self.binary(op, to, a, b),
            Op::Load(addr) => {
                let address = self.address(addr)?;
                self.add(MOp::Load, [to, RegOperand::reads(address)]);
            }
            Op::Opaque(_) => return Err(Unsupported { what: "an opaque operation" }),
            Op::Bind(_) => return Err(Unsupported { what: "a thunk" }),
            Op::New | Op::Move(_) | Op::Drop(_) | Op::Destroy(_) => {
                return Err(Unsupported { what: "an owned value" });
            }
            Op::Store { .. } | Op::Call { .. } => {}
        }
        Ok(())
    }

    /// The address of a word of the memory.
    fn address(&mut self, index: Operand) -> Result<Reg, Unsupported> {
        let Some(words) = self.program.memory else {
            return Err(Unsupported { what: "an access to memory that the program does not have" });
        };
        let index = self.operand(index);
        let address = self.temporary();
        self.add(
            MOp::MemoryAddress { words },
            [RegOperand::writes_early(address), RegOperand::reads(index)],
        );
        Ok(address)
    }

    fn binary(&mut self, op: BinaryOp, to: RegOperand, a: Operand, b: Operand) {
        use BinaryOp::*;
        if matches!(op, Eq | Ne | Slt | Sle | Ult | Ule) {
            return self.compare(op, to, a, b);
        }
        // Constants go to the right where the operation lets them.
        let commutes = matches!(op, Add | And | Or | Xor);
        let (a, b) = match (a, b) {
            (Operand::Const(_), Operand::Local(_)) if commutes => (b, a),
            other => other,
        };
        let a = RegOperand::reads(self.operand(a));
        match (with_immediate(op), b) {
            (Some(short), Operand::Const(value)) if let Some(value) = short.immediate(value) => {
                self.add(MOp::AluImm(short.op, value), [to, a]);
            }
            _ => {
                let b = RegOperand::reads(self.operand(b));
                self.add(MOp::Alu(alu(op)), [to, a, b]);
            }
        }
    }

    /// Makes one instruction of a division and a remainder of the same operands, if the two are that.
    fn division_and_remainder(&mut self, first: &Inst, second: &Inst) -> bool {
        let (Some((a, x)), Some((b, y))) = (division(first), division(second)) else {
            return false;
        };
        let is_pair = a.operands == b.operands && a.signed == b.signed && a.divides != b.divides;
        let (quotient, remainder) = if a.divides { (x, y) } else { (y, x) };
        // The second would read what the first writes, and the remainder what the quotient is.
        let overwrites = |local| a.operands.contains(&Operand::Local(local));
        if !is_pair || x == y || overwrites(x) || overwrites(quotient) {
            return false;
        }
        let [dividend, divisor] = a.operands.map(|of| RegOperand::reads(self.operand(of)));
        let quotient = RegOperand::writes_early(register(quotient));
        let remainder = RegOperand::writes(register(remainder));
        let op = MOp::DivRem { signed: a.signed };
        self.add(op, [quotient, remainder, dividend, divisor]);
        true
    }
}

/// A division or a remainder.
struct Division {
    divides: bool,
    signed: bool,
    operands: [Operand; 2],
}

/// The division that an instruction does, and what it assigns.
fn division(inst: &Inst) -> Option<(Division, Local)> {
    let Op::Binary(op, a, b) = inst.op else { return None };
    let (divides, signed) = match op {
        BinaryOp::Sdiv => (true, true),
        BinaryOp::Udiv => (true, false),
        BinaryOp::Srem => (false, true),
        BinaryOp::Urem => (false, false),
        _ => return None,
    };
    Some((Division { divides, signed, operands: [a, b] }, inst.dest.as_ref()?.local))
}

/// An operation with an immediate.
struct Short {
    op: AluImm,
    takes: Takes,
}

/// What immediate stands for a constant.
enum Takes {
    /// The constant.
    Same,
    /// Its negative.
    Negative,
    /// Its low six bits.
    Shift,
}

impl Short {
    /// The immediate for a constant, if it fits.
    fn immediate(&self, value: i64) -> Option<i32> {
        match self.takes {
            Takes::Same => immediate(value),
            Takes::Negative => value.checked_neg().and_then(immediate),
            Takes::Shift => Some((value & 63) as i32),
        }
    }
}

fn with_immediate(op: BinaryOp) -> Option<Short> {
    use BinaryOp::*;
    let (op, takes) = match op {
        Add => (AluImm::Addi, Takes::Same),
        Sub => (AluImm::Addi, Takes::Negative),
        And => (AluImm::Andi, Takes::Same),
        Or => (AluImm::Ori, Takes::Same),
        Xor => (AluImm::Xori, Takes::Same),
        Shl => (AluImm::Slli, Takes::Shift),
        Lshr => (AluImm::Srli, Takes::Shift),
        Ashr => (AluImm::Srai, Takes::Shift),
        Mul | Sdiv | Udiv | Srem | Urem | Eq | Ne | Slt | Sle | Ult | Ule => return None,
    };
    Some(Short { op, takes })
}

/// The operation on registers. Comparisons that the machine has not are made of these two.
fn alu(op: BinaryOp) -> Alu {
    use BinaryOp::*;
    match op {
        Add => Alu::Add,
        Sub => Alu::Sub,
        Mul => Alu::Mul,
        Sdiv => Alu::Div,
        Udiv => Alu::Divu,
        Srem => Alu::Rem,
        Urem => Alu::Remu,
        And => Alu::And,
        Or => Alu::Or,
        Xor | Eq | Ne => Alu::Xor,
        Shl => Alu::Sll,
        Lshr => Alu::Srl,
        Ashr => Alu::Sra,
        Slt | Sle => Alu::Slt,
        Ult | Ule => Alu::Sltu,
    }
}
