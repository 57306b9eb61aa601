//! Visits what an edit may have to change, in the order of the text.

use backedge_core::ir::{Function, Inst, Local, Op, Operand, Target, TerminatorKind};

/// Every local that the function names: each parameter, destination, operand and place.
pub(super) fn locals_mut(function: &mut Function, visit: &mut impl FnMut(&mut Local)) {
    function.params.iter_mut().for_each(&mut *visit);
    for block in function.blocks.values_mut() {
        block.params.iter_mut().for_each(&mut *visit);
        block.insts.iter_mut().for_each(|inst| inst.for_each_local_mut(visit));
        block.term.kind.for_each_local_mut(visit);
    }
}

/// Every operand of the function, arguments of edges among them.
pub(super) fn operands_mut(function: &mut Function, visit: &mut dyn FnMut(&mut Operand)) {
    for block in function.blocks.values_mut() {
        for inst in &mut block.insts {
            inst_operands_mut(inst, visit);
        }
        term_operands_mut(&mut block.term.kind, visit);
    }
}

/// The operands of an instruction. Places and the lists of an opaque instruction are none.
pub(super) fn inst_operands_mut(inst: &mut Inst, visit: &mut dyn FnMut(&mut Operand)) {
    match &mut inst.op {
        Op::Copy(a) | Op::Load(a) => visit(a),
        Op::Select(c, a, b) => [c, a, b].into_iter().for_each(visit),
        Op::Binary(_, a, b) => [a, b].into_iter().for_each(visit),
        Op::Store { addr, value } => [addr, value].into_iter().for_each(visit),
        Op::Call { args, .. } => args.iter_mut().for_each(visit),
        Op::Bind(to) => to.args.iter_mut().for_each(visit),
        Op::Const(_) | Op::New | Op::Move(_) | Op::Drop(_) | Op::Destroy(_) | Op::Opaque(_) => {}
    }
}

/// The operands of a terminator, then the arguments of its edges.
pub(super) fn term_operands_mut(kind: &mut TerminatorKind, visit: &mut dyn FnMut(&mut Operand)) {
    match kind {
        TerminatorKind::Branch { cond: value, .. }
        | TerminatorKind::Switch { value, .. }
        | TerminatorKind::Enter(value)
        | TerminatorKind::Return(Some(value)) => visit(value),
        TerminatorKind::TryCall { args, .. } => args.iter_mut().for_each(&mut *visit),
        TerminatorKind::Jump(_)
        | TerminatorKind::TryDrop { .. }
        | TerminatorKind::Return(None)
        | TerminatorKind::Unreachable
        | TerminatorKind::Resume => {}
    }
    kind.for_each_target_mut(|target| target.args.iter_mut().for_each(&mut *visit));
}

/// Every reference to a block with arguments: the edges, and what `bind` names.
pub(super) fn targets_mut(function: &mut Function, visit: &mut dyn FnMut(&mut Target)) {
    for block in function.blocks.values_mut() {
        for inst in &mut block.insts {
            if let Op::Bind(target) = &mut inst.op {
                visit(target);
            }
        }
        block.term.kind.for_each_target_mut(&mut *visit);
    }
}
