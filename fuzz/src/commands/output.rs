//! How commands end, and how they print.

use std::fmt;
use std::io::{self, IsTerminal, Write};

/// How a command ended that could do its work.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// Nothing is wrong.
    Clean,
    /// A subject is wrong.
    Findings,
    /// An input is bad.
    BadInput,
    /// The harness itself is wrong: two references disagree.
    Broken,
}

impl Outcome {
    /// The exit code of a harness that failed.
    pub const HARNESS_FAILED: u8 = 3;

    /// The exit code.
    pub fn code(self) -> u8 {
        match self {
            Outcome::Clean => 0,
            Outcome::Findings => 1,
            Outcome::BadInput => 2,
            Outcome::Broken => Outcome::HARNESS_FAILED,
        }
    }
}

/// Why a command could not do its work.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The user's command line or input is wrong.
    #[error("{0}")]
    Usage(String),
    /// A file or directory can't be written.
    #[error("can't write {what}: {error}")]
    Write {
        /// The path, or what else was to be written.
        what: String,
        /// Why.
        error: io::Error,
    },
    /// Something else of the harness failed.
    #[error("{0}")]
    Harness(String),
}

impl Failure {
    /// The exit code.
    pub fn code(&self) -> u8 {
        match self {
            Failure::Usage(_) => Outcome::BadInput.code(),
            Failure::Write { .. } | Failure::Harness(_) => Outcome::HARNESS_FAILED,
        }
    }

    /// For `map_err`: a file or directory that can't be written.
    pub fn write(what: impl fmt::Display) -> impl FnOnce(io::Error) -> Failure {
        move |error| Failure::Write { what: what.to_string(), error }
    }
}

/// Prints a result on stdout. A reader that has heard enough (`backedge show .. | head -1`) is no
/// failure.
///
/// # Errors
/// When stdout can't be written for any other reason, such as a full disk.
pub fn print(text: &str) -> Result<(), Failure> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Failure::write("stdout")(error))
        }
        _ => Ok(()),
    }
}

/// When to color.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Color {
    /// Where it is shown on a terminal and `NO_COLOR` is not set.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

impl Color {
    /// Whether to color stderr, where diagnostics go.
    pub fn on_stderr(self) -> bool {
        self.on(io::stderr().is_terminal())
    }

    /// Whether to color stdout, where results go.
    pub fn on_stdout(self) -> bool {
        self.on(io::stdout().is_terminal())
    }

    fn on(self, terminal: bool) -> bool {
        match self {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => terminal && std::env::var_os("NO_COLOR").is_none_or(|it| it.is_empty()),
        }
    }
}
