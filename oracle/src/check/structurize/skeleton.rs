//! The skeleton of a function: its graph, with contents that tell on every wrong turn.
//!
//! Every block calls an extern with its number, and with what each of its parameters holds; every branch asks
//! the environment; every edge passes numbers of its own or the parameters of its source, by turns and in
//! another order. So a run on a tape goes wherever the tape says, whatever the function computes, and what
//! it does names every block and every argument on its way.

use crate::tape::{Answer, Tape};
use backedge_core::diagnostic::Span;
use backedge_core::ir::{
    Block, Extern, Function, Inst, Local, LocalData, Name, Op, Operand, Operands, Program, Target,
    Terminator, TerminatorKind, Type,
};
use cranelift_entity::EntityRef;

/// The skeleton as a program. Parameters of other types than `int` are left out.
pub(super) fn skeleton(function: &Function) -> Program {
    let mut bones = Function::new(function.name.clone());
    for data in function.blocks.values() {
        let mut data = data.clone();
        data.params.clear();
        data.insts.clear();
        bones.blocks.push(data);
    }
    // Everything is used in the block that defines it, so that it is in SSA form if that is wanted.
    bones.ssa = function.ssa;
    let params: Vec<Vec<Local>> = function
        .blocks
        .keys()
        .map(|block| {
            let kept = kept(function, block).len();
            let name = |at: usize| format!("p{}_{at}", block.index());
            (0..kept).map(|at| int(&mut bones, name(at))).collect()
        })
        .collect();
    let mut edge = 0;
    for block in function.blocks.keys() {
        let number = block.index();
        let mut insts = vec![call("at", [Operand::Const(number as i64)])];
        insts.extend(params[number].iter().map(|&param| call("holds", [param.into()])));
        let choice = int(&mut bones, format!("c{number}"));
        let mut kind = terminator(&function.blocks[block].term.kind, choice, &mut insts);
        kind.for_each_target_mut(|target| {
            edge += 1;
            target.args = arguments(params[target.block.index()].len(), &params[number], edge);
        });
        let data = &mut bones.blocks[block];
        data.params = params[number].clone();
        data.insts = insts;
        data.term = Terminator { kind, span: Span::NONE };
    }
    bones.canonicalize();
    let externs =
        [("at", 1, false), ("holds", 1, false), ("choose", 0, true), ("may_unwind", 0, false)];
    let externs = externs.map(|(name, params, returns)| Extern {
        name: Name::new_static(name),
        params: vec![Type::Int; params],
        ret: returns.then_some(Type::Int),
        span: Span::NONE,
    });
    Program { externs: externs.into(), functions: vec![bones], ..Program::default() }
}

fn int(function: &mut Function, name: String) -> Local {
    function.locals.push(LocalData { name: name.into(), ty: Type::Int, span: Span::NONE })
}

/// The parameters of a block that the skeleton has.
fn kept(function: &Function, block: Block) -> Vec<Local> {
    let params = function.blocks[block].params.iter().copied();
    params.filter(|&param| function.locals[param].ty == Type::Int).collect()
}

fn call<const N: usize>(callee: &'static str, args: [Operand; N]) -> Inst {
    let args = args.into_iter().collect();
    Inst { dest: None, op: Op::Call { callee: Name::new_static(callee), args }, span: Span::NONE }
}

/// The same edges, chosen among by the environment.
fn terminator(of: &TerminatorKind, choice: Local, insts: &mut Vec<Inst>) -> TerminatorKind {
    let mut ask = || {
        let mut inst = call("choose", []);
        inst.dest = Some(choice.into());
        insts.push(inst);
        Operand::from(choice)
    };
    match of {
        TerminatorKind::Branch { then_to, else_to, .. } => TerminatorKind::Branch {
            cond: ask(),
            then_to: then_to.clone(),
            else_to: else_to.clone(),
        },
        TerminatorKind::TryDrop { normal, unwind, .. } => {
            TerminatorKind::Branch { cond: ask(), then_to: normal.clone(), else_to: unwind.clone() }
        }
        TerminatorKind::Switch { default, cases, .. } => TerminatorKind::Switch {
            value: ask(),
            default: default.clone(),
            // Small numbers, which tapes have.
            cases: cases
                .iter()
                .enumerate()
                .map(|(key, (_, to))| (key as i64, to.clone()))
                .collect(),
        },
        TerminatorKind::TryCall { normal, unwind, .. } => TerminatorKind::TryCall {
            dest: None,
            callee: Name::new_static("may_unwind"),
            args: Operands::new(),
            normal: normal.clone(),
            unwind: unwind.clone(),
        },
        TerminatorKind::Return(_) | TerminatorKind::Enter(_) => TerminatorKind::Return(None),
        TerminatorKind::Jump(to) => TerminatorKind::Jump(Target::new(to.block)),
        other => other.clone(),
    }
}

/// What edge number `edge` passes: numbers of its own, or every other time what its source has, turned by one.
fn arguments(count: usize, source: &[Local], edge: i64) -> Operands {
    let argument = |at: usize| match source.len() {
        0 => Operand::Const(1000 * edge + at as i64),
        _ if edge % 3 == 0 => Operand::Const(1000 * edge + at as i64),
        length => source[(at + 1) % length].into(),
    };
    (0..count).map(argument).collect()
}

/// Tapes that lead a skeleton down many ways; always the same ones.
pub(super) fn tapes(function: &Function) -> Vec<Tape> {
    let arms = function.blocks.values().map(|data| data.term.kind.targets().len()).max();
    let arms = arms.unwrap_or(1).max(2) as u64;
    let length = 40 + 4 * function.blocks.len().min(100);
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state >> 16
    };
    // An unwind that no `try_call` catches ends the run, so that most tapes have none.
    let mut answer = |unwinds: bool| match next() % 16 {
        0 => Answer::Value(arms as i64 + 7),
        1 if unwinds => Answer::Unwind,
        _ => Answer::Value((next() % arms) as i64),
    };
    (0..6).map(|tape| Tape((0..length).map(|_| answer(tape > 3)).collect())).collect()
}
