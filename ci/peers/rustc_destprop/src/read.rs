//! The function that rustc's pass saw, in our IR.
//!
//! It is read off the dump, since rustc tidies the graph up before. Local `l` of ours is `_l`. A call ends
//! its block there; here a jump follows it.

use crate::dumps::locals;
use backedge_core::diagnostic::Span;
use backedge_core::ir::{
    BinaryOp, Block, BlockData, Function, Inst, Local, LocalData, Op, Operand, Place,
    TerminatorKind, Type,
};
use cranelift_entity::EntityRef;

/// Reads a function of so many locals, of which the first is the result and `params` follow.
pub(crate) fn function(blocks: &[Vec<String>], count: usize, params: usize) -> Function {
    let mut function = Function::new("f");
    for local in 0..count {
        let name = format!("_{local}").into();
        function.locals.push(LocalData { name, ty: Type::Int, span: Span::NONE });
    }
    function.params = (1..=params).map(Local::new).collect();
    for (number, lines) in blocks.iter().enumerate() {
        let (last, statements) = lines.split_last().expect("a block ends");
        let mut insts: Vec<Inst> = statements.iter().map(|line| statement(line)).collect();
        let term = terminator(last, &mut insts).into();
        let (params, span) = (Vec::new(), Span::NONE);
        function.blocks.push(BlockData {
            name: format!("bb{number}").into(),
            params,
            insts,
            term,
            span,
        });
    }
    function
}

fn assign(dest: usize, op: Op) -> Inst {
    Inst { dest: Some(Place::from(Local::new(dest))), op, span: Span::NONE }
}

/// `_2 = copy _3;`, `_2 = const 7_u64;`, `_2 = BitXor(copy _3, copy _4);`
fn statement(line: &str) -> Inst {
    let found = locals(line);
    let operand = |at: usize| found.get(at).map_or(Operand::Const(1), |&l| Local::new(l).into());
    let op = match line.split_once(" = ").map(|(_, value)| value) {
        Some(value) if value.starts_with("copy ") => Op::Copy(operand(1)),
        Some(value) if value.starts_with("const ") => Op::Const(7),
        Some(value) if value.starts_with("BitXor") => {
            Op::Binary(BinaryOp::Xor, operand(1), operand(2))
        }
        Some(value) if value.starts_with("Add") => {
            Op::Binary(BinaryOp::Add, operand(1), operand(2))
        }
        _ => panic!("no statement that was asked for: {line}"),
    };
    assign(found[0], op)
}

/// `goto -> bb1;`, `switchInt(copy _2) -> [0: bb1, otherwise: bb2];`,
/// `_2 = g(copy _3) -> [return: bb1, unwind continue];`, `return;`, `unreachable;`
fn terminator(line: &str, insts: &mut Vec<Inst>) -> TerminatorKind {
    let found = locals(line);
    let targets = line.match_indices("bb").map(|(at, _)| {
        let digits: String = line[at + 2..].chars().take_while(char::is_ascii_digit).collect();
        Block::new(digits.parse().expect("the number of a block"))
    });
    let targets: Vec<Block> = targets.collect();
    if line.starts_with("goto") {
        TerminatorKind::Jump(targets[0].into())
    } else if line.starts_with("switchInt") {
        let cond = Local::new(found[0]).into();
        TerminatorKind::Branch { cond, then_to: targets[1].into(), else_to: targets[0].into() }
    } else if line.starts_with("return") {
        TerminatorKind::Return(Some(Local::new(0).into()))
    } else if line.starts_with("unreachable") {
        TerminatorKind::Unreachable
    } else {
        let args = [Operand::from(Local::new(found[1]))].into_iter().collect();
        insts.push(assign(found[0], Op::Call { callee: "g".into(), args }));
        TerminatorKind::Jump(targets[0].into())
    }
}
