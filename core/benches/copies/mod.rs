//! Functions full of copies, by about how many there are.

use backedge_core::ir::builder::FunctionBuilder;
use backedge_core::ir::{
    BinaryOp, Block, Function, Local, Op, Operand, Place, Target, TerminatorKind, Type,
};

/// A family of functions, by number of copies.
type Shape = (&'static str, fn(usize) -> Function);

/// The families.
pub(crate) const COPIES: [Shape; 7] = [
    ("tuple", tuple),
    ("joins", joins),
    ("relay", relay),
    ("inlined", inlined),
    ("carried", carried),
    ("webs", webs),
    ("hub", hub),
];

/// How many copies the locals of `webs` get.
const WEB: usize = 25;

fn branch(cond: Local, then_to: Target, else_to: Block) -> TerminatorKind {
    TerminatorKind::Branch { cond: cond.into(), then_to, else_to: else_to.into() }
}

fn add(b: &mut FunctionBuilder, dest: Local, a: Local, operand: impl Into<Operand>) {
    b.inst(Place::from(dest), Op::Binary(BinaryOp::Add, a.into(), operand.into()));
}

/// One block: each element is computed, copied to where it is kept, and put to the sum, three
/// instructions a copy.
fn tuple(count: usize) -> Function {
    let mut b = FunctionBuilder::new("tuple");
    let sum = b.param("sum", Type::Int);
    let entry = b.block("entry");
    b.at(entry);
    for at in 0..count {
        let [made, kept] = ["made", "kept"].map(|name| b.local(format!("{name}{at}"), Type::Int));
        add(&mut b, made, sum, at as i64);
        b.inst(Place::from(kept), Op::Copy(made.into()));
        add(&mut b, sum, sum, kept);
    }
    b.terminate(TerminatorKind::Return(Some(sum.into())));
    b.finish()
}

/// A block a copy: each hands a new local to the parameter of the next, or leaves.
fn joins(count: usize) -> Function {
    let mut b = FunctionBuilder::new("joins");
    let blocks: Vec<Block> = (0..count.max(2)).map(|at| b.block(format!("b{at}"))).collect();
    let exit = b.block("exit");
    let mut last = b.param("n", Type::Int);
    for pair in blocks.windows(2) {
        let made = b.local(format!("made{}", pair[0].as_u32()), Type::Int);
        let param = b.block_param(pair[1], format!("p{}", pair[1].as_u32()), Type::Int);
        b.at(pair[0]);
        add(&mut b, made, last, 1);
        b.terminate(branch(made, Target::with(pair[1], [made]), exit));
        last = param;
    }
    b.at(blocks[blocks.len() - 1]).terminate(TerminatorKind::Return(Some(last.into())));
    b.at(exit).terminate(TerminatorKind::Return(None));
    b.finish()
}

/// One local after the other gets the value; every block of ten copies leaves if it is zero.
fn relay(count: usize) -> Function {
    let mut b = FunctionBuilder::new("relay");
    let blocks: Vec<Block> = (0..=count / 10).map(|at| b.block(format!("b{at}"))).collect();
    let exit = b.block("exit");
    let mut last = b.param("n", Type::Int);
    for (at, pair) in blocks.windows(2).enumerate() {
        b.at(pair[0]);
        for copy in 0..10 {
            let next = b.local(format!("v{}", 10 * at + copy), Type::Int);
            b.inst(Place::from(next), Op::Copy(last.into()));
            last = next;
        }
        b.terminate(branch(last, pair[1].into(), exit));
    }
    b.at(blocks[blocks.len() - 1]).terminate(TerminatorKind::Return(Some(last.into())));
    b.at(exit).terminate(TerminatorKind::Return(None));
    b.finish()
}

/// A block for two copies: each has two parameters, and hands both on, or leaves.
fn carried(count: usize) -> Function {
    let mut b = FunctionBuilder::new("carried");
    let blocks: Vec<Block> = (0..=count / 2).map(|at| b.block(format!("b{at}"))).collect();
    let exit = b.block("exit");
    let n = b.param("n", Type::Int);
    let mut last = ["x", "y"].map(|name| b.local(name, Type::Int));
    b.at(blocks[0]);
    last.into_iter().for_each(|local| add(&mut b, local, n, 1));
    for pair in blocks.windows(2) {
        let params =
            ["x", "y"].map(|name| b.block_param(pair[1], format!("{name}{}", pair[1]), Type::Int));
        b.at(pair[0]).terminate(branch(n, Target::with(pair[1], last), exit));
        last = params;
    }
    b.at(blocks[blocks.len() - 1]).terminate(TerminatorKind::Return(Some(last[0].into())));
    b.at(exit).terminate(TerminatorKind::Return(None));
    b.finish()
}

/// What inlined calls look like: a value is handed on through ten copies, the locals that it gets are read
/// as well, and the rest is work on other locals, two instructions a copy. A block for each value.
fn inlined(count: usize) -> Function {
    let mut b = FunctionBuilder::new("inlined");
    let blocks: Vec<Block> = (0..=count / 10).map(|at| b.block(format!("b{at}"))).collect();
    let exit = b.block("exit");
    let sum = b.param("sum", Type::Int);
    for (at, pair) in blocks.windows(2).enumerate() {
        let mut last = b.local(format!("made{at}"), Type::Int);
        let work = b.local(format!("work{at}"), Type::Int);
        b.at(pair[0]);
        add(&mut b, last, sum, at as i64);
        for copy in 0..10 {
            let next = b.local(format!("v{}", 10 * at + copy), Type::Int);
            b.inst(Place::from(next), Op::Copy(last.into()));
            add(&mut b, work, next, copy as i64);
            add(&mut b, sum, sum, work);
            last = next;
        }
        b.terminate(branch(last, pair[1].into(), exit));
    }
    b.at(blocks[blocks.len() - 1]).terminate(TerminatorKind::Return(Some(sum.into())));
    b.at(exit).terminate(TerminatorKind::Return(None));
    b.finish()
}

/// A block a copy: all are to one local, which is read at once.
fn hub(count: usize) -> Function {
    hubs("hub", count, count)
}

/// The same with a local for every few copies.
fn webs(count: usize) -> Function {
    hubs("webs", count, WEB)
}

/// A block a copy, to locals that get `each` copies.
fn hubs(name: &str, count: usize, each: usize) -> Function {
    let mut b = FunctionBuilder::new(name);
    let blocks: Vec<Block> = (0..=count).map(|at| b.block(format!("b{at}"))).collect();
    let exit = b.block("exit");
    let n = b.param("n", Type::Int);
    let mut hub = n;
    for (at, pair) in blocks.windows(2).enumerate() {
        if at % each == 0 {
            hub = b.local(format!("hub{at}"), Type::Int);
        }
        let made = b.local(format!("made{at}"), Type::Int);
        b.at(pair[0]);
        add(&mut b, made, n, at as i64);
        b.inst(Place::from(hub), Op::Copy(made.into()));
        b.terminate(branch(hub, pair[1].into(), exit));
    }
    b.at(blocks[count]).terminate(TerminatorKind::Return(None));
    b.at(exit).terminate(TerminatorKind::Return(None));
    b.finish()
}
