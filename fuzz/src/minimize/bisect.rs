//! Runs one pass: all of its sites at once, then halves, quarters, .. down to single sites.
//!
//! Where `k` of `n` sites are needed this takes about `2 k log(n / k)` tries.

use super::passes::{Granularity, Pass};
use super::search::{Search, Step};

/// Runs `pass` once over the best program so far. Says whether it became smaller.
pub(super) fn run(search: &mut Search<'_>, pass: &Pass) -> bool {
    let kept = search.kept();
    let mut chunk = match pass.granularity {
        Granularity::Ranges => pass.sites(search.best()).max(1),
        Granularity::Single => 1,
    };
    while scan(search, pass, chunk) && chunk > 1 {
        chunk = chunk.div_ceil(2).min(pass.sites(search.best()).max(1));
    }
    search.kept() > kept
}

/// Tries every range of `chunk` sites in turn. A kept candidate has no longer the sites that it
/// simplified, so the scan goes on in the same place. Says whether the search may go on.
fn scan(search: &mut Search<'_>, pass: &Pass, chunk: usize) -> bool {
    let mut from = 0;
    loop {
        let sites = pass.sites(search.best());
        let starts = (from..sites).step_by(chunk);
        let mut ranges = starts.map(|start| start..sites.min(start + chunk));
        match search.first(pass, &mut ranges) {
            Step::Kept(start) => from = start,
            Step::Exhausted => return true,
            Step::Stopped => return false,
        }
    }
}
