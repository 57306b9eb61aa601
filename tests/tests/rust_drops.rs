//! The worked examples of drops as Rust source: the installed rustc gives the classes that stand there, and the
//! filetests of the same names give them as well. Without a rustc whose dumps can be read, nothing is tested.

use backedge::input;
use backedge_core::ir::Program;
use backedge_oracle::core_subject::Core;
use backedge_oracle::expect;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus")
}

/// Lets rustc dump how it elaborates the drops of the examples; `None` if it can't.
fn dump(folder: &Path) -> Option<Vec<PathBuf>> {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(rustc)
        .arg(corpus().join("rust/drops.rs").canonicalize().expect("the examples are there"))
        .args(["--edition", "2024", "--emit=mir", "-Awarnings", "-Zdump-mir-dataflow"])
        .arg("-Zdump-mir=ElaborateDrops | maybe_init | maybe_uninit")
        .arg(format!("-Zdump-mir-dir={}", folder.join("dumps").display()))
        .current_dir(folder)
        .env("RUSTC_BOOTSTRAP", "1")
        .output()
        .ok()?;
    if !output.status.success() {
        eprintln!("not tested with rustc: {}", String::from_utf8_lossy(&output.stderr));
        return None;
    }
    let files = fs::read_dir(folder.join("dumps")).ok()?;
    let files = files.filter_map(|file| Some(file.ok()?.path()));
    let is_before = |path: &PathBuf| path.to_string_lossy().ends_with("ElaborateDrops.before.mir");
    Some(files.filter(is_before).collect())
}

/// What a dump says of each drop: block and class, by the local that is dropped.
fn classes(mir: &str, program: &Program) -> BTreeMap<String, Vec<(bool, String)>> {
    let mut found: BTreeMap<String, Vec<(bool, String)>> = BTreeMap::new();
    let mut block = "";
    for line in mir.lines().map(str::trim) {
        if line.starts_with("bb") && line.ends_with('{') {
            block = line;
        }
        let Some(rest) = line.strip_prefix("drop(_") else { continue };
        let local = format!("_{}", rest.split(')').next().unwrap_or_default());
        let name = block.split([' ', ':']).next().unwrap_or_default();
        let is_meant = |key: &str| key.starts_with(&format!("drop {name} "));
        let class = program.directives.iter().find(|directive| is_meant(&directive.key));
        let class = class.expect("every drop of these has a class").value.clone();
        found.entry(local).or_default().push((block.contains("cleanup"), class));
    }
    found
}

/// `// p cleanup: dead, static`
struct Note {
    variable: String,
    cleanup: bool,
    classes: Vec<String>,
}

/// The functions, each with the notes above it.
fn annotations() -> Vec<(String, Vec<Note>)> {
    let source =
        fs::read_to_string(corpus().join("rust/drops.rs")).expect("the examples are there");
    let mut found = Vec::new();
    let mut noted = Vec::new();
    for line in source.lines() {
        if let Some((variable, classes)) =
            line.strip_prefix("// ").and_then(|note| note.split_once(": "))
        {
            let cleanup = variable.ends_with(" cleanup");
            let variable = variable.trim_end_matches(" cleanup").to_owned();
            let classes = classes.split(", ").map(str::to_owned).collect();
            noted.push(Note { variable, cleanup, classes });
        } else if let Some(name) = line.strip_prefix("pub fn ")
            && !noted.is_empty()
        {
            let name = name.split('(').next().unwrap_or_default().to_owned();
            found.push((name, std::mem::take(&mut noted)));
        }
    }
    found
}

#[test]
fn rustc_gives_the_examples_the_classes_that_stand_there() {
    let folder = tempfile::tempdir().expect("there is a place for dumps");
    let Some(files) = dump(folder.path()) else { return };
    let annotations = annotations();
    assert!(annotations.len() >= 11);
    for (name, notes) in annotations {
        let is_meant = |file: &&PathBuf| file.to_string_lossy().contains(&format!(".{name}."));
        let file = files.iter().find(is_meant).expect("rustc dumps every function");
        let mir = fs::read_to_string(file).expect("a dump is text");
        let loaded = input::load(&file.to_string_lossy(), None).expect("a dump can be read");
        assert!(loaded.diagnostics.is_empty(), "{}", loaded.render(false));
        let wrong = expect::judge(&loaded.program, &mut Core::default());
        assert!(wrong.is_empty(), "{name}: {wrong:?}");
        let classes = classes(&mir, &loaded.program);
        for Note { variable, cleanup, classes: expected } in notes {
            let debug = format!("debug {variable} => ");
            let local = mir.lines().find_map(|line| line.trim().strip_prefix(&debug)).unwrap_or("");
            let of_local = classes.get(local.trim_end_matches(';')).cloned().unwrap_or_default();
            let found: Vec<String> = of_local
                .into_iter()
                .filter(|(c, _)| *c == cleanup)
                .map(|(_, class)| class)
                .collect();
            assert_eq!(found, expected, "{name}: {variable}, cleanup: {cleanup}");
            if !cleanup {
                filetest_agrees(&name, expected.last().expect("a note names a class"));
            }
        }
    }
}

/// The filetest of the same name has a drop of the class that the scope's end has.
fn filetest_agrees(name: &str, class: &str) {
    let path = corpus().join(format!("filetests/drops/{}.cfg", name.replace('_', "-")));
    let loaded = input::load(&path.to_string_lossy(), None).expect("there is such a filetest");
    let mut said = loaded.program.directives.iter();
    let agrees = said.any(|said| said.key.starts_with("drop ") && said.value == class);
    assert!(agrees, "{name}: no drop is {class}");
}
