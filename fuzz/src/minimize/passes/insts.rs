//! Removes instructions.

use super::Pick;
use backedge_core::ir::Program;

/// Sites: instructions.
pub(super) fn remove(program: &mut Program, pick: &mut Pick) {
    for block in program.functions.iter_mut().flat_map(|function| function.blocks.values_mut()) {
        block.insts.retain(|_| !pick.site());
    }
}
