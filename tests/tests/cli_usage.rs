//! Exit codes and streams of the command line.

use backedge_tests::{backedge, ran, run};
use std::process::Stdio;

#[test]
fn help_names_every_command_and_exit_code() {
    let folder = tempfile::tempdir().unwrap();
    let help = run(folder.path(), &["--help"]);
    assert_eq!(help.code, 0);
    for word in ["sweep", "check", "generate", "merge", "subjects", "Exit codes"] {
        assert!(help.stdout.contains(word), "{word} in {}", help.stdout);
    }
    assert_eq!(run(folder.path(), &["--version"]).code, 0);
}

#[test]
fn bad_usage_is_exit_code_2() {
    let folder = tempfile::tempdir().unwrap();
    for arguments in [
        &["nonsense"][..],
        &["--nonsense"],
        &["sweep", "--cases", "-1"],
        &["sweep", "--cases", "1", "--seconds", "1"],
        &["sweep", "--shard", "3/2"],
        &["sweep", "--seconds", "0"],
        &["sweep", "--jobs", "0"],
        &["sweep", "--max-blocks", "0"],
        &["sweep", "--shape", "nonsense"],
        &["sweep", "--check", "nonsense"],
        &["sweep", "--subject", "fault:nonsense"],
        &["sweep", "--subject", ""],
        &["sweep", "--seed", "18446744073709551615", "--cases", "2"],
        &["check"],
        &["check", "--check", "nonsense", "missing.cfg"],
        &["merge"],
        &["merge", "missing.json"],
    ] {
        let ran = run(folder.path(), arguments);
        assert_eq!(ran.code, 2, "{arguments:?}: {ran:?}");
        assert!(ran.stdout.is_empty(), "{arguments:?}: {ran:?}");
        assert!(!ran.stderr.trim().is_empty(), "{arguments:?}");
    }
    let left = std::fs::read_dir(folder.path()).unwrap().count();
    assert_eq!(left, 0, "bad usage writes nothing");
}

#[test]
fn what_cannot_be_written_is_exit_code_3() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("file"), "").unwrap();
    for arguments in [
        ["sweep", "--cases", "1", "--out", "file"],
        ["sweep", "--cases", "1", "--report", "no/such/folder.json"],
        ["sweep", "--cases", "1", "--junit", "no/such/folder.xml"],
    ] {
        let ran = run(folder.path(), &arguments);
        assert_eq!(ran.code, 3, "{arguments:?}: {ran:?}");
        assert!(ran.stderr.contains("backedge: can't"), "{arguments:?}: {ran:?}");
    }
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let folder = tempfile::tempdir().unwrap();
    for arguments in [&["subjects"][..], &["generate", "--seed", "1"], &["sweep", "--cases", "9"]] {
        let mut command = backedge(folder.path(), arguments);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let ran = ran(child.wait_with_output().unwrap());
        assert_eq!((ran.code, &*ran.stderr), (0, ""), "{arguments:?}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_is_a_failure() {
    let folder = tempfile::tempdir().unwrap();
    let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
    let output = backedge(folder.path(), &["subjects"]).stdout(full).output().unwrap();
    let ran = ran(output);
    assert_eq!(ran.code, 3, "{ran:?}");
    assert!(ran.stderr.contains("stdout"), "{ran:?}");
}
