//! Removes parameters of blocks, functions and externs, with the arguments for them; and results.
//!
//! A local that was a parameter stays as a local.

use super::Pick;
use crate::minimize::visit;
use backedge_core::ir::{
    BlockData, Name, Op, Operand, Operands, Place, Program, Target, TerminatorKind,
};
use cranelift_entity::EntityRef;
use rustc_hash::FxHashMap;

/// Sites: parameters of blocks, then those of functions and externs.
pub(super) fn remove(program: &mut Program, pick: &mut Pick) {
    for function in &mut program.functions {
        let mut kept = Vec::with_capacity(function.blocks.len());
        for block in function.blocks.values_mut() {
            let mask: Vec<bool> = block.params.iter().map(|_| !pick.site()).collect();
            retain(&mut block.params, &mask);
            kept.push(mask);
        }
        visit::targets_mut(function, &mut |target: &mut Target| {
            retain_args(&mut target.args, &kept[target.block.index()]);
        });
    }
    remove_from_callees(program, pick);
}

fn remove_from_callees(program: &mut Program, pick: &mut Pick) {
    let mut kept: FxHashMap<Name, Vec<bool>> = FxHashMap::default();
    for function in &mut program.functions {
        let mask: Vec<bool> = function.params.iter().map(|_| !pick.site()).collect();
        retain(&mut function.params, &mask);
        kept.insert(function.name.clone(), mask);
    }
    for external in &mut program.externs {
        let mask: Vec<bool> = external.params.iter().map(|_| !pick.site()).collect();
        retain(&mut external.params, &mask);
        kept.insert(external.name.clone(), mask);
    }
    each_call(program, &mut |callee, args, _| {
        if let Some(mask) = kept.get(callee) {
            retain_args(args, mask);
        }
    });
}

/// Sites: functions and externs with a result. Calls of them assign nothing any more.
pub(super) fn remove_results(program: &mut Program, pick: &mut Pick) {
    let mut removed = Vec::new();
    for function in &mut program.functions {
        if function.ret.is_some() && pick.site() {
            function.ret = None;
            removed.push(function.name.clone());
            function.blocks.values_mut().for_each(return_nothing);
        }
    }
    for external in &mut program.externs {
        if external.ret.is_some() && pick.site() {
            external.ret = None;
            removed.push(external.name.clone());
        }
    }
    each_call(program, &mut |callee, _, dest| {
        if removed.contains(callee) {
            *dest = None;
        }
    });
}

fn return_nothing(block: &mut BlockData) {
    if let TerminatorKind::Return(value) = &mut block.term.kind {
        *value = None;
    }
}

/// Visits the callee, arguments and destination of every call.
fn each_call(
    program: &mut Program,
    visit: &mut dyn FnMut(&Name, &mut Operands, &mut Option<Place>),
) {
    for block in program.functions.iter_mut().flat_map(|function| function.blocks.values_mut()) {
        for inst in &mut block.insts {
            if let Op::Call { callee, args } = &mut inst.op {
                visit(callee, args, &mut inst.dest);
            }
        }
        if let TerminatorKind::TryCall { dest, callee, args, .. } = &mut block.term.kind {
            visit(callee, args, dest);
        }
    }
}

fn retain<T>(list: &mut Vec<T>, kept: &[bool]) {
    let mut kept = kept.iter();
    list.retain(|_| kept.next().is_none_or(|&kept| kept));
}

fn retain_args(list: &mut Operands, kept: &[bool]) {
    let mut kept = kept.iter();
    list.retain(|_: &mut Operand| kept.next().is_none_or(|&kept| kept));
}
