//! Calls: arguments in registers and on the stack, the result, and whether the callee unwound.

use super::{Lowering, register};
use crate::ir::{Name, Operand, Operands};
use crate::machine::{FrameSlot, MInst, MOp, Reg, RegOperand, RegOperands, RegSet};

impl Lowering<'_> {
    /// A call that does not catch an unwind.
    pub(super) fn call(&mut self, callee: &Name, args: &Operands, dest: Option<Reg>) {
        self.call_inst(callee, args, dest.is_some(), false);
        if let Some(dest) = dest {
            self.add(MOp::Move, [RegOperand::writes(dest), RegOperand::reads(Reg::A0)]);
        }
    }

    /// A call that catches an unwind: registers with its result, if that is wanted, and with whether it
    /// unwound. The result is garbage if it did.
    pub(super) fn catching_call(
        &mut self,
        callee: &Name,
        args: &Operands,
        returns: bool,
    ) -> (Option<Reg>, Reg) {
        self.call_inst(callee, args, returns, true);
        let result = returns.then(|| self.take(Reg::A0));
        (result, self.take(Reg::A1))
    }

    /// A new register that holds what a physical one does now.
    fn take(&mut self, from: Reg) -> Reg {
        let to = self.temporary();
        self.add(MOp::Move, [RegOperand::writes(to), RegOperand::reads(from)]);
        to
    }

    /// The call itself. Arguments go to the stack before any goes to a register, so that few registers
    /// are taken while others are still to be moved.
    fn call_inst(&mut self, callee: &Name, args: &Operands, returns: bool, catches: bool) {
        let stacked = args.len().saturating_sub(8) as u32;
        self.outgoing_words = self.outgoing_words.max(stacked);
        for (index, &arg) in args.iter().enumerate().skip(8) {
            let value = RegOperand::reads(self.operand(arg));
            self.add(MOp::FrameStore(FrameSlot::Outgoing(index as u32 - 8)), [value]);
        }
        let mut regs = RegOperands::new();
        for (index, &arg) in args.iter().enumerate() {
            let Some(reg) = Reg::argument(index) else { break };
            self.set(reg, arg);
            regs.push(RegOperand::reads(reg).implicitly());
        }
        let defs = [(returns, Reg::A0), (catches, Reg::A1)];
        let defs = defs.into_iter().filter(|(wanted, _)| *wanted).map(|(_, reg)| reg);
        let clobbers = RegSet::CALLER_SAVED.difference(RegSet::of(defs.clone()));
        regs.extend(defs.map(|reg| RegOperand::writes(reg).implicitly()));
        let op = MOp::Call { callee: callee.clone(), catches };
        self.blocks[self.current].insts.push(MInst { op, regs, clobbers });
    }

    /// Puts an operand into a physical register.
    pub(super) fn set(&mut self, reg: Reg, operand: Operand) {
        let to = RegOperand::writes(reg);
        match operand {
            Operand::Const(value) => self.add(MOp::LoadImm(value), [to]),
            Operand::Local(local) => {
                self.add(MOp::Move, [to, RegOperand::reads(register(local))]);
            }
        }
    }
}
