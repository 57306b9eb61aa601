//! Whether time grows in proportion to size: each analysis on chains, ladders and loop nests of
//! 25,000, 50,000 and 100,000 blocks, on a thread with a stack of 256 KiB. Prints the best of a few
//! runs and how it grows from doubling to doubling (the mean of both), and fails if that is more than
//! 2.3. The time is that of the thread, so that a busy machine does not disturb it much.
//!
//! Words on the command line choose shapes and analyses: `ladder liveness`.

mod shapes;

use backedge_core::cfg::{Cfg, Dominators, Loops, Postorder};
use backedge_core::dataflow::Liveness;
use backedge_core::ir::Function;
use backedge_core::thunks;
use rustix::time::{ClockId, clock_gettime};
use std::hint::black_box;
use std::process::ExitCode;
use std::time::Duration;

const SIZES: [usize; 3] = [25_000, 50_000, 100_000];
/// What seems to grow too fast is measured again.
const ATTEMPTS: usize = 3;
/// Quick analyses are measured more often.
const LEAST_ROUNDS: usize = 3;
const MOST_ROUNDS: usize = 60;
const ENOUGH: Duration = Duration::from_millis(400);
const MOST: f64 = 2.3;

type Stage = (&'static str, fn(&Function) -> Duration);

const STAGES: [Stage; 8] = [
    ("build", build),
    ("postorder", postorder),
    ("dominators", dominators),
    ("loops", loops),
    ("liveness", liveness),
    ("points", points),
    ("structure", structure),
    ("lower", lower),
];

fn main() -> ExitCode {
    let worker = std::thread::Builder::new().stack_size(256 * 1024).spawn(measure_all);
    let grows_too_fast = worker.expect("a thread starts").join().expect("no analysis panics");
    if grows_too_fast { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

/// Whether every word of the command line is the shape or the analysis.
fn is_chosen(shape: &str, stage: &str) -> bool {
    let mut words = std::env::args().skip(1).filter(|word| !word.starts_with('-'));
    words.all(|word| word == shape || word == stage)
}

/// Prints the table; tells whether anything grows too fast.
fn measure_all() -> bool {
    println!("shape   analysis          25k        50k       100k   per doubling, at most {MOST}");
    let mut failed = false;
    for (shape, make) in shapes::DEEP {
        let stages = STAGES.into_iter().filter(|(stage, _)| is_chosen(shape, stage));
        let functions = std::cell::LazyCell::new(|| SIZES.map(make));
        for (stage, run) in stages {
            let mut times = [Duration::MAX; 3];
            for _ in 0..ATTEMPTS {
                improve(&mut times, &functions, run);
                if growth(times) <= MOST {
                    break;
                }
            }
            let growth = growth(times);
            let slow = growth > MOST;
            failed |= slow;
            print!("{shape:7} {stage:10}");
            times.iter().for_each(|time| print!(" {:7.2} ms", time.as_secs_f64() * 1e3));
            println!("   {growth:.2}{}", if slow { "  too much" } else { "" });
        }
    }
    failed
}

/// Lowers the time for each size to the best of some runs. Sizes take turns, so that a slow moment
/// of the machine hits all.
fn improve(best: &mut [Duration; 3], functions: &[Function; 3], run: fn(&Function) -> Duration) {
    let mut spent = Duration::ZERO;
    for round in 0..MOST_ROUNDS {
        if round >= LEAST_ROUNDS && spent > ENOUGH {
            break;
        }
        for (best, function) in best.iter_mut().zip(functions) {
            let time = run(function);
            spent += time;
            *best = time.min(*best);
        }
    }
}

/// How the time grows from one size to the next, the geometric mean.
fn growth([small, _, large]: [Duration; 3]) -> f64 {
    (large.as_secs_f64() / small.as_secs_f64()).sqrt()
}

fn time<T>(work: impl FnOnce() -> T) -> Duration {
    let start = thread_time();
    let result = black_box(work());
    let time = thread_time() - start;
    drop(result);
    time
}

/// How long this thread has run.
fn thread_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
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

fn structure(function: &Function) -> Duration {
    time(|| thunks::structurize_blocks(function))
}

fn lower(function: &Function) -> Duration {
    let structured = thunks::structurize_blocks(function).expect("no thunks are kept");
    time(|| thunks::lower(&structured))
}

fn points(function: &Function) -> Duration {
    let cfg = Cfg::build(function);
    let liveness = Liveness::solve(function, &cfg);
    time(|| liveness.at_points())
}
