//! Applies constants to the code that they are of.

use super::{Constants, Lattice};
use crate::cfg::Cfg;
use crate::ir::{Block, Function, Inst, Op, Operand, Operands, Target, TerminatorKind, Type};

/// The function with its constants put in: operations that compute one become `const`, operands that are
/// one are replaced, and where control has but one way to go it jumps. Blocks stay, whether control can get
/// to them or not: to remove them is another pass's work.
pub fn fold(function: &Function) -> Function {
    let cfg = Cfg::build(function);
    let constants = Constants::solve(function, &cfg);
    let mut folded = function.clone();
    for block in function.blocks.keys().filter(|&block| constants.is_executable(block)) {
        fold_block(&constants, function, block, &mut folded);
    }
    folded
}

fn fold_block(constants: &Constants<'_>, function: &Function, block: Block, folded: &mut Function) {
    let data = &mut folded.blocks[block];
    let count = data.insts.len();
    constants.walk(block, |index, state| {
        let known = |operand: &mut Operand| replace(function, operand, |local| state.get(local));
        if index < count {
            for_each_operand(&mut data.insts[index], known);
        } else {
            for_each_read(&mut data.term.kind, known);
        }
    });
    for (index, value) in constants.foldable(block) {
        data.insts[index].op = Op::Const(value);
    }
    if let Some(slot) = constants.decided(block)
        && let Some(target) = data.term.kind.target(slot as usize)
    {
        data.term.kind = TerminatorKind::Jump(target.clone());
    }
}

/// Puts the constant in place of a local that is one.
fn replace(
    function: &Function,
    operand: &mut Operand,
    known: impl Fn(crate::ir::Local) -> Option<Lattice>,
) {
    if let Operand::Local(local) = *operand
        && function.locals[local].ty == Type::Int
        && let Some(Lattice::Constant(value)) = known(local)
    {
        *operand = Operand::Const(value);
    }
}

fn for_each_operand(inst: &mut Inst, mut visit: impl FnMut(&mut Operand)) {
    match &mut inst.op {
        Op::Copy(a) | Op::Load(a) => visit(a),
        Op::Select(c, a, b) => [c, a, b].into_iter().for_each(visit),
        Op::Binary(_, a, b) | Op::Store { addr: a, value: b } => [a, b].into_iter().for_each(visit),
        Op::Call { args, .. } => args.iter_mut().for_each(visit),
        Op::Bind(target) => target.args.iter_mut().for_each(visit),
        Op::Const(_) | Op::New | Op::Move(_) | Op::Drop(_) | Op::Destroy(_) | Op::Opaque(_) => {}
    }
}

/// What a terminator and its edges read. What an edge defines is read on it as it is then.
fn for_each_read(term: &mut TerminatorKind, mut visit: impl FnMut(&mut Operand)) {
    match term {
        TerminatorKind::Branch { cond: read, .. }
        | TerminatorKind::Switch { value: read, .. }
        | TerminatorKind::Return(Some(read)) => visit(read),
        TerminatorKind::TryCall { args, .. } => args.iter_mut().for_each(&mut visit),
        _ => {}
    }
    let defined = term.edge_def(0);
    let mut slot = 0;
    term.for_each_target_mut(|target: &mut Target| {
        let args: &mut Operands = &mut target.args;
        let own = defined.filter(|_| slot == 0).map(Operand::Local);
        args.iter_mut().filter(|arg| Some(**arg) != own).for_each(&mut visit);
        slot += 1;
    });
}
