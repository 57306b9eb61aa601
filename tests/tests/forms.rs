//! The forms of control flow as the command line shows them: what the files beside a program say is what is shown,
//! and the program passes the check.

use backedge_tests::run;
use std::fs;
use std::path::{Path, PathBuf};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus/filetests/structurize")
}

fn programs() -> Vec<PathBuf> {
    let files = fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path());
    let mut found: Vec<PathBuf> =
        files.filter(|path| path.extension().is_some_and(|suffix| suffix == "cfg")).collect();
    found.sort();
    found
}

#[test]
fn forms_are_as_the_files_say() {
    let programs = programs();
    assert!(programs.len() >= 2);
    for path in programs {
        let file = path.to_str().unwrap();
        for form in ["thunk", "structured", "lowered"] {
            let ran = run(&folder(), &["show", file, "--form", form]);
            assert_eq!(ran.code, 0, "{ran:?}");
            let expected = fs::read_to_string(path.with_extension(format!("{form}.txt"))).unwrap();
            assert_eq!(ran.stdout, expected, "{file} as {form}");
        }
        let ran = run(&folder(), &["check", file, "--check", "structurize"]);
        assert_eq!(ran.code, 0, "{ran:?}");
    }
}

#[test]
fn only_blocks_can_be_drawn() {
    let file = &programs()[0];
    let file = file.to_str().unwrap();
    let ran = run(&folder(), &["show", file, "--form", "lowered", "--format", "svg"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.stdout.contains("<svg"));
    let ran = run(&folder(), &["show", file, "--form", "thunk", "--format", "svg"]);
    assert_eq!(ran.code, 2, "{ran:?}");
    assert!(ran.stderr.contains("--form lowered"), "{ran:?}");
}
