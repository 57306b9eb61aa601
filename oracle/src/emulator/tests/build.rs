//! Short ways to write machine code.

use super::super::{Emulator, Fault, Outcome, lend};
use crate::run::Run;
use crate::tape::Tape;
use backedge_core::entity::Block;
use backedge_core::ir::{Program, text};
pub(super) use backedge_core::machine::{Alu, MFunction, MInst, Reg, RegOperand};
use backedge_core::machine::{Cond, MBlock, MOp, MTarget, MTerm, MTermKind, RegSet};
use backedge_core::riscv::{self, Image};

pub(super) const A0: Reg = Reg::A0;
pub(super) const A1: Reg = Reg::A1;
pub(super) const T1: Reg = Reg::physical(6);
pub(super) const T2: Reg = Reg::physical(7);
pub(super) const S1: Reg = Reg::physical(9);

/// Instructions that a test's run may take.
pub(super) const BUDGET: u64 = 20_000;

pub(super) fn a(index: u32) -> Reg {
    Reg::physical(10 + index)
}

pub(super) fn def(reg: Reg) -> RegOperand {
    RegOperand::writes(reg)
}

pub(super) fn reads(reg: Reg) -> RegOperand {
    RegOperand::reads(reg)
}

pub(super) fn inst(op: MOp, regs: &[RegOperand]) -> MInst {
    MInst::new(op, regs.iter().copied())
}

pub(super) fn alu(op: Alu, rd: Reg, a: Reg, b: Reg) -> MInst {
    inst(MOp::Alu(op), &[def(rd), reads(a), reads(b)])
}

pub(super) fn load(rd: Reg, value: i64) -> MInst {
    inst(MOp::LoadImm(value), &[def(rd)])
}

pub(super) fn call(callee: &str, catches: bool) -> MInst {
    inst(MOp::Call { callee: callee.into(), catches }, &[])
}

pub(super) fn target(block: u32) -> MTarget {
    MTarget { block: Block::from_u32(block), args: Default::default() }
}

pub(super) fn term(kind: MTermKind, regs: &[RegOperand]) -> MTerm {
    MTerm { kind, regs: regs.iter().copied().collect() }
}

pub(super) fn jump(to: u32) -> MTerm {
    term(MTermKind::Jump(target(to)), &[])
}

pub(super) fn branch(cond: Cond, a: Reg, b: Reg, then_to: u32, else_to: u32) -> MTerm {
    let kind = MTermKind::Branch { cond, then_to: target(then_to), else_to: target(else_to) };
    term(kind, &[reads(a), reads(b)])
}

pub(super) fn block(insts: Vec<MInst>, term: MTerm) -> MBlock {
    MBlock { name: "b".into(), params: Vec::new(), insts, term }
}

/// A block that returns what is in `a0`.
pub(super) fn returning(mut insts: Vec<MInst>) -> MBlock {
    insts.push(load(A1, 0));
    block(insts, term(MTermKind::Return, &[reads(A0).implicitly(), reads(A1).implicitly()]))
}

pub(super) fn function(name: &str, blocks: Vec<MBlock>) -> MFunction {
    MFunction {
        name: name.into(),
        virtuals: 0,
        blocks: blocks.into_iter().collect(),
        outgoing_words: 0,
        spill_bytes: 0,
        saved: RegSet::EMPTY,
    }
}

pub(super) fn program(text: &str) -> Program {
    text::parse(text).expect("the test's program is valid")
}

pub(super) fn assemble(program: &Program, functions: &[MFunction]) -> Image {
    riscv::assemble(program, functions).expect("the test's code is fit")
}

pub(super) fn outcome(image: &Image, tape: &str) -> Outcome {
    let tape = Tape::parse(tape).expect("the test's tape");
    let mut lent = lend().expect("an emulator");
    let emulator: &mut Emulator = &mut lent;
    emulator.run(image, &tape, BUDGET)
}

/// What a run without fault does.
pub(super) fn run(image: &Image, tape: &str) -> Run {
    let outcome = outcome(image, tape);
    assert_eq!(outcome.fault, None);
    outcome.run
}

/// What goes wrong in a run.
pub(super) fn fault(image: &Image, tape: &str) -> Option<Fault> {
    outcome(image, tape).fault
}

/// A program of `main`, which takes this many integers and returns one.
pub(super) fn with_params(count: usize) -> Program {
    let params: Vec<String> = (0..count).map(|index| format!("%p{index}: int")).collect();
    program(&format!("fn @main({}) -> int {{\nentry:\n  return 0\n}}\n", params.join(", ")))
}
