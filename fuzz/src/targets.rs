//! What the libFuzzer targets do with their bytes; the files in `fuzz_targets/` are glue.
//!
//! A target panics when it has found something: that is how a fuzzer is told. The message holds the
//! case as a text that `backedge check` and `backedge minimize` read, since the bytes mean something
//! else as soon as the generator changes. Every target also runs for a moment under `cargo test`.

use crate::generate::{Config, from_bytes};
use crate::judge::Judge;
use backedge_core::ir::text;
use backedge_oracle::check::{self, Verdict};
use backedge_oracle::core_subject::CoreFactory;
use std::fmt::Display;
use std::path::Path;
use std::process::ExitCode;
use std::sync::{Arc, LazyLock};

/// Judges the graph analyses of `core` on the case of the bytes.
///
/// # Panics
/// On a finding.
pub fn cfg(bytes: &[u8]) {
    static JUDGE: LazyLock<Judge> = LazyLock::new(|| judge("cfg"));
    judge_bytes(&JUDGE, bytes);
}

/// Judges the liveness of `core` on the case of the bytes.
///
/// # Panics
/// On a finding.
pub fn liveness(bytes: &[u8]) {
    static JUDGE: LazyLock<Judge> = LazyLock::new(|| judge("liveness"));
    judge_bytes(&JUDGE, bytes);
}

/// Judges the constants of `core`, and what it folds, on the case of the bytes.
///
/// # Panics
/// On a finding.
pub fn constants(bytes: &[u8]) {
    static JUDGE: LazyLock<Judge> = LazyLock::new(|| judge("constants"));
    judge_bytes(&JUDGE, bytes);
}

/// Judges the lowering and the register allocators of `core` on the case of the bytes.
///
/// # Panics
/// On a finding.
pub fn regalloc(bytes: &[u8]) {
    static JUDGE: LazyLock<Judge> = LazyLock::new(|| judge("regalloc"));
    judge_bytes(&JUDGE, bytes);
}

/// Runs the code that `core` makes of the case of the bytes.
///
/// # Panics
/// On a finding.
pub fn execute(bytes: &[u8]) {
    static JUDGE: LazyLock<Judge> = LazyLock::new(|| judge("execute"));
    judge_bytes(&JUDGE, bytes);
}

/// Judges the drop analysis and the elaboration of `core` on the case of the bytes.
///
/// # Panics
/// On a finding.
pub fn drops(bytes: &[u8]) {
    static JUDGE: LazyLock<Judge> = LazyLock::new(|| judge("drops"));
    judge_bytes(&JUDGE, bytes);
}

/// Judges the three ways in which `core` merges copied locals on the case of the bytes.
///
/// # Panics
/// On a finding.
pub fn destprop(bytes: &[u8]) {
    static JUDGE: LazyLock<Judge> = LazyLock::new(|| judge("destprop"));
    judge_bytes(&JUDGE, bytes);
}

/// Judges how `core` structurizes the case of the bytes.
///
/// # Panics
/// On a finding.
pub fn structurize(bytes: &[u8]) {
    static JUDGE: LazyLock<Judge> = LazyLock::new(|| judge("structurize"));
    judge_bytes(&JUDGE, bytes);
}

/// Reads the bytes as a program, and prints and reads the program that they generate.
///
/// # Panics
/// When a program does not come back as it was, or its text is not canonical.
pub fn text(bytes: &[u8]) {
    if let Ok(program) = text::parse_bytes(bytes) {
        let printed = text::print(&program);
        let again = text::parse(&printed).unwrap_or_else(|error| panic!("{error:?}\n{printed}"));
        assert_eq!(text::print(&again), printed, "the text is not canonical");
        assert_eq!(again, program, "another program came back:\n{printed}");
    }
    let program = from_bytes(bytes, &Config::default()).case.program;
    let printed = text::print(&program);
    match text::parse(&printed) {
        Ok(again) => assert_eq!(again, program, "another program came back:\n{printed}"),
        Err(error) => panic!("a generated program can't be read: {error:?}\n{printed}"),
    }
}

/// Runs a target on each file that the command line names, as `cargo fuzz run TARGET FILE` does.
/// Exit code 2 when a file can't be read.
pub fn replay(target: fn(&[u8])) -> ExitCode {
    let mut code = ExitCode::SUCCESS;
    for path in std::env::args_os().skip(1) {
        match std::fs::read(&path) {
            Ok(bytes) => target(&bytes),
            Err(error) => {
                eprintln!("{}: {error}", Path::new(&path).display());
                code = ExitCode::from(2);
            }
        }
    }
    code
}

/// A judge of `core`. It lives as long as the process, so that a solver that keeps something from one
/// case to the next is caught.
fn judge(check: &str) -> Judge {
    let found = check::by_name(check).unwrap_or_else(|| panic!("there is no check `{check}`"));
    Judge::new(Arc::from(found), Arc::new(CoreFactory))
}

fn judge_bytes(judge: &Judge, bytes: &[u8]) {
    if let Some(message) = complaint(judge, bytes) {
        panic!("{message}");
    }
}

/// What to say of the case of the bytes, if anything is wrong with it.
fn complaint(judge: &Judge, bytes: &[u8]) -> Option<String> {
    let case = from_bytes(bytes, &Config::default()).case;
    let head = match judge.judge(&case) {
        Verdict::Pass | Verdict::Skip(_) => return None,
        Verdict::Findings(findings) => findings.iter().map(|found| comment(found)).collect(),
        Verdict::Broken(why) => comment(&format_args!("references disagree: {why}")),
    };
    Some(head + &text::print(&case.program))
}

/// A comment of the text that follows.
fn comment(what: &dyn Display) -> String {
    format!("; {}\n", what.to_string().replace('\n', " "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::random_bytes;

    #[test]
    fn every_target_runs_without_a_finding() {
        for seed in 0..400 {
            let bytes = random_bytes(seed, 16 * (seed as usize % 100));
            cfg(&bytes);
            liveness(&bytes);
            constants(&bytes);
            drops(&bytes);
            destprop(&bytes);
            structurize(&bytes);
            regalloc(&bytes);
            execute(&bytes);
            text(&bytes);
        }
    }

    #[test]
    fn text_reads_texts() {
        text(b"fn @f() {\nb:\n  jump b\n}\n");
        text(b"fn @f() {");
        text(b"\xff");
    }

    #[test]
    fn a_complaint_is_a_text_that_can_be_checked() {
        let fault = backedge_oracle::faults::by_name("fault:fails").expect("there is this fault");
        let check = check::by_name("liveness").expect("there is this check");
        let judge = Judge::new(Arc::from(check), Arc::new(*fault));
        let message = complaint(&judge, &random_bytes(1, 2000)).expect("a finding");
        assert!(message.starts_with("; liveness: error in @main"), "{message}");
        assert!(text::parse(&message).is_ok(), "{message}");
    }
}
