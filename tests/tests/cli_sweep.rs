//! Sweeps: the same whatever the threads and shards, findings in folders, reports, resuming.

use backedge_tests::{Ran, backedge, ran, run};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// A subject that is wrong on many cases, in several ways.
const WRONG: &str = "fault:single-pass";

fn sweep(folder: &Path, name: &str, arguments: &[&str]) -> (Ran, Value) {
    let (out, report) = (format!("{name}-out"), format!("{name}.json"));
    let mut all = vec!["sweep", "--out", &out, "--report", &report];
    all.extend(arguments);
    let ran = run(folder, &all);
    (ran, read(&folder.join(report)))
}

fn read(path: &Path) -> Value {
    let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{path:?}: {error}"));
    serde_json::from_str(&text).unwrap()
}

/// The report without what may differ: time and folder.
fn comparable(mut report: Value) -> Value {
    for key in ["seconds", "cases_per_second"] {
        report[key] = Value::Null;
    }
    for finding in report["findings"].as_array_mut().unwrap() {
        let path = finding["path"].as_str().unwrap().to_owned();
        finding["path"] = path.split_once('/').unwrap().1.into();
    }
    report
}

#[test]
fn a_correct_subject_is_clean() {
    let folder = tempfile::tempdir().unwrap();
    let (ran, report) = sweep(folder.path(), "clean", &["--cases", "500"]);
    assert_eq!((ran.code, &*ran.stderr), (0, ""), "{ran:?}");
    for word in ["cfg", "liveness", "structured", "tiny", "500 cases", "no findings"] {
        assert!(ran.stdout.contains(word), "{word} in {}", ran.stdout);
    }
    assert_eq!((&report["version"], &report["cases"]), (&1.into(), &500.into()));
    assert_eq!((&report["seed"], &report["finished"]), (&0.into(), &true.into()));
    for check in ["cfg", "liveness"] {
        assert_eq!(report["checks"][check]["passed"], 500, "{report:#}");
        assert_eq!(report["checks"][check]["failed"], 0);
        assert!(report["checks"][check]["skipped"].as_object().unwrap().is_empty());
    }
    let shapes = report["shapes"].as_object().unwrap();
    assert_eq!(shapes.values().map(|count| count.as_u64().unwrap()).sum::<u64>(), 500);
    let graphs = &report["graphs"];
    let count = |kind: &str| graphs[kind].as_u64().unwrap();
    assert!(count("irreducible") > 0 && count("never_returning") > 0, "{graphs}");
    assert!(count("reducible") + count("irreducible") >= 500, "a case is at least one function");
    assert!(report["findings"].as_array().unwrap().is_empty());
}

#[test]
fn quiet_prints_nothing_but_findings() {
    let folder = tempfile::tempdir().unwrap();
    let (ran, _) = sweep(folder.path(), "quiet", &["--cases", "20", "--quiet"]);
    assert_eq!((ran.code, &*ran.stdout, &*ran.stderr), (0, "", ""));
}

#[test]
fn threads_and_shards_make_no_difference() {
    let folder = tempfile::tempdir().unwrap();
    let wrong = |name: &str, arguments: &[&str]| {
        let common = ["--cases", "200", "--seed", "7", "--subject", WRONG, "--check", "liveness"];
        let (ran, report) = sweep(folder.path(), name, &[&common[..], arguments].concat());
        assert_eq!(ran.code, 1, "{ran:?}");
        report
    };
    let whole = comparable(wrong("one", &["--jobs", "1"]));
    assert!(whole["kinds"][0]["failed"].as_u64().unwrap() > 20, "{whole:#}");
    assert_eq!(comparable(wrong("two", &["--jobs", "2"])), whole);
    wrong("half-1", &["--shard", "1/2", "--jobs", "1"]);
    wrong("half-2", &["--shard", "2/2"]);
    let merged = run(folder.path(), &["merge", "half-2.json", "half-1.json"]);
    assert_eq!(merged.code, 1, "{merged:?}");
    assert_eq!(comparable(serde_json::from_str(&merged.stdout).unwrap()), whole);
    let twice = run(folder.path(), &["merge", "half-1.json", "half-1.json"]);
    assert_eq!(twice.code, 2);
    assert!(twice.stderr.contains("seed 7"), "{twice:?}");
    let out = run(folder.path(), &["merge", "half-1.json", "half-2.json", "-o", "sum.json"]);
    assert!(out.stdout.contains("200 cases"), "{out:?}");
    assert_eq!(comparable(read(&folder.path().join("sum.json"))), whole);
}

#[test]
fn findings_replay() {
    let folder = tempfile::tempdir().unwrap();
    let arguments = ["--cases", "200", "--subject", WRONG, "--check", "liveness"];
    let (ran, report) = sweep(folder.path(), "wrong", &arguments);
    assert_eq!(ran.code, 1);
    for finding in report["findings"].as_array().unwrap() {
        let text = |key: &str| finding[key].as_str().unwrap();
        assert!(ran.stdout.contains(text("path")) && ran.stdout.contains(text("message")));
        assert!(finding["one_minimal"].as_bool().unwrap(), "{finding:#}");
        let path = folder.path().join(text("path"));
        let again = run(&path, &["check", "case.cfg"]);
        assert_eq!(again.code, 1, "{again:?}");
        assert!(again.stdout.contains(text("kind")), "{again:?}");
        let page = fs::read_to_string(path.join("report.html")).unwrap();
        assert!(page.contains("<svg") && !page.contains("src="), "{page}");
        let script = Command::new("sh")
            .arg(path.join("replay.sh"))
            .env("BACKEDGE", backedge_tests::program())
            .output()
            .unwrap();
        assert_eq!(script.status.code(), Some(1), "{script:?}");
        let replay: Vec<&str> = text("replay").split(' ').skip(1).collect();
        let from_seed = run(folder.path(), &[&replay[..], &["--out", "again"]].concat());
        assert_eq!(from_seed.code, 1, "{from_seed:?}");
        assert!(from_seed.stdout.contains(text("hash")), "{from_seed:?}");
    }
}

#[test]
fn stop_first_stops_at_the_first() {
    let folder = tempfile::tempdir().unwrap();
    let arguments = ["--stop-first", "--subject", WRONG, "--check", "liveness", "--seed", "3"];
    let (ran, report) = sweep(folder.path(), "first", &arguments);
    assert_eq!(ran.code, 1);
    assert_eq!(report["checks"]["liveness"]["failed"], 1, "{report:#}");
    let seed = report["findings"][0]["seed"].as_u64().unwrap();
    assert_eq!(report["cases"].as_u64().unwrap(), seed - 3 + 1);
}

#[test]
fn junit_is_well_formed() {
    let folder = tempfile::tempdir().unwrap();
    let subjects = ["--subject", WRONG, "--subject", "core", "--check", "cfg,liveness"];
    let arguments = [&subjects[..], &["--cases", "50", "--junit", "j.xml"]].concat();
    let (ran, report) = sweep(folder.path(), "junit", &arguments);
    assert_eq!(ran.code, 1);
    let text = fs::read_to_string(folder.path().join("j.xml")).unwrap();
    let junit = quick_junit::Report::deserialize_from_str(&text).unwrap();
    assert_eq!(junit.test_suites.len(), 4, "{text}");
    let failures: usize = junit.test_suites.iter().map(|suite| suite.failures).sum();
    assert_eq!(failures, report["findings"].as_array().unwrap().len());
}

#[test]
fn a_resumed_sweep_is_a_whole_one() {
    let folder = tempfile::tempdir().unwrap();
    let common = ["--subject", WRONG, "--check", "liveness"];
    let (_, whole) = sweep(folder.path(), "whole", &[&common[..], &["--cases", "200"]].concat());
    sweep(folder.path(), "part", &[&common[..], &["--cases", "60"]].concat());
    let resume = [&common[..], &["--cases", "200", "--resume"]].concat();
    let (ran, resumed) = sweep(folder.path(), "part", &resume);
    assert_eq!(ran.code, 1);
    assert_eq!(comparable(resumed), comparable(whole));
    let other =
        run(folder.path(), &["sweep", "--out", "part-out", "--resume", "--max-blocks", "5"]);
    assert_eq!(other.code, 2);
    assert!(other.stderr.contains("can't resume"), "{other:?}");
}

#[test]
fn a_folder_in_use_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let mut first = start(folder.path(), &["--seconds", "60"]);
    let second = run(folder.path(), &["sweep", "--cases", "1"]);
    assert_eq!(second.code, 3, "{second:?}");
    assert!(second.stderr.contains("another sweep"), "{second:?}");
    first.kill().unwrap();
    first.wait().unwrap();
    assert_eq!(run(folder.path(), &["sweep", "--cases", "1"]).code, 0, "the lock is gone with it");
}

#[test]
#[cfg(unix)]
fn an_interrupted_sweep_reports_and_resumes() {
    let folder = tempfile::tempdir().unwrap();
    let sweep = start(folder.path(), &["--cases", "100000000", "--report", "part.json"]);
    let pid = sweep.id().to_string();
    assert!(Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
    let ran = ran(sweep.wait_with_output().unwrap());
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.stdout.contains("ended early"), "{ran:?}");
    let part = read(&folder.path().join("part.json"));
    assert_eq!(part["finished"], false);
    let cases = part["cases"].as_u64().unwrap();
    assert!(cases > 0);
    let more = (cases + 100).to_string();
    let resumed = run(folder.path(), &["sweep", "--cases", &more, "--resume"]);
    assert_eq!(resumed.code, 0, "{resumed:?}");
    assert!(resumed.stdout.contains(&format!("{more} cases in")), "{resumed:?}");
}

/// Starts a sweep, and waits until it has saved something.
fn start(folder: &Path, arguments: &[&str]) -> Child {
    let all = [&["sweep"][..], arguments].concat();
    let mut command = backedge(folder, &all);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let state: PathBuf = folder.join("backedge-out/state.json");
    for _ in 0..600 {
        if state.exists() {
            return child;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    panic!("it saves nothing");
}
