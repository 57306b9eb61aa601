//! What a worker counts. Adding tallies is all that joins workers.

use crate::generate::{Generated, Shape};
use crate::report::{Counts, Graphs, MINIMIZED};
use backedge_oracle::check::{Finding, Verdict};
use backedge_oracle::measures::Measures;
use smallvec::SmallVec;
use std::collections::BTreeMap;

/// Counts of consecutive seeds. A judge goes by its number in the plan.
#[derive(Clone, Debug)]
pub(super) struct Tally {
    /// How many cases.
    pub(super) cases: u64,
    /// Blocks in them.
    pub(super) blocks: u64,
    /// Instructions in them, terminators left out.
    pub(super) instructions: u64,
    /// Cases by the position of their shape in [`Shape::ALL`].
    pub(super) shapes: [u64; Shape::ALL.len()],
    /// Likewise, those on which a subject failed.
    pub(super) failed_shapes: [u64; Shape::ALL.len()],
    /// Functions by the kind of their graph.
    pub(super) graphs: Graphs,
    /// Verdicts by judge.
    pub(super) verdicts: Vec<Counts>,
    /// What was measured, by judge.
    pub(super) measures: Vec<Measures>,
    /// Failures by judge and kind.
    pub(super) failures: BTreeMap<(usize, &'static str), Failures>,
    /// By judge, the lowest seeds on which the harness contradicted itself.
    pub(super) broken: BTreeMap<usize, Vec<(u64, String)>>,
}

/// Failures of one kind.
#[derive(Clone, Debug, Default)]
pub(super) struct Failures {
    /// How many.
    pub(super) count: u64,
    /// Those with the lowest seeds, ascending, at most [`MINIMIZED`].
    pub(super) lowest: Vec<(u64, Finding)>,
}

impl Tally {
    /// Nothing yet.
    pub(super) fn new(judges: usize) -> Tally {
        Tally {
            cases: 0,
            blocks: 0,
            instructions: 0,
            shapes: [0; Shape::ALL.len()],
            failed_shapes: [0; Shape::ALL.len()],
            graphs: Graphs::default(),
            verdicts: vec![Counts::default(); judges],
            measures: vec![Measures::default(); judges],
            failures: BTreeMap::new(),
            broken: BTreeMap::new(),
        }
    }

    /// Whether a subject is wrong somewhere.
    pub(super) fn has_failures(&self) -> bool {
        !self.failures.is_empty()
    }

    /// Counts a case.
    pub(super) fn add_case(&mut self, generated: &Generated) {
        self.cases += 1;
        self.shapes[generated.shape as usize] += 1;
        for function in &generated.case.program.functions {
            self.blocks += function.blocks.len() as u64;
            self.instructions += function.inst_count() as u64;
            self.graphs.add(function);
        }
    }

    /// Counts a case of this shape on which a subject failed.
    pub(super) fn add_failed(&mut self, shape: Shape) {
        self.failed_shapes[shape as usize] += 1;
    }

    /// Counts what a judge says of the case of `seed`, which is higher than those before.
    pub(super) fn add_verdict(&mut self, judge: usize, seed: u64, verdict: Verdict) {
        self.verdicts[judge].add_verdict(&verdict);
        match verdict {
            Verdict::Pass | Verdict::Skip(_) => {}
            Verdict::Findings(findings) => {
                // Two functions can be wrong in one way; the case counts once.
                let mut kinds: SmallVec<[&str; 8]> = SmallVec::new();
                for finding in findings {
                    if !kinds.contains(&finding.kind) {
                        kinds.push(finding.kind);
                        let failures = self.failures.entry((judge, finding.kind)).or_default();
                        failures.count += 1;
                        failures.keep([(seed, finding)]);
                    }
                }
            }
            Verdict::Broken(message) => {
                let broken = self.broken.entry(judge).or_default();
                if broken.len() < MINIMIZED {
                    broken.push((seed, message));
                }
            }
        }
    }

    /// Adds a tally of higher seeds.
    pub(super) fn add(&mut self, other: Tally) {
        self.cases += other.cases;
        self.blocks += other.blocks;
        self.instructions += other.instructions;
        self.graphs.merge(&other.graphs);
        let shapes = self.shapes.iter_mut().chain(&mut self.failed_shapes);
        for (sum, count) in shapes.zip(other.shapes.into_iter().chain(other.failed_shapes)) {
            *sum += count;
        }
        for (sum, counts) in self.verdicts.iter_mut().zip(&other.verdicts) {
            sum.add(counts);
        }
        for (sum, measures) in self.measures.iter_mut().zip(&other.measures) {
            sum.merge(measures);
        }
        for (key, failures) in other.failures {
            let sum = self.failures.entry(key).or_default();
            sum.count += failures.count;
            sum.keep(failures.lowest);
        }
        for (judge, broken) in other.broken {
            let sum = self.broken.entry(judge).or_default();
            sum.extend(broken);
            sum.truncate(MINIMIZED);
        }
    }
}

impl Failures {
    fn keep(&mut self, others: impl IntoIterator<Item = (u64, Finding)>) {
        let room = MINIMIZED - self.lowest.len();
        self.lowest.extend(others.into_iter().take(room));
    }
}
