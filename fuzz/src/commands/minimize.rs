//! `backedge minimize`: shrinks a failing case.
//!
//! Before it starts it makes sure that there is something to shrink: the case fails, and fails in
//! the same way when it is judged again.

use super::args::{Common, seconds};
use super::asked::{Asked, listed};
use super::output::{note, stop_on_signal, write_file};
use super::{Failure, Outcome, print};
use crate::input::{self, Format, Loaded};
use crate::judge::Judge;
use crate::minimize::{Limit, Minimized, Options, Progress, minimize, size_of};
use backedge_core::diagnostic::Span;
use backedge_core::ir::{Directive, Program, TerminatorKind, builder::FunctionBuilder, text};
use backedge_oracle::check::{Case, Verdict};
use indicatif::{ProgressBar, ProgressStyle};
use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// Arguments of `backedge minimize`.
#[derive(Clone, Debug, clap::Args)]
pub(super) struct Args {
    /// The failing program; `-` is stdin. What is to be judged is told by `--check` and `--subject`,
    /// or else by the directives `;; check:` and `;; subject:` of the file.
    #[arg(value_name = "FILE")]
    file: String,
    /// Where the result goes [default: stdout].
    #[arg(long, short, value_name = "OUT")]
    out: Option<PathBuf>,
    /// The kind of finding to keep [default: that of the directive `;; kind:`, or else the first].
    #[arg(long, value_name = "KIND")]
    kind: Option<String>,
    /// Stop after so many tries.
    #[arg(long, value_name = "N")]
    tries: Option<u64>,
    /// Stop after so many seconds.
    #[arg(long, value_name = "S", value_parser = seconds)]
    seconds: Option<Duration>,
    /// The format of the file [default: what its name says].
    #[arg(long, value_name = "NAME")]
    format: Option<Format>,
    #[command(flatten)]
    common: Common,
}

/// Runs it.
pub(super) fn run(args: &Args) -> Result<Outcome, Failure> {
    let loaded = match input::load(&args.file, args.format) {
        Ok(loaded) if loaded.diagnostics.is_empty() => loaded,
        Ok(partial) => {
            note(&partial.render(args.common.color.on_stderr()));
            return Ok(Outcome::BadInput);
        }
        Err(error) => {
            note(&error.render(args.common.color.on_stderr()));
            return Ok(Outcome::BadInput);
        }
    };
    let pool = args.common.pool()?;
    let stop = stop_on_signal()?;
    let case = Case { program: loaded.program.clone() };
    let Some(failure) = pool.install(|| args.failure(&loaded, &case))? else {
        return Ok(Outcome::Broken);
    };
    let bar = args.bar();
    let shown = bar.clone();
    let options = Options {
        tries: args.tries,
        time: args.seconds,
        cancel: Some(stop),
        progress: Some(Arc::new(move |progress| show(&shown, progress))),
    };
    let fails = |case: &Case| failure.judge.fails_like(case, failure.kind);
    let minimized = pool.install(|| minimize(&case, &options, &fails));
    bar.finish_and_clear();
    let text = text::print(&failure.described(&minimized.case.program));
    match &args.out {
        Some(path) => write_file(path, &text)?,
        None => print(&text)?,
    }
    if !args.common.quiet {
        note(&summary(&case, &minimized));
    }
    Ok(Outcome::Clean)
}

/// What is wrong with a case, and who says so.
struct Failing {
    judge: Judge,
    kind: &'static str,
}

impl Args {
    /// What fails. `None` if the references disagree, which is no failure of the subject.
    fn failure(&self, loaded: &Loaded, case: &Case) -> Result<Option<Failing>, Failure> {
        let Asked { checks, subjects } = Asked::of(&self.common, &loaded.program)?;
        let wanted =
            self.kind.clone().or_else(|| listed(&loaded.program, "kind").into_iter().next());
        let mut others = Vec::new();
        for subject in &subjects {
            for check in &checks {
                let judge = Judge::new(check.clone(), subject.clone());
                let verdict = judge.judge(case);
                if let Verdict::Broken(why) = &verdict {
                    note(&format!("{}: {why}\n", loaded.name));
                    return Ok(None);
                }
                let kinds = verdict.findings().iter().map(|finding| finding.kind);
                let is_wanted =
                    |kind: &&str| wanted.as_deref().is_none_or(|wanted| wanted == *kind);
                match kinds.clone().find(is_wanted) {
                    Some(kind) => return self.confirmed(case, Failing { judge, kind }).map(Some),
                    None => others.extend(kinds),
                }
            }
        }
        Err(Failure::Usage(nothing_fails(&loaded.name, wanted.as_deref(), &others)))
    }

    /// Makes sure that the case fails like this again. Says so if every program does.
    fn confirmed(&self, case: &Case, failing: Failing) -> Result<Failing, Failure> {
        let Failing { judge, kind } = &failing;
        if !judge.fails_like(case, kind) {
            let message = format!("{}: draws `{kind}` only sometimes", self.file);
            return Err(Failure::Usage(message));
        }
        if judge.fails_like(&nothing(), kind) {
            note(&format!("{}: even a function without code draws `{kind}`\n", self.file));
        }
        Ok(failing)
    }

    fn bar(&self) -> ProgressBar {
        if self.common.quiet || !io::stderr().is_terminal() {
            return ProgressBar::hidden();
        }
        let bar = ProgressBar::new_spinner();
        if let Ok(style) = ProgressStyle::with_template("{spinner:.cyan} {msg}  {elapsed}") {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_millis(200));
        bar
    }
}

fn show(bar: &ProgressBar, progress: &Progress) {
    let Progress { tries, blocks, instructions, pass } = progress;
    bar.set_message(format!(
        "{blocks} blocks, {instructions} instructions after {tries} tries: {pass}"
    ));
}

fn nothing_fails(name: &str, wanted: Option<&str>, others: &[&str]) -> String {
    match (wanted, others) {
        (None, _) => format!("{name}: nothing fails on this program"),
        (Some(kind), []) => format!("{name}: nothing draws `{kind}`, nor anything else"),
        (Some(kind), others) => {
            format!("{name}: nothing draws `{kind}`, but `{}`", others.join("`, `"))
        }
    }
}

/// The least program that there is.
fn nothing() -> Case {
    let mut builder = FunctionBuilder::new("f0");
    let entry = builder.block("b0");
    builder.at(entry).terminate(TerminatorKind::Return(None));
    Case { program: Program { functions: vec![builder.finish()], ..Program::default() } }
}

impl Failing {
    /// The program with what `backedge check` needs to judge it in the same way.
    fn described(&self, program: &Program) -> Program {
        let values = [
            ("check", self.judge.check().name()),
            ("subject", self.judge.subject().name()),
            ("kind", self.kind),
        ];
        let mut program = program.clone();
        program.directives.retain(|directive| values.iter().all(|(key, _)| directive.key != *key));
        let directives = values.map(|(key, value)| Directive {
            key: key.to_owned(),
            value: value.to_owned(),
            span: Span::NONE,
        });
        program.directives.splice(0..0, directives);
        program
    }
}

/// What was reached, and why no more.
fn summary(original: &Case, minimized: &Minimized) -> String {
    let end = match minimized.limit {
        None => "no single step makes it smaller",
        Some(Limit::Tries) => "the tries are used up",
        Some(Limit::Time) => "the time is over",
        Some(Limit::Cancelled) => "stopped",
    };
    let size = |case: &Case| {
        let (blocks, instructions) = size_of(case);
        format!("{blocks} blocks and {instructions} instructions")
    };
    let Minimized { case, tries, .. } = minimized;
    format!("{} became {} in {tries} tries: {end}\n", size(original), size(case))
}
