//! Runs the files under `corpus/filetests`: what each says of its own program must be true by the
//! references and by `core`, and each bad file must get exactly the diagnostics that it lists.

use backedge_core::ir::Program;
use backedge_core::ir::text::{parse, print};
use backedge_oracle::check::{self, Case, Verdict};
use backedge_oracle::core_subject::Core;
use backedge_oracle::expect::{self, What};
use backedge_oracle::faults;
use backedge_oracle::subject::SubjectFactory;
use backedge_tests::filetest::{files, found, listed, render};
use std::path::{Path, PathBuf};

/// The programs of the folders whose files are good, with their texts.
fn programs() -> Vec<(PathBuf, String, Program)> {
    let all = ["liveness", "cfg", "constants", "drops", "destprop"]
        .into_iter()
        .flat_map(|folder| files(folder, "cfg"));
    let parsed = all.map(|(path, text)| match parse(&text) {
        Ok(program) => (path, text, program),
        Err(wrong) => panic!("{}:\n{}", path.display(), render(&text, &wrong)),
    });
    parsed.collect()
}

#[test]
fn what_files_say_is_true() {
    for (path, text, program) in programs() {
        let wrong = expect::judge(&program, &mut Core::default());
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
        let is_constant =
            |what: &What| matches!(what, What::ConstIn(_) | What::Folds(_) | What::Taken(_));
        let is_about = |what: &What| match what {
            what if is_live(what) => "liveness",
            what if is_constant(what) => "constants",
            What::Drop(..) | What::MaybeInit(_) | What::MaybeUninit(_) => "drops",
            _ => "cfg",
        };
        // A merge is told by what is live before and after it.
        let is_of = |folder: &Path, about: &str| {
            folder.ends_with(about) || about == "liveness" && folder.ends_with("destprop")
        };
        let speaks = expectations.iter().any(|expectation| {
            let about = is_about(&expectation.what);
            path.parent().is_some_and(|folder| is_of(folder, about))
        });
        assert!(speaks, "{} says nothing of what its folder is about", path.display());
    }
}

#[test]
fn what_files_say_survives_printing() {
    for (path, _, program) in programs() {
        let text = print(&program);
        let again = parse(&text)
            .unwrap_or_else(|wrong| panic!("{}:\n{}", path.display(), render(&text, &wrong)));
        let wrong = expect::judge(&again, &mut Core::default());
        assert!(wrong.is_empty(), "{}:\n{}", path.display(), render(&text, &wrong));
    }
}

#[test]
fn core_passes_every_check_on_every_file_twice() {
    for (path, _, program) in programs() {
        let case = Case { program };
        for check in check::all() {
            for _ in 0..2 {
                let verdict = check.judge(&case, &mut Core::default());
                // Not every program can be lowered, owns anything, or lets its edges be known.
                let skipped = matches!(verdict, Verdict::Skip(_))
                    && ["regalloc", "execute", "drops", "structurize"].contains(&check.name());
                assert!(verdict == Verdict::Pass || skipped, "{}: {verdict:?}", path.display());
            }
        }
    }
}

#[test]
fn every_fault_fails_on_some_file() {
    let executed =
        ["execute", "regalloc", "structurize"].into_iter().flat_map(|folder| files(folder, "cfg"));
    let executed = executed.map(|(path, text)| {
        let program = parse(&text).expect("other tests read it");
        (path, text, program)
    });
    let programs: Vec<_> = programs().into_iter().chain(executed).collect();
    for fault in faults::all() {
        let check = check::by_name(fault.check).unwrap();
        let fails = |program: &Program| {
            let case = Case { program: program.clone() };
            !check.judge(&case, &mut *fault.make()).findings().is_empty()
        };
        assert!(programs.iter().any(|(_, _, program)| fails(program)), "{} passes", fault.name);
    }
}

/// What once went wrong, in a solver or in a reference, does so no more.
#[test]
fn regressions_stay_away() {
    for (path, text) in files("../regressions", "cfg") {
        let program = match parse(&text) {
            Ok(program) => program,
            Err(wrong) => panic!("{}:\n{}", path.display(), render(&text, &wrong)),
        };
        let case = Case { program };
        let asked: Vec<_> = case.program.directives("check").map(|of| of.value.clone()).collect();
        assert!(!asked.is_empty(), "{} names the check that failed", path.display());
        for check in check::all() {
            let verdict = check.judge(&case, &mut Core::default());
            let skipped = matches!(verdict, Verdict::Skip(_));
            let is_asked = asked.iter().any(|name| name == check.name());
            let fine = verdict == Verdict::Pass || skipped && !is_asked;
            assert!(fine, "{}: {}: {verdict:?}", path.display(), check.name());
        }
    }
}

#[test]
fn bad_files_get_the_diagnostics_that_they_list() {
    for (path, text) in files("bad", "cfg") {
        let diagnostics = match parse(&text) {
            Ok(program) => expect::judge(&program, &mut Core::default()),
            Err(diagnostics) => diagnostics,
        };
        let found = found(&text, &diagnostics);
        assert!(!found.is_empty(), "{} is good", path.display());
        assert_eq!(found, listed(&text), "{}:\n{}", path.display(), render(&text, &diagnostics));
    }
}
