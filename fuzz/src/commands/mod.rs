//! The command line: one file a command.
//!
//! Results go to stdout, progress and diagnostics to stderr. Every command ends as an [`Outcome`] or
//! a [`Failure`], and [`main`] alone turns either into an exit code.

mod alone;
mod args;
mod asked;
mod check;
mod code;
mod export;
mod generate;
mod generating;
mod import;
mod merge;
mod minimize;
mod output;
mod panics;
mod run;
mod show;
mod subjects;
mod sweep;

pub use args::Common;
pub use output::{Color, Failure, Outcome, print};

use output::note;

use clap::{Parser, Subcommand};
use std::ffi::OsString;
use std::panic;
use std::process::ExitCode;

/// Finds bugs in the parts of a compiler that reason about control flow.
///
/// Generates control-flow graphs, runs solvers on them, judges every answer with slow references,
/// and minimizes what fails. Without a command it sweeps.
#[derive(Debug, Parser)]
#[command(name = "backedge", version, after_help = EXIT_CODES)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

const EXIT_CODES: &str = "Without a command, the flags are those of `sweep`.\n\n\
    Exit codes: 0 clean, 1 findings, 2 bad usage or bad input, 3 the harness itself failed.";

#[derive(Debug, Subcommand)]
enum Command {
    /// Generate and check cases; this is what happens without a command.
    Sweep(sweep::Args),
    /// Check given programs.
    Check(check::Args),
    /// Write a program in another format.
    Export(export::Args),
    /// Print the program of a seed.
    Generate(generate::Args),
    /// Print a program of another format as .cfg.
    Import(import::Args),
    /// Shrink a failing case.
    Minimize(minimize::Args),
    /// Merge reports of shards.
    Merge(merge::Args),
    /// Run a program.
    Run(run::Args),
    /// Draw a program and its facts.
    Show(show::Args),
    /// List what can be checked.
    Subjects(subjects::Args),
}

impl Command {
    fn run(&self) -> Result<Outcome, Failure> {
        match self {
            Command::Sweep(args) => sweep::run(args),
            Command::Check(args) => check::run(args),
            Command::Export(args) => export::run(args),
            Command::Generate(args) => generate::run(args),
            Command::Import(args) => import::run(args),
            Command::Minimize(args) => minimize::run(args),
            Command::Merge(args) => merge::run(args),
            Command::Run(args) => run::run(args),
            Command::Show(args) => show::run(args),
            Command::Subjects(args) => subjects::run(args),
        }
    }
}

/// Runs the command line of this process.
pub fn main() -> ExitCode {
    let arguments = with_default_command(std::env::args_os().collect());
    panics::keep_quiet();
    match panic::catch_unwind(|| run_arguments(arguments)) {
        Ok(code) => ExitCode::from(code),
        Err(panic) => {
            note(&format!("backedge: internal error: {}\n", panics::describe(&*panic)));
            ExitCode::from(Outcome::HARNESS_FAILED)
        }
    }
}

fn run_arguments(arguments: Vec<OsString>) -> u8 {
    let cli = match Cli::try_parse_from(arguments) {
        Ok(cli) => cli,
        Err(error) => {
            // Where even the message can't be written, the exit code is all that is left to say.
            let _ = error.print();
            return if error.use_stderr() { Outcome::BadInput } else { Outcome::Clean }.code();
        }
    };
    match cli.command.run() {
        Ok(outcome) => outcome.code(),
        Err(failure) => {
            note(&format!("backedge: {failure}\n"));
            failure.code()
        }
    }
}

/// Puts `sweep` before the flags of a command line that names no command.
fn with_default_command(mut arguments: Vec<OsString>) -> Vec<OsString> {
    let first = arguments.get(1).map(|first| first.to_string_lossy().into_owned());
    let asks_for_help =
        matches!(first.as_deref(), Some("-h" | "--help" | "-V" | "--version" | "help"));
    if first.is_none_or(|first| first.starts_with('-')) && !asks_for_help {
        arguments.insert(1.min(arguments.len()), "sweep".into());
    }
    arguments
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    fn completed(arguments: &[&str]) -> Vec<String> {
        let arguments = arguments.iter().map(OsString::from).collect();
        let completed = with_default_command(arguments);
        completed.into_iter().map(|argument| argument.into_string().unwrap()).collect()
    }

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn sweep_is_the_default() {
        assert_eq!(completed(&["backedge"]), ["backedge", "sweep"]);
        assert_eq!(completed(&["backedge", "--seed", "1"]), ["backedge", "sweep", "--seed", "1"]);
        assert_eq!(completed(&["backedge", "--help"]), ["backedge", "--help"]);
        assert_eq!(completed(&["backedge", "check", "-"]), ["backedge", "check", "-"]);
        assert_eq!(completed(&["backedge", "nonsense"]), ["backedge", "nonsense"]);
    }
}
