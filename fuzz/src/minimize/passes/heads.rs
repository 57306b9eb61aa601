//! What a program says outside of its blocks.

use super::Pick;
use backedge_core::ir::Program;

/// Sites: functions that are `ssa`. Fewer rules are simpler, and leave more edits valid.
pub(super) fn drop_ssa(program: &mut Program, pick: &mut Pick) {
    for function in program.functions.iter_mut().filter(|function| function.ssa) {
        function.ssa = !pick.site();
    }
}

/// Sites: directives.
pub(super) fn drop_directives(program: &mut Program, pick: &mut Pick) {
    program.directives.retain(|_| !pick.site());
}

/// The site: a memory of more than one word.
pub(super) fn shrink_memory(program: &mut Program, pick: &mut Pick) {
    if program.memory.is_some_and(|words| words > 1) && pick.site() {
        program.memory = Some(1);
    }
}
