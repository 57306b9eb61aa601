//! Destination propagation by each method, over size.
//!
//! First how many times faster the methods are that solve liveness once than the one that solves it again
//! after each round, and what saved liveness takes in memory beside a bit for each point and local. What
//! there is to gain are the rounds: where no copy waits for another (`tuple`, `joins`), the slow method has
//! two, the second of which only finds that all is done, and half of the fast one's time goes into
//! finding the copies and writing the function, which both must.
//!
//! Then both methods that solve once, on 450,000 to 1,800,000 instructions in one block and on up to
//! 125,000 blocks: time must not grow by more than 2.5 from doubling to doubling. Words on the command
//! line choose shapes.

mod copies;

use backedge_core::destprop::{Method, Propagation, propagate};
use backedge_core::ir::Function;
use copies::COPIES;
use rustix::time::{ClockId, clock_gettime};
use std::process::ExitCode;
use std::time::Duration;

/// Numbers of copies on which the slow method is tried. In a hub it merges one a round.
const SIZES: [usize; 5] = [100, 1_000, 10_000, 20_000, 40_000];
const MOST_OF_HUB: usize = 1_000;

const LARGE: [usize; 3] = [150_000, 300_000, 600_000];
const LARGE_BLOCKS: [usize; 3] = [31_250, 62_500, 125_000];
const MOST: f64 = 2.5;
const ROUNDS: usize = 3;
const ATTEMPTS: usize = 4;

fn main() -> ExitCode {
    println!(
        "shape   copies   recompute (rounds)      saved  (times) live-ranges  (times)     sparse      dense"
    );
    for (shape, make) in COPIES.into_iter().filter(|(shape, _)| is_chosen(shape)) {
        for size in SIZES {
            if shape != "hub" || size <= MOST_OF_HUB {
                compare(shape, &make(size), size);
            }
        }
    }
    println!("\nshape   method         first     second      third   per doubling, at most {MOST}");
    let mut failed = false;
    for (shape, make) in COPIES.into_iter().filter(|(shape, _)| is_chosen(shape)) {
        let sizes = if matches!(shape, "joins" | "carried" | "webs" | "hub") {
            LARGE_BLOCKS
        } else {
            LARGE
        };
        let functions = sizes.map(make);
        for method in [Method::Saved, Method::LiveRanges] {
            failed |= grows_too_fast(shape, &functions, method);
        }
    }
    if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

fn is_chosen(shape: &str) -> bool {
    let mut words = std::env::args().skip(1).filter(|word| !word.starts_with('-')).peekable();
    words.peek().is_none() || words.any(|word| word == shape)
}

/// A line of the first table.
fn compare(shape: &str, function: &Function, size: usize) {
    let (slow, recomputed) = measure(function, Method::Recompute);
    let (saved_time, saved) = measure(function, Method::Saved);
    let (ranges, _) = measure(function, Method::LiveRanges);
    let [by_saved, by_ranges] =
        [saved_time, ranges].map(|time| slow.as_secs_f64() / time.as_secs_f64());
    let [slow, saved_time, ranges] =
        [slow, saved_time, ranges].map(|time| time.as_secs_f64() * 1e3);
    let (sparse, dense) = saved
        .liveness
        .as_ref()
        .map_or((0, 0), |liveness| (liveness.bytes(), liveness.dense_bytes()));
    println!(
        "{shape:7} {size:6} {slow:9.2} ms {:8} {saved_time:7.2} ms {by_saved:8.1} {ranges:8.2} ms {by_ranges:8.1} {:7} KiB {:7} KiB",
        format!("({})", recomputed.rounds),
        sparse / 1024,
        dense / 1024,
    );
}

/// A line of the second table. What seems to grow too fast is measured again.
fn grows_too_fast(shape: &str, functions: &[Function; 3], method: Method) -> bool {
    let mut times = [f64::MAX; 3];
    let mut growth = f64::MAX;
    for _ in 0..ATTEMPTS {
        for (time, function) in times.iter_mut().zip(functions) {
            *time = time.min(measure(function, method).0.as_secs_f64());
        }
        growth = (times[2] / times[0]).sqrt();
        if growth <= MOST {
            break;
        }
    }
    print!("{shape:7} {:11}", method.name());
    times.iter().for_each(|time| print!(" {:7.2} ms", time * 1e3));
    println!("   {growth:.2}{}", if growth > MOST { "  too much" } else { "" });
    growth > MOST
}

/// The best time of a few runs, and what came of it.
fn measure(function: &Function, method: Method) -> (Duration, Propagation) {
    let mut best = Duration::MAX;
    let mut result = None;
    for _ in 0..ROUNDS {
        let start = thread_time();
        let propagation = propagate(function, method);
        best = best.min(thread_time() - start);
        result = Some(propagation);
        if best > Duration::from_secs(1) {
            break;
        }
    }
    (best, result.expect("it ran"))
}

/// How long this thread has run.
fn thread_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}
