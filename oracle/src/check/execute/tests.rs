use super::*;
use crate::check::Finding;
use crate::subject::{Lowering, RegisterAllocator};
use backedge_core::entity::Block;
use backedge_core::ir::{Function, text};
use backedge_core::machine::{
    Alu, MBlock, MInst, MOp, MTarget, MTerm, MTermKind, Reg, RegOperand, RegSet,
};
use backedge_core::regalloc::Allocation;

/// A subject whose Machine IR is given, in physical registers from the start, so that its allocator has
/// nothing to do but to say what is saved.
struct Given {
    function: MFunction,
    saved: RegSet,
    refuses: Option<NoAnswer>,
    loses_operands: bool,
}

impl Subject for Given {
    fn name(&self) -> &str {
        "given"
    }

    fn lowering(&mut self) -> Option<&mut dyn Lowering> {
        Some(self)
    }

    fn allocators(&mut self) -> Vec<&mut dyn RegisterAllocator> {
        vec![self]
    }
}

impl Lowering for Given {
    fn lower(&mut self, _: &Program, _: &Function) -> Result<MFunction, NoAnswer> {
        Ok(self.function.clone())
    }
}

impl RegisterAllocator for Given {
    fn name(&self) -> &str {
        "identity"
    }

    fn allocate(&mut self, function: &MFunction, _: &Registers) -> Result<Allocation, NoAnswer> {
        if let Some(why) = &self.refuses {
            return Err(why.clone());
        }
        let of_inst = |block: Block, inst| {
            let kept = if self.loses_operands { 0 } else { usize::MAX };
            let operands = function.operands(block, inst).iter();
            operands.map(|operand| operand.reg).take(kept).collect()
        };
        let of_block = |block: Block| {
            let count = function.blocks[block].insts.len() + 1;
            (0..count).map(|inst| of_inst(block, inst)).collect()
        };
        Ok(Allocation {
            operands: function.blocks.keys().map(of_block).collect(),
            params: function.blocks.keys().map(|_| Default::default()).collect(),
            saved: self.saved,
            ..Allocation::default()
        })
    }
}

const A0: Reg = Reg::A0;
const S1: Reg = Reg::physical(9);

fn load(rd: Reg, value: i64) -> MInst {
    MInst::new(MOp::LoadImm(value), [RegOperand::writes(rd)])
}

fn returning(mut insts: Vec<MInst>) -> MBlock {
    insts.push(load(Reg::A1, 0));
    let regs = [A0, Reg::A1].map(|reg| RegOperand::reads(reg).implicitly());
    let term = MTerm { kind: MTermKind::Return, regs: regs.into_iter().collect() };
    MBlock { name: "entry".into(), params: Vec::new(), insts, term }
}

fn given(blocks: Vec<MBlock>) -> Given {
    let function = MFunction {
        name: "main".into(),
        virtuals: 0,
        blocks: blocks.into_iter().collect(),
        outgoing_words: 0,
        spill_bytes: 0,
        saved: RegSet::EMPTY,
    };
    Given { function, saved: RegSet::EMPTY, refuses: None, loses_operands: false }
}

/// Stores 5 in word 3 of the memory, asks `@e(7)`, and returns 4 more than the answer.
const PROGRAM: &str = ";; tape: 6\n;; tape:\n;; tape: unwind\nextern @e(int) -> int\nmemory 4\n\
    fn @main() -> int {\nentry:\n  store 3, 5\n  %x = call @e(7)\n  %y = add %x, 4\n  return %y\n}\n";

/// The right code, with places to go wrong.
fn code(word: i64, argument: i64, more: i64) -> Vec<MInst> {
    let address = [RegOperand::writes_early(Reg::A1), RegOperand::reads(A0)];
    let store = [RegOperand::reads(Reg::A1), RegOperand::reads(S1)];
    let sum = [RegOperand::writes(A0), RegOperand::reads(A0), RegOperand::reads(S1)];
    vec![
        load(A0, 3),
        load(S1, word),
        MInst::new(MOp::MemoryAddress { words: 4 }, address),
        MInst::new(MOp::Store, store),
        load(A0, argument),
        MInst::new(MOp::Call { callee: "e".into(), catches: false }, []),
        load(S1, more),
        MInst::new(MOp::Alu(Alu::Add), sum),
    ]
}

fn judge(text: &str, subject: &mut Given) -> Verdict {
    let program = text::parse(text).expect("the test's program is valid");
    ExecuteCheck.judge(&Case { program }, subject)
}

fn only_finding(subject: &mut Given) -> Finding {
    match judge(PROGRAM, subject) {
        Verdict::Findings(findings) => {
            assert_eq!(findings.len(), 1, "{findings:?}");
            findings[0].clone()
        }
        other => panic!("{other:?}"),
    }
}

fn right() -> Given {
    let mut given = given(vec![returning(code(5, 7, 4))]);
    given.saved = RegSet::of([S1]);
    given
}

#[test]
fn right_code_passes_and_is_measured() {
    assert_eq!(judge(PROGRAM, &mut right()), Verdict::Pass);
    let program = text::parse(PROGRAM).expect("it is valid");
    let mut measures = Measures::default();
    ExecuteCheck.judge_and_measure(&Case { program }, &mut right(), &mut measures);
    let all = |count| measures.get("identity", count);
    // Three tapes, each with three instructions and a terminator at most.
    assert_eq!((all(Count::Runs), all(Count::Steps) <= 12), (3, true));
    assert!(all(Count::MachineSteps) > all(Count::Steps) && all(Count::CodeBytes) > 40);
    assert_eq!(measures.get("identity, 3 registers", Count::Runs), 3);
}

#[test]
fn every_kind_of_difference_is_found() {
    let wrong = |insts| {
        let mut given = given(vec![returning(insts)]);
        given.saved = RegSet::of([S1]);
        only_finding(&mut given)
    };
    let trace = wrong(code(5, 8, 4));
    assert_eq!((trace.kind, &*trace.function, &trace.at), ("trace-differs", "main", &At::Function));
    assert_eq!(trace.expected, "@e(7) as event 1 on the tape `6`");
    assert_eq!(trace.answered, "@e(8) as event 1 by identity");
    let result = wrong(code(5, 7, 3));
    assert_eq!(result.kind, "result-differs");
    assert_eq!(result.expected, "a run that returned 10 on the tape `6`");
    assert_eq!(result.answered, "a run that returned 9 by identity");
    let memory = wrong(code(6, 7, 4));
    assert_eq!(memory.kind, "memory-differs");
    assert_eq!(memory.expected, "5 in word 3 of the memory on the tape `6`");
    let mut wild = code(5, 7, 4);
    wild.remove(2);
    assert_eq!(wrong(wild).kind, "bad-access");
}

#[test]
fn a_run_that_ends_otherwise_is_found() {
    let mut stuck = returning(code(5, 7, 4));
    stuck.term = MTerm { kind: MTermKind::Unreachable, regs: Default::default() };
    let found = only_finding(&mut given(vec![stuck]));
    assert_eq!(
        (found.kind, &*found.answered),
        ("ending-differs", "a run that reached `unreachable` by identity",)
    );
    let mut endless = returning(code(5, 7, 4));
    let to = MTarget { block: Block::from_u32(1), args: Default::default() };
    endless.term = MTerm { kind: MTermKind::Jump(to.clone()), regs: Default::default() };
    let mut loops = returning(Vec::new());
    loops.term = MTerm { kind: MTermKind::Jump(to), regs: Default::default() };
    let found = only_finding(&mut given(vec![endless, loops]));
    assert_eq!(
        (found.kind, &*found.answered),
        ("ending-differs", "a run that ran out of fuel by identity",)
    );
}

#[test]
fn a_register_that_is_not_restored_is_found() {
    let mut lost = right();
    lost.saved = RegSet::EMPTY;
    let found = only_finding(&mut lost);
    assert_eq!(found.kind, "callee-saved-lost");
    assert!(found.answered.starts_with("s1 is 0x4 in the end"), "{}", found.answered);
}

#[test]
fn no_answers_and_nonsense_are_told() {
    let refusing = |why| {
        let mut given = right();
        given.refuses = Some(why);
        judge(PROGRAM, &mut given)
    };
    let kinds = |verdict: Verdict| -> Vec<&str> {
        verdict.findings().iter().map(|finding| finding.kind).collect()
    };
    assert_eq!(kinds(refusing(NoAnswer::Error("too few".into()))), ["error"]);
    assert_eq!(kinds(refusing(NoAnswer::Crash("dead".into()))), ["crash"]);
    assert_eq!(refusing(NoAnswer::Skip("no".into())), Verdict::Skip("no".into()));
    let mut short = right();
    short.loses_operands = true;
    assert_eq!(kinds(judge(PROGRAM, &mut short)), ["nonsense"]);
    let mut unfit = right();
    unfit.function.blocks[Block::from_u32(0)].insts[0].regs[0].reg = Reg::virtual_register(0);
    assert_eq!(kinds(judge(PROGRAM, &mut unfit)), ["nonsense"]);
}

#[test]
fn the_registers_of_the_file_are_the_only_ones() {
    let program = format!(";; registers: 5\n{PROGRAM}");
    let program = text::parse(&program).expect("it is valid");
    let mut measures = Measures::default();
    ExecuteCheck.judge_and_measure(&Case { program }, &mut right(), &mut measures);
    assert_eq!(measures.get("identity, 5 registers", Count::Runs), 3);
    assert_eq!(measures.get("identity", Count::Runs), 0);
}
