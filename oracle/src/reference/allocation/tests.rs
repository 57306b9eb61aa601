//! Each kind of violation, on code written out by hand, and the allocations beside it that are right.

use super::*;
use backedge_core::entity::Edge;
use backedge_core::machine::{
    Alu, MBlock, MInst, MOp, MTarget, MTerm, MTermKind, RegOperand, RegSet,
};
use backedge_core::regalloc::{Edit, Point};
use smallvec::SmallVec;

const T1: Reg = Reg::physical(6);
const T2: Reg = Reg::physical(7);
const S1: Reg = Reg::physical(9);

fn v(number: u32) -> Reg {
    Reg::virtual_register(number)
}

fn block(params: &[Reg], insts: Vec<MInst>, term: MTerm) -> MBlock {
    MBlock { name: "b".into(), params: params.to_vec(), insts, term }
}

fn function(blocks: Vec<MBlock>) -> MFunction {
    MFunction {
        name: "f".into(),
        virtuals: 8,
        blocks: blocks.into_iter().collect(),
        outgoing_words: 0,
        spill_bytes: 0,
        saved: RegSet::EMPTY,
    }
}

fn constant(to: Reg) -> MInst {
    MInst::new(MOp::LoadImm(7), [RegOperand::writes(to)])
}

fn add(to: Reg, a: Reg, b: Reg) -> MInst {
    let regs = [RegOperand::writes(to), RegOperand::reads(a), RegOperand::reads(b)];
    MInst::new(MOp::Alu(Alu::Add), regs)
}

fn copy(to: Reg, from: Reg) -> MInst {
    MInst::new(MOp::Move, [RegOperand::writes(to), RegOperand::reads(from)])
}

fn call() -> MInst {
    let op = MOp::Call { callee: "e".into(), catches: false };
    let mut call = MInst::new(op, []);
    call.clobbers = RegSet::CALLER_SAVED;
    call
}

/// Ends the function; reads nothing.
fn stop() -> MTerm {
    MTerm { kind: MTermKind::Unreachable, regs: SmallVec::new() }
}

fn ret() -> MTerm {
    MTerm { kind: MTermKind::Return, regs: SmallVec::new() }
}

fn jump(to: u32, args: &[Reg]) -> MTerm {
    let target = MTarget { block: Block::from_u32(to), args: args.iter().copied().collect() };
    MTerm { kind: MTermKind::Jump(target), regs: SmallVec::new() }
}

/// Virtual register `i` in `places[i]`, always.
fn fixed(function: &MFunction, places: &[Reg]) -> Allocation {
    let place = |reg: Reg| match reg.is_virtual() {
        true => places[(reg.number() - v(0).number()) as usize],
        false => reg,
    };
    let operands = function.blocks.iter().map(|(block, data)| {
        let insts = (0..=data.insts.len()).map(|inst| {
            function.operands(block, inst).iter().map(|operand| place(operand.reg)).collect()
        });
        insts.collect()
    });
    let params = function.blocks.values();
    let params =
        params.map(|data| data.params.iter().map(|&of| Location::Reg(place(of))).collect());
    Allocation { operands: operands.collect(), params: params.collect(), ..Allocation::default() }
}

fn before(inst: u32) -> Point {
    Point::Before { block: Block::from_u32(0), inst }
}

fn edit(at: Point, from: impl Into<Place>, to: impl Into<Place>) -> Edit {
    Edit { at, from: from.into().0, to: to.into().0 }
}

/// A register, or the offset of a slot.
struct Place(Location);

impl From<Reg> for Place {
    fn from(reg: Reg) -> Place {
        Place(Location::Reg(reg))
    }
}

impl From<u32> for Place {
    fn from(offset: u32) -> Place {
        Place(Location::Slot(offset))
    }
}

fn kinds(function: &MFunction, allocation: &Allocation) -> Vec<Kind> {
    let registers = Registers { allocatable: vec![Reg::A0, T1, T2, S1] };
    let mut kinds: Vec<Kind> =
        violations(function, &registers, allocation).iter().map(|found| found.kind).collect();
    kinds.dedup();
    // The second opinion finds nothing wrong with what is right.
    if kinds.is_empty() {
        for seed in 0..20 {
            walk(function, allocation, seed, 20).expect("a walk agrees");
        }
    }
    kinds
}

/// `v2 = v0 + v1` of two constants.
fn sum() -> MFunction {
    let insts = vec![constant(v(0)), constant(v(1)), add(v(2), v(0), v(1))];
    function(vec![block(&[], insts, stop())])
}

#[test]
fn what_is_right_passes() {
    assert_eq!(kinds(&sum(), &fixed(&sum(), &[T1, T2, T1])), []);
    let mut spilled = fixed(&sum(), &[T1, T1, T1]);
    spilled.spill_bytes = 8;
    spilled.operands[0][2][2] = T2;
    spilled.operands[0][1][0] = T2;
    spilled.edits = vec![edit(before(1), T1, 0), edit(before(2), 0, T1)];
    assert_eq!(kinds(&sum(), &spilled), []);
}

#[test]
fn answers_for_another_function_are_malformed() {
    let right = fixed(&sum(), &[T1, T2, T1]);
    let mut short = right.clone();
    short.operands[0].pop();
    assert_eq!(kinds(&sum(), &short), [Kind::Malformed]);
    let mut narrow = right.clone();
    narrow.operands[0][2].pop();
    assert_eq!(kinds(&sum(), &narrow), [Kind::Malformed]);
    let mut empty = right.clone();
    empty.params.clear();
    assert_eq!(kinds(&sum(), &empty), [Kind::Malformed]);
    let mut nowhere = right;
    nowhere.edits = vec![edit(Point::OnEdge(Edge::from_u32(0)), T1, T2)];
    assert_eq!(kinds(&sum(), &nowhere), [Kind::Malformed]);
}

#[test]
fn two_values_in_one_register() {
    assert_eq!(kinds(&sum(), &fixed(&sum(), &[T1, T1, T2])), [Kind::WrongValue]);
}

#[test]
fn registers_that_may_not_be_given_away() {
    assert_eq!(kinds(&sum(), &fixed(&sum(), &[Reg::T0, T2, T1])), [Kind::NotAllocatable]);
    assert_eq!(kinds(&sum(), &fixed(&sum(), &[Reg::A1, T2, T1])), [Kind::NotAllocatable]);
}

#[test]
fn a_move_from_what_was_never_written_onto_a_live_value() {
    let mut wrong = fixed(&sum(), &[T1, T2, T1]);
    wrong.edits = vec![edit(before(2), Reg::A0, T1)];
    assert_eq!(kinds(&sum(), &wrong), [Kind::WrongValue]);
}

#[test]
fn a_move_from_what_a_call_clobbered_onto_a_live_value() {
    let insts = vec![constant(v(0)), constant(v(1)), call(), add(v(2), v(0), v(0))];
    let function = function(vec![block(&[], insts, stop())]);
    let mut wrong = fixed(&function, &[S1, T2, T1]);
    wrong.saved = RegSet::of([S1]);
    assert_eq!(kinds(&function, &wrong), []);
    wrong.edits = vec![edit(before(3), T2, S1)];
    assert!(matches!(kinds(&function, &wrong)[..], [Kind::WrongValue | Kind::ClobberedAcrossCall]));
}

#[test]
fn a_caller_saved_register_live_across_a_call() {
    let insts = vec![constant(v(0)), call(), add(v(1), v(0), v(0))];
    let function = function(vec![block(&[], insts, stop())]);
    assert_eq!(kinds(&function, &fixed(&function, &[T1, T1])), [Kind::ClobberedAcrossCall]);
}

/// `early v2, v3 = v0, v1`
fn division() -> MFunction {
    let regs = [
        RegOperand::writes_early(v(2)),
        RegOperand::writes(v(3)),
        RegOperand::reads(v(0)),
        RegOperand::reads(v(1)),
    ];
    let division = MInst::new(MOp::DivRem { signed: true }, regs);
    let insts = vec![constant(v(0)), constant(v(1)), division];
    function(vec![block(&[], insts, stop())])
}

#[test]
fn an_early_definition_in_the_register_of_a_use() {
    assert_eq!(kinds(&division(), &fixed(&division(), &[T1, T2, Reg::A0, T1])), []);
    let wrong = fixed(&division(), &[T1, T2, T1, Reg::A0]);
    assert_eq!(kinds(&division(), &wrong), [Kind::EarlyDefShares]);
}

#[test]
fn two_results_in_one_register() {
    let wrong = fixed(&division(), &[T1, T2, Reg::A0, Reg::A0]);
    assert_eq!(kinds(&division(), &wrong), [Kind::TwoDefsShare]);
}

/// No instruction that lowering makes has both, so that no generated case could show it.
#[test]
fn a_result_in_a_register_that_its_instruction_clobbers() {
    let mut both = constant(v(0));
    both.clobbers = RegSet::of([T2]);
    let function = function(vec![block(&[], vec![both], stop())]);
    assert_eq!(kinds(&function, &fixed(&function, &[T1])), []);
    assert_eq!(kinds(&function, &fixed(&function, &[T2])), [Kind::DefClobbered]);
}

#[test]
fn an_operand_by_convention_in_another_register() {
    let function = function(vec![block(&[], vec![constant(Reg::A0), copy(v(0), Reg::A0)], stop())]);
    let mut wrong = fixed(&function, &[T1]);
    assert_eq!(kinds(&function, &wrong), []);
    wrong.operands[0][1][1] = T2;
    assert!(kinds(&function, &wrong).contains(&Kind::FixedOperandMoved));
}

#[test]
fn slots_that_overlap_or_lie_outside() {
    let spilled = |offset: u32, bytes: u32| {
        let mut allocation = fixed(&sum(), &[T1, T2, T1]);
        allocation.spill_bytes = bytes;
        allocation.edits = vec![
            edit(before(1), T1, 0),
            edit(before(2), T2, offset),
            edit(before(2), 0, T1),
            edit(before(2), offset, T2),
        ];
        kinds(&sum(), &allocation)
    };
    assert_eq!(spilled(8, 16), []);
    assert_eq!(spilled(8, 8), [Kind::SlotOutOfFrame]);
    assert!(spilled(4, 16).contains(&Kind::SlotOverlap));
    // One slot for two values that are both live is no overlap, but loses one of them.
    assert_eq!(spilled(0, 16), [Kind::WrongValue]);
}

/// A use on two paths, on one of which its value is not there.
#[test]
fn a_reload_missing_on_one_path() {
    let branch = {
        let to = |to| MTarget { block: Block::from_u32(to), args: SmallVec::new() };
        let kind = MTermKind::Branch {
            cond: backedge_core::machine::Cond::Eq,
            then_to: to(1),
            else_to: to(2),
        };
        let regs = [RegOperand::reads(v(0)), RegOperand::reads(v(0))];
        MTerm { kind, regs: regs.into_iter().collect() }
    };
    let blocks = vec![
        block(&[], vec![constant(v(0))], branch),
        block(&[], vec![constant(v(1))], jump(2, &[])),
        block(&[], vec![add(v(2), v(0), v(0))], stop()),
    ];
    let function = function(blocks);
    assert_eq!(kinds(&function, &fixed(&function, &[T1, T2, T1])), []);
    let mut wrong = fixed(&function, &[T1, T1, T1]);
    assert_eq!(kinds(&function, &wrong), [Kind::WrongValue]);
    // Kept in a slot beside it, and put back on that edge alone, it is right again.
    wrong.spill_bytes = 8;
    wrong.edits = vec![edit(before(1), T1, 0), edit(Point::OnEdge(Edge::from_u32(2)), 0, T1)];
    assert_eq!(kinds(&function, &wrong), []);
}

#[test]
fn arguments_that_are_not_where_their_parameters_are() {
    let blocks = vec![
        block(&[], vec![constant(v(0)), constant(v(1))], jump(1, &[v(1), v(0)])),
        block(&[v(2), v(3)], vec![add(v(4), v(2), v(3))], stop()),
    ];
    let function = function(blocks);
    assert_eq!(kinds(&function, &fixed(&function, &[T1, T2, T2, T1, T1])), []);
    let straight = fixed(&function, &[T1, T2, T1, T2, T1]);
    assert_eq!(kinds(&function, &straight)[0], Kind::WrongArgument);
    // One after the other, the second gets what the first has overwritten.
    let on_edge = Point::OnEdge(Edge::from_u32(0));
    let mut in_sequence = straight.clone();
    in_sequence.edits = vec![edit(on_edge, T2, T1), edit(on_edge, T1, T2)];
    assert_eq!(kinds(&function, &in_sequence)[0], Kind::WrongArgument);
    let mut aside = straight;
    let scratch = Reg::SCRATCH[0];
    aside.edits =
        vec![edit(on_edge, T1, scratch), edit(on_edge, T2, T1), edit(on_edge, scratch, T2)];
    assert_eq!(kinds(&function, &aside), []);
}

#[test]
fn a_callee_saved_register_that_is_not_restored() {
    let function = function(vec![block(&[], vec![constant(v(0))], ret())]);
    let mut allocation = fixed(&function, &[S1]);
    assert_eq!(kinds(&function, &allocation), [Kind::CalleeSavedLost]);
    allocation.saved = RegSet::of([S1]);
    assert_eq!(kinds(&function, &allocation), []);
}

/// A load from a slot that nothing was stored to.
#[test]
fn a_reload_of_what_was_never_spilled() {
    let mut wrong = fixed(&sum(), &[T1, T2, T1]);
    wrong.spill_bytes = 8;
    wrong.edits = vec![edit(before(2), 0, T1)];
    assert_eq!(kinds(&sum(), &wrong), [Kind::WrongValue]);
}
