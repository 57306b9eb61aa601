//! From a program to machine code by a subject's parts: lowering, register allocation, and the rewrite
//! that carries an allocation out.

use crate::check::ask;
use crate::subject::{NoAnswer, Subject};
use backedge_core::ir::{Function, Op, Program, TerminatorKind};
use backedge_core::machine::{MFunction, lower};
use backedge_core::regalloc::{Registers, rewrite};
use std::collections::BTreeSet;

/// The functions that a run can get to, the first one first, in Machine IR. A subject without a
/// lowering gets that of `core`.
///
/// # Errors
/// When there is no answer for one of them; [`NoAnswer::Skip`] for what Machine IR can't say.
pub fn lower_program(
    program: &Program,
    subject: &mut dyn Subject,
) -> Result<Vec<MFunction>, NoAnswer> {
    let of_subject = subject.lowering().is_some();
    let mut lowered = Vec::new();
    for function in reached(program) {
        lowered.push(if of_subject {
            ask(subject, |subject| Some(subject.lowering()?.lower(program, function)))?
        } else {
            lower::lower(program, function).map_err(|why| NoAnswer::Skip(why.to_string()))?
        });
    }
    Ok(lowered)
}

/// The functions that the first one calls, directly or not.
fn reached(program: &Program) -> Vec<&Function> {
    let mut names = BTreeSet::new();
    let mut found: Vec<&Function> = crate::run::start(program).into_iter().collect();
    names.extend(found.iter().map(|function| &function.name));
    let mut next = 0;
    while let Some(&function) = found.get(next) {
        next += 1;
        let mut call = |callee| {
            if let Some(function) = program.function(callee)
                && names.insert(&function.name)
            {
                found.push(function);
            }
        };
        for block in function.blocks.values() {
            for inst in &block.insts {
                if let Op::Call { callee, .. } = &inst.op {
                    call(callee);
                }
            }
            if let TerminatorKind::TryCall { callee, .. } = &block.term.kind {
                call(callee);
            }
        }
    }
    found
}

/// The functions with the registers that the subject's allocator of this number gives them.
///
/// # Errors
/// When there is no answer for one of them; [`NoAnswer::Nonsense`] if it can't be carried out.
pub fn allocate_program(
    functions: &[MFunction],
    subject: &mut dyn Subject,
    allocator: usize,
    registers: &Registers,
) -> Result<Vec<MFunction>, NoAnswer> {
    let mut allocated = Vec::with_capacity(functions.len());
    for function in functions {
        let allocation = ask(subject, |subject| {
            let mut allocators = subject.allocators().into_iter();
            Some(allocators.nth(allocator)?.allocate(function, registers))
        })?;
        let rewritten = rewrite(function, &allocation);
        allocated.push(rewritten.map_err(|why| {
            NoAnswer::Nonsense(format!("an allocation of @{}: {why}", function.name))
        })?);
    }
    Ok(allocated)
}
