//! Judges the next chunk of seeds with all workers of the pool.
//!
//! Workers take batches of seeds, as many as the subjects like, in order, until the chunk's time is over. A batch that
//! is begun is finished, unless the whole sweep is to stop; so all that is judged but the last few
//! cases lies before the first that is not.

use super::tally::Tally;
use super::{Plan, Progress};
use crate::generate::{Generated, from_seed};
use crate::judge::{Judge, Turn};
use backedge_core::ir::Program;
use backedge_oracle::check::Verdict;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// How long a chunk takes. What is not saved yet when the power fails is as much.
const TIME: Duration = Duration::from_secs(1);

/// Judges seeds from position `done` on, and adds up those before the first that was not judged: at
/// least one, unless `over` says that the sweep is to stop.
pub(super) fn judge(
    plan: &Plan,
    done: u64,
    progress: &Progress,
    over: &(dyn Fn() -> bool + Sync),
) -> Tally {
    let started = Instant::now();
    let batch = plan.judges.iter().map(|judge| judge.subject().batch()).max().unwrap_or(1);
    let failed = AtomicBool::new(false);
    let next = AtomicU64::new(done);
    let mut batches: Vec<(u64, Tally)> = rayon::broadcast(|_| {
        let mut batches = Vec::new();
        // The first batch is taken in any case, so that every chunk gets on.
        while batches.is_empty() || (started.elapsed() < TIME && !failed.load(Ordering::Relaxed)) {
            let from = next.fetch_add(batch, Ordering::Relaxed);
            if from >= plan.seeds.count || over() {
                break;
            }
            let to = plan.seeds.count.min(from.saturating_add(batch));
            let tally = judge_batch(plan, from..to, over);
            if plan.stop_first && tally.has_failures() {
                failed.store(true, Ordering::Relaxed);
            }
            progress.add(tally.cases);
            batches.push((from, tally));
        }
        batches
    })
    .into_iter()
    .flatten()
    .collect();
    batches.sort_unstable_by_key(|(from, _)| *from);
    first_ones(plan, done, batches)
}

/// Adds the tallies up to the first seed that is missing.
fn first_ones(plan: &Plan, done: u64, batches: Vec<(u64, Tally)>) -> Tally {
    let mut sum = Tally::new(plan.judges.len());
    for (from, tally) in batches {
        if from != done + sum.cases || (plan.stop_first && sum.has_failures()) {
            break;
        }
        sum.add(tally);
    }
    sum
}

/// Judges a batch up to the first failure if that is to end the sweep.
fn judge_batch(plan: &Plan, positions: Range<u64>, over: &(dyn Fn() -> bool + Sync)) -> Tally {
    let mut tally = Tally::new(plan.judges.len());
    let seeds = positions.map(|position| plan.seeds.get(position));
    let cases: Vec<(u64, Generated)> =
        seeds.map(|seed| (seed, from_seed(seed, &plan.config))).collect();
    let programs: Vec<&Program> = cases.iter().map(|(_, case)| &case.case.program).collect();
    let mut turns: Vec<Turn<'_>> = plan.judges.iter().map(Judge::turn).collect();
    turns.iter_mut().for_each(|turn| turn.foresee(&programs));
    for (seed, generated) in &cases {
        judge_case(&mut turns, *seed, generated, &mut tally);
        if over() || (plan.stop_first && tally.has_failures()) {
            break;
        }
    }
    tally
}

fn judge_case(turns: &mut [Turn<'_>], seed: u64, generated: &Generated, tally: &mut Tally) {
    tally.add_case(generated);
    let mut failed = false;
    for (number, turn) in turns.iter_mut().enumerate() {
        let verdict = turn.judge_and_measure(&generated.case, &mut tally.measures[number]);
        failed |= matches!(verdict, Verdict::Findings(_));
        tally.add_verdict(number, seed, verdict);
    }
    if failed {
        tally.add_failed(generated.shape);
    }
}
