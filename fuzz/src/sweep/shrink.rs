//! Minimizes what failed in a chunk, and writes it down.

use super::state::cannot_write;
use super::tally::{Failures, Tally};
use super::{Folder, FolderError, Plan};
use crate::generate::{Shape, from_seed};
use crate::judge::Judge;
use crate::minimize::{Minimized, Options, minimize, shape_hash};
use crate::report::{self, Broken, Kind, Report, folder, most_minimized};
use backedge_oracle::check::{Case, Finding, Verdict};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Most candidates for one failing case. No generated case needs nearly as many.
const TRIES: u64 = 20_000;

/// Most candidates where each takes as long as the time-out.
const SLOW_TRIES: u64 = 16;

/// The report of a chunk. Of each kind as many failures are minimized as `so_far` leaves room for.
///
/// # Errors
/// When a finding can't be written.
pub(super) fn minimized(
    plan: &Plan,
    so_far: &Report,
    tally: Tally,
    folder: &Folder,
    stop: &Arc<AtomicBool>,
) -> Result<Report, FolderError> {
    let mut piece = counts(plan, so_far, &tally);
    let failing: Vec<Failing<'_>> = tally
        .failures
        .iter()
        .flat_map(|(&(judge, kind), failures)| {
            let judge = &plan.judges[judge];
            piece.kinds.push(kind_of(judge, kind, failures));
            failing(judge, kind, failures, so_far)
        })
        .collect();
    let shrunk: Vec<Shrunk> =
        failing.par_iter().map(|failing| failing.shrink(plan, stop)).collect();
    for Shrunk { mut finding, original, minimized } in shrunk {
        let path = folder.findings().join(folder::name(&finding));
        finding.path = path.display().to_string();
        let is_known = |known: &report::Finding| known.key() == finding.key();
        if !so_far.findings.iter().chain(&piece.findings).any(is_known) {
            folder::write(&path, &finding, &original, &minimized).map_err(cannot_write(&path))?;
        }
        piece.findings.push(finding);
    }
    Ok(piece)
}

/// All of the report but kinds and findings.
fn counts(plan: &Plan, so_far: &Report, tally: &Tally) -> Report {
    let mut piece = Report::new(&so_far.command, so_far.parameters.clone(), so_far.seed);
    piece.cases = tally.cases;
    piece.blocks = tally.blocks;
    piece.instructions = tally.instructions;
    piece.graphs = tally.graphs;
    piece.shapes = by_name(&tally.shapes);
    piece.failed_shapes = by_name(&tally.failed_shapes);
    for (judge, counts) in plan.judges.iter().zip(&tally.verdicts) {
        piece.count(judge.subject().name(), judge.check().name(), counts);
    }
    for (judge, measures) in plan.judges.iter().zip(&tally.measures) {
        piece.measure(judge.subject().name(), measures);
    }
    for (&judge, broken) in &tally.broken {
        let judge = &plan.judges[judge];
        piece.broken.extend(broken.iter().map(|(seed, message)| Broken {
            check: judge.check().name().to_owned(),
            subject: judge.subject().name().to_owned(),
            seed: *seed,
            message: message.clone(),
        }));
    }
    piece
}

fn by_name(counts: &[u64; Shape::ALL.len()]) -> BTreeMap<String, u64> {
    let counted = Shape::ALL.into_iter().zip(counts).filter(|(_, count)| **count > 0);
    counted.map(|(shape, count)| (shape.name().to_owned(), *count)).collect()
}

fn kind_of(judge: &Judge, kind: &str, failures: &Failures) -> Kind {
    Kind {
        check: judge.check().name().to_owned(),
        kind: kind.to_owned(),
        subject: judge.subject().name().to_owned(),
        failed: failures.count,
        minimized: 0,
    }
}

/// The failures of a kind that there is room for.
fn failing<'t>(
    judge: &'t Judge,
    kind: &'static str,
    failures: &'t Failures,
    so_far: &Report,
) -> impl Iterator<Item = Failing<'t>> + use<'t> {
    let (check, subject) = (judge.check().name(), judge.subject().name());
    let known = so_far
        .kinds
        .iter()
        .find(|known| (&*known.check, &*known.kind, &*known.subject) == (check, kind, subject));
    let room = most_minimized(kind) - known.map_or(0, |known| known.minimized as usize);
    let lowest = failures.lowest.iter().take(room);
    lowest.map(move |(seed, finding)| Failing { judge, seed: *seed, finding })
}

/// A failing case to be minimized.
struct Failing<'t> {
    judge: &'t Judge,
    seed: u64,
    finding: &'t Finding,
}

/// What came of it.
struct Shrunk {
    finding: report::Finding,
    original: Case,
    minimized: Case,
}

impl Failing<'_> {
    fn shrink(&self, plan: &Plan, stop: &Arc<AtomicBool>) -> Shrunk {
        let generated = from_seed(self.seed, &plan.config);
        let original = generated.case;
        let minimized = self.minimized(&original, stop);
        let (case, last) = match &minimized {
            Some(minimized) => (&minimized.case, self.finding_on(&minimized.case)),
            None => (&original, None),
        };
        let last = last.as_ref().unwrap_or(self.finding);
        let mut finding = report::Finding::of(last, self.judge.subject().name());
        finding.sizes(&case.program, &original.program);
        finding.seed = self.seed;
        finding.seeds = vec![self.seed];
        finding.shape = generated.shape.name().to_owned();
        finding.tries = minimized.as_ref().map_or(0, |minimized| minimized.tries);
        finding.one_minimal = minimized.as_ref().is_some_and(|minimized| minimized.one_minimal);
        finding.flaky = minimized.is_none() && !stop.load(Ordering::Relaxed);
        finding.hash = folder::hash(&finding, &shape_hash(case));
        finding.replay = folder::replay(&finding, plan.config.max_blocks);
        let minimized = case.clone();
        Shrunk { finding, original, minimized }
    }

    /// The smallest case that still fails in this way; none if not even the original does again.
    fn minimized(&self, original: &Case, stop: &Arc<AtomicBool>) -> Option<Minimized> {
        let kind = self.finding.kind;
        if stop.load(Ordering::Relaxed) || !self.judge.fails_like(original, kind) {
            return None;
        }
        let tries = if kind == "timeout" { SLOW_TRIES } else { TRIES };
        let cancel = Some(stop.clone());
        let options = Options { tries: Some(tries), cancel, ..Options::default() };
        Some(minimize(original, &options, &|case| self.judge.fails_like(case, kind)))
    }

    /// What the judge says of the minimized case. One that takes the time-out is not asked again.
    fn finding_on(&self, case: &Case) -> Option<Finding> {
        if self.finding.kind == "timeout" {
            return None;
        }
        match self.judge.judge(case) {
            Verdict::Findings(findings) => {
                findings.into_iter().find(|finding| finding.kind == self.finding.kind)
            }
            Verdict::Pass | Verdict::Skip(_) | Verdict::Broken(_) => None,
        }
    }
}
