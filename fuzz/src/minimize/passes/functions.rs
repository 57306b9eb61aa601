//! Removes functions; one that is still called becomes an extern.

use super::Pick;
use crate::minimize::tidy::callees;
use backedge_core::diagnostic::Span;
use backedge_core::ir::{Extern, Program};

/// Sites: functions. The last one stays.
pub(super) fn remove(program: &mut Program, pick: &mut Pick) {
    let picked: Vec<bool> = program.functions.iter().map(|_| pick.site()).collect();
    if program.functions.len() < 2 || !picked.contains(&false) {
        return;
    }
    let mut picked = picked.into_iter();
    let (removed, kept) = std::mem::take(&mut program.functions)
        .into_iter()
        .partition(|_| picked.next().is_some_and(|picked| picked));
    program.functions = kept;
    let called = callees(program);
    for function in removed.into_iter().filter(|function| called.contains(&function.name)) {
        let params =
            function.params.iter().map(|&param| function.locals[param].ty.clone()).collect();
        program.externs.push(Extern {
            name: function.name,
            params,
            ret: function.ret,
            span: Span::NONE,
        });
    }
}
