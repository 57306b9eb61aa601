//! `backedge check`: judges given programs.
//!
//! Each function is judged by itself, in parallel, with declarations of what it calls, but for checks
//! that run programs; what is said of it is printed in the order of the text. A file that can't be read, or only in part, does not
//! keep the rest from being judged.

use super::alone::alone;
use super::args::Common;
use super::asked::{Asked, listed};
use super::output::{Reports, note};
use super::{Failure, Outcome, print};
use crate::diagnostics;
use crate::input::{self, Format, Loaded};
use crate::judge::Judge;
use crate::report::{Broken, Counts, Finding, Kind, Parameters, Report, table};
use backedge_core::diagnostic::Diagnostic;
use backedge_core::ir::Program;
use backedge_oracle::check::{self, Case, Verdict};
use backedge_oracle::expect;
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

/// Arguments of `backedge check`.
#[derive(Clone, Debug, clap::Args)]
pub(super) struct Args {
    /// Programs; `-` is stdin.
    #[arg(value_name = "FILE", required = true)]
    files: Vec<String>,
    /// The format of all files [default: what their names say].
    #[arg(long, value_name = "NAME")]
    format: Option<Format>,
    #[command(flatten)]
    common: Common,
    #[command(flatten)]
    reports: Reports,
}

/// Runs it.
pub(super) fn run(args: &Args) -> Result<Outcome, Failure> {
    args.common.checks()?;
    args.common.subjects()?;
    args.reports.probe()?;
    let pool = args.common.pool()?;
    let started = Instant::now();
    let mut checking = Checking::new(args);
    for file in &args.files {
        match input::load(file, args.format) {
            Ok(loaded) => pool.install(|| checking.check(&loaded))?,
            Err(error) => {
                note(&error.render(args.common.color.on_stderr()));
                checking.bad_input = true;
            }
        }
    }
    checking.report.seconds = started.elapsed().as_secs_f64();
    checking.report.finished = !checking.bad_input;
    checking.report.derive();
    args.reports.write(&checking.report)?;
    // Of files with nothing to judge the diagnostics say all there is.
    let nothing_judged = checking.bad_input && checking.report.checks.is_empty();
    if !args.common.quiet && !nothing_judged {
        print(&checking.summary())?;
    }
    let input = if checking.bad_input { Outcome::BadInput } else { Outcome::Clean };
    Ok(input.max(Outcome::of(&checking.report)))
}

/// What the expectations of files are called where checks have names.
const EXPECTATIONS: &str = "expect";

/// What was checked so far.
struct Checking<'a> {
    args: &'a Args,
    /// By check and subject; a subject is started once for all files.
    judges: BTreeMap<(String, String), Arc<Judge>>,
    report: Report,
    /// Functions that no check found wrong, and some check judged.
    passed: u64,
    /// Functions that some check found wrong.
    failed: u64,
    bad_input: bool,
}

impl<'a> Checking<'a> {
    fn new(args: &'a Args) -> Checking<'a> {
        let parameters = Parameters {
            checks: args.common.checks.clone(),
            subjects: args.common.subjects.clone(),
            timeout_seconds: args.common.timeout.as_secs_f64(),
            ..Parameters::default()
        };
        let report = Report::new("check", parameters, 0);
        Checking { args, judges: BTreeMap::new(), report, passed: 0, failed: 0, bad_input: false }
    }

    /// Judges all functions that could be read of a file.
    fn check(&mut self, loaded: &Loaded) -> Result<(), Failure> {
        if !loaded.diagnostics.is_empty() {
            note(&loaded.render(self.args.common.color.on_stderr()));
            self.bad_input = true;
        }
        let judges = match self.judges_of(loaded) {
            Ok(judges) => judges,
            Err(Failure::Usage(message)) => {
                note(&format!("backedge: {}: {message}\n", loaded.name));
                self.bad_input = true;
                return Ok(());
            }
            Err(failure) => return Err(failure),
        };
        let (together, apart): (Vec<_>, Vec<_>) =
            judges.iter().cloned().partition(|judge| judge.check().judges_whole_programs());
        let cases = alone(&loaded.program);
        let verdicts = judge_all(&apart, &cases);
        let whole = Case { program: loaded.program.clone() };
        let of_whole = together.par_iter().map(|judge| judge.judge(&whole)).collect::<Vec<_>>();
        note_what_is_gone(loaded, verdicts.iter().flatten().chain(&of_whole));
        for (case, verdicts) in cases.iter().zip(verdicts) {
            let shares = of_whole.iter().map(|verdict| share_of(&case.program, verdict));
            self.count(&case.program, &verdicts.iter().cloned().chain(shares).collect::<Vec<_>>());
            for (judge, verdict) in apart.iter().zip(verdicts) {
                self.tell(loaded, judge, &case.program, verdict)?;
            }
        }
        for (judge, verdict) in together.iter().zip(of_whole) {
            self.tell(loaded, judge, &whole.program, verdict)?;
        }
        self.judge_expectations(loaded, &judges)
    }

    /// Holds what the file says of its programs against every subject.
    fn judge_expectations(
        &mut self,
        loaded: &Loaded,
        judges: &[Arc<Judge>],
    ) -> Result<(), Failure> {
        match expect::read(&loaded.program) {
            Ok(expectations) if expectations.is_empty() => return Ok(()),
            Ok(_) => {}
            Err(mistakes) => {
                let color = self.args.common.color.on_stderr();
                note(&diagnostics::render(&loaded.name, &loaded.text, &mistakes, color));
                self.bad_input = true;
                return Ok(());
            }
        }
        let mut asked: Vec<&str> = Vec::new();
        for subject in judges.iter().map(|judge| judge.subject()) {
            if !asked.contains(&subject.name()) {
                asked.push(subject.name());
                let unmet = expect::judge(&loaded.program, &mut *subject.make());
                self.tell_unmet(loaded, subject.name(), &unmet)?;
            }
        }
        Ok(())
    }

    /// Counts the expectations of a file as one that passed or failed, and prints what is unmet.
    fn tell_unmet(
        &mut self,
        loaded: &Loaded,
        subject: &str,
        unmet: &[Diagnostic],
    ) -> Result<(), Failure> {
        let failed = u64::from(!unmet.is_empty());
        let counts = Counts { passed: 1 - failed, failed, ..Counts::default() };
        self.report.count(subject, EXPECTATIONS, &counts);
        if !unmet.is_empty() {
            let color = self.args.common.color.on_stdout();
            print(&diagnostics::render(&loaded.name, &loaded.text, unmet, color))?;
        }
        for diagnostic in unmet {
            let mut finding = Finding::of(
                &check::Finding {
                    check: EXPECTATIONS,
                    kind: diagnostic.code,
                    function: String::new(),
                    at: check::At::Function,
                    expected: "what the file says".to_owned(),
                    answered: diagnostic.message.clone(),
                },
                subject,
            );
            finding.path.clone_from(&loaded.name);
            finding.message = format!("{}: {}", loaded.name, diagnostic.message);
            self.add(finding);
        }
        Ok(())
    }

    /// The judges that the command line asks for, or else the file's directives, or else all with
    /// `core`.
    fn judges_of(&mut self, loaded: &Loaded) -> Result<Vec<Arc<Judge>>, Failure> {
        let Asked { checks, subjects } = Asked::of(&self.args.common, &loaded.program)?;
        let mut judges = Vec::new();
        for subject in &subjects {
            for check in &checks {
                let key = (check.name().to_owned(), subject.name().to_owned());
                let make = || Arc::new(Judge::new(check.clone(), subject.clone()));
                judges.push(self.judges.entry(key).or_insert_with(make).clone());
            }
        }
        Ok(judges)
    }

    fn count(&mut self, program: &Program, verdicts: &[Verdict]) {
        self.report.cases += 1;
        let any = |wanted: fn(&Verdict) -> bool| verdicts.iter().any(wanted);
        if any(|verdict| matches!(verdict, Verdict::Findings(_) | Verdict::Broken(_))) {
            self.failed += 1;
        } else if any(|verdict| *verdict == Verdict::Pass) {
            self.passed += 1;
        }
        for function in &program.functions {
            self.report.blocks += function.blocks.len() as u64;
            self.report.instructions += function.inst_count() as u64;
            self.report.graphs.add(function);
        }
    }

    /// Counts a verdict, and prints what is wrong.
    fn tell(
        &mut self,
        loaded: &Loaded,
        judge: &Judge,
        program: &Program,
        verdict: Verdict,
    ) -> Result<(), Failure> {
        let (check, subject) = (judge.check().name(), judge.subject().name());
        let mut counts = Counts::default();
        counts.add_verdict(&verdict);
        self.report.count(subject, check, &counts);
        match verdict {
            Verdict::Pass | Verdict::Skip(_) => {}
            Verdict::Findings(findings) => {
                for finding in &findings {
                    let mut finding = Finding::of(finding, subject);
                    finding.sizes(program, program);
                    finding.path.clone_from(&loaded.name);
                    print(&described(&finding))?;
                    self.add(finding);
                }
            }
            Verdict::Broken(message) => {
                let function = program.functions.first().map_or("", |function| &function.name);
                let message = format!("{}: @{function}: {message}", loaded.name);
                print(&format!("{message}\n  the references of {check} disagree\n"))?;
                let (check, subject) = (check.to_owned(), subject.to_owned());
                self.report.broken.push(Broken { check, subject, seed: 0, message });
            }
        }
        Ok(())
    }

    fn summary(&self) -> String {
        let style = table::Style { color: self.args.common.color.on_stdout() };
        let Checking { report, passed, failed, .. } = self;
        format!(
            "{}{} functions, {} blocks: {passed} passed, {failed} failed, {} skipped\n",
            table::checks(report, style),
            report.cases,
            report.blocks,
            report.cases - passed - failed,
        )
    }

    fn add(&mut self, finding: Finding) {
        match self.report.kinds.iter_mut().find(|kind| finding.is_of(kind)) {
            Some(kind) => kind.failed += 1,
            None => self.report.kinds.push(Kind {
                check: finding.check.clone(),
                kind: finding.kind.clone(),
                subject: finding.subject.clone(),
                failed: 1,
                minimized: 0,
            }),
        }
        self.report.findings.push(finding);
    }
}

/// What every judge says of every case, by case.
fn judge_all(judges: &[Arc<Judge>], cases: &[Case]) -> Vec<Vec<Verdict>> {
    let judged = |case| judges.iter().map(|judge| judge.judge(case)).collect();
    cases.par_iter().map(judged).collect()
}

/// What a verdict on the whole program says of one function of it.
fn share_of(function: &Program, verdict: &Verdict) -> Verdict {
    let is_of = |finding: &&check::Finding| {
        function.functions.iter().any(|function| function.name == finding.function)
    };
    match verdict {
        Verdict::Findings(findings) => {
            let mut findings = findings.iter().filter(is_of).cloned().peekable();
            match findings.peek() {
                Some(_) => Verdict::Findings(findings.collect()),
                None => Verdict::Pass,
            }
        }
        other => other.clone(),
    }
}

/// Says so where a kept finding is none any more.
fn note_what_is_gone<'v>(loaded: &Loaded, verdicts: impl Iterator<Item = &'v Verdict>) {
    let drawn: Vec<&str> =
        verdicts.flat_map(Verdict::findings).map(|finding| finding.kind).collect();
    for kind in listed(&loaded.program, "kind") {
        if !drawn.contains(&&*kind) {
            note(&format!("backedge: {}: nothing draws `{kind}` any more\n", loaded.name));
        }
    }
}

/// A finding for people: what, where, the answer, and what it should be.
fn described(finding: &Finding) -> String {
    let Finding { path, check, kind, subject, function, at, expected, answered, .. } = finding;
    format!(
        "{path}: {check}: {kind} in @{function}{at}\n  \
         subject   {subject}\n  expected  {expected}\n  answered  {answered}\n"
    )
}
