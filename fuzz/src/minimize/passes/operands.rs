//! Makes an instruction, a terminator or an edge read less.

use super::Pick;
use crate::minimize::visit;
use backedge_core::ir::{Local, Op, Operand, Program, Type};
use smallvec::{Array, SmallVec};

/// Sites: operands that are integer locals. They become 0.
pub(super) fn to_constants(program: &mut Program, pick: &mut Pick) {
    for function in &mut program.functions {
        let locals = std::mem::take(&mut function.locals);
        visit::operands_mut(function, &mut |operand| {
            if let Operand::Local(local) = *operand
                && locals[local].ty == Type::Int
                && pick.site()
            {
                *operand = Operand::Const(0);
            }
        });
        function.locals = locals;
    }
}

/// Sites: what opaque instructions read and write.
pub(super) fn trim_opaque(program: &mut Program, pick: &mut Pick) {
    for block in program.functions.iter_mut().flat_map(|function| function.blocks.values_mut()) {
        for inst in &mut block.insts {
            if let Op::Opaque(opaque) = &mut inst.op {
                trim(&mut opaque.defs, pick);
                trim(&mut opaque.uses, pick);
                trim(&mut opaque.partial, pick);
            }
        }
    }
}

fn trim<A: Array<Item = Local>>(list: &mut SmallVec<A>, pick: &mut Pick) {
    list.retain(|_| !pick.site());
}
