//! What real wrong answers shrink to: every fault that the checks must catch, on generated cases.

use super::*;
use crate::generate::{Config, from_seed};
use crate::judge::Judge;
use backedge_core::ir::text;
use backedge_oracle::check::{self, Check};
use backedge_oracle::faults::{self, Fault};

/// How many failing cases of each fault are minimized.
const CASES: usize = 2;

fn judge(fault: &Fault) -> Judge {
    let checks = check::all().into_iter();
    let check = checks.map(Arc::<dyn Check>::from).find(|check| check.name() == fault.check);
    Judge::new(check.expect("a fault names its check"), Arc::new(*fault))
}

/// Cases of some size that the fault fails on, with the kind of its first finding.
fn failing(judge: &Judge, seeds: u64) -> impl Iterator<Item = (Case, &'static str)> {
    let config = Config::default();
    let cases = (0..seeds).map(move |seed| from_seed(seed, &config).case);
    let cases = cases.filter(|case| (8..40).contains(&size_of(case).0));
    cases.filter_map(|case| {
        let kind = judge.judge(&case).findings().first()?.kind;
        Some((case, kind))
    })
}

#[test]
fn every_fault_shrinks_to_what_fits_on_a_card() {
    for fault in faults::all() {
        let judge = judge(fault);
        let mut minimized = 0;
        // Copies between what an unknown operation reads and what it writes are rare.
        let seeds = if fault.check == "destprop" { 10_000 } else { 1000 };
        for (case, kind) in failing(&judge, seeds).take(CASES) {
            let found = minimize(&case, &Options::default(), &|case| judge.fails_like(case, kind));
            let text = text::print(&found.case.program);
            let (blocks, instructions) = size_of(&found.case);
            println!("{} {kind}: {blocks} {instructions}, {} tries", fault.name, found.tries);
            // Answers of a tape are as many places to simplify again.
            let runs = found.case.program.directives("tape").next().is_some();
            let most_tries = if runs { 900 } else { 450 };
            // A drop in doubt takes a way to where it is and one around what puts it in doubt.
            let (most_blocks, most_insts) = match fault.check {
                "drops" => (4, 8),
                "structurize" => (5, 8),
                _ => (3, 4),
            };
            let small =
                blocks <= most_blocks && instructions <= most_insts && found.tries <= most_tries;
            assert!(small && found.one_minimal, "{}, {kind}:\n{text}", fault.name);
            assert!(judge.fails_like(&found.case, kind), "{}, {kind}:\n{text}", fault.name);
            assert_eq!(text::parse(&text).as_ref(), Ok(&found.case.program));
            minimized += 1;
        }
        assert_eq!(minimized, CASES, "{} fails on too few cases", fault.name);
    }
}
