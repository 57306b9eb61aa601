//! Constants by the definition, as a naive conditional fixpoint.
//!
//! Of each block: does control get there, and what does each local hold then, over all runs that the
//! rules let be? All is recomputed from all, round after round, until a round changes nothing. What a
//! round finds is above what the last one found in a lattice of finite height, so the rounds end.
//!
//! The rules: where control enters, the function's parameters may hold anything, and no other integer
//! is assigned. What an operation computes from something that is nowhere assigned is not assigned
//! either. A condition that is nowhere assigned leads nowhere; one that is the same in every run leads one
//! way; else every way may be taken. Loads, calls and operations of other languages give anything. If
//! the function enters thunks, each block that one is bound to may be entered with anything in every
//! local.

use super::interpreter::evaluate;
use crate::subject::{ConstantsAnswer, Known, KnownLocals};
use backedge_core::ir::{
    Block, Function, Inst, Local, LocalData, Op, Operand, TerminatorKind, Type,
};
use cranelift_entity::EntityRef;
use std::collections::BTreeSet;

/// What is known, of a function.
pub fn constants(function: &Function) -> ConstantsAnswer {
    let mut entry: Vec<KnownLocals> = vec![None; function.blocks.len()];
    loop {
        let next = round(function, &entry);
        if next == entry {
            return answer(function, entry);
        }
        entry = next;
    }
}

/// What blocks start with, given what they started with in the last round.
fn round(function: &Function, last: &[KnownLocals]) -> Vec<KnownLocals> {
    let mut next: Vec<KnownLocals> = vec![None; function.blocks.len()];
    merge(&mut next[0], &at_start(function));
    for block in thunk_entries(function) {
        merge(&mut next[block.index()], &vec![Known::Overdefined; function.locals.len()]);
    }
    for (block, data) in &function.blocks {
        let Some(known) = &last[block.index()] else { continue };
        let end = through(function, block, known);
        for (slot, target) in data.term.kind.targets().into_iter().enumerate() {
            if leads_to(&data.term.kind, slot, &end) {
                let bound = over(function, block, slot, &end);
                merge(&mut next[target.block.index()], &bound);
            }
        }
    }
    next
}

/// Before the first instruction of the entry, coming from the caller.
fn at_start(function: &Function) -> Vec<Known> {
    let of = |(local, data): (Local, &LocalData)| {
        let given = data.ty != Type::Int || function.params.contains(&local);
        if given { Known::Overdefined } else { Known::Undefined }
    };
    function.locals.iter().map(of).collect()
}

/// Blocks that thunks are bound to, if thunks are entered.
pub(crate) fn thunk_entries(function: &Function) -> Vec<Block> {
    let enters = |term: &TerminatorKind| matches!(term, TerminatorKind::Enter(_));
    if !function.blocks.values().any(|data| enters(&data.term.kind)) {
        return Vec::new();
    }
    let insts = function.blocks.values().flat_map(|data| &data.insts);
    let bound = insts.filter_map(|inst| match &inst.op {
        Op::Bind(target) => Some(target.block),
        _ => None,
    });
    bound.collect()
}

/// What holds in both cases.
pub(crate) fn join(a: Known, b: Known) -> Known {
    match (a, b) {
        (Known::Undefined, other) | (other, Known::Undefined) => other,
        (a, b) if a == b => a,
        _ => Known::Overdefined,
    }
}

fn merge(into: &mut KnownLocals, from: &[Known]) {
    match into {
        None => *into = Some(from.to_vec()),
        Some(into) => into.iter_mut().zip(from).for_each(|(into, &from)| *into = join(*into, from)),
    }
}

fn value(operand: Operand, known: &[Known]) -> Known {
    match operand {
        Operand::Const(value) => Known::Constant(value),
        Operand::Local(local) => known[local.index()],
    }
}

/// What an operation gives.
fn result(op: &Op, known: &[Known]) -> Known {
    let value = |operand: &Operand| value(*operand, known);
    match op {
        Op::Const(value) => Known::Constant(*value),
        Op::Copy(a) => value(a),
        Op::Select(cond, a, b) => {
            let (cond, a, b) = (value(cond), value(a), value(b));
            if [cond, a, b].contains(&Known::Undefined) {
                return Known::Undefined;
            }
            match cond {
                Known::Constant(0) => b,
                Known::Constant(_) => a,
                _ => join(a, b),
            }
        }
        Op::Binary(op, a, b) => match (value(a), value(b)) {
            (Known::Constant(a), Known::Constant(b)) => Known::Constant(evaluate(*op, a, b)),
            (Known::Undefined, _) | (_, Known::Undefined) => Known::Undefined,
            _ => Known::Overdefined,
        },
        _ => Known::Overdefined,
    }
}

fn assign(function: &Function, local: Local, to: Known, known: &mut [Known]) {
    let is_int = function.locals[local].ty == Type::Int;
    known[local.index()] = if is_int { to } else { Known::Overdefined };
}

/// Behind an instruction.
fn step(function: &Function, inst: &Inst, known: &mut [Known]) {
    if let Some(dest) = &inst.dest {
        assign(function, dest.local, result(&inst.op, known), known);
    }
    if let Op::Opaque(opaque) = &inst.op {
        for &local in opaque.defs.iter().chain(&opaque.partial) {
            assign(function, local, Known::Overdefined, known);
        }
    }
}

/// At the end of a block.
fn through(function: &Function, block: Block, known: &[Known]) -> Vec<Known> {
    let mut known = known.to_vec();
    function.blocks[block].insts.iter().for_each(|inst| step(function, inst, &mut known));
    known
}

/// Whether control may leave by a slot.
fn leads_to(term: &TerminatorKind, slot: usize, known: &[Known]) -> bool {
    match term {
        TerminatorKind::Branch { cond, .. } => match value(*cond, known) {
            Known::Undefined => false,
            Known::Constant(0) => slot == 1,
            Known::Constant(_) => slot == 0,
            Known::Overdefined => true,
        },
        TerminatorKind::Switch { value: of, cases, .. } => match value(*of, known) {
            Known::Undefined => false,
            Known::Constant(of) => match cases.iter().position(|case| case.0 == of) {
                Some(case) => slot == case + 1,
                None => slot == 0,
            },
            Known::Overdefined => true,
        },
        _ => true,
    }
}

/// At the start of an edge's target, its parameters bound.
fn over(function: &Function, block: Block, slot: usize, known: &[Known]) -> Vec<Known> {
    let term = &function.blocks[block].term.kind;
    let mut known = known.to_vec();
    if let Some(local) = term.edge_def(slot) {
        assign(function, local, Known::Overdefined, &mut known);
    }
    let before = known.clone();
    if let Some(target) = term.target(slot) {
        for (&param, arg) in function.blocks[target.block].params.iter().zip(&target.args) {
            assign(function, param, value(*arg, &before), &mut known);
        }
    }
    known
}

/// All that follows from what blocks start with.
fn answer(function: &Function, entry: Vec<KnownLocals>) -> ConstantsAnswer {
    let mut exit = Vec::new();
    let (mut edges, mut foldable, mut decided) =
        (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    for (block, data) in &function.blocks {
        let Some(known) = &entry[block.index()] else {
            exit.push(None);
            continue;
        };
        let mut known = known.clone();
        for (index, inst) in data.insts.iter().enumerate() {
            if let Some(value) = folds_to(inst, &known) {
                foldable.insert((block, index, value));
            }
            step(function, inst, &mut known);
        }
        let term = &data.term.kind;
        let slots = 0..term.targets().len();
        let taken: Vec<u32> =
            slots.clone().filter(|&slot| leads_to(term, slot, &known)).map(|s| s as u32).collect();
        edges.extend(taken.iter().map(|&slot| (block, slot)));
        let chooses = matches!(term, TerminatorKind::Branch { .. } | TerminatorKind::Switch { .. });
        if chooses && slots.len() > 1 && taken.len() == 1 {
            decided.insert((block, taken[0]));
        }
        exit.push(Some(known));
    }
    ConstantsAnswer {
        entry,
        exit: Some(exit),
        edges: Some(edges),
        foldable: Some(foldable),
        decided: Some(decided),
    }
}

/// The constant that an instruction does nothing but compute.
fn folds_to(inst: &Inst, known: &[Known]) -> Option<i64> {
    if !matches!(inst.op, Op::Copy(_) | Op::Select(..) | Op::Binary(..)) {
        return None;
    }
    match (result(&inst.op, known), &inst.dest) {
        (Known::Constant(value), Some(dest)) if dest.is_whole() => Some(value),
        _ => None,
    }
}
