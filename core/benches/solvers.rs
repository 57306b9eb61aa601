//! How long the graph analyses and liveness take: on a function of the usual size, and on deep ones.

mod shapes;

use backedge_core::cfg::{Cfg, Dominators, Loops, Postorder};
use backedge_core::dataflow::Liveness;
use backedge_core::dataflow::liveness::Representation;
use backedge_core::ir::builder::FunctionBuilder;
use backedge_core::ir::{BinaryOp, Block, Function, Local, Op, Place, TerminatorKind, Type};
use divan::{Bencher, black_box};
use shapes::branch;

fn main() {
    divan::main();
}

#[divan::bench]
fn small_shape(bencher: Bencher) {
    let function = small();
    bencher.bench(|| {
        let cfg = Cfg::build(black_box(&function));
        let postorder = Postorder::new(&cfg);
        let loops = Loops::new(&cfg, &postorder, &Dominators::new(&cfg));
        black_box(loops.len())
    });
}

#[divan::bench(args = [Representation::Dense, Representation::Shared])]
fn small_liveness(bencher: Bencher, form: Representation) {
    let function = small();
    bencher.bench(|| {
        let cfg = Cfg::build(black_box(&function));
        black_box(Liveness::solve_with(&function, &cfg, form).live_in(cfg.entry()).len())
    });
}

/// Graph, postorder, and what is live before and after every instruction.
#[divan::bench]
fn small_every_point(bencher: Bencher) {
    let function = small();
    bencher.bench(|| {
        let cfg = Cfg::build(black_box(&function));
        let postorder = Postorder::new(&cfg);
        let liveness = Liveness::solve(&function, &cfg).at_points();
        black_box(postorder.blocks().len() + liveness.before(cfg.entry(), 0).len())
    });
}

#[divan::bench]
fn small_interference(bencher: Bencher) {
    let function = small();
    let cfg = Cfg::build(&function);
    let liveness = Liveness::solve(&function, &cfg).at_points();
    bencher.bench(|| black_box(&liveness).interference().pairs().count());
}

#[divan::bench(args = ["chain", "ladder", "nest"], sample_count = 10)]
fn deep_liveness(bencher: Bencher, name: &str) {
    let shape = shapes::DEEP.into_iter().find(|shape| shape.0 == name);
    let function = shape.map(|(_, make)| make(100_000)).expect("a shape of this name");
    bencher.bench_local(|| {
        let cfg = Cfg::build(black_box(&function));
        black_box(Liveness::solve(&function, &cfg).live_in(cfg.entry()).len())
    });
}

/// 12 blocks, 120 instructions and a hundred locals: what compilers see most.
fn small() -> Function {
    let mut b = FunctionBuilder::new("small");
    let input = b.param("n", Type::Int);
    let blocks: Vec<Block> = (0..12).map(|at| b.block(format!("b{at}"))).collect();
    let locals: Vec<Local> = (0..100).map(|at| b.local(format!("v{at}"), Type::Int)).collect();
    for (at, &block) in blocks.iter().enumerate() {
        b.at(block);
        for inst in 0..10 {
            let place = at * 8 + inst;
            let read = |back: usize| match place.checked_sub(back) {
                Some(earlier) => locals[earlier % 100],
                None => input,
            };
            let op = Op::Binary(BinaryOp::Add, read(1).into(), read(7 + inst).into());
            b.inst(Place::from(locals[place % 100]), op);
        }
        let next = |ahead: usize| blocks[(at + ahead) % 12].into();
        b.terminate(match at {
            11 => TerminatorKind::Return(Some(locals[95].into())),
            4 | 9 => branch(locals[at * 8].into(), next(10), next(1)),
            _ if at % 3 == 0 => branch(locals[at * 8].into(), next(1), next(2)),
            _ => TerminatorKind::Jump(next(1)),
        });
    }
    b.finish()
}
