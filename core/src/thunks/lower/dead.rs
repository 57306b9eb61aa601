//! Takes out what was assigned to tags and selectors that nobody asks any more.
//!
//! Looked at are locals that selections asked and that are assigned constants alone, as tags and
//! selectors are, and any in a block of copies alone, which only stands on an edge. Such an assignment
//! is taken out if the local is not live after it.

use crate::cfg::Cfg;
use crate::dataflow::liveness::Liveness;
use crate::entity::Block;
use crate::ir::{Function, Inst, Local, Op, Operand, TerminatorKind, Type};
use cranelift_entity::EntitySet;
use rustc_hash::FxHashMap;

/// Takes out what was assigned to those of the locals that were `asked`.
pub(super) fn remove(function: &mut Function, asked: &EntitySet<Local>) {
    let candidates = candidates(function, asked);
    let dead = {
        let cfg = Cfg::build(&*function);
        let liveness = Liveness::solve(&*function, &cfg);
        let of = |block| {
            dead_in(function, block, &candidates, |l| liveness.at_end(block).contains(l.into()))
        };
        function.blocks.keys().map(of).collect::<Vec<_>>()
    };
    for (data, dead) in function.blocks.values_mut().zip(dead) {
        if dead.is_empty() {
            continue;
        }
        let mut at = 0;
        data.insts.retain(|_| {
            at += 1;
            dead.binary_search(&(at - 1)).is_err()
        });
    }
}

/// The instructions of a block whose results are read nowhere.
fn dead_in(
    function: &Function,
    block: Block,
    candidates: &EntitySet<Local>,
    at_end: impl Fn(Local) -> bool,
) -> Vec<usize> {
    let data = &function.blocks[block];
    let copies = |inst: &Inst| match inst.op {
        Op::Const(_) => true,
        Op::Copy(Operand::Local(local)) => function.locals[local].ty == Type::Int,
        Op::Copy(_) => true,
        _ => false,
    };
    let jumps = matches!(data.term.kind, TerminatorKind::Jump(_));
    let on_edge = jumps && block != function.entry() && data.insts.iter().all(copies);
    let looked_at = |local: Local| on_edge || candidates.contains(local);
    let assigns = |inst: &Inst| {
        let dest = inst.dest.as_ref()?;
        (copies(inst) && looked_at(dest.local)).then_some(dest.local)
    };
    let mut dead = Vec::new();
    // What is read or assigned further down, and which of both comes first.
    let mut below: FxHashMap<Local, bool> = FxHashMap::default();
    data.term.kind.for_each_use(|local| {
        below.insert(local, true);
    });
    for (at, inst) in data.insts.iter().enumerate().rev() {
        if let Some(local) = assigns(inst) {
            if !below.get(&local).copied().unwrap_or_else(|| at_end(local)) {
                dead.push(at);
                continue;
            }
            below.insert(local, false);
        }
        inst.for_each_use(|local| {
            if looked_at(local) {
                below.insert(local, true);
            }
        });
    }
    dead.reverse();
    dead
}

/// What selections ask.
pub(super) fn asked(function: &Function) -> EntitySet<Local> {
    let mut asked = EntitySet::with_capacity(function.locals.len());
    for data in function.blocks.values() {
        if let TerminatorKind::Branch { cond: Operand::Local(local), .. }
        | TerminatorKind::Switch { value: Operand::Local(local), .. } = data.term.kind
        {
            asked.insert(local);
        }
    }
    asked
}

/// Of the locals asked those that only constants are assigned to, and by instructions alone.
fn candidates(function: &Function, asked: &EntitySet<Local>) -> EntitySet<Local> {
    let mut constant = EntitySet::with_capacity(function.locals.len());
    let mut other: EntitySet<Local> = EntitySet::with_capacity(function.locals.len());
    function.params.iter().for_each(|&param| {
        other.insert(param);
    });
    for data in function.blocks.values() {
        data.params.iter().for_each(|&param| {
            other.insert(param);
        });
        for inst in &data.insts {
            let set = if matches!(inst.op, Op::Const(_)) { &mut constant } else { &mut other };
            inst.for_each_def(|local| {
                set.insert(local);
            });
        }
        data.term.kind.edge_def(0).into_iter().for_each(|local| {
            other.insert(local);
        });
    }
    let mut found = EntitySet::with_capacity(function.locals.len());
    for local in function.locals.keys() {
        if asked.contains(local) && constant.contains(local) && !other.contains(local) {
            found.insert(local);
        }
    }
    found
}
