//! `import`, and `check` of what rustc prints.

use backedge_tests::run;
use std::fs;
use std::path::Path;

fn corpus(name: &str) -> String {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus/mir").join(name);
    file.to_str().expect("the path is text").to_owned()
}

#[test]
fn mir_is_checked_and_its_import_as_well() {
    let folder = tempfile::tempdir().unwrap();
    for (name, counts) in [
        ("sink.debug.mir", "32 functions, 219 blocks: 32 passed, 0 failed, 0 skipped"),
        ("sink.release.mir", "32 functions, 185 blocks: 32 passed, 0 failed, 0 skipped"),
    ] {
        let checked = run(folder.path(), &["check", "--check", "cfg,liveness", &corpus(name)]);
        assert_eq!((checked.code, &*checked.stderr), (0, ""), "{checked:?}");
        assert!(checked.stdout.contains(counts), "{checked:?}");
        let printed = run(folder.path(), &["import", &corpus(name)]);
        let written = run(folder.path(), &["import", &corpus(name), "-o", "out.cfg"]);
        assert_eq!((printed.code, written.code, &*written.stdout), (0, 0, ""));
        assert_eq!(fs::read_to_string(folder.path().join("out.cfg")).unwrap(), printed.stdout);
        let again = run(folder.path(), &["check", "--check", "cfg,liveness", "out.cfg"]);
        assert!(again.code == 0 && again.stdout.contains(counts), "{again:?}");
    }
}

#[test]
fn an_unknown_construct_is_told_with_its_line_and_the_rest_comes_through() {
    let folder = tempfile::tempdir().unwrap();
    let text = fs::read_to_string(corpus("sink.debug.mir")).unwrap();
    let line = "_2 = MulWithOverflow(copy _1, const 2_u64);";
    let text = text.replacen(line, "_2 = frobnicate copy _1;", 1);
    let bad = text.lines().position(|line| line.contains("frobnicate")).unwrap_or(usize::MAX);
    fs::write(folder.path().join("bad.mir"), text).unwrap();
    for command in ["check", "import"] {
        let ran = run(folder.path(), &[command, "bad.mir"]);
        assert_eq!(ran.code, 2, "{ran:?}");
        assert!(ran.stderr.contains(&format!("bad.mir:{}:", bad + 1)), "{ran:?}");
        let functions = match command {
            "check" => ran.stdout.contains("31 functions"),
            _ => ran.stdout.matches("\nfn @").count() == 31,
        };
        assert!(functions, "{ran:?}");
    }
}

#[test]
fn what_is_no_mir_prints_nothing() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("noise.mir"), "what is this?\n").unwrap();
    for arguments in [["import", "noise.mir"], ["import", "missing.mir"], ["import", "."]] {
        let ran = run(folder.path(), &arguments);
        assert_eq!((ran.code, &*ran.stdout), (2, ""), "{ran:?}");
        assert!(!ran.stderr.is_empty());
    }
}
