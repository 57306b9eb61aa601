//! Terminators.
//!
//! A `try_call` is a call, and a branch on whether it unwound. Its result is assigned in a block of its
//! own on the normal edge, before that edge's arguments are read.

use super::{Lowering, Unsupported, register};
use crate::ir::{Name, Operand, Operands, Place, Target, TerminatorKind};
use crate::machine::{Cond, MOp, MTarget, MTermKind, Reg, RegOperand};
use smallvec::SmallVec;

impl Lowering<'_> {
    pub(super) fn terminator(&mut self, term: &TerminatorKind) -> Result<(), Unsupported> {
        match term {
            TerminatorKind::Jump(to) => {
                let to = self.target(to);
                self.end(MTermKind::Jump(to), []);
            }
            TerminatorKind::Branch { cond, then_to, else_to } => {
                let [then_to, else_to] = [then_to, else_to].map(|to| self.target(to));
                let (cond, regs) = self.condition(*cond);
                let kind = MTermKind::Branch { cond, then_to, else_to };
                self.end(kind, regs.map(RegOperand::reads));
            }
            TerminatorKind::Switch { value, default, cases } => {
                let default = self.target(default);
                let cases = cases.iter().map(|(key, to)| (*key, self.target(to))).collect();
                let value = RegOperand::reads(self.operand(*value));
                self.end(MTermKind::Switch { default, cases }, [value]);
            }
            TerminatorKind::TryCall { dest, callee, args, normal, unwind } => {
                self.try_call(dest.as_ref(), callee, args, normal, unwind);
            }
            TerminatorKind::Return(value) => self.leave(*value, 0),
            TerminatorKind::Resume => self.leave(None, 1),
            TerminatorKind::Unreachable => self.end(MTermKind::Unreachable, []),
            TerminatorKind::TryDrop { .. } => return Err(Unsupported { what: "an owned value" }),
            TerminatorKind::Enter(_) => return Err(Unsupported { what: "a thunk" }),
        }
        Ok(())
    }

    fn try_call(
        &mut self,
        dest: Option<&Place>,
        callee: &Name,
        args: &Operands,
        normal: &Target,
        unwind: &Target,
    ) {
        let (result, unwound) = self.catching_call(callee, args, dest.is_some());
        let else_to = self.target(unwind);
        let then_to = match (dest, result) {
            (Some(dest), Some(result)) => self.landing(register(dest.local), result, normal),
            _ => self.target(normal),
        };
        let kind = MTermKind::Branch { cond: Cond::Eq, then_to, else_to };
        self.end(kind, [unwound, Reg::ZERO].map(RegOperand::reads));
    }

    /// A block that assigns the result and goes on.
    fn landing(&mut self, dest: Reg, result: Reg, normal: &Target) -> MTarget {
        let from = self.current;
        let landing = self.new_block(format!("{}_normal", self.blocks[from].name));
        self.current = landing;
        self.add(MOp::Move, [RegOperand::writes(dest), RegOperand::reads(result)]);
        let to = self.target(normal);
        self.end(MTermKind::Jump(to), []);
        self.current = from;
        MTarget { block: landing, args: SmallVec::new() }
    }

    /// Leaves the function, with a result or without, returning or unwinding.
    fn leave(&mut self, value: Option<Operand>, unwinds: i64) {
        if let Some(value) = value {
            self.set(Reg::A0, value);
        }
        self.set(Reg::A1, Operand::Const(unwinds));
        let result = value.map(|_| Reg::A0);
        let regs = result.into_iter().chain([Reg::A1]);
        self.end(MTermKind::Return, regs.map(|reg| RegOperand::reads(reg).implicitly()));
    }
}
