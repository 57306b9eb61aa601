//! Deep functions to measure on.

use backedge_core::ir::builder::FunctionBuilder;
use backedge_core::ir::{
    BinaryOp, Block, Function, Local, Op, Operand, Place, Target, TerminatorKind, Type,
};

/// A family of functions, by number of blocks.
pub(crate) type Shape = (&'static str, fn(usize) -> Function);

/// The families of deep graphs.
pub(crate) const DEEP: [Shape; 3] = [("chain", chain), ("ladder", ladder), ("nest", nest)];

/// `branch cond, then_to, else_to`
pub(crate) fn branch(cond: Operand, then_to: Target, else_to: Target) -> TerminatorKind {
    TerminatorKind::Branch { cond, then_to, else_to }
}

/// Each block computes a local from that of the block before, and may leave for the exit.
fn chain(count: usize) -> Function {
    let mut b = FunctionBuilder::new("chain");
    let mut last = b.param("n", Type::Int);
    let blocks: Vec<Block> = (0..count).map(|at| b.block(format!("b{at}"))).collect();
    let exit = blocks[count - 1];
    for pair in blocks.windows(2) {
        let next = b.local(format!("v{}", pair[0].as_u32()), Type::Int);
        b.at(pair[0])
            .inst(Place::from(next), Op::Binary(BinaryOp::Add, last.into(), Operand::Const(1)));
        b.terminate(branch(next.into(), pair[1].into(), exit.into()));
        last = next;
    }
    b.at(exit).terminate(TerminatorKind::Return(None));
    b.finish()
}

/// Two rails with rungs both ways; each block defines a local that the block below reads.
fn ladder(count: usize) -> Function {
    let mut b = FunctionBuilder::new("ladder");
    let blocks: Vec<Block> = (0..count).map(|at| b.block(format!("b{at}"))).collect();
    let locals: Vec<Local> = (0..count).map(|at| b.local(format!("v{at}"), Type::Int)).collect();
    for (at, &block) in blocks.iter().enumerate() {
        let read = at.checked_sub(2).map_or(Operand::Const(0), |above| locals[above].into());
        b.at(block).inst(Place::from(locals[at]), Op::Copy(read));
        let across = blocks.get(at ^ 1).map(|&to| to.into());
        let down = blocks.get(at + 2).map(|&to| to.into());
        b.terminate(match (down, across) {
            (Some(down), Some(across)) => branch(locals[at].into(), down, across),
            _ => TerminatorKind::Return(None),
        });
    }
    b.finish()
}

/// Loops inside of loops, each with a counter that is live in all loops inside.
fn nest(count: usize) -> Function {
    let depth = count / 2;
    let mut b = FunctionBuilder::new("nest");
    let limit = b.param("n", Type::Int);
    let headers: Vec<Block> = (0..depth).map(|level| b.block(format!("head{level}"))).collect();
    let latches: Vec<Block> = (0..depth).map(|level| b.block(format!("latch{level}"))).collect();
    let counters: Vec<Local> =
        (0..depth).map(|level| b.local(format!("i{level}"), Type::Int)).collect();
    for level in 0..depth {
        let counter = counters[level];
        b.at(headers[level]);
        match headers.get(level + 1) {
            Some(&inner) => {
                b.inst(Place::from(counters[level + 1]), Op::Const(0)).jump(inner);
            }
            None => {
                b.jump(latches[level]);
            }
        }
        b.at(latches[level]);
        b.inst(Place::from(counter), Op::Binary(BinaryOp::Add, counter.into(), Operand::Const(1)));
        let out = level.checked_sub(1).map(|outer| latches[outer].into());
        let cond = if level % 2 == 0 { counter.into() } else { limit.into() };
        b.terminate(match out {
            Some(out) => branch(cond, headers[level].into(), out),
            None => TerminatorKind::Jump(headers[0].into()),
        });
    }
    b.finish()
}
