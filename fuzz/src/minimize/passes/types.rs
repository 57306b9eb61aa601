//! Turns values of other types into integers, for failures that their types have no part in.

use super::Pick;
use super::reads::return_local;
use backedge_core::ir::{
    Block, Function, Inst, Local, Op, Operand, Place, Program, Target, TerminatorKind, Type,
};

/// Sites: locals that are no integers. They become integers: what makes one becomes `const 0`, what takes
/// or drops one a copy, and the terminators that read one become a branch or a return of it.
pub(super) fn forget(program: &mut Program, pick: &mut Pick) {
    for function in &mut program.functions {
        let others = function.locals.iter().filter(|(_, local)| local.ty != Type::Int);
        let picked: Vec<Local> = others.filter(|_| pick.site()).map(|(local, _)| local).collect();
        if !picked.is_empty() {
            to_integers(function, &picked);
        }
    }
}

fn to_integers(function: &mut Function, picked: &[Local]) {
    let is_picked = |local: Local| picked.binary_search(&local).is_ok();
    let blocks: Vec<Block> = function.blocks.keys().collect();
    for block in blocks {
        let data = &mut function.blocks[block];
        data.insts.iter_mut().for_each(|inst| plain_inst(inst, &is_picked));
        match &data.term.kind {
            TerminatorKind::TryDrop { place, normal, unwind } if is_picked(place.local) => {
                data.term.kind = branch(place.local, normal, unwind);
            }
            TerminatorKind::Enter(Operand::Local(thunk)) if is_picked(*thunk) => {
                let thunk = *thunk;
                return_local(function, block, thunk);
            }
            _ => {}
        }
    }
    for &local in picked {
        function.locals[local].ty = Type::Int;
    }
}

fn branch(cond: Local, then_to: &Target, else_to: &Target) -> TerminatorKind {
    let (then_to, else_to) = (then_to.clone(), else_to.clone());
    TerminatorKind::Branch { cond: Operand::Local(cond), then_to, else_to }
}

fn plain_inst(inst: &mut Inst, is_picked: &impl Fn(Local) -> bool) {
    match &inst.op {
        Op::New | Op::Bind(_) if inst.dest.as_ref().is_some_and(|dest| is_picked(dest.local)) => {
            inst.op = Op::Const(0);
        }
        Op::Move(place) if is_picked(place.local) => {
            inst.op = Op::Copy(Operand::Local(place.local));
        }
        Op::Drop(place) | Op::Destroy(place) if is_picked(place.local) => {
            (inst.dest, inst.op) =
                (Some(Place::from(place.local)), Op::Copy(Operand::Local(place.local)));
        }
        _ => {}
    }
    if let Some(dest) = &mut inst.dest
        && is_picked(dest.local)
    {
        dest.path.clear();
    }
}
