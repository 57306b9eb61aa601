//! Finds the published sources of the peer.
//!
//! The crate hides its interval sets behind a feature that only builds inside of rustc. The file itself
//! needs two names of the crate, which are public. So it is compiled from where Cargo unpacked it.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

fn main() {
    let source = sources("ra-ap-rustc_index").join("src/interval.rs");
    println!("cargo::rerun-if-changed={}", source.display());
    let text = fs::read_to_string(&source).expect("the crate has the file");
    let out = env::var("OUT_DIR").expect("Cargo says where to");
    fs::write(Path::new(&out).join("interval.rs"), text).expect("it can be written");
}

/// The folder of a package that this one depends on.
fn sources(name: &str) -> PathBuf {
    let cargo = env::var("CARGO").expect("Cargo names itself");
    let output =
        Command::new(cargo).args(["metadata", "--format-version", "1", "--offline"]).output();
    let output = output.expect("Cargo runs").stdout;
    let metadata: Value = serde_json::from_slice(&output).expect("metadata");
    let packages = metadata["packages"].as_array().expect("packages");
    let package = packages.iter().find(|package| package["name"] == name).expect("the package");
    let manifest = package["manifest_path"].as_str().expect("a path");
    Path::new(manifest).parent().expect("a folder").to_path_buf()
}
