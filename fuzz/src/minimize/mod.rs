//! Shrinks a failing case while it keeps failing in the same way.
//!
//! It works on the program. A [pass](passes) lists sites where a program could be simpler, and can
//! simplify any range of them at once. The driver tries all sites of a pass together, then halves,
//! quarters, and so on down to single ones, and keeps every candidate that still fails. Passes
//! run from coarse to fine (functions, blocks, edges, instructions, operands, constants), and over
//! again until a whole round changes nothing. Then no single step of any pass keeps the failure: the
//! result is *1-minimal*.
//!
//! **Termination.** Programs are ordered by [`size::Size`], a well-founded order. A candidate that is
//! not strictly smaller than the best program so far is never looked at, so every step goes down.
//!
//! **Validity.** An edit leaves a valid program by design, and [`tidy`] removes what it orphaned.
//! What the validator rejects all the same (an edit of an `ssa` function may break dominance) is no
//! candidate: it is neither judged nor counted.
//!
//! **Threads.** Candidates are judged ahead on the current rayon pool, and the first success in the
//! order of the candidates is taken. A try is a distinct candidate up to and including the one that
//! was taken: neither the result nor the number of tries depends on the number of threads.

mod bisect;
mod graph;
mod passes;
mod rename;
mod search;
mod shape;
mod size;
mod tidy;
mod visit;

#[cfg(test)]
mod tests;

pub use shape::shape_hash;

use backedge_oracle::check::Case;
use passes::Pass;
use search::Search;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Limits, and who is told.
#[derive(Clone, Default)]
pub struct Options {
    /// Most tries.
    pub tries: Option<u64>,
    /// Longest time.
    pub time: Option<Duration>,
    /// Set from outside, it ends the search with the best result so far.
    pub cancel: Option<Arc<AtomicBool>>,
    /// Called after every batch of tries.
    pub progress: Option<Arc<ProgressFn>>,
}

/// Is told how far a search has come.
pub type ProgressFn = dyn Fn(&Progress) + Send + Sync;

impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Options")
            .field("tries", &self.tries)
            .field("time", &self.time)
            .field("cancel", &self.cancel)
            .field("progress", &self.progress.is_some())
            .finish()
    }
}

/// How far a search has come.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Tries so far.
    pub tries: u64,
    /// Blocks of the best program so far.
    pub blocks: usize,
    /// Its instructions, terminators left out.
    pub instructions: usize,
    /// The pass that runs.
    pub pass: &'static str,
}

/// Why a search ended early.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Limit {
    /// [`Options::tries`] are used up.
    Tries,
    /// [`Options::time`] is over.
    Time,
    /// [`Options::cancel`] was set.
    Cancelled,
}

/// The result.
#[derive(Clone, Debug)]
pub struct Minimized {
    /// The smallest case found.
    pub case: Case,
    /// How many distinct candidates were judged.
    pub tries: u64,
    /// How many of them were kept.
    pub kept: u64,
    /// No single step makes it smaller and keeps the failure.
    pub one_minimal: bool,
    /// The limit that ended the search, if one did.
    pub limit: Option<Limit>,
}

/// Shrinks `case`. `fails` tells whether a valid candidate fails in the same way as the original; it
/// runs on many threads of the current rayon pool. The result does not depend on how many, unless the
/// time is over or the search is cancelled; the best case so far survives those as well.
pub fn minimize(
    case: &Case,
    options: &Options,
    fails: &(dyn Fn(&Case) -> bool + Sync),
) -> Minimized {
    let mut search = Search::new(case, options, fails);
    let run = |search: &mut Search<'_>, passes: &[Pass]| {
        passes.iter().fold(false, |smaller, pass| bisect::run(search, pass) | smaller)
    };
    while run(&mut search, passes::ROUND) || run(&mut search, passes::ESCAPES) {}
    rename::run(&mut search);
    search.finish()
}

/// How many blocks and instructions (terminators left out) a case has.
pub fn size_of(case: &Case) -> (usize, usize) {
    let functions = &case.program.functions;
    let blocks = functions.iter().map(|function| function.blocks.len()).sum();
    (blocks, functions.iter().map(|function| function.inst_count()).sum())
}
