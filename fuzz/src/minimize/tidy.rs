//! Removes what an edit orphaned, so that an equal program always looks equal.
//!
//! Locals that nothing names go, and the others are numbered as the text first shows them: a program is
//! then what its text says, and a case replays from its file exactly as it was judged. Externs that
//! nothing calls go, and the memory that nothing touches.

use backedge_core::ir::{Function, Name, Op, Program, TerminatorKind};
use rustc_hash::FxHashSet;

/// Tidies the whole program.
pub(super) fn tidy(program: &mut Program) {
    program.functions.iter_mut().for_each(Function::canonicalize);
    let callees = callees(program);
    program.externs.retain(|external| callees.contains(&external.name));
    if !touches_memory(program) {
        program.memory = None;
    }
}

/// Names of everything that is called.
pub(super) fn callees(program: &Program) -> FxHashSet<Name> {
    let mut names = FxHashSet::default();
    for block in program.functions.iter().flat_map(|function| function.blocks.values()) {
        for inst in &block.insts {
            if let Op::Call { callee, .. } = &inst.op {
                names.insert(callee.clone());
            }
        }
        if let TerminatorKind::TryCall { callee, .. } = &block.term.kind {
            names.insert(callee.clone());
        }
    }
    names
}

fn touches_memory(program: &Program) -> bool {
    let mut blocks = program.functions.iter().flat_map(|function| function.blocks.values());
    blocks.any(|block| {
        block.insts.iter().any(|inst| matches!(inst.op, Op::Load(_) | Op::Store { .. }))
    })
}
