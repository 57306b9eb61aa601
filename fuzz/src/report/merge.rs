//! Adds reports of different cases.

use super::seeds::unite;
use super::{Broken, Finding, Kind, MINIMIZED, Report, Seeds, most_minimized};
use std::collections::BTreeMap;

/// Why two reports can't be added.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MergeError {
    /// They are not of sweeps.
    #[error("only reports of sweeps can be merged, and this is one of `{0}`")]
    Command(String),
    /// The seeds mean different cases, or were judged differently.
    #[error("the reports differ in {what}: {left} and {right}")]
    Differ {
        /// The parameter.
        what: &'static str,
        /// Its value in what was merged so far.
        left: String,
        /// Its value in the report to be added.
        right: String,
    },
    /// Some seed would be counted twice.
    #[error("both reports cover seed {0}: is it the same shard twice?")]
    Overlap(u64),
}

/// Adds `other` to `sum`. Neither order nor grouping changes the result.
///
/// # Errors
/// When the two don't belong together; `sum` is as before.
pub fn merge(sum: &mut Report, other: &Report) -> Result<(), MergeError> {
    compatible(sum, other)?;
    sum.seed = sum.seed.min(other.seed);
    sum.finished &= other.finished;
    sum.seeds = unite([&sum.seeds[..], &other.seeds].concat());
    sum.seconds += other.seconds;
    add(sum, other);
    sum.derive();
    Ok(())
}

/// Adds the cases of `other`, which are of the same sweep.
pub(crate) fn add(sum: &mut Report, other: &Report) {
    sum.cases += other.cases;
    sum.blocks += other.blocks;
    sum.instructions += other.instructions;
    add_counts(&mut sum.shapes, &other.shapes);
    add_counts(&mut sum.failed_shapes, &other.failed_shapes);
    sum.graphs.merge(&other.graphs);
    for (subject, checks) in &other.subjects {
        for (check, counts) in checks {
            sum.count(subject, check, counts);
        }
    }
    for (subject, measures) in &other.measures {
        let of_subject = sum.measures.entry(subject.clone()).or_default();
        for (of, counts) in measures {
            add_counts(of_subject.entry(of.clone()).or_default(), counts);
        }
    }
    add_findings(sum, &other.findings);
    add_kinds(&mut sum.kinds, &other.kinds);
    sum.kinds.iter_mut().for_each(|kind| keep_lowest(kind, &mut sum.findings));
    sum.findings.retain(|finding| finding.count > 0);
    add_broken(&mut sum.broken, &other.broken);
}

fn add_counts(sum: &mut BTreeMap<String, u64>, others: &BTreeMap<String, u64>) {
    for (name, count) in others {
        *sum.entry(name.clone()).or_default() += count;
    }
}

fn compatible(sum: &Report, other: &Report) -> Result<(), MergeError> {
    for report in [sum, other] {
        if report.command != "sweep" {
            return Err(MergeError::Command(report.command.clone()));
        }
    }
    let (left, right) = (&sum.parameters, &other.parameters);
    same("generator", &sum.generator, &other.generator)?;
    same("shapes", &left.shapes.join(","), &right.shapes.join(","))?;
    same("--max-blocks", &left.max_blocks, &right.max_blocks)?;
    same("checks", &left.checks.join(","), &right.checks.join(","))?;
    same("subjects", &left.subjects.join(","), &right.subjects.join(","))?;
    same("--timeout", &left.timeout_seconds, &right.timeout_seconds)?;
    match sum.seeds.iter().find_map(|a| other.seeds.iter().find_map(|b| Seeds::common(a, b))) {
        Some(seed) => Err(MergeError::Overlap(seed)),
        None => Ok(()),
    }
}

fn same<T: PartialEq + ToString>(
    what: &'static str,
    left: &T,
    right: &T,
) -> Result<(), MergeError> {
    if left == right {
        return Ok(());
    }
    Err(MergeError::Differ { what, left: left.to_string(), right: right.to_string() })
}

/// Joins findings that are one; of each, what is said of it is said of its lowest seed.
fn add_findings(sum: &mut Report, others: &[Finding]) {
    let mut by_key: BTreeMap<_, Finding> = BTreeMap::new();
    for finding in sum.findings.drain(..).chain(others.iter().cloned()) {
        let (check, kind, subject, hash) = finding.key();
        let key = (check.to_owned(), kind.to_owned(), subject.to_owned(), hash.to_owned());
        let joined = match by_key.remove(&key) {
            Some(known) => join(known, finding),
            None => finding,
        };
        by_key.insert(key, joined);
    }
    sum.findings = by_key.into_values().collect();
}

fn join(one: Finding, other: Finding) -> Finding {
    let (mut lowest, other) = if one.seed <= other.seed { (one, other) } else { (other, one) };
    lowest.seeds.extend(other.seeds);
    lowest.seeds.sort_unstable();
    lowest.count = lowest.seeds.len() as u64;
    lowest
}

fn add_kinds(sum: &mut Vec<Kind>, others: &[Kind]) {
    for other in others {
        let key = |kind: &Kind| (kind.check.clone(), kind.kind.clone(), kind.subject.clone());
        match sum.binary_search_by_key(&key(other), key) {
            Ok(at) => {
                sum[at].failed += other.failed;
                sum[at].minimized += other.minimized;
            }
            Err(at) => sum.insert(at, other.clone()),
        }
    }
}

/// Drops all but the lowest seeds of a kind, as [`most_minimized`] says.
fn keep_lowest(kind: &mut Kind, findings: &mut [Finding]) {
    let of_kind = || findings.iter().filter(|finding| finding.is_of(kind));
    let mut seeds: Vec<u64> = of_kind().flat_map(|finding| finding.seeds.iter().copied()).collect();
    seeds.sort_unstable();
    seeds.truncate(most_minimized(&kind.kind));
    for finding in findings.iter_mut().filter(|finding| finding.is_of(kind)) {
        finding.seeds.retain(|seed| seeds.last().is_some_and(|last| seed <= last));
        finding.count = finding.seeds.len() as u64;
    }
    kind.minimized = seeds.len() as u64;
}

/// Keeps the lowest [`MINIMIZED`] seeds of each check and subject.
fn add_broken(sum: &mut Vec<Broken>, others: &[Broken]) {
    sum.extend(others.iter().cloned());
    sum.sort_by(|a, b| {
        (&a.check, &a.subject, a.seed, &a.message).cmp(&(&b.check, &b.subject, b.seed, &b.message))
    });
    let mut kept = 0;
    let mut last: Option<(String, String)> = None;
    sum.retain(|broken| {
        let of = (broken.check.clone(), broken.subject.clone());
        kept = if last.as_ref() == Some(&of) { kept + 1 } else { 1 };
        last = Some(of);
        kept <= MINIMIZED
    });
}
