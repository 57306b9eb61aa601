//! How commands end, and how they print.

use crate::report::{Report, folder, junit};
use std::fmt;
use std::fs::{self, File};
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

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

    /// How a sweep or check ends that found this.
    pub fn of(report: &Report) -> Outcome {
        match (report.is_broken(), report.has_findings()) {
            (true, _) => Outcome::Broken,
            (false, true) => Outcome::Findings,
            (false, false) => Outcome::Clean,
        }
    }

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
    print_bytes(text.as_bytes())
}

fn print_bytes(bytes: &[u8]) -> Result<(), Failure> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(bytes).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Failure::write("stdout")(error))
        }
        _ => Ok(()),
    }
}

/// Prints a diagnostic on stderr. Where that is gone nobody is there to be told.
pub(super) fn note(text: &str) {
    let _ = io::stderr().lock().write_all(text.as_bytes());
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

/// Files that a report is written to.
#[derive(Clone, Debug, clap::Args)]
pub(super) struct Reports {
    /// Write a JSON report.
    #[arg(long, value_name = "FILE.json")]
    report: Option<PathBuf>,
    /// Write a JUnit report.
    #[arg(long, value_name = "FILE.xml")]
    junit: Option<PathBuf>,
}

impl Reports {
    /// Finds out whether the files can be written, before hours of work that would be lost. What is
    /// in them stays.
    ///
    /// # Errors
    /// When one can't.
    pub(super) fn probe(&self) -> Result<(), Failure> {
        for path in [&self.report, &self.junit].into_iter().flatten() {
            let existed = path.exists();
            let opened = File::options().create(true).append(true).open(path);
            opened.map_err(Failure::write(path.display()))?;
            if !existed {
                fs::remove_file(path).map_err(Failure::write(path.display()))?;
            }
        }
        Ok(())
    }

    /// Writes the files that the user asked for.
    ///
    /// # Errors
    /// When one can't be written.
    pub(super) fn write(&self, report: &Report) -> Result<(), Failure> {
        if let Some(path) = &self.report {
            write_file(path, &report.to_json())?;
        }
        if let Some(path) = &self.junit {
            let xml = junit::xml(report).map_err(Failure::Harness)?;
            write_file(path, &xml)?;
        }
        Ok(())
    }
}

/// Writes a file that the user named. A regular file is replaced as a whole; a device or pipe, such
/// as `/dev/stdout`, is written to.
///
/// # Errors
/// When it can't be written.
pub(super) fn write_file(path: &Path, text: &str) -> Result<(), Failure> {
    let special = fs::metadata(path).is_ok_and(|data| !data.is_file());
    let written = if special { fs::write(path, text) } else { folder::replace(path, text) };
    written.map_err(Failure::write(path.display()))
}

/// Writes a result to the file that the user named, or else to stdout.
///
/// # Errors
/// When it can't be written.
pub(super) fn write_result(out: Option<&Path>, text: &str) -> Result<(), Failure> {
    match out {
        Some(path) if path != Path::new("-") => write_file(path, text),
        _ => print(text),
    }
}

/// Writes a program that can be run, to the file that the user named, or else to stdout.
///
/// # Errors
/// When it can't be written.
pub(super) fn write_program(out: Option<&Path>, bytes: &[u8]) -> Result<(), Failure> {
    match out {
        Some(path) if path != Path::new("-") => {
            let written = fs::write(path, bytes).and_then(|()| make_executable(path));
            written.map_err(Failure::write(path.display()))
        }
        _ if io::stdout().is_terminal() => {
            Err(Failure::Usage("this is nothing for a terminal; name a file by -o".to_owned()))
        }
        _ => print_bytes(bytes),
    }
}

#[cfg(unix)]
fn make_executable(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let data = fs::metadata(path)?;
    // Nothing else is ours: a device keeps its rights.
    if !data.is_file() {
        return Ok(());
    }
    let mut permissions = data.permissions();
    permissions.set_mode(permissions.mode() | 0o111);
    fs::set_permissions(path, permissions)
}

#[cfg(not(unix))]
fn make_executable(_: &Path) -> io::Result<()> {
    Ok(())
}

/// A flag that the first Ctrl-C (or SIGTERM) sets; the second ends the process.
///
/// # Errors
/// When signals can't be handled.
pub(super) fn stop_on_signal() -> Result<Arc<AtomicBool>, Failure> {
    let stop = Arc::new(AtomicBool::new(false));
    let set = stop.clone();
    let handler = move || {
        if set.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
        note("\nbackedge: stopping; once more to stop at once\n");
    };
    ctrlc::set_handler(handler)
        .map_err(|error| Failure::Harness(format!("can't handle Ctrl-C: {error}")))?;
    Ok(stop)
}
