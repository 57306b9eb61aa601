//! Shrinks a failing case while it keeps failing in the same way.

use backedge_oracle::check::Case;
use std::time::Duration;

/// Limits.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Most tries.
    pub tries: Option<u64>,
    /// Longest time.
    pub time: Option<Duration>,
}

/// The result.
#[derive(Clone, Debug)]
pub struct Minimized {
    /// The smallest case found.
    pub case: Case,
    /// How many candidates were judged.
    pub tries: u64,
    /// No single step makes it smaller and keeps the failure.
    pub one_minimal: bool,
}

/// Shrinks `case`. `fails` tells whether a valid candidate fails in the same way as the original; it
/// runs on many threads of the current rayon pool. The result does not depend on how many.
pub fn minimize(
    case: &Case,
    options: &Options,
    fails: &(dyn Fn(&Case) -> bool + Sync),
) -> Minimized {
    let _ = (case, options, fails);
    unimplemented!()
}
