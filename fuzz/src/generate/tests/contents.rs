//! What functions are filled with.

use super::functions;
use crate::generate::*;
use backedge_core::ir::{BinaryOp, Function, Inst, Local, Op, TerminatorKind, Type};
use std::collections::BTreeSet;

fn all() -> Vec<Function> {
    Shape::ALL.into_iter().flat_map(|shape| functions(shape, 100)).map(|(_, f)| f).collect()
}

fn insts(functions: &[Function]) -> impl Iterator<Item = &Inst> {
    functions.iter().flat_map(|f| f.blocks.values()).flat_map(|block| &block.insts)
}

fn terms(functions: &[Function]) -> impl Iterator<Item = &TerminatorKind> {
    functions.iter().flat_map(|f| f.blocks.values()).map(|block| &block.term.kind)
}

#[test]
fn every_operation_occurs() {
    let all = all();
    let names: BTreeSet<&str> = insts(&all)
        .map(|inst| match &inst.op {
            Op::Const(_) => "const",
            Op::Copy(_) => "copy",
            Op::Select(..) => "select",
            Op::Binary(op, ..) => op.name(),
            Op::Load(_) => "load",
            Op::Store { .. } => "store",
            Op::Call { .. } => "call",
            Op::Bind(_) => "bind",
            Op::New => "new",
            Op::Move(_) => "move",
            Op::Drop(_) => "drop",
            Op::Destroy(_) => "destroy",
            Op::Opaque(_) => "opaque",
        })
        .collect();
    assert_eq!(names.len(), 12 + BinaryOp::ALL.len(), "{names:?}");
}

#[test]
fn every_terminator_occurs() {
    let all = all();
    let names: BTreeSet<&str> = terms(&all)
        .map(|term| match term {
            TerminatorKind::Jump(_) => "jump",
            TerminatorKind::Branch { .. } => "branch",
            TerminatorKind::Switch { cases, .. } if cases.is_empty() => "switch without cases",
            TerminatorKind::Switch { .. } => "switch",
            TerminatorKind::TryCall { dest: None, .. } => "try_call without result",
            TerminatorKind::TryCall { .. } => "try_call",
            TerminatorKind::TryDrop { .. } => "try_drop",
            TerminatorKind::Enter(_) => "enter",
            TerminatorKind::Return(None) => "return",
            TerminatorKind::Return(Some(_)) => "return of a value",
            TerminatorKind::Unreachable => "unreachable",
            TerminatorKind::Resume => "resume",
        })
        .collect();
    assert_eq!(names.len(), 12, "{names:?}");
}

/// Whether a function has something that a liveness solver can get wrong.
fn has(function: &Function, what: &str) -> bool {
    let insts = || function.blocks.values().flat_map(|block| &block.insts);
    let assigned: BTreeSet<Local> = assigned(function);
    match what {
        "reads and writes one local" => insts().any(|inst| {
            let (mut uses, mut both) = (BTreeSet::new(), false);
            inst.for_each_use(|local| _ = uses.insert(local));
            inst.for_each_def(|local| both |= uses.contains(&local));
            both
        }),
        "reads what is never written" => insts().any(|inst| {
            let mut unwritten = false;
            inst.for_each_use(|local| unwritten |= !assigned.contains(&local));
            unwritten
        }),
        "parameter passed to another of its block" => {
            terms(std::slice::from_ref(function)).flat_map(TerminatorKind::targets).any(|target| {
                let params = &function.blocks[target.block].params;
                let swapped = |(index, arg): (usize, &backedge_core::ir::Operand)| {
                    arg.local().is_some_and(|l| params.contains(&l) && params[index] != l)
                };
                target.args.iter().enumerate().any(swapped)
            })
        }
        "part moved" => insts().any(|inst| matches!(&inst.op, Op::Move(p) if !p.is_whole())),
        "part assigned" => insts().any(|i| i.dest.as_ref().is_some_and(|dest| !dest.is_whole())),
        "owned parameter of a block" => function
            .blocks
            .values()
            .flat_map(|block| &block.params)
            .any(|&local| function.locals[local].ty.is_owned()),
        "parameter written again" => insts().any(|inst| {
            let params: Vec<Local> =
                function.blocks.values().flat_map(|b| b.params.clone()).collect();
            inst.dest.as_ref().is_some_and(|dest| params.contains(&dest.local))
        }),
        _ => false,
    }
}

fn assigned(function: &Function) -> BTreeSet<Local> {
    let mut assigned: BTreeSet<Local> = function.params.iter().copied().collect();
    for block in function.blocks.values() {
        assigned.extend(&block.params);
        block.insts.iter().for_each(|inst| inst.for_each_def(|l| _ = assigned.insert(l)));
        assigned.extend(block.term.kind.edge_def(0));
    }
    assigned
}

#[test]
fn what_bugs_hang_on_occurs() {
    let all = all();
    for (what, least) in [
        ("reads and writes one local", 30),
        ("reads what is never written", 10),
        ("parameter passed to another of its block", 8),
        ("part moved", 2),
        ("part assigned", 2),
        ("owned parameter of a block", 2),
        ("parameter written again", 10),
    ] {
        let share = 100 * all.iter().filter(|function| has(function, what)).count() / all.len();
        assert!(share >= least, "{share}% of the functions have: {what}");
    }
}

#[test]
fn programs_differ_in_what_they_are_made_of() {
    let all = all();
    let share = |holds: &dyn Fn(&Function) -> bool| {
        100 * all.iter().filter(|function| holds(function)).count() / all.len()
    };
    let ssa = share(&|f| f.ssa);
    assert!((20..60).contains(&ssa), "{ssa}% are in SSA form");
    let owned = share(&|f| f.locals.values().any(|local| local.ty.is_owned()));
    assert!((10..60).contains(&owned), "{owned}% have owned values");
    let plain = share(&|f| f.locals.values().all(|local| local.ty == Type::Int));
    assert!(plain > 30, "{plain}% have integers only");
    let phis = share(&|f| f.blocks.values().any(|block| !block.params.is_empty()));
    assert!((30..90).contains(&phis), "{phis}% have parameters of blocks");
}

/// A changed byte of the part for contents changes few lines of the text.
#[test]
fn a_small_change_of_the_bytes_is_a_small_change_of_the_program() {
    let config = Config { shapes: vec![Shape::Goto, Shape::Structured], max_blocks: 24 };
    let (mut lines, mut changed) = (0, 0);
    for seed in 0..300 {
        let mut bytes = seed::SplitMix::new(seed).bytes(3000);
        let before = lines_of(&bytes, &config);
        // Contents follow the first quarter; what is said of the whole function comes first in them.
        bytes[900 + seed as usize] ^= 0x55;
        let after = lines_of(&bytes, &config);
        lines += before.len();
        changed += before.iter().filter(|line| !after.contains(*line)).count();
    }
    assert!(changed > 0 && 20 * changed < lines, "{changed} of {lines} lines changed");
}

fn lines_of(bytes: &[u8], config: &Config) -> Vec<String> {
    let text = backedge_core::ir::text::print(&from_bytes(bytes, config).case.program);
    text.lines().map(str::to_owned).collect()
}
