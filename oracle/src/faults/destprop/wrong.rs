//! Mistakes that are made in a right answer, and unions that are none.

use super::DestpropFault::{self, *};
use super::facts::Point;
use crate::reference::destprop::Phi;
use backedge_core::ir::{Block, Function, Inst, Local, Op, Operand, TerminatorKind, Type};
use std::collections::BTreeSet;

/// How many stretches of neighboring points a set has.
fn stretches(order: &[Point], set: &BTreeSet<Point>) -> usize {
    let there: Vec<bool> = order.iter().map(|point| set.contains(point)).collect();
    there.chunk_by(|a, b| a == b).filter(|stretch| stretch[0]).count()
}

/// Unites as rustc's interval sets do, and tells whether anything was missing: of the other set, if that
/// has more stretches.
pub(super) fn lying_union(
    order: &[Point],
    set: &mut BTreeSet<Point>,
    other: &BTreeSet<Point>,
) -> bool {
    let traded = stretches(order, set) < stretches(order, other);
    let changed = match traded {
        true => !other.is_superset(set),
        false => !set.is_superset(other),
    };
    set.extend(other);
    changed
}

/// Puts in everything between the first and the last point.
pub(super) fn fill(order: &[Point], set: &mut BTreeSet<Point>) {
    let ends = |point: &Point| set.contains(point);
    if let (Some(first), Some(last)) = (order.iter().position(ends), order.iter().rposition(ends)) {
        set.extend(&order[first..=last]);
    }
}

/// Makes a mistake in what is merged.
pub(super) fn spoil_merges(
    function: &Function,
    merges: &mut Vec<(Local, Local)>,
    fault: Option<DestpropFault>,
) {
    let is_int = |local: &Local| function.locals[*local].ty == Type::Int;
    match fault {
        Some(MergedBothWays) => {
            let back = merges.first().map(|&(from, into)| (into, from));
            merges.extend(back);
        }
        Some(MergesUnrelated) => {
            let is_free = |local: &Local| {
                !function.params.contains(local)
                    && merges.iter().all(|(from, into)| from != local && into != local)
            };
            let mut free = function.locals.keys().filter(is_int).filter(is_free);
            if let (Some(from), Some(into)) = (free.next(), free.next()) {
                merges.push((from, into));
            }
        }
        _ => {}
    }
}

/// Makes a mistake in what is made of the function.
pub(super) fn spoil_function(
    original: &Function,
    mut function: Function,
    phi: &Phi,
    fault: Option<DestpropFault>,
) -> Function {
    match fault {
        Some(BlockNotRenamed) => forget_renaming(original, &mut function, phi),
        Some(ReadLost) => lose_read(&mut function),
        Some(SelfCopyLeft) => leave_self_copy(original, &mut function, phi),
        _ => {}
    }
    function
}

/// In the last block that keeps all its instructions, the names of before.
fn forget_renaming(original: &Function, function: &mut Function, phi: &Phi) {
    let changed = |block: &Block| {
        let (before, now) = (&original.blocks[*block], &function.blocks[*block]);
        before.insts.len() == now.insts.len()
            && before.insts.iter().any(|inst| {
                let mut renamed = false;
                inst.for_each_use(|local| renamed |= phi.of(local) != local);
                renamed
            })
    };
    if let Some(block) = original.blocks.keys().rfind(changed) {
        function.blocks[block].insts = original.blocks[block].insts.clone();
    }
}

/// The first `return` of a local returns a constant.
fn lose_read(function: &mut Function) {
    for data in function.blocks.values_mut() {
        if let TerminatorKind::Return(Some(value @ Operand::Local(_))) = &mut data.term.kind {
            *value = Operand::Const(0);
            return;
        }
    }
}

/// The first copy that goes is put back, with its names of after.
fn leave_self_copy(original: &Function, function: &mut Function, phi: &Phi) {
    for (block, data) in &original.blocks {
        for inst in &data.insts {
            if let (Op::Copy(Operand::Local(source)), Some(dest)) = (&inst.op, &inst.dest)
                && phi.same(*source, dest.local)
                && function.blocks[block].insts.len() < data.insts.len()
            {
                let local = phi.of(*source);
                let copy =
                    Inst { dest: Some(local.into()), op: Op::Copy(local.into()), span: inst.span };
                function.blocks[block].insts.insert(0, copy);
                return;
            }
        }
    }
}
