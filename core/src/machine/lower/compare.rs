//! Comparisons: as a value, and as the condition of a branch.

use super::Lowering;
use crate::ir::{BinaryOp, Inst, Op, Operand, TerminatorKind};
use crate::machine::{Alu, AluImm, Cond, MOp, Reg, RegOperand};

impl Lowering<'_> {
    /// `to = a op b`, 1 or 0.
    pub(super) fn compare(&mut self, op: BinaryOp, to: RegOperand, a: Operand, b: Operand) {
        match op {
            BinaryOp::Eq | BinaryOp::Ne => {
                let difference = RegOperand::reads(self.difference(a, b));
                if op == BinaryOp::Eq {
                    self.add(MOp::AluImm(AluImm::Sltiu, 1), [to, difference]);
                } else {
                    let zero = RegOperand::reads(Reg::ZERO);
                    self.add(MOp::Alu(Alu::Sltu), [to, zero, difference]);
                }
            }
            BinaryOp::Slt | BinaryOp::Ult => self.less(op == BinaryOp::Slt, to, a, b),
            _ => self.at_most(op == BinaryOp::Sle, to, a, b),
        }
    }

    /// A register that is 0 exactly if the operands are equal.
    fn difference(&mut self, a: Operand, b: Operand) -> Reg {
        let (a, b) = if let Operand::Const(_) = a { (b, a) } else { (a, b) };
        let a = self.operand(a);
        if b == Operand::Const(0) {
            return a;
        }
        let short = match b {
            Operand::Const(value) => immediate(value),
            Operand::Local(_) => None,
        };
        let b = if short.is_some() { Reg::ZERO } else { self.operand(b) };
        let to = self.temporary();
        let [to_def, a] = [RegOperand::writes(to), RegOperand::reads(a)];
        match short {
            Some(value) => self.add(MOp::AluImm(AluImm::Xori, value), [to_def, a]),
            None => self.add(MOp::Alu(Alu::Xor), [to_def, a, RegOperand::reads(b)]),
        }
        to
    }

    fn less(&mut self, signed: bool, to: RegOperand, a: Operand, b: Operand) {
        let a = RegOperand::reads(self.operand(a));
        if let Operand::Const(value) = b
            && let Some(value) = immediate(value)
        {
            // The immediate is sign-extended for both, as the constant is.
            let op = if signed { AluImm::Slti } else { AluImm::Sltiu };
            return self.add(MOp::AluImm(op, value), [to, a]);
        }
        let b = RegOperand::reads(self.operand(b));
        self.add(MOp::Alu(if signed { Alu::Slt } else { Alu::Sltu }), [to, a, b]);
    }

    /// Not greater: below the next constant, or the opposite of greater.
    fn at_most(&mut self, signed: bool, to: RegOperand, a: Operand, b: Operand) {
        if let Operand::Const(value) = b
            && let Some(next) = if signed { value.checked_add(1) } else { successor(value) }
            && immediate(next).is_some()
        {
            return self.less(signed, to, a, Operand::Const(next));
        }
        let greater = self.temporary();
        self.less(signed, RegOperand::writes(greater), b, a);
        self.add(MOp::AluImm(AluImm::Xori, 1), [to, RegOperand::reads(greater)]);
    }

    /// Whether the terminator can do the comparison itself: it branches on the result, and nobody else
    /// reads that.
    pub(super) fn can_fuse(&self, last: &Inst, term: &TerminatorKind) -> bool {
        let (Op::Binary(op, ..), Some(dest)) = (&last.op, &last.dest) else { return false };
        let TerminatorKind::Branch { cond, .. } = term else { return false };
        use BinaryOp::*;
        let compares = matches!(op, Eq | Ne | Slt | Sle | Ult | Ule);
        compares && cond.local() == Some(dest.local) && self.reads[dest.local] == 1
    }

    /// The condition of a branch, with the registers that it compares.
    pub(super) fn condition(&mut self, cond: Operand) -> (Cond, [Reg; 2]) {
        let Some(Op::Binary(op, a, b)) = self.fused.take().map(|inst| &inst.op) else {
            return (Cond::Ne, [self.operand(cond), Reg::ZERO]);
        };
        let [a, b] = [*a, *b].map(|operand| self.operand(operand));
        match op {
            BinaryOp::Eq => (Cond::Eq, [a, b]),
            BinaryOp::Slt => (Cond::Lt, [a, b]),
            BinaryOp::Ult => (Cond::Ltu, [a, b]),
            BinaryOp::Sle => (Cond::Ge, [b, a]),
            BinaryOp::Ule => (Cond::Geu, [b, a]),
            _ => (Cond::Ne, [a, b]),
        }
    }
}

/// The next larger number without a sign.
fn successor(value: i64) -> Option<i64> {
    (value != -1).then(|| value.wrapping_add(1))
}

/// The immediate of an operation for a constant, if it fits.
pub(super) fn immediate(value: i64) -> Option<i32> {
    (-2048..2048).contains(&value).then_some(value as i32)
}
