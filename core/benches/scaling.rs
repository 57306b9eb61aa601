//! Whether time grows in proportion to size: each analysis on chains, ladders and loop nests of
//! 25,000, 50,000 and 100,000 blocks, on a thread with a stack of 256 KiB. Prints the best of a few
//! runs and how it grows, and fails if twice the size takes more than 2.3 times the time.

mod shapes;

use backedge_core::cfg::{Cfg, Dominators, Loops, Postorder};
use backedge_core::dataflow::Liveness;
use backedge_core::ir::Function;
use std::hint::black_box;
use std::process::ExitCode;
use std::time::{Duration, Instant};

const SIZES: [usize; 3] = [25_000, 50_000, 100_000];
const RUNS: usize = 7;
const MOST: f64 = 2.3;

type Stage = (&'static str, fn(&Function) -> Duration);

const STAGES: [Stage; 6] = [
    ("build", build),
    ("postorder", postorder),
    ("dominators", dominators),
    ("loops", loops),
    ("liveness", liveness),
    ("points", points),
];

fn main() -> ExitCode {
    let worker = std::thread::Builder::new().stack_size(256 * 1024).spawn(measure_all);
    let grows_too_fast = worker.expect("a thread starts").join().expect("no analysis panics");
    if grows_too_fast { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

/// Prints the table; tells whether anything grows too fast.
fn measure_all() -> bool {
    println!("shape   analysis        25k       50k      100k   growth, at most {MOST}");
    let mut failed = false;
    for (shape, make) in shapes::DEEP {
        let functions = SIZES.map(make);
        for (stage, run) in STAGES {
            let [small, middle, large] = best(&functions, run);
            let growth = [ratio(small, middle), ratio(middle, large)];
            let slow = growth.iter().any(|&ratio| ratio > MOST);
            failed |= slow;
            let [small, middle, large] =
                [small, middle, large].map(|time| time.as_secs_f64() * 1e3);
            print!("{shape:7} {stage:10} {small:6.2} ms {middle:6.2} ms {large:6.2} ms   ");
            println!("{:.2} {:.2}{}", growth[0], growth[1], if slow { "  TOO FAST" } else { "" });
        }
    }
    failed
}

/// The best time for each size. Sizes take turns, so that a slow moment of the machine hits all.
fn best(functions: &[Function; 3], run: fn(&Function) -> Duration) -> [Duration; 3] {
    let mut best = [Duration::MAX; 3];
    for _ in 0..RUNS {
        for (best, function) in best.iter_mut().zip(functions) {
            *best = run(function).min(*best);
        }
    }
    best
}

fn ratio(small: Duration, large: Duration) -> f64 {
    large.as_secs_f64() / small.as_secs_f64()
}

fn time<T>(work: impl FnOnce() -> T) -> Duration {
    let start = Instant::now();
    let result = black_box(work());
    let time = start.elapsed();
    drop(result);
    time
}

fn build(function: &Function) -> Duration {
    time(|| Cfg::build(function))
}

fn postorder(function: &Function) -> Duration {
    let cfg = Cfg::build(function);
    time(|| Postorder::new(&cfg))
}

fn dominators(function: &Function) -> Duration {
    let cfg = Cfg::build(function);
    time(|| Dominators::new(&cfg))
}

fn loops(function: &Function) -> Duration {
    let cfg = Cfg::build(function);
    let (postorder, dominators) = (Postorder::new(&cfg), Dominators::new(&cfg));
    time(|| Loops::new(&cfg, &postorder, &dominators))
}

fn liveness(function: &Function) -> Duration {
    let cfg = Cfg::build(function);
    time(|| Liveness::solve(function, &cfg))
}

fn points(function: &Function) -> Duration {
    let cfg = Cfg::build(function);
    let liveness = Liveness::solve(function, &cfg);
    time(|| liveness.at_points())
}
