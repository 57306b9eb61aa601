//! Runs the files under `corpus/filetests`: what each says of its own program must be true by the
//! references and by `core`, and each bad file must get exactly the diagnostics that it lists.

use backedge_core::diagnostic::Diagnostic;
use backedge_core::ir::Program;
use backedge_core::ir::text::{parse, print};
use backedge_oracle::check::{self, Case, Verdict};
use backedge_oracle::core_subject::Core;
use backedge_oracle::expect::{self, What};
use backedge_oracle::faults;
use backedge_oracle::subject::SubjectFactory;
use std::path::{Path, PathBuf};

/// The files of one folder, by name.
fn files(folder: &str) -> Vec<(PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus/filetests").join(folder);
    let entries = std::fs::read_dir(&root).unwrap();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|suffix| suffix == "cfg"));
    paths.sort();
    assert!(!paths.is_empty(), "no files in {}", root.display());
    let read = |path: PathBuf| {
        let text = std::fs::read_to_string(&path).unwrap();
        (path, text)
    };
    paths.into_iter().map(read).collect()
}

/// The programs of the folders whose files are good, with their texts.
fn programs() -> Vec<(PathBuf, String, Program)> {
    let all = ["liveness", "cfg"].into_iter().flat_map(files);
    let parsed = all.map(|(path, text)| match parse(&text) {
        Ok(program) => (path, text, program),
        Err(wrong) => panic!("{}:\n{}", path.display(), render(&text, &wrong)),
    });
    parsed.collect()
}

/// `12:3: code: message` a line.
fn render(text: &str, diagnostics: &[Diagnostic]) -> String {
    let line = |wrong: &Diagnostic| {
        let (line, column) = position(text, wrong.span.start as usize);
        format!("{line}:{column}: {}: {}\n", wrong.code, wrong.message)
    };
    diagnostics.iter().map(line).collect()
}

/// Line and column of a byte, both from 1.
fn position(text: &str, offset: usize) -> (usize, usize) {
    let before = &text[..offset.min(text.len())];
    let line = before.matches('\n').count() + 1;
    let start = before.rfind('\n').map_or(0, |newline| newline + 1);
    (line, before[start..].chars().count() + 1)
}

#[test]
fn what_files_say_is_true() {
    for (path, text, program) in programs() {
        let wrong = expect::judge(&program, &mut Core);
        assert!(wrong.is_empty(), "{}:\n{}", path.display(), render(&text, &wrong));
    }
}

#[test]
fn every_file_says_something() {
    for (path, _, program) in programs() {
        let expectations = expect::read(&program).unwrap();
        let is_live = |what: &What| {
            use What::*;
            matches!(what, LiveIn(_) | LiveOut(_) | EdgeLive(_) | Before(..) | After(..))
        };
        let live = path.parent().is_some_and(|folder| folder.ends_with("liveness"));
        let speaks = expectations.iter().any(|expectation| is_live(&expectation.what) == live);
        assert!(speaks, "{} says nothing of what its folder is about", path.display());
    }
}

#[test]
fn what_files_say_survives_printing() {
    for (path, _, program) in programs() {
        let text = print(&program);
        let again = parse(&text)
            .unwrap_or_else(|wrong| panic!("{}:\n{}", path.display(), render(&text, &wrong)));
        let wrong = expect::judge(&again, &mut Core);
        assert!(wrong.is_empty(), "{}:\n{}", path.display(), render(&text, &wrong));
    }
}

#[test]
fn core_passes_every_check_on_every_file_twice() {
    for (path, _, program) in programs() {
        let case = Case { program };
        for check in check::all() {
            for _ in 0..2 {
                assert_eq!(check.judge(&case, &mut Core), Verdict::Pass, "{}", path.display());
            }
        }
    }
}

#[test]
fn every_fault_fails_on_some_file() {
    let programs = programs();
    for fault in faults::all() {
        let check = check::by_name(fault.check).unwrap();
        let fails = |program: &Program| {
            let case = Case { program: program.clone() };
            !check.judge(&case, &mut *fault.make()).findings().is_empty()
        };
        assert!(programs.iter().any(|(_, _, program)| fails(program)), "{} passes", fault.name);
    }
}

/// The diagnostics that a bad file lists: `;; error: code at line:column`.
fn listed(text: &str) -> Vec<String> {
    text.lines().filter_map(|line| line.strip_prefix(";; error: ")).map(str::to_owned).collect()
}

#[test]
fn bad_files_get_the_diagnostics_that_they_list() {
    for (path, text) in files("bad") {
        let diagnostics = match parse(&text) {
            Ok(program) => expect::judge(&program, &mut Core),
            Err(diagnostics) => diagnostics,
        };
        let found: Vec<String> = diagnostics
            .iter()
            .map(|wrong| {
                let (line, column) = position(&text, wrong.span.start as usize);
                format!("{} at {line}:{column}", wrong.code)
            })
            .collect();
        assert!(!found.is_empty(), "{} is good", path.display());
        assert_eq!(found, listed(&text), "{}:\n{}", path.display(), render(&text, &diagnostics));
    }
}
