//! Lets rustc run its pass, and dump what it does.

use crate::generate::program;
use std::path::Path;
use std::process::Command;

/// Flags that make rustc dump the pass to `dumps` in the folder.
fn dumping(folder: &Path) -> Vec<String> {
    let dumps = folder.join("dumps");
    vec![
        "-Zdump-mir-dataflow".to_owned(),
        "-Zmir-enable-passes=+DestinationPropagation".to_owned(),
        "-Zdump-mir=DestinationPropagation".to_owned(),
        format!("-Zdump-mir-dir={}", dumps.display()),
    ]
}

fn run(command: &mut Command) {
    let output = command.env("RUSTC_BOOTSTRAP", "1").output().expect("it runs");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
}

/// Compiles functions, with no other pass.
pub(crate) fn cases(cases: &[String], folder: &Path) {
    let source = folder.join("f.rs");
    std::fs::write(&source, program(cases)).expect("the source can be written");
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let mut command = Command::new(rustc);
    command.arg(&source).args(["--edition", "2024", "--emit=mir", "-Zmir-opt-level=0"]);
    run(command.args(dumping(folder)).current_dir(folder));
}

/// Compiles a published crate, `name@version`, as it is released; what its dumps start with.
pub(crate) fn published(of: &str, folder: &Path) -> String {
    let (name, version) = of.split_once('@').expect("a crate is NAME@VERSION");
    let manifest = format!(
        "[package]\nname = \"depends\"\nversion = \"0.0.0\"\nedition = \"2021\"\n[lib]\n\
         path = \"lib.rs\"\n[workspace]\n[dependencies]\n{name} = \"={version}\"\n"
    );
    for (file, text) in [("Cargo.toml", &manifest[..]), ("lib.rs", "")] {
        std::fs::write(folder.join(file), text).expect("the package can be written");
    }
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(["build", "--quiet", "--release"]).current_dir(folder);
    command.env_remove("CARGO_ENCODED_RUSTFLAGS").env("CARGO_TARGET_DIR", folder.join("target"));
    run(command.env("RUSTFLAGS", dumping(folder).join(" ")));
    name.replace('-', "_")
}
