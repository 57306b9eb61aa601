//! Gives everything its canonical name, so that equal bugs look equal.
//!
//! Functions are `f0`, `f1`, ..; externs `e0`, ..; blocks `b0`, ..; locals `v0`, .., each numbered in
//! the order of the text.

use super::search::Search;
use backedge_core::ir::{Function, Name, Op, Program, TerminatorKind};
use rustc_hash::FxHashMap;

/// Renames the best program, unless its names are what fails.
pub(super) fn run(search: &mut Search<'_>) {
    let mut program = search.best().clone();
    canonical_names(&mut program);
    search.rename(program);
}

/// Renames everything in `program`.
pub(super) fn canonical_names(program: &mut Program) {
    let mut names = FxHashMap::default();
    for (number, function) in program.functions.iter_mut().enumerate() {
        let new = Name::from(format!("f{number}"));
        names.insert(std::mem::replace(&mut function.name, new.clone()), new);
    }
    for (number, external) in program.externs.iter_mut().enumerate() {
        let new = Name::from(format!("e{number}"));
        names.insert(std::mem::replace(&mut external.name, new.clone()), new);
    }
    program.functions.iter_mut().for_each(|function| rename_inside(function, &names));
}

fn rename_inside(function: &mut Function, names: &FxHashMap<Name, Name>) {
    for (number, local) in function.locals.values_mut().enumerate() {
        local.name = format!("v{number}").into();
    }
    for (number, block) in function.blocks.values_mut().enumerate() {
        block.name = format!("b{number}").into();
        let called = block.insts.iter_mut().filter_map(|inst| match &mut inst.op {
            Op::Call { callee, .. } => Some(callee),
            _ => None,
        });
        let tried = match &mut block.term.kind {
            TerminatorKind::TryCall { callee, .. } => Some(callee),
            _ => None,
        };
        for callee in called.chain(tried) {
            if let Some(name) = names.get(callee) {
                callee.clone_from(name);
            }
        }
    }
}
