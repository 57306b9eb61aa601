//! The rules that Machine IR keeps, before and after allocation.

use super::{
    Access, AluImm, FrameSlot, MFunction, MInst, MOp, MTarget, MTermKind, Reg, RegOperand, RegSet,
};
use crate::entity::Block;
use cranelift_entity::EntityRef;

/// Whether registers are still to be allocated.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Virtual registers, parameters and arguments; no spill slots.
    Lowered,
    /// Physical registers only.
    Allocated,
}

/// A rule that is broken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{rule} (block {block}, instruction {inst})")]
pub struct Broken {
    /// What is wrong.
    pub rule: &'static str,
    /// In which block.
    pub block: Block,
    /// At which instruction; the terminator is the last.
    pub inst: usize,
}

/// Holds a function against the rules.
///
/// # Errors
/// At the first that it breaks.
pub fn validate(function: &MFunction, stage: Stage) -> Result<(), Broken> {
    let checker = Checker { function, stage };
    for (block, data) in &function.blocks {
        let broken = |inst, rule| Broken { rule, block, inst };
        for (index, inst) in data.insts.iter().enumerate() {
            checker.inst(inst).map_err(|rule| broken(index, rule))?;
        }
        checker.terminator(block).map_err(|rule| broken(data.insts.len(), rule))?;
        if stage == Stage::Lowered {
            checker.physical_lives(block).map_err(|(inst, rule)| broken(inst, rule))?;
        }
    }
    Ok(())
}

struct Checker<'f> {
    function: &'f MFunction,
    stage: Stage,
}

type Rule = Result<(), &'static str>;

fn rule(holds: bool, text: &'static str) -> Rule {
    if holds { Ok(()) } else { Err(text) }
}

impl Checker<'_> {
    fn inst(&self, inst: &MInst) -> Rule {
        use Access::{Def, EarlyDef, Use};
        let shape: &[Access] = match &inst.op {
            MOp::Alu(_) => &[Def, Use, Use],
            MOp::AluImm(..) | MOp::Move | MOp::Load => &[Def, Use],
            MOp::DivRem { .. } => &[EarlyDef, Def, Use, Use],
            MOp::LoadImm(_) | MOp::FrameLoad(_) => &[Def],
            MOp::Select => &[Def, Use, Use, Use],
            MOp::MemoryAddress { .. } => &[EarlyDef, Use],
            MOp::Store => &[Use, Use],
            MOp::FrameStore(_) => &[Use],
            MOp::Call { .. } => &[],
        };
        self.operands(&inst.regs, shape)?;
        let is_call = matches!(inst.op, MOp::Call { .. });
        let has_implicit = inst.regs.len() > shape.len();
        rule(is_call || !has_implicit, "only calls have implicit operands")?;
        rule(is_call || inst.clobbers.is_empty(), "only calls clobber registers")?;
        let defs = RegSet::of(inst.defs());
        rule(inst.clobbers.intersection(defs).is_empty(), "what is defined is not clobbered")?;
        match inst.op {
            MOp::AluImm(op, value) => immediate(op, value),
            MOp::MemoryAddress { words } => {
                rule(words.is_power_of_two(), "the size of the memory is a power of two")
            }
            MOp::FrameLoad(slot) | MOp::FrameStore(slot) => self.slot(slot),
            _ => Ok(()),
        }
    }

    fn slot(&self, slot: FrameSlot) -> Rule {
        match slot {
            FrameSlot::Spill(offset) => {
                let inside =
                    offset.checked_add(8).is_some_and(|end| end <= self.function.spill_bytes);
                rule(self.stage == Stage::Allocated && inside, "a spill slot lies in the frame")
            }
            FrameSlot::Outgoing(word) => {
                rule(word < self.function.outgoing_words, "there is room for arguments")
            }
            FrameSlot::Incoming(_) => Ok(()),
        }
    }

    /// That explicit operands have the shape, and implicit ones follow.
    fn operands(&self, regs: &[RegOperand], shape: &[Access]) -> Rule {
        let explicit = regs.iter().take_while(|operand| !operand.implicit).count();
        rule(explicit == shape.len(), "an operation has its number of operands")?;
        let fits = regs.iter().zip(shape).all(|(operand, access)| operand.access == *access);
        rule(fits, "operands are read and written as the operation says")?;
        let implicit = &regs[explicit..];
        let is_fixed = |operand: &RegOperand| operand.implicit && operand.reg.is_physical();
        rule(implicit.iter().all(is_fixed), "implicit operands are physical and come last")?;
        regs.iter().try_for_each(|operand| self.register(operand.reg))
    }

    fn register(&self, reg: Reg) -> Rule {
        if reg.is_physical() {
            return Ok(());
        }
        rule(self.stage == Stage::Lowered, "allocated code has physical registers only")?;
        rule(reg.number() - super::reg::PHYSICAL < self.function.virtuals, "a register is counted")
    }

    fn terminator(&self, block: Block) -> Rule {
        let data = &self.function.blocks[block];
        let term = &data.term;
        let shape: &[Access] = match &term.kind {
            MTermKind::Branch { .. } => &[Access::Use, Access::Use],
            MTermKind::Switch { .. } => &[Access::Use],
            MTermKind::Jump(_) | MTermKind::Return | MTermKind::Unreachable => &[],
        };
        self.operands(&term.regs, shape)?;
        rule(!term.regs.iter().any(|operand| operand.is_def()), "a terminator defines nothing")?;
        rule(block.index() > 0 || data.params.is_empty(), "the entry has no parameters")?;
        let mut result = data.params.iter().try_for_each(|&param| self.bound(param));
        term.kind.for_each_target(|to| {
            if result.is_ok() {
                result = self.target(to);
            }
        });
        result
    }

    fn target(&self, to: &MTarget) -> Rule {
        let Some(target) = self.function.blocks.get(to.block) else {
            return Err("a target is a block");
        };
        rule(target.params.len() == to.args.len(), "a parameter has an argument")?;
        to.args.iter().try_for_each(|&arg| self.bound(arg))
    }

    /// A parameter or an argument.
    fn bound(&self, reg: Reg) -> Rule {
        rule(reg.is_virtual(), "parameters and arguments are virtual")?;
        self.register(reg)
    }

    /// That physical registers are defined in the block where they are read: but for the arguments, in
    /// the entry.
    fn physical_lives(&self, block: Block) -> Result<(), (usize, &'static str)> {
        let data = &self.function.blocks[block];
        let arguments = (0..8).filter_map(Reg::argument);
        let mut defined = if block.index() == 0 { RegSet::of(arguments) } else { RegSet::EMPTY };
        for inst in 0..=data.insts.len() {
            let operands = self.function.operands(block, inst);
            let mut uses = operands.iter().filter(|operand| !operand.is_def());
            let known = |reg: Reg| !reg.is_physical() || !reg.is_tracked() || defined.contains(reg);
            if !uses.all(|operand| known(operand.reg)) {
                return Err((inst, "a physical register is defined in the block that reads it"));
            }
            defined = defined.difference(self.function.clobbers(block, inst));
            let defs = operands.iter().filter(|operand| operand.is_def());
            defined = defs.fold(defined, |defined, operand| defined.with(operand.reg));
        }
        Ok(())
    }
}

fn immediate(op: AluImm, value: i32) -> Rule {
    let range = match op {
        AluImm::Slli | AluImm::Srli | AluImm::Srai => 0..64,
        _ => -2048..2048,
    };
    rule(range.contains(&value), "an immediate is in range")
}
