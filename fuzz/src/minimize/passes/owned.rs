//! Turns owned values into integers, for failures that ownership has no part in.

use super::Pick;
use crate::minimize::visit;
use backedge_core::ir::{Function, Local, Op, Operand, Place, Program, TerminatorKind, Type};

/// Sites: locals of an owned type. They become integers: `new` becomes `const 0`, `move` a copy, and a
/// `drop` goes.
pub(super) fn forget(program: &mut Program, pick: &mut Pick) {
    for function in &mut program.functions {
        let owned = function.locals.iter().filter(|(_, local)| local.ty.is_owned());
        let picked: Vec<Local> = owned.filter(|_| pick.site()).map(|(local, _)| local).collect();
        if !picked.is_empty() {
            to_integers(function, &picked);
        }
    }
}

fn to_integers(function: &mut Function, picked: &[Local]) {
    let picked = |place: &Place| picked.binary_search(&place.local).is_ok();
    for block in function.blocks.values_mut() {
        block.insts.retain(
            |inst| !matches!(&inst.op, Op::Drop(place) | Op::Destroy(place) if picked(place)),
        );
        for inst in &mut block.insts {
            let assigned = inst.dest.as_ref().is_some_and(picked);
            match &inst.op {
                Op::New if assigned => inst.op = Op::Const(0),
                Op::Move(place) if picked(place) => {
                    inst.op = Op::Copy(Operand::Local(place.local));
                }
                _ => {}
            }
            if assigned && let Some(dest) = &mut inst.dest {
                dest.path.clear();
            }
        }
        match &block.term.kind {
            TerminatorKind::TryDrop { place, normal, .. } if picked(place) => {
                block.term.kind = TerminatorKind::Jump(normal.clone());
            }
            _ => {}
        }
    }
    let mut types = std::mem::take(&mut function.locals);
    visit::locals_mut(function, &mut |local| {
        if picked(&Place::from(*local)) {
            types[*local].ty = Type::Int;
        }
    });
    function.locals = types;
}
