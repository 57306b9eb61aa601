//! One function: its instructions expanded and encoded, its blocks laid out.

use super::asm::{A1, Asm, RA, T0, X, ZERO, immediate_range};
use super::frame::Frame;
use super::sites::{Label, Sites};
use super::{AssembleError, Misfit, Place, constant, order};
use crate::entity::Block;
use crate::machine::{Alu, AluImm, Cond, MBlock, MFunction, MInst, MOp, MTarget, MTermKind};
use crate::machine::{Reg, RegOperand};
use rustc_hash::FxHashMap;

/// Where calls and ends of runs go.
pub(super) struct Callees<'p> {
    pub(super) by_name: FxHashMap<&'p str, Label>,
    /// The run ends because nobody catches an unwind.
    pub(super) unwound: Label,
    /// The run ends at `unreachable`.
    pub(super) unreachable: Label,
    /// What stands behind the code.
    pub(super) constants: Label,
}

impl Callees<'_> {
    pub(super) fn named(&self, name: &str) -> Option<Label> {
        self.by_name.get(name).copied()
    }
}

/// Emits a function, and binds its label.
pub(super) fn emit(
    sites: &mut Sites,
    function: &MFunction,
    callees: &Callees<'_>,
) -> Result<(), AssembleError> {
    let misfit = |at: Place, misfit: Misfit| {
        let function = function.name.clone();
        AssembleError::Misfit { function, at, misfit }
    };
    if function.blocks.is_empty() {
        return Err(misfit(Place::Function, Misfit::Empty));
    }
    let frame = Frame::new(function).map_err(|why| misfit(Place::Function, why))?;
    if let Some(label) = callees.named(&function.name) {
        sites.bind(label);
    }
    frame.prologue(&mut sites.asm);
    let labels = sites.labels(function.blocks.len());
    let mut emitter = Emitter { sites, function, frame, callees, labels };
    let order = order::layout(function);
    for (position, &block) in order.iter().enumerate() {
        let data = &function.blocks[block];
        let at = |inst| Place::Inst(data.name.clone(), inst);
        emitter.sites.bind(labels.plus(block.as_u32()));
        for (index, inst) in data.insts.iter().enumerate() {
            emitter.inst(inst).map_err(|why| misfit(at(index), why))?;
        }
        let next = order.get(position + 1).copied();
        emitter.terminator(data, next).map_err(|why| misfit(at(data.insts.len()), why))?;
        emitter.sites.check_length()?;
    }
    Ok(())
}

struct Emitter<'a> {
    sites: &'a mut Sites,
    function: &'a MFunction,
    frame: Frame,
    callees: &'a Callees<'a>,
    /// One a block.
    labels: Label,
}

impl Emitter<'_> {
    fn asm(&mut self) -> &mut Asm {
        &mut self.sites.asm
    }

    fn inst(&mut self, inst: &MInst) -> Result<(), Misfit> {
        match &inst.op {
            &MOp::Alu(op) => {
                let [rd, a, b] = registers(&inst.regs)?;
                self.asm().alu(op, rd, a, b);
            }
            &MOp::AluImm(op, imm) => {
                let [rd, a] = registers(&inst.regs)?;
                if !immediate_range(op).contains(&imm) {
                    return Err(Misfit::Immediate(imm));
                }
                self.asm().alu_imm(op, rd, a, imm);
            }
            &MOp::DivRem { signed } => {
                let [quotient, remainder, a, b] = registers(&inst.regs)?;
                let (div, rem) = if signed { (Alu::Div, Alu::Rem) } else { (Alu::Divu, Alu::Remu) };
                self.asm().alu(div, quotient, a, b);
                self.asm().alu(rem, remainder, a, b);
            }
            &MOp::LoadImm(value) => {
                let [rd] = registers(&inst.regs)?;
                constant::load(self.asm(), rd, value);
            }
            MOp::Move => {
                let [to, from] = registers(&inst.regs)?;
                if to != from {
                    self.asm().mv(to, from);
                }
            }
            MOp::Select => select(self.asm(), registers(&inst.regs)?),
            &MOp::MemoryAddress { words } => self.memory_address(words, registers(&inst.regs)?)?,
            MOp::Load => {
                let [rd, address] = registers(&inst.regs)?;
                self.asm().ld(rd, address, 0);
            }
            MOp::Store => {
                let [address, value] = registers(&inst.regs)?;
                self.asm().sd(value, address, 0);
            }
            &MOp::FrameLoad(slot) => {
                let [rd] = registers(&inst.regs)?;
                self.frame.load(&mut self.sites.asm, rd, slot)?;
            }
            &MOp::FrameStore(slot) => {
                let [value] = registers(&inst.regs)?;
                self.frame.store(&mut self.sites.asm, value, slot)?;
            }
            MOp::Call { callee, catches } => {
                physical(&inst.regs)?;
                let label = self.callees.named(callee);
                let label = label.ok_or_else(|| Misfit::Callee(callee.clone()))?;
                self.sites.jump(RA, label);
                if !catches {
                    self.sites.branch(Cond::Ne, A1, ZERO, self.callees.unwound);
                }
            }
        }
        Ok(())
    }

    /// `rd` holds the mask before `index` is read.
    fn memory_address(&mut self, words: u64, [rd, index]: [X; 2]) -> Result<(), Misfit> {
        if !words.is_power_of_two() {
            return Err(Misfit::MemorySize(words));
        }
        constant::load(self.asm(), rd, (words - 1) as i64);
        self.asm().alu(Alu::And, rd, rd, index);
        self.asm().alu_imm(AluImm::Slli, rd, rd, 3);
        self.sites.data_address(T0, 0);
        self.asm().alu(Alu::Add, rd, rd, T0);
        Ok(())
    }

    /// Emits what ends a block that `next` follows.
    fn terminator(&mut self, data: &MBlock, next: Option<Block>) -> Result<(), Misfit> {
        if !data.params.is_empty() {
            return Err(Misfit::Arguments);
        }
        let regs = &data.term.regs;
        match &data.term.kind {
            MTermKind::Jump(to) => {
                let [] = registers(regs)?;
                self.goto(self.target(to)?, next);
            }
            MTermKind::Branch { cond, then_to, else_to } => {
                let [a, b] = registers(regs)?;
                let [then_to, else_to] = [self.target(then_to)?, self.target(else_to)?];
                self.branch(*cond, [a, b], [then_to, else_to], next);
            }
            MTermKind::Switch { default, cases } => {
                let [value] = registers(regs)?;
                for (key, to) in cases {
                    let key = self.key(*key);
                    let to = self.label(self.target(to)?);
                    self.sites.branch(Cond::Eq, value, key, to);
                }
                self.goto(self.target(default)?, next);
            }
            MTermKind::Return => {
                physical(regs)?;
                self.frame.epilogue(&mut self.sites.asm);
            }
            MTermKind::Unreachable => self.sites.jump(ZERO, self.callees.unreachable),
        }
        Ok(())
    }

    /// A register that holds a key of a switch.
    fn key(&mut self, key: i64) -> X {
        if key == 0 {
            return ZERO;
        }
        constant::load(self.asm(), T0, key);
        T0
    }

    fn branch(
        &mut self,
        cond: Cond,
        [a, b]: [X; 2],
        [then, other]: [Block; 2],
        next: Option<Block>,
    ) {
        if then == other {
            self.goto(then, next);
        } else if next == Some(then) {
            let other = self.label(other);
            self.sites.branch(cond.inverse(), a, b, other);
        } else {
            let then = self.label(then);
            self.sites.branch(cond, a, b, then);
            self.goto(other, next);
        }
    }

    fn goto(&mut self, to: Block, next: Option<Block>) {
        if next != Some(to) {
            let to = self.label(to);
            self.sites.jump(ZERO, to);
        }
    }

    fn label(&self, block: Block) -> Label {
        self.labels.plus(block.as_u32())
    }

    fn target(&self, target: &MTarget) -> Result<Block, Misfit> {
        if !target.args.is_empty() {
            Err(Misfit::Arguments)
        } else if !self.function.blocks.is_valid(target.block) {
            Err(Misfit::Target)
        } else {
            Ok(target.block)
        }
    }
}

/// `rd = c != 0 ? a : b`, where `rd` can be any of the three: no operand is read after `rd` is written.
fn select(asm: &mut Asm, [rd, c, a, b]: [X; 4]) {
    let (cond, kept, other) = if rd == b { (Cond::Eq, b, a) } else { (Cond::Ne, a, b) };
    if a == b {
        asm.mv(rd, a);
    } else if rd == kept {
        asm.branch(cond, c, ZERO, 8);
        asm.mv(rd, other);
    } else {
        let holder = if rd == c { T0 } else { rd };
        asm.mv(holder, b);
        asm.branch(Cond::Eq, c, ZERO, 8);
        asm.mv(holder, a);
        if holder != rd {
            asm.mv(rd, holder);
        }
    }
}

/// The registers of all operands, of which the operation takes `N`.
fn registers<const N: usize>(operands: &[RegOperand]) -> Result<[X; N], Misfit> {
    let operands: &[RegOperand; N] =
        operands.try_into().map_err(|_| Misfit::Operands { expected: N, found: operands.len() })?;
    physical(operands)?;
    Ok(operands.map(|operand| operand.reg.number() as X))
}

fn physical(operands: &[RegOperand]) -> Result<(), Misfit> {
    let mut regs = operands.iter().map(|operand: &RegOperand| -> Reg { operand.reg });
    match regs.find(|reg| reg.is_virtual()) {
        Some(reg) => Err(Misfit::Virtual(reg)),
        None => Ok(()),
    }
}
