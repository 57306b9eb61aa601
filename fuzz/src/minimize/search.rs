//! The best program so far, and the only way to a better one.
//!
//! Candidates are made and judged ahead, in batches, on the current rayon pool. Their verdicts are then
//! read in order, as if they had been judged one by one; what was judged beyond the first success is
//! remembered, but counts as a try only when it is read.

use super::passes::{Pass, Pick};
use super::size::Size;
use super::tidy::tidy;
use super::{Limit, Minimized, Options, Progress, size_of};
use backedge_core::ir::Program;
use backedge_core::ir::validate::validate;
use backedge_oracle::check::Case;
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

/// Batches grow while nothing is kept, up to this many candidates a thread.
const BATCH_PER_THREAD: usize = 8;

/// The state of a search.
pub(super) struct Search<'a> {
    best: Best,
    options: &'a Options,
    fails: &'a (dyn Fn(&Case) -> bool + Sync),
    started: Instant,
    /// By hash of the candidate.
    known: FxHashMap<u64, Known>,
    tries: u64,
    kept: u64,
    limit: Option<Limit>,
}

/// A failing case.
struct Best {
    case: Case,
    size: Size,
}

/// What is known of a candidate.
#[derive(Copy, Clone)]
struct Known {
    fails: bool,
    /// Whether it was read, and so counted.
    counted: bool,
}

/// How a row of candidates ended.
pub(super) enum Step {
    /// One was kept: the one whose range starts here.
    Kept(usize),
    /// None was.
    Exhausted,
    /// A limit was reached.
    Stopped,
}

/// What became of a candidate.
enum Outcome {
    /// It is not smaller, or not valid: no candidate at all.
    Void,
    /// It was judged, now or before, and is there if it fails.
    Judged { hash: u64, failing: Option<Box<Best>> },
    /// An earlier one was a success, or time was up.
    Unread,
}

impl<'a> Search<'a> {
    /// Starts from a case that fails.
    pub(super) fn new(
        case: &Case,
        options: &'a Options,
        fails: &'a (dyn Fn(&Case) -> bool + Sync),
    ) -> Search<'a> {
        Search {
            best: Best { case: case.clone(), size: Size::of(&case.program) },
            options,
            fails,
            started: Instant::now(),
            known: FxHashMap::default(),
            tries: 0,
            kept: 0,
            limit: None,
        }
    }

    /// The smallest failing program so far.
    pub(super) fn best(&self) -> &Program {
        &self.best.case.program
    }

    /// How many candidates were kept.
    pub(super) fn kept(&self) -> u64 {
        self.kept
    }

    /// Keeps the first candidate that is smaller, valid, and fails. Candidate `r` of `ranges` is the best
    /// program with the sites `r` of `pass` simplified.
    pub(super) fn first(
        &mut self,
        pass: &Pass,
        ranges: &mut dyn Iterator<Item = Range<usize>>,
    ) -> Step {
        let threads = rayon::current_num_threads();
        let mut width = threads;
        loop {
            let batch: Vec<Range<usize>> = ranges.take(width).collect();
            if batch.is_empty() {
                return Step::Exhausted;
            }
            if self.is_over() {
                return Step::Stopped;
            }
            let outcomes = self.judge_ahead(pass, &batch);
            let step = self.read(&batch, outcomes);
            self.report(pass);
            if !matches!(step, Step::Exhausted) {
                return step;
            }
            width = (width * 2).min(threads * BATCH_PER_THREAD);
        }
    }

    /// Judges a batch. Whatever follows a success may stay unread.
    fn judge_ahead(&self, pass: &Pass, batch: &[Range<usize>]) -> Vec<Outcome> {
        let success = AtomicUsize::new(usize::MAX);
        let judge = |(index, range): (usize, &Range<usize>)| {
            if success.load(Ordering::Relaxed) < index || self.limit_of_time().is_some() {
                return Outcome::Unread;
            }
            let outcome = self.candidate(pass, range.clone());
            if let Outcome::Judged { failing: Some(_), .. } = outcome {
                success.fetch_min(index, Ordering::Relaxed);
            }
            outcome
        };
        batch.par_iter().enumerate().with_max_len(1).map(judge).collect()
    }

    /// Makes one candidate, and judges it unless its verdict is known.
    fn candidate(&self, pass: &Pass, range: Range<usize>) -> Outcome {
        let mut program = self.best.case.program.clone();
        (pass.edit)(&mut program, &mut Pick::of(range));
        tidy(&mut program);
        let size = Size::of(&program);
        if size >= self.best.size {
            return Outcome::Void;
        }
        let hash = size.hash();
        let case = Case { program };
        let fails = match self.known.get(&hash) {
            Some(known) => known.fails,
            None if !validate(&case.program).is_empty() => return Outcome::Void,
            None => (self.fails)(&case),
        };
        Outcome::Judged { hash, failing: fails.then(|| Box::new(Best { case, size })) }
    }

    /// Reads the verdicts in order, up to the first success.
    fn read(&mut self, batch: &[Range<usize>], outcomes: Vec<Outcome>) -> Step {
        let mut step = Step::Exhausted;
        for (range, outcome) in batch.iter().zip(outcomes) {
            let Outcome::Judged { hash, failing } = outcome else {
                if matches!(outcome, Outcome::Unread) && matches!(step, Step::Exhausted) {
                    self.limit = self.limit_of_time();
                    return Step::Stopped;
                }
                continue;
            };
            let fails = failing.is_some();
            let known = self.known.entry(hash).or_insert(Known { fails, counted: false });
            if !matches!(step, Step::Exhausted) {
                continue;
            }
            if !known.counted {
                if self.options.tries.is_some_and(|most| self.tries >= most) {
                    self.limit = Some(Limit::Tries);
                    return Step::Stopped;
                }
                known.counted = true;
                self.tries += 1;
            }
            if let Some(failing) = failing {
                self.kept += 1;
                self.best = *failing;
                step = Step::Kept(range.start);
            }
        }
        step
    }

    fn limit_of_time(&self) -> Option<Limit> {
        let cancel = self.options.cancel.as_ref();
        if cancel.is_some_and(|cancel| cancel.load(Ordering::Relaxed)) {
            return Some(Limit::Cancelled);
        }
        let over = self.options.time.is_some_and(|most| self.started.elapsed() >= most);
        over.then_some(Limit::Time)
    }

    fn is_over(&mut self) -> bool {
        self.limit = self.limit.or_else(|| self.limit_of_time());
        self.limit.is_some()
    }

    fn report(&self, pass: &Pass) {
        if let Some(progress) = &self.options.progress {
            let (blocks, instructions) = size_of(&self.best.case);
            progress(&Progress { tries: self.tries, blocks, instructions, pass: pass.name });
        }
    }

    /// Takes `program` for the best one if it is valid and fails, though it is no smaller: it
    /// must differ in names alone.
    pub(super) fn rename(&mut self, program: Program) {
        let case = Case { program };
        if case != self.best.case && validate(&case.program).is_empty() && (self.fails)(&case) {
            self.best.case = case;
        }
    }

    /// The result.
    pub(super) fn finish(self) -> Minimized {
        Minimized {
            one_minimal: self.limit.is_none(),
            case: self.best.case,
            tries: self.tries,
            kept: self.kept,
            limit: self.limit,
        }
    }
}
