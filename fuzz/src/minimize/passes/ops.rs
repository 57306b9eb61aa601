//! Puts a simpler operation in the place of another.

use super::Pick;
use crate::minimize::visit;
use backedge_core::ir::{BinaryOp, Function, Inst, Local, LocalData, Op, Operand, Program, Type};
use cranelift_entity::PrimaryMap;

type Locals = PrimaryMap<Local, LocalData>;

/// Sites: instructions that assign an integer. They become `const 0`.
pub(super) fn to_constants(program: &mut Program, pick: &mut Pick) {
    each(program, |inst, locals| {
        let Some(dest) = assigned(inst, locals) else { return };
        if !matches!(inst.op, Op::Const(_)) && pick.site() {
            (inst.dest, inst.op) = (Some(dest.into()), Op::Const(0));
        }
    });
}

/// Sites: an instruction with one of the integers that it reads. It becomes a copy of that, to what it
/// assigns or, if it assigns no integer, to itself.
pub(super) fn to_copies(program: &mut Program, pick: &mut Pick) {
    each(program, |inst, locals| {
        if matches!(inst.op, Op::Copy(_)) {
            return;
        }
        let picked = reads(inst, locals).into_iter().filter(|_| pick.site()).last();
        if let Some(picked) = picked {
            let dest = assigned(inst, locals).unwrap_or(picked);
            (inst.dest, inst.op) = (Some(dest.into()), Op::Copy(picked.into()));
        }
    });
}

/// Sites: instructions that assign an integer and read two or more, other than `add`. They become the sum of
/// the first and the last.
pub(super) fn to_additions(program: &mut Program, pick: &mut Pick) {
    each(program, |inst, locals| {
        let Some(dest) = assigned(inst, locals) else { return };
        if matches!(inst.op, Op::Binary(BinaryOp::Add, ..)) {
            return;
        }
        if let [first, .., last] = operands(inst, locals)[..]
            && pick.site()
        {
            (inst.dest, inst.op) = (Some(dest.into()), Op::Binary(BinaryOp::Add, first, last));
        }
    });
}

/// Sites: calls whose result is assigned to nothing anybody could miss: the destination goes.
pub(super) fn drop_destinations(program: &mut Program, pick: &mut Pick) {
    each(program, |inst, _| {
        if matches!(inst.op, Op::Call { .. }) && inst.dest.is_some() && pick.site() {
            inst.dest = None;
        }
    });
}

fn each(program: &mut Program, mut visit: impl FnMut(&mut Inst, &Locals)) {
    for Function { blocks, locals, .. } in &mut program.functions {
        for inst in blocks.values_mut().flat_map(|block| &mut block.insts) {
            visit(inst, locals);
        }
    }
}

/// The integer that an instruction assigns; the first, where an opaque one assigns several.
fn assigned(inst: &Inst, locals: &Locals) -> Option<Local> {
    let mut first = None;
    inst.for_each_def(|local| {
        first = first.or((locals[local].ty == Type::Int).then_some(local));
    });
    first
}

/// The integer locals that an instruction reads.
fn reads(inst: &Inst, locals: &Locals) -> Vec<Local> {
    let mut reads = Vec::new();
    inst.for_each_use(|local| {
        if locals[local].ty == Type::Int && !reads.contains(&local) {
            reads.push(local);
        }
    });
    reads
}

/// The integers that an instruction reads, constants among them.
fn operands(inst: &mut Inst, locals: &Locals) -> Vec<Operand> {
    if let Op::Opaque(_) = inst.op {
        return reads(inst, locals).into_iter().map(Operand::Local).collect();
    }
    let mut operands = Vec::new();
    visit::inst_operands_mut(inst, &mut |operand| {
        if operand.local().is_none_or(|local| locals[local].ty == Type::Int) {
            operands.push(*operand);
        }
    });
    operands
}
