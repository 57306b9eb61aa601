//! Subjects that are processes: right ones are clean, wrong ones are findings, and a sweep goes on
//! whatever they do.
#![cfg(unix)]

use backedge_tests::{Ran, run};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

/// Answers everything that the protocol has, with the solvers of `core`.
const SOLVER: &str = env!("CARGO_BIN_EXE_solver");
const EXAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/subjects/liveness.py");
const DROPS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/subjects/drops.py");

/// A sweep of a subject, with its report.
fn sweep(subject: &str, arguments: &[&str]) -> (Ran, Value) {
    let folder = tempfile::tempdir().unwrap();
    let mut all = vec!["sweep", "--report", "r.json", "--subject", subject, "--quiet"];
    all.extend(arguments);
    let ran = run(folder.path(), &all);
    let text = fs::read_to_string(folder.path().join("r.json")).unwrap_or_default();
    (ran, serde_json::from_str(&text).unwrap_or_default())
}

/// A command line that has a shell run this script.
fn shell(script: &str) -> String {
    format!("sh -c '{script}'")
}

fn has_python() -> bool {
    let mut python = Command::new("python3");
    let python = python.arg("-V").stdout(Stdio::null()).stderr(Stdio::null());
    python.status().is_ok_and(|status| status.success())
}

#[test]
fn a_right_process_is_clean_in_every_field() {
    let (ran, report) = sweep(&format!("'{SOLVER}'"), &["--cases", "80"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    for check in ["cfg", "liveness"] {
        assert_eq!(report["checks"][check]["passed"], 80, "{report:#}");
    }
}

#[test]
fn the_example_of_the_manual_is_clean() {
    if !has_python() {
        eprintln!("there is no python3 here");
        return;
    }
    assert!(fs::read_to_string(EXAMPLE).unwrap().lines().count() <= 40);
    let (ran, report) = sweep(&format!("python3 '{EXAMPLE}'"), &["--cases", "100"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(report["checks"]["liveness"]["passed"], 100, "{report:#}");
    assert_eq!(report["checks"]["cfg"]["passed"], 0, "it skips what it does not know");
}

#[test]
fn the_example_for_drops_is_clean_and_its_mistakes_are_found() {
    if !has_python() {
        eprintln!("there is no python3 here");
        return;
    }
    let arguments = ["--check", "drops", "--cases", "150"];
    let (ran, report) = sweep(&format!("python3 '{DROPS}'"), &arguments);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(report["checks"]["drops"]["passed"].as_u64() > Some(20), "{report:#}");
    let right = fs::read_to_string(DROPS).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let mistakes = [
        ("missing-maybe-initialized", "(old[0] | init, ", "(old[0] & init, "),
        ("extra-maybe-uninitialized", "(uninit | gone) - made", "uninit | gone"),
        ("missing-reachable", "if slot == 1 and not always and not init & place", "if slot == 1"),
    ];
    for (kind, from, to) in mistakes {
        assert!(right.contains(from), "{from}");
        let path = folder.path().join("drops.py");
        fs::write(&path, right.replace(from, to)).unwrap();
        let (ran, report) = sweep(&format!("python3 '{}'", path.display()), &arguments);
        assert_eq!(ran.code, 1, "{ran:?}");
        let findings = report["findings"].as_array().unwrap();
        assert!(findings.iter().any(|finding| finding["kind"] == kind), "{kind}: {report:#}");
    }
}

/// The sweep of a bad subject judges all cases, and has a finding of this kind.
fn draws(kind: &str, script: &str) {
    let arguments = ["--cases", "6", "--timeout", "0.2", "--check", "liveness", "--jobs", "2"];
    let (ran, report) = sweep(&shell(script), &arguments);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert_eq!((&report["cases"], &report["finished"]), (&6.into(), &true.into()), "{report:#}");
    let findings = report["findings"].as_array().unwrap();
    assert!(findings.iter().any(|finding| finding["kind"] == kind), "{report:#}");
}

#[test]
fn processes_that_misbehave_are_findings() {
    draws("crash", "exit 3");
    draws("crash", "kill -9 $$");
    draws("nonsense", "while read -r q; do echo garbage; done");
    draws("nonsense", "yes");
    draws("timeout", "sleep 1000");
}

#[test]
fn a_process_that_is_wrong_is_a_finding_that_replays() {
    // It says that nothing is ever live in the first block, and nothing of the others.
    let script = "i=0; while read -r q; do i=$((i+1)); b=${q#*\\\"label\\\":\\\"}; b=${b%%\\\"*}; \
        echo \"{\\\"id\\\":$i,\\\"answer\\\":{\\\"blocks\\\":{\\\"$b\\\":{\\\"live_in\\\":[]}}}}\"; done";
    let folder = tempfile::tempdir().unwrap();
    let subject = shell(script);
    let arguments = ["--cases", "20", "--check", "liveness", "--quiet"];
    let mut all = vec!["sweep", "--out", "out", "--subject", &subject];
    all.extend(arguments);
    let ran = run(folder.path(), &all);
    assert_eq!(ran.code, 1, "{ran:?}");
    let case = first_case(&folder.path().join("out/findings"), "missing-live-in");
    let again = ["check", &case, "--check", "liveness", "--subject", &subject, "--quiet"];
    assert_eq!(run(folder.path(), &again).code, 1);
}

/// The minimized case of a finding of this kind.
fn first_case(findings: &Path, kind: &str) -> String {
    let names = fs::read_dir(findings).unwrap().map(|entry| entry.unwrap().path());
    let name = |path: &Path| path.file_name().unwrap().to_string_lossy().into_owned();
    let found = names.into_iter().find(|path| name(path).contains(kind));
    found.unwrap().join("case.cfg").to_str().unwrap().to_owned()
}

#[test]
fn what_cannot_be_started_is_bad_usage() {
    for subject in ["no-such-program-anywhere --flag", "sh 'oops", "/"] {
        let (ran, report) = sweep(subject, &["--cases", "1"]);
        assert_eq!((ran.code, &report), (2, &Value::Null), "{ran:?}");
        assert!(ran.stderr.contains("can't run subject"), "{ran:?}");
    }
}
