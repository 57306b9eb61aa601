//! End-to-end tests of Backedge live in `tests/`; this library holds what they share.

pub mod filetest;
pub mod spill;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

/// The `backedge` program, built in the profile of the tests. Cargo hands a test the programs of its
/// own package only, so this asks it once.
///
/// # Panics
/// If it can't be built.
pub fn program() -> &'static Path {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM.get_or_init(build)
}

fn build() -> PathBuf {
    // The test is `TARGET/PROFILE/deps/NAME`.
    let test = std::env::current_exe().expect("a running program has a path");
    let profile = test.ancestors().nth(2).expect("tests are in target/PROFILE/deps");
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args(["build", "--quiet", "--package", "backedge", "--bin", "backedge"]);
    cargo.args(["--profile", if profile.ends_with("release") { "release" } else { "test" }]);
    cargo.current_dir(env!("CARGO_MANIFEST_DIR"));
    cargo.env("CARGO_TARGET_DIR", profile.parent().expect("a profile is in target"));
    let status = cargo.status().expect("cargo runs, since it runs this test");
    assert!(status.success(), "backedge can't be built");
    profile.join(format!("backedge{}", std::env::consts::EXE_SUFFIX))
}

/// A command that runs `backedge` with these arguments in `folder`.
pub fn backedge(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(program());
    command.args(arguments).current_dir(folder);
    command
}

/// How a command ended, and what it said.
#[derive(Clone, Debug)]
pub struct Ran {
    /// The exit code.
    pub code: i32,
    /// What it printed.
    pub stdout: String,
    /// What it complained.
    pub stderr: String,
}

/// Runs `backedge` to its end.
///
/// # Panics
/// If it can't be run, is killed, or prints what is no text.
pub fn run(folder: &Path, arguments: &[&str]) -> Ran {
    ran(backedge(folder, arguments).output().expect("it runs"))
}

/// What is to be known of a finished command.
///
/// # Panics
/// If it was killed or printed what is no text.
pub fn ran(output: Output) -> Ran {
    Ran {
        code: output.status.code().expect("it was not killed"),
        stdout: String::from_utf8(output.stdout).expect("stdout is text"),
        stderr: String::from_utf8(output.stderr).expect("stderr is text"),
    }
}
