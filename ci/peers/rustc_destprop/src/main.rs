//! Our destination propagation next to that of the rustc that is installed.
//!
//! Random functions are told rustc as custom MIR. From its dumps are read the function that its own pass saw,
//! which locals that merged, under which names, and the live ranges that it merged by. Ours is asked with the same rule: live
//! ranges, and every instruction but a copy may write before it has read. Merges, names and ranges must be
//! the same, for every function. `RUSTC` names another rustc.

mod compare;
mod dumps;
mod generate;
mod read;

use generate::{Case, case, program};
use std::path::Path;
use std::process::{Command, ExitCode};

/// How many functions are compared, and how many of them rustc gets at once.
const FUNCTIONS: u64 = 2000;
const AT_ONCE: u64 = 100;

fn main() -> ExitCode {
    let mut total = compare::Outcome::default();
    for first in (0..FUNCTIONS).step_by(AT_ONCE as usize) {
        let cases: Vec<Case> = (first..first + AT_ONCE).map(case).collect();
        let folder = tempfile::tempdir().expect("a place to compile in");
        compile(&cases, folder.path());
        for case in &cases {
            let dumps = dumps::Dumps::read(&folder.path().join("dumps"), &case.name);
            match compare::compare(&dumps) {
                Ok(outcome) => total.add(&outcome),
                Err(why) => {
                    println!(
                        "{}: {why}\n{}\n{:#?}\n{:#?}",
                        case.name, case.mir, dumps.before, dumps.after
                    );
                    return ExitCode::FAILURE;
                }
            }
        }
    }
    let compare::Outcome { copies, merged, points } = total;
    println!(
        "{FUNCTIONS} functions: {copies} copies, {merged} locals merged, {points} points: no difference"
    );
    ExitCode::SUCCESS
}

/// Lets rustc run nothing but its pass, and dump what it does.
fn compile(cases: &[Case], folder: &Path) {
    let source = folder.join("f.rs");
    std::fs::write(&source, program(cases)).expect("the source can be written");
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(rustc)
        .arg(&source)
        .args(["--edition", "2024", "--emit=mir", "-Zmir-opt-level=0", "-Zdump-mir-dataflow"])
        .args(["-Zmir-enable-passes=+DestinationPropagation", "-Zdump-mir=DestinationPropagation"])
        .arg(format!("-Zdump-mir-dir={}", folder.join("dumps").display()))
        .current_dir(folder)
        .env("RUSTC_BOOTSTRAP", "1")
        .output()
        .expect("rustc runs");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}\n{}", program(cases));
}
