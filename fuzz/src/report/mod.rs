//! What was found: `report.json`, the table, JUnit, the page of a finding; and merging.
//!
//! A [`Report`] is a sum over cases. [`merge`] adds two that cover different cases, and does not
//! care in which order: so what many threads, many shards or a resumed sweep find is what one thread
//! finds that does everything.
//!
//! Counts add up as they are. Findings need a rule, since not every failing case can be minimized
//! when a subject is wrong on all of them: of each [`Kind`] the [`MINIMIZED`] lowest failing seeds
//! are minimized, the rest is counted. The lowest of a union are among the lowest of its parts, so
//! every part has minimized what the whole needs, and merging drops the surplus.

pub mod folder;
pub mod junit;
pub mod merge;
mod page;
mod seeds;
pub mod table;

pub use merge::{MergeError, merge};
pub use seeds::Seeds;

use backedge_core::ir::{Function, Program};
use backedge_oracle::check::{self, Verdict};
use backedge_oracle::measures::Measures;
use backedge_oracle::reference::graph::GraphKind;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The version of the format. Fields may join without a new one.
pub const VERSION: u32 = 1;

/// Most failing seeds of any [`Kind`] that are minimized, and most broken ones that are kept.
pub const MINIMIZED: usize = 20;

/// How many failing seeds of this kind of wrong answer are minimized. Where every try takes as long
/// as the time-out, one must do.
pub fn most_minimized(kind: &str) -> usize {
    if kind == "timeout" { 1 } else { MINIMIZED }
}

/// What a sweep or a check found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// [`VERSION`].
    pub version: u32,
    /// The program and version that made the cases: a seed means something to it alone.
    pub generator: String,
    /// `sweep` or `check`.
    pub command: String,
    /// What decides a case and its verdicts besides the seed.
    pub parameters: Parameters,
    /// The first seed that was asked for.
    pub seed: u64,
    /// The seeds that were judged.
    pub seeds: Vec<Seeds>,
    /// All that was asked for was done.
    pub finished: bool,
    /// How many cases were judged: programs of a sweep, functions of a check.
    pub cases: u64,
    /// How long it took; of merged reports the sum.
    pub seconds: f64,
    /// `cases` by `seconds`.
    pub cases_per_second: f64,
    /// Blocks in all cases.
    pub blocks: u64,
    /// Blocks a case.
    pub mean_blocks: f64,
    /// Instructions in all cases, terminators left out.
    pub instructions: u64,
    /// Instructions a case.
    pub mean_instructions: f64,
    /// Cases by shape.
    pub shapes: BTreeMap<String, u64>,
    /// Cases by shape on which any subject failed any check.
    #[serde(default)]
    pub failed_shapes: BTreeMap<String, u64>,
    /// Functions by the kind of their graph.
    pub graphs: Graphs,
    /// Verdicts by check, over all subjects.
    pub checks: BTreeMap<String, Counts>,
    /// Verdicts by subject and check.
    pub subjects: BTreeMap<String, BTreeMap<String, Counts>>,
    /// Sums by subject, by what they are of (an allocator; empty for the case as a whole), by what is
    /// counted.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub measures: BTreeMap<String, Sums>,
    /// Failing cases by check, kind and subject.
    pub kinds: Vec<Kind>,
    /// Minimized failures, one a minimized shape.
    pub findings: Vec<Finding>,
    /// The lowest seeds on which the harness contradicted itself.
    pub broken: Vec<Broken>,
}

/// Sums, by what they are of and what they count.
pub type Sums = BTreeMap<String, BTreeMap<String, u64>>;

/// What decides a case and its verdicts besides the seed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Parameters {
    /// Names of the shapes that were drawn from.
    pub shapes: Vec<String>,
    /// Most blocks of a function.
    pub max_blocks: usize,
    /// Names of the checks.
    pub checks: Vec<String>,
    /// Names of the subjects.
    pub subjects: Vec<String>,
    /// How long a subject may take for an answer.
    pub timeout_seconds: f64,
}

/// Functions by the kind of their graph.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Graphs {
    /// What the entry reaches is reducible.
    pub reducible: u64,
    /// It is not.
    pub irreducible: u64,
    /// Either, and control can get to where no path leaves the function.
    pub never_returning: u64,
    /// Too large to tell.
    #[serde(default)]
    pub unclassified: u64,
}

/// Verdicts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// All that was judged was right.
    pub passed: u64,
    /// Something was wrong.
    pub failed: u64,
    /// Nothing was judged, by reason.
    pub skipped: BTreeMap<String, u64>,
    /// The references disagreed.
    #[serde(default)]
    pub broken: u64,
}

/// The largest graph whose kind is told: the reference takes time that grows with the square.
const CLASSIFIED_BLOCKS: usize = 4000;

impl Graphs {
    /// Counts a function.
    pub fn add(&mut self, function: &Function) {
        if function.blocks.len() > CLASSIFIED_BLOCKS {
            self.unclassified += 1;
            return;
        }
        let kind = GraphKind::of(function);
        self.reducible += u64::from(kind.reducible);
        self.irreducible += u64::from(!kind.reducible);
        self.never_returning += u64::from(kind.never_returns);
    }

    /// Counts other functions.
    pub fn merge(&mut self, other: &Graphs) {
        self.reducible += other.reducible;
        self.irreducible += other.irreducible;
        self.never_returning += other.never_returning;
        self.unclassified += other.unclassified;
    }
}

impl Counts {
    /// Counts a verdict.
    pub fn add_verdict(&mut self, verdict: &Verdict) {
        match verdict {
            Verdict::Pass => self.passed += 1,
            Verdict::Findings(_) => self.failed += 1,
            Verdict::Broken(_) => self.broken += 1,
            Verdict::Skip(why) => self.skip(why, 1),
        }
    }

    fn skip(&mut self, why: &str, count: u64) {
        // Nearly always the reason is known: that must not allocate.
        match self.skipped.get_mut(why) {
            Some(sum) => *sum += count,
            None => drop(self.skipped.insert(why.to_owned(), count)),
        }
    }

    /// How many were skipped, for whatever reason.
    pub fn skipped(&self) -> u64 {
        self.skipped.values().sum()
    }

    /// Adds other verdicts.
    pub fn add(&mut self, other: &Counts) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.broken += other.broken;
        for (why, count) in &other.skipped {
            self.skip(why, *count);
        }
    }
}

/// Failing cases that one subject gives one check in one way.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kind {
    /// Name of the check.
    pub check: String,
    /// Kind of the wrong answer.
    pub kind: String,
    /// Name of the subject.
    pub subject: String,
    /// How many cases drew it.
    pub failed: u64,
    /// How many of them were minimized, those with the lowest seeds; the findings count them.
    pub minimized: u64,
}

/// Failing cases that are one once minimized.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// Name of the check.
    pub check: String,
    /// Kind of the wrong answer.
    pub kind: String,
    /// Name of the subject.
    pub subject: String,
    /// The lowest seed that led here. What follows is of this one.
    pub seed: u64,
    /// How many minimized cases are this one.
    pub count: u64,
    /// Their seeds, ascending.
    pub seeds: Vec<u64>,
    /// What the minimized shape hashes to, with check, kind and subject: 16 hexadecimal digits.
    pub hash: String,
    /// The shape that the case was generated in; empty for a given program.
    pub shape: String,
    /// Blocks after minimizing.
    pub blocks: usize,
    /// Instructions after minimizing, terminators left out.
    pub instructions: usize,
    /// Blocks before.
    pub original_blocks: usize,
    /// Instructions before.
    pub original_instructions: usize,
    /// How many candidates the minimizer judged.
    pub tries: u64,
    /// No single step makes the case smaller and keeps the failure.
    pub one_minimal: bool,
    /// The subject failed once and then never again, so that nothing could be minimized.
    pub flaky: bool,
    /// The folder with all about it; for a given program, its file.
    pub path: String,
    /// The function.
    pub function: String,
    /// The point in the function, in words.
    pub at: String,
    /// The same, for the drawing.
    #[serde(skip)]
    pub point: Point,
    /// What was expected, in words.
    pub expected: String,
    /// What was answered, in words.
    pub answered: String,
    /// All of it in one line.
    pub message: String,
    /// The command that makes the case from its seed and judges it.
    pub replay: String,
}

/// A point that a report holds only in memory: `None` in one that was read from a file. It says
/// nothing that [`Finding::at`] does not, so every two are equal.
#[derive(Clone, Debug, Default)]
pub struct Point(pub Option<check::At>);

impl PartialEq for Point {
    fn eq(&self, _: &Point) -> bool {
        true
    }
}

impl Finding {
    /// What a check says of a subject, as a report has it; about the case nothing is filled in.
    pub fn of(finding: &check::Finding, subject: &str) -> Finding {
        Finding {
            check: finding.check.to_owned(),
            kind: finding.kind.to_owned(),
            subject: subject.to_owned(),
            seed: 0,
            count: 1,
            seeds: Vec::new(),
            hash: String::new(),
            shape: String::new(),
            blocks: 0,
            instructions: 0,
            original_blocks: 0,
            original_instructions: 0,
            tries: 0,
            one_minimal: false,
            flaky: false,
            path: String::new(),
            function: finding.function.clone(),
            at: finding.at.to_string(),
            point: Point(Some(finding.at.clone())),
            expected: finding.expected.clone(),
            answered: finding.answered.clone(),
            message: finding.to_string(),
            replay: String::new(),
        }
    }

    /// Fills in the sizes of the minimized and the original program.
    pub fn sizes(&mut self, minimized: &Program, original: &Program) {
        (self.blocks, self.instructions) = size(minimized);
        (self.original_blocks, self.original_instructions) = size(original);
    }

    /// What decides the order of findings, and which are one.
    pub fn key(&self) -> (&str, &str, &str, &str) {
        (&self.check, &self.kind, &self.subject, &self.hash)
    }

    /// Whether this is of a kind.
    pub fn is_of(&self, kind: &Kind) -> bool {
        (&self.check, &self.kind, &self.subject) == (&kind.check, &kind.kind, &kind.subject)
    }
}

/// Blocks and instructions, terminators left out.
fn size(program: &Program) -> (usize, usize) {
    let functions = program.functions.iter();
    functions.fold((0, 0), |(blocks, instructions), function| {
        (blocks + function.blocks.len(), instructions + function.inst_count())
    })
}

/// The harness contradicted itself: nothing can be said of the subject.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Broken {
    /// Name of the check.
    pub check: String,
    /// Name of the subject.
    pub subject: String,
    /// The seed; 0 for a given program.
    pub seed: u64,
    /// What happened.
    pub message: String,
}

impl Report {
    /// A report of nothing so far.
    pub fn new(command: &str, parameters: Parameters, seed: u64) -> Report {
        Report {
            version: VERSION,
            generator: generator(),
            command: command.to_owned(),
            parameters,
            seed,
            seeds: Vec::new(),
            finished: false,
            cases: 0,
            seconds: 0.0,
            cases_per_second: 0.0,
            blocks: 0,
            mean_blocks: 0.0,
            instructions: 0,
            mean_instructions: 0.0,
            shapes: BTreeMap::new(),
            failed_shapes: BTreeMap::new(),
            graphs: Graphs::default(),
            checks: BTreeMap::new(),
            subjects: BTreeMap::new(),
            measures: BTreeMap::new(),
            kinds: Vec::new(),
            findings: Vec::new(),
            broken: Vec::new(),
        }
    }

    /// Counts verdicts of a check on a subject.
    pub fn count(&mut self, subject: &str, check: &str, counts: &Counts) {
        let of_subject = self.subjects.entry(subject.to_owned()).or_default();
        of_subject.entry(check.to_owned()).or_default().add(counts);
        self.checks.entry(check.to_owned()).or_default().add(counts);
    }

    /// Adds what a check measured of a subject.
    pub fn measure(&mut self, subject: &str, measures: &Measures) {
        for (of, count, sum) in measures.iter() {
            let of_subject = self.measures.entry(subject.to_owned()).or_default();
            let sums = of_subject.entry(of.to_owned()).or_default();
            *sums.entry(count.name().to_owned()).or_default() += sum;
        }
    }

    /// Works out rates and means from the sums.
    pub fn derive(&mut self) {
        let by = |sum: f64, count: f64| if count > 0.0 { sum / count } else { 0.0 };
        self.cases_per_second = by(self.cases as f64, self.seconds);
        self.mean_blocks = by(self.blocks as f64, self.cases as f64);
        self.mean_instructions = by(self.instructions as f64, self.cases as f64);
    }

    /// Whether a subject is wrong somewhere.
    pub fn has_findings(&self) -> bool {
        self.checks.values().any(|counts| counts.failed > 0)
    }

    /// Whether the harness contradicted itself.
    pub fn is_broken(&self) -> bool {
        self.checks.values().any(|counts| counts.broken > 0)
    }

    /// The text of `report.json`.
    pub fn to_json(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).expect("all its keys are strings");
        text.push('\n');
        text
    }

    /// Reads `report.json`.
    ///
    /// # Errors
    /// When it is none, or of another version; says so in words.
    pub fn from_json(text: &str) -> Result<Report, String> {
        #[derive(Deserialize)]
        struct Head {
            version: u32,
        }
        let head: Head =
            serde_json::from_str(text).map_err(|error| format!("is no report: {error}"))?;
        if head.version != VERSION {
            return Err(format!("is a report of version {}, not {VERSION}", head.version));
        }
        serde_json::from_str(text).map_err(|error| format!("is a damaged report: {error}"))
    }
}

/// The program and version that makes cases.
pub fn generator() -> String {
    concat!("backedge ", env!("CARGO_PKG_VERSION")).to_owned()
}

#[cfg(test)]
mod tests;
