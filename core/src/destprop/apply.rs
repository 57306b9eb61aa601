//! Renaming, and the removal of what then copies a local to itself.

use crate::ir::{Function, Inst, Local, Op, Operand, Operands, Type};
use cranelift_entity::EntityRef;

/// Renames every local, and removes copies of an integer to itself. No thunk may name a block.
pub(super) fn apply(function: &mut Function, representative: &impl Fn(Local) -> Local) {
    let mut renamed = false;
    let mut rename = |local: &mut Local| {
        let name = representative(*local);
        renamed |= name != *local;
        *local = name;
    };
    for data in function.blocks.values_mut() {
        data.params.iter_mut().for_each(&mut rename);
        data.insts.iter_mut().for_each(|inst| inst.for_each_local_mut(&mut rename));
        data.term.kind.for_each_local_mut(&mut rename);
    }
    for data in function.blocks.values_mut() {
        data.insts.retain(|inst| !copies_to_itself(inst));
    }
    remove_params(function);
    // What was merged is assigned more than once.
    function.ssa &= !renamed;
}

fn copies_to_itself(inst: &Inst) -> bool {
    match (&inst.op, &inst.dest) {
        (Op::Copy(source), Some(dest)) => source.local() == Some(dest.local),
        _ => false,
    }
}

/// Removes each parameter that gets itself on every edge into its block, if there is one.
fn remove_params(function: &mut Function) {
    let mut stays: Vec<Vec<bool>> =
        function.blocks.values().map(|data| stay(function, data)).collect();
    let mut has_edge = vec![false; stays.len()];
    for data in function.blocks.values() {
        data.term.kind.for_each_target(|target| {
            has_edge[target.block.index()] = true;
            let params = &function.blocks[target.block].params;
            let stays = &mut stays[target.block.index()];
            for ((stays, &param), &argument) in stays.iter_mut().zip(params).zip(&target.args) {
                *stays |= argument != Operand::Local(param);
            }
        });
    }
    for (stays, has_edge) in stays.iter_mut().zip(has_edge) {
        if !has_edge {
            stays.fill(true);
        }
    }
    for (data, stays) in function.blocks.values_mut().zip(&stays) {
        let mut stays = stays.iter();
        data.params.retain(|_| stays.next() == Some(&true));
    }
    for data in function.blocks.values_mut() {
        data.term.kind.for_each_target_mut(|target| {
            let stays = &stays[target.block.index()];
            if stays.contains(&false) {
                let args = target.args.iter().zip(stays).filter(|(_, stays)| **stays);
                target.args = args.map(|(arg, _)| *arg).collect::<Operands>();
            }
        });
    }
}

/// By parameter of a block: whether it stays whatever it gets.
fn stay(function: &Function, data: &crate::ir::BlockData) -> Vec<bool> {
    data.params.iter().map(|&param| function.locals[param].ty != Type::Int).collect()
}
