//! Gives a read its plainest form: `return %x` where the function ends, else `%x = copy %x`.
//!
//! Many failures need no more of an instruction or a terminator than that it reads some local. Of all
//! that can read, one form is kept, so that equal bugs look equal.

use super::Pick;
use super::edges::halted;
use backedge_core::diagnostic::Span;
use backedge_core::ir::{Block, Function, Inst, Local, Op, Operand, Program, TerminatorKind, Type};

/// Sites: an instruction of a block that returns no local yet, with an integer that it reads. The block
/// returns that, and the instruction goes.
pub(super) fn to_returns(program: &mut Program, pick: &mut Pick) {
    for function in &mut program.functions {
        if !matches!(function.ret, None | Some(Type::Int)) {
            continue;
        }
        let mut picked = Vec::new();
        for (block, data) in &function.blocks {
            if !matches!(data.term.kind, TerminatorKind::Return(None | Some(Operand::Const(_)))) {
                continue;
            }
            for (index, inst) in data.insts.iter().enumerate() {
                for read in integers(function, |visit| inst.for_each_use(visit)) {
                    if pick.site() {
                        picked.push((block, index, read));
                    }
                }
            }
        }
        for (block, index, read) in picked.into_iter().rev() {
            return_local(function, block, read);
            function.blocks[block].insts.remove(index);
        }
    }
}

/// Ends `block` by returning `local`; every other return without a value gets one.
pub(super) fn return_local(function: &mut Function, block: Block, local: Local) {
    function.ret = Some(Type::Int);
    for data in function.blocks.values_mut() {
        if let TerminatorKind::Return(value) = &mut data.term.kind {
            value.get_or_insert(Operand::Const(0));
        }
    }
    function.blocks[block].term.kind = TerminatorKind::Return(Some(Operand::Local(local)));
}

/// Sites: a terminator with edges, with an integer that it reads and one of the edges, or none. A copy
/// takes over the read, and a jump along the edge or a return the rest.
pub(super) fn to_copies(program: &mut Program, pick: &mut Pick) {
    for function in &mut program.functions {
        let mut picked = Vec::new();
        for (block, data) in &function.blocks {
            let targets = data.term.kind.targets();
            if targets.is_empty() {
                continue;
            }
            for read in integers(function, |visit| data.term.kind.for_each_use(visit)) {
                let jumps = targets.iter().map(|&to| TerminatorKind::Jump(to.clone()));
                for kind in jumps.chain([halted(function)]) {
                    if pick.site() {
                        picked.push((block, read, kind));
                    }
                }
            }
        }
        for (block, read, kind) in picked {
            let data = &mut function.blocks[block];
            data.insts.push(copy_to_itself(read));
            data.term.kind = kind;
        }
    }
}

/// `%x = copy %x`
pub(super) fn copy_to_itself(local: Local) -> Inst {
    let op = Op::Copy(Operand::Local(local));
    Inst { dest: Some(local.into()), op, span: Span::NONE }
}

/// The integer locals that `reads` visits, each once.
pub(super) fn integers(
    function: &Function,
    reads: impl FnOnce(&mut dyn FnMut(Local)),
) -> Vec<Local> {
    let mut found = Vec::new();
    reads(&mut |local| {
        if function.locals[local].ty == Type::Int && !found.contains(&local) {
            found.push(local);
        }
    });
    found
}
