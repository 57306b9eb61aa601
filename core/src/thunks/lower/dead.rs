//! Takes out what was assigned to tags and selectors that nobody asks any more.
//!
//! Looked at are locals that are assigned constants alone, as tags and selectors are. Such an assignment
//! is taken out if the local is not live after it.

use crate::cfg::Cfg;
use crate::dataflow::liveness::Liveness;
use crate::entity::Block;
use crate::ir::{Function, Local, Op};
use cranelift_entity::EntitySet;
use rustc_hash::FxHashMap;

/// Takes them out.
pub(super) fn remove(function: &mut Function) {
    let candidates = candidates(function);
    if candidates.is_empty() {
        return;
    }
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
    let assigns = |inst: &crate::ir::Inst| {
        let dest = inst.dest.as_ref()?;
        (matches!(inst.op, Op::Const(_)) && candidates.contains(dest.local)).then_some(dest.local)
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
            }
            below.insert(local, false);
        }
        inst.for_each_use(|local| {
            if candidates.contains(local) {
                below.insert(local, true);
            }
        });
    }
    dead.reverse();
    dead
}

/// Locals that only constants are assigned to, and by instructions alone.
fn candidates(function: &Function) -> EntitySet<Local> {
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
        if constant.contains(local) && !other.contains(local) {
            found.insert(local);
        }
    }
    found
}
