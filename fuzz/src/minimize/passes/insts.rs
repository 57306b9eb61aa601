//! Removes instructions, and moves them.

use super::Pick;
use backedge_core::ir::Program;

/// Sites: instructions.
pub(super) fn remove(program: &mut Program, pick: &mut Pick) {
    for block in program.functions.iter_mut().flat_map(|function| function.blocks.values_mut()) {
        block.insts.retain(|_| !pick.site());
    }
}

/// Sites: an instruction with the next one of its block. They change places.
pub(super) fn swap(program: &mut Program, pick: &mut Pick) {
    for block in program.functions.iter_mut().flat_map(|function| function.blocks.values_mut()) {
        for next in 1..block.insts.len() {
            if pick.site() {
                block.insts.swap(next - 1, next);
            }
        }
    }
}
