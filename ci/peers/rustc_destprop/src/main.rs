//! Our destination propagation next to that of the rustc that is installed.
//!
//! rustc compiles 2,000 random functions, told as custom MIR, and published crates. From its dumps are read
//! the functions that its own pass saw, which locals that merged, under which names, and the live ranges that
//! it merged by. Ours is asked with the same rule: live ranges, and every instruction but a copy may write
//! before it has read. Merges, names and ranges must be the same, for every function. `RUSTC` names another
//! rustc; on the command line stand other crates, `NAME@VERSION`.
//!
//! **Where the two passes differ**, all of which ours is told here (`body.rs`), so that no difference is left:
//!
//! - rustc does not try copies of locals that are borrowed or dropped. Our IR has no pointers to locals, and
//!   ours does not try copies of what is owned.
//! - rustc can't rename the result `_0`; in our IR `return` names any local.
//! - rustc merges by live ranges, and an instruction that is no copy may write before it has read. `saved`, as
//!   it is used elsewhere, merges more: locals that hold one value and are both read later, and an operand
//!   with a result that is written when all has been read. The last count is what it merges here.
//! - Both give a class the name of what can't be renamed. Otherwise rustc takes that of the source, ours of
//!   the destination; the names are compared by rustc's rule.

mod body;
mod compare;
mod compile;
mod dumps;
mod generate;
mod ranges;

use compare::{Outcome, compare};
use generate::case;
use std::path::Path;
use std::process::ExitCode;

/// How many functions are compared, and how many of them rustc gets at once.
const FUNCTIONS: u64 = 2000;
const AT_ONCE: u64 = 100;

const CRATES: [&str; 3] = ["smallvec@1.16.6", "hashbrown@0.16.1", "regex-syntax@0.8.12"];

fn main() -> ExitCode {
    let named: Vec<String> = std::env::args().skip(1).collect();
    let mut failed = false;
    let mut total = Outcome::default();
    for first in (0..FUNCTIONS).step_by(AT_ONCE as usize).filter(|_| named.is_empty()) {
        let cases: Vec<_> = (first..first + AT_ONCE).map(case).collect();
        let folder = tempfile::tempdir().expect("a place to compile in");
        compile::cases(&cases, folder.path());
        failed |= judge(&folder.path().join("dumps"), "f.f", &mut total);
    }
    if named.is_empty() {
        failed |= total.functions != FUNCTIONS as usize;
        report("generated", &total);
    }
    let crates = if named.is_empty() { CRATES.map(str::to_owned).to_vec() } else { named };
    for of in &crates {
        let folder = tempfile::tempdir().expect("a place to compile in");
        let name = compile::published(of, folder.path());
        let mut total = Outcome::default();
        failed |= judge(&folder.path().join("dumps"), &format!("{name}."), &mut total);
        failed |= total.functions == 0;
        report(of, &total);
    }
    if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

/// Compares each function of a crate. Whether one is different.
fn judge(folder: &Path, of: &str, total: &mut Outcome) -> bool {
    let mut failed = false;
    for (name, dumps) in dumps::read(folder).iter().filter(|(name, _)| name.starts_with(of)) {
        match compare(dumps) {
            Ok(outcome) => total.add(&outcome),
            Err(why) => {
                println!("{name}: {why}");
                failed = true;
            }
        }
    }
    failed
}

fn report(of: &str, total: &Outcome) {
    let Outcome { functions, with_candidates, copies, borrowed, .. } = total;
    let Outcome { merged, merged_by_saved, points, .. } = total;
    println!(
        "{of}: the same in {functions} functions, {with_candidates} of them with something to try\n  \
         {copies} copies, {borrowed} of borrowed locals; {merged} locals merged, \
         {merged_by_saved} by ours otherwise; {points} points"
    );
}
