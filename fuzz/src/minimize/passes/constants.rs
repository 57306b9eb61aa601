//! Makes numbers small.

use super::Pick;
use crate::minimize::visit;
use backedge_core::ir::{Op, Operand, Program, TerminatorKind};

/// Sites: numbers that are not 0.
pub(super) fn to_zero(program: &mut Program, pick: &mut Pick) {
    numbers_mut(program, &mut |number| {
        if *number != 0 && pick.site() {
            *number = 0;
        }
    });
}

/// Sites: numbers that are not 0, which are halved.
pub(super) fn halve(program: &mut Program, pick: &mut Pick) {
    numbers_mut(program, &mut |number| {
        if *number != 0 && pick.site() {
            *number /= 2;
        }
    });
}

/// Sites: switches whose keys are not 0, 1, 2, ..
pub(super) fn number_cases(program: &mut Program, pick: &mut Pick) {
    for block in program.functions.iter_mut().flat_map(|function| function.blocks.values_mut()) {
        let TerminatorKind::Switch { cases, .. } = &mut block.term.kind else { continue };
        let numbered = cases.iter().zip(0..).all(|((key, _), number)| *key == number);
        if !numbered && pick.site() {
            cases.iter_mut().zip(0..).for_each(|((key, _), number)| *key = number);
        }
    }
}

/// Every constant but the keys of switches, which must stay distinct.
fn numbers_mut(program: &mut Program, visit: &mut dyn FnMut(&mut i64)) {
    for function in &mut program.functions {
        for inst in function.blocks.values_mut().flat_map(|block| &mut block.insts) {
            if let Op::Const(number) = &mut inst.op {
                visit(number);
            }
        }
        visit::operands_mut(function, &mut |operand| {
            if let Operand::Const(number) = operand {
                visit(number);
            }
        });
    }
}
