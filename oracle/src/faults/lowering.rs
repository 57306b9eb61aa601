//! A lowering that takes a block for the one behind it.

use crate::core_subject::Core;
use crate::subject::{Lowering, NoAnswer, RegisterAllocator, Subject};
use backedge_core::ir::{Block, Function, Program};
use backedge_core::machine::{self, MFunction, MTermKind};
use cranelift_entity::EntityRef;

/// Lets the second way out of a branch fall through to the next block in the text, whatever that is, if
/// its parameters let it.
#[derive(Default)]
pub(super) struct FallsThrough {
    /// Its allocators are right.
    core: Core,
}

/// What the command line calls it.
pub(super) const NAME: &str = "fault:falls-through";

impl Subject for FallsThrough {
    fn name(&self) -> &str {
        NAME
    }

    fn lowering(&mut self) -> Option<&mut dyn Lowering> {
        Some(self)
    }

    fn allocators(&mut self) -> Vec<&mut dyn RegisterAllocator> {
        self.core.allocators()
    }
}

impl Lowering for FallsThrough {
    fn lower(&mut self, program: &Program, function: &Function) -> Result<MFunction, NoAnswer> {
        let lowered = machine::lower(program, function);
        let mut machine = lowered.map_err(|why| NoAnswer::Skip(why.to_string()))?;
        let params: Vec<usize> = machine.blocks.values().map(|block| block.params.len()).collect();
        for (block, data) in machine.blocks.iter_mut() {
            let next = Block::new(block.index() + 1);
            if let MTermKind::Branch { else_to, .. } = &mut data.term.kind
                && params.get(next.index()) == Some(&else_to.args.len())
            {
                else_to.block = next;
            }
        }
        Ok(machine)
    }
}
