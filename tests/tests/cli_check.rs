//! `check` and `generate`: given programs, good and bad.

use backedge_tests::{backedge, ran, run};
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::Stdio;

const GOOD: &str = "fn @f(%n: int) -> int {\nentry:\n  %m = add %n, 1\n  return %m\n}\n";

fn write(folder: &Path, name: &str, text: impl AsRef<[u8]>) {
    fs::write(folder.join(name), text).unwrap();
}

#[test]
fn a_good_file_is_clean() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "good.cfg", GOOD);
    let ran = run(folder.path(), &["check", "good.cfg"]);
    assert_eq!((ran.code, &*ran.stderr), (0, ""), "{ran:?}");
    assert!(ran.stdout.contains("1 functions, 1 blocks: 1 passed, 0 failed"), "{ran:?}");
    let quiet = run(folder.path(), &["check", "--quiet", "good.cfg"]);
    assert_eq!((quiet.code, &*quiet.stdout), (0, ""));
}

#[test]
fn generated_programs_are_read_from_stdin() {
    let folder = tempfile::tempdir().unwrap();
    for seed in ["0", "1", "18446744073709551615"] {
        let generated = run(folder.path(), &["generate", "--seed", seed]);
        assert_eq!(generated.code, 0);
        assert!(generated.stdout.contains(&format!(";; seed: {seed}\n")), "{generated:?}");
        assert_eq!(run(folder.path(), &["generate", "--seed", seed]).stdout, generated.stdout);
        let mut command = backedge(folder.path(), &["check", "-"]);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(generated.stdout.as_bytes()).unwrap();
        let ran = ran(child.wait_with_output().unwrap());
        assert_eq!(ran.code, 0, "{ran:?}");
    }
}

#[test]
fn every_bad_file_is_told_and_the_good_ones_are_checked() {
    let folder = tempfile::tempdir().unwrap();
    let noise: Vec<u8> = (0..5_000_000u64).map(|at| (at * at % 251) as u8).collect();
    let files: [(&str, &[u8]); 9] = [
        ("empty.cfg", b""),
        ("syntax.cfg", b"fn @f( {\n"),
        ("types.cfg", b"fn @f(%o: own) -> int {\nentry:\n  %m = add %o, 1\n  return %m\n}\n"),
        ("dangling.cfg", b"fn @f() {\nentry:\n  jump nowhere\n}\n"),
        ("arity.cfg", b"fn @f() {\nentry:\n  jump b(1)\nb:\n  return\n}\n"),
        ("utf8.cfg", b"fn @f() {\nentry:\n  return ; \xff\xfe\n}\n"),
        ("noise.cfg", &noise),
        ("noise.mir", &noise),
        ("noise.bril.json", &noise),
    ];
    fs::create_dir(folder.path().join("folder.cfg")).unwrap();
    write(folder.path(), "good.cfg", GOOD);
    let mut all = vec!["check", "folder.cfg", "missing.cfg"];
    for (name, text) in &files {
        write(folder.path(), name, text);
        let ran = run(folder.path(), &["check", name]);
        assert_eq!(ran.code, 2, "{name}: {ran:?}");
        assert!(ran.stderr.contains(name), "{name}: {ran:?}");
        assert!(ran.stderr.len() < 20_000, "{name}: {} bytes", ran.stderr.len());
        all.push(name);
    }
    all.push("good.cfg");
    let ran = run(folder.path(), &all);
    assert_eq!(ran.code, 2);
    assert!(ran.stdout.contains("1 functions, 1 blocks: 1 passed"), "{ran:?}");
    for name in &all[1..all.len() - 1] {
        assert!(ran.stderr.contains(name), "{name} in {}", ran.stderr);
    }
}

#[test]
fn directives_choose_check_and_subject() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "cfg.cfg", format!(";; check: cfg\n{GOOD}"));
    let ran = run(folder.path(), &["check", "cfg.cfg"]);
    assert!(ran.stdout.contains("1 passed") && !ran.stdout.contains("liveness"), "{ran:?}");
    let over = run(folder.path(), &["check", "--check", "liveness", "cfg.cfg"]);
    assert!(over.stdout.contains("liveness") && !over.stdout.contains("cfg  "), "{over:?}");
    write(folder.path(), "bad.cfg", format!(";; check: nonsense\n{GOOD}"));
    let bad = run(folder.path(), &["check", "bad.cfg"]);
    assert_eq!(bad.code, 2);
    assert!(bad.stderr.contains("bad.cfg") && bad.stderr.contains("nonsense"), "{bad:?}");
}

#[test]
fn a_file_starts_no_command() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "evil.cfg", format!(";; subject: touch owned\n{GOOD}"));
    let ran = run(folder.path(), &["check", "evil.cfg"]);
    assert_eq!(ran.code, 2, "{ran:?}");
    assert!(ran.stderr.contains("--subject 'touch owned'"), "{ran:?}");
    assert!(!folder.path().join("owned").exists());
}

#[test]
fn what_a_file_says_of_its_program_is_judged() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "right.cfg", format!(";; live_in entry: n\n{GOOD}"));
    write(folder.path(), "wrong.cfg", format!(";; live_in entry: m\n{GOOD}"));
    write(folder.path(), "unclear.cfg", format!(";; live_in nowhere: n\n{GOOD}"));
    let right = run(folder.path(), &["check", "right.cfg"]);
    assert_eq!(right.code, 0, "{right:?}");
    assert!(right.stdout.contains("expect"), "{right:?}");
    let wrong = run(folder.path(), &["check", "wrong.cfg", "--report", "r.json"]);
    assert_eq!(wrong.code, 1, "{wrong:?}");
    assert!(wrong.stdout.contains("wrong.cfg:1:"), "{wrong:?}");
    let report = fs::read_to_string(folder.path().join("r.json")).unwrap();
    assert!(report.contains("unmet-expectation"), "{report}");
    let unclear = run(folder.path(), &["check", "unclear.cfg"]);
    assert_eq!(unclear.code, 2, "{unclear:?}");
    assert!(unclear.stderr.contains("nowhere"), "{unclear:?}");
}
