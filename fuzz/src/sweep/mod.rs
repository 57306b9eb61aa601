//! Generates and checks many cases in parallel.
//!
//! A sweep goes through its seeds in chunks of about a second. The workers of the pool judge a
//! [chunk], each into tallies of its own without locks; the tallies are then added in the order of
//! the seeds, [`shrink`] minimizes what failed, the findings are written, and the
//! [report](crate::report) so far is saved. A crash loses at most one chunk.
//!
//! A seed decides its case, and tallies are sums, so neither the number of threads nor the
//! sizes of chunks and batches can be seen in the result. What is minimized does not depend on them
//! either: of every kind of failure the lowest seeds are, as [`crate::report`] says. Where a sweep
//! ends early (`--stop-first`, Ctrl-C, `--seconds`) it has judged all its seeds up to some seed and
//! none after it, so that a resumed sweep can go on there.
//!
//! It ends: every turn of the loop judges at least one more of finitely many seeds, or stops.

mod chunk;
mod progress;
mod shrink;
mod state;
mod tally;

pub use progress::Progress;
pub use state::{Folder, FolderError};

use crate::generate::Config;
use crate::judge::Judge;
use crate::report::{Report, Seeds, merge};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// What to sweep.
pub struct Plan {
    /// Every check with every subject.
    pub judges: Vec<Judge>,
    /// What to generate.
    pub config: Config,
    /// All seeds to judge.
    pub seeds: Seeds,
    /// When to stop. What a sweep took before it was resumed counts.
    pub time: Option<Duration>,
    /// Stop at the first failing case.
    pub stop_first: bool,
}

/// Judges the seeds that `report` does not cover yet and adds what comes out. Ends early when `stop`
/// is set. Uses the current rayon pool.
///
/// # Errors
/// When the folder can't be written. The report holds what was found before.
pub fn sweep(
    plan: &Plan,
    report: &mut Report,
    folder: &Folder,
    progress: &Progress,
    stop: &Arc<AtomicBool>,
) -> Result<(), FolderError> {
    let clock = Clock::start(report.seconds, plan.time);
    let stopped = || stop.load(Ordering::Relaxed);
    let mut done = report.seeds.iter().map(|seeds| seeds.count).sum::<u64>();
    report.finished = false;
    progress.found(report);
    while !report.finished && !stopped() {
        let over = || stopped() || clock.is_over();
        let judged = chunk::judge(plan, done, progress, &over);
        done += judged.cases;
        progress.judged(done);
        let first_failure = plan.stop_first && judged.has_failures();
        let piece = shrink::minimized(plan, report, judged, folder, stop)?;
        merge::add(report, &piece);
        report.seeds = vec![plan.seeds.take(done)];
        report.seconds = clock.seconds();
        report.finished = done == plan.seeds.count || first_failure || clock.is_over();
        report.derive();
        progress.found(report);
        // Ctrl-C cuts minimizing short. A resumed sweep does it anew, so that is not saved.
        if piece.findings.is_empty() || !stopped() {
            folder.save(report)?;
        }
    }
    Ok(())
}

/// The time that a sweep takes, over all times that it was resumed.
struct Clock {
    start: Instant,
    before: f64,
    most: Option<Duration>,
}

impl Clock {
    fn start(before: f64, most: Option<Duration>) -> Clock {
        Clock { start: Instant::now(), before, most }
    }

    fn seconds(&self) -> f64 {
        self.before + self.start.elapsed().as_secs_f64()
    }

    fn is_over(&self) -> bool {
        self.most.is_some_and(|most| self.seconds() >= most.as_secs_f64())
    }
}

#[cfg(test)]
mod tests;
