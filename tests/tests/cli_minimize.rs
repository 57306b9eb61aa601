//! `backedge minimize`, run as people run it.

use backedge_tests::{Ran, run};
use std::fs;
use tempfile::TempDir;

const FAULT: &str = "fault:single-pass";

/// A folder with `case.cfg`, a generated program with a loop that the fault fails on.
fn folder() -> TempDir {
    let folder = TempDir::new().expect("a folder");
    let text = (0..)
        .map(|seed: u64| run(folder.path(), &["generate", "--seed", &seed.to_string()]).stdout)
        .find(|text| {
            fs::write(folder.path().join("case.cfg"), text).expect("it can be written");
            minimize(&folder, &["--tries", "0"]).code == 0
        });
    assert!(text.is_some());
    folder
}

/// Minimizes `case.cfg` with the fault.
fn minimize(folder: &TempDir, flags: &[&str]) -> Ran {
    let mut arguments = vec!["minimize", "case.cfg", "--check", "liveness", "--subject", FAULT];
    arguments.extend(flags);
    run(folder.path(), &arguments)
}

#[test]
fn the_result_fails_when_it_is_checked() {
    let folder = folder();
    let ran = minimize(&folder, &["-o", "small.cfg"]);
    assert_eq!((ran.code, &*ran.stdout), (0, ""), "{}", ran.stderr);
    assert!(ran.stderr.contains("no single step makes it smaller"), "{}", ran.stderr);
    let small = fs::read_to_string(folder.path().join("small.cfg")).expect("it was written");
    for directive in [";; check: liveness", ";; subject: fault:single-pass", ";; kind: missing-"] {
        assert!(small.contains(directive), "{small}");
    }
    assert!(small.lines().count() < 15, "{small}");
    let checked = run(folder.path(), &["check", "small.cfg"]);
    assert_eq!(checked.code, 1, "{}", checked.stdout);

    // Its directives say all there is to say, and there is nothing left to remove.
    let again = run(folder.path(), &["minimize", "small.cfg"]);
    assert_eq!((again.code, &*again.stdout), (0, &*small), "{}", again.stderr);
}

#[test]
fn threads_do_not_show() {
    let folder = folder();
    let [one, two] = ["1", "2"].map(|jobs| minimize(&folder, &["--jobs", jobs]));
    assert_eq!((one.code, one.stdout, one.stderr), (0, two.stdout, two.stderr));
}

#[test]
fn a_limit_leaves_the_best_so_far() {
    let folder = folder();
    let ran = minimize(&folder, &["--tries", "5", "-o", "small.cfg"]);
    assert!(ran.code == 0 && ran.stderr.contains("in 5 tries: the tries are used up"), "{ran:?}");
    assert_eq!(run(folder.path(), &["check", "small.cfg"]).code, 1);
}

#[test]
fn there_must_be_something_to_keep() {
    let folder = folder();
    let right = run(folder.path(), &["minimize", "case.cfg"]);
    assert_eq!((right.code, &*right.stdout), (2, ""));
    assert!(right.stderr.contains("nothing fails on this program"), "{}", right.stderr);
    let other = minimize(&folder, &["--kind", "wrong-idom"]);
    assert_eq!((other.code, &*other.stdout), (2, ""));
    assert!(other.stderr.contains("nothing draws `wrong-idom`, but `missing-"), "{other:?}");
}

#[test]
fn a_bad_file_is_not_minimized() {
    let folder = TempDir::new().expect("a folder");
    fs::write(folder.path().join("case.cfg"), "fn @f() {\nb0:\n  jump b1\n}\n").expect("written");
    for ran in [minimize(&folder, &[]), run(folder.path(), &["minimize", "missing.cfg"])] {
        assert_eq!((ran.code, &*ran.stdout), (2, ""), "{}", ran.stderr);
        assert!(!ran.stderr.is_empty());
    }
}
