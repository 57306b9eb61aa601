//! Whether the work on drops grows in proportion to its input: a function of up to 100,000 blocks with
//! 10,000 owned values, each made, given away on one of two ways, and dropped. Prints a table, and fails
//! if twice the size takes more than 2.6 times as long.

use backedge_core::drops::{Unwinding, classify, elaborate};
use backedge_core::ir::builder::FunctionBuilder;
use backedge_core::ir::{Block, Function, Local, Op, Operand, Place, Target, TerminatorKind, Type};
use std::hint::black_box;
use std::process::ExitCode;
use std::time::{Duration, Instant};

const SIZES: [usize; 4] = [12_500, 25_000, 50_000, 100_000];
const MOST: f64 = 2.6;
const ROUNDS: usize = 3;

/// A name, and what gives something for a function.
type Stage = (&'static str, fn(&Function) -> usize);

fn main() -> ExitCode {
    let functions = SIZES.map(function);
    let mut failed = false;
    println!(
        "blocks       {:>10} {:>10} {:>10} {:>10}   per doubling, at most {MOST}",
        12_500, 25_000, 50_000, 100_000
    );
    let stages: [Stage; 2] = [
        ("classify", |function| classify(function, Unwinding::WhereInitialized).len()),
        ("elaborate", |function| elaborate(function).blocks.len()),
    ];
    for (name, run) in stages {
        let mut best = [Duration::MAX; 4];
        for _ in 0..ROUNDS {
            for (best, function) in best.iter_mut().zip(&functions) {
                let started = Instant::now();
                black_box(run(function));
                *best = started.elapsed().min(*best);
            }
        }
        let growth = (best[3].as_secs_f64() / best[0].as_secs_f64()).cbrt();
        failed |= growth > MOST;
        print!("{name:12}");
        best.iter().for_each(|time| print!(" {:7.1} ms", time.as_secs_f64() * 1e3));
        println!("   {growth:.2}{}", if growth > MOST { "  too much" } else { "" });
    }
    if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

/// Ten blocks a value: it is made in the first, given away in the sixth if control gets there, and dropped
/// in the last.
fn function(count: usize) -> Function {
    let mut b = FunctionBuilder::new("drops");
    let cond = b.param("n", Type::Int);
    let blocks: Vec<Block> = (0..count).map(|at| b.block(format!("b{at}"))).collect();
    let values: Vec<Local> =
        (0..count / 10).map(|at| b.local(format!("p{at}"), Type::Own)).collect();
    for (at, &block) in blocks.iter().enumerate() {
        let value = values[(at / 10).min(values.len() - 1)];
        b.at(block);
        match at % 10 {
            0 => _ = b.inst(Place::from(value), Op::New),
            5 => {
                let args = [Operand::from(value)].into_iter().collect();
                b.inst(None, Op::Call { callee: "take".into(), args });
            }
            9 => _ = b.inst(None, Op::Drop(value.into())),
            _ => {}
        }
        let next = |step: usize| blocks.get(at + step).map(|&to| Target::new(to));
        b.terminate(match (at % 10, next(1), next(2)) {
            (4, Some(then_to), Some(else_to)) => {
                TerminatorKind::Branch { cond: cond.into(), then_to, else_to }
            }
            (_, Some(to), _) => TerminatorKind::Jump(to),
            _ => TerminatorKind::Return(None),
        });
    }
    b.finish()
}
