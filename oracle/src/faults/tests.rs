//! Without a fault the naive solvers are right; with one they are caught, on small functions too.

use super::{Fault, all, by_name, cfg, constants, destprop, drops, liveness, regalloc};
use crate::check::{self, Case, Verdict};
use crate::subject::{Subject, SubjectFactory};
use crate::testing::{copying, lowerable, owning, random_function, returning_nothing};
use backedge_core::ir::{Function, Program};
use std::collections::BTreeSet;

fn judge(check: &str, subject: &mut dyn Subject, function: Function) -> Verdict {
    // What is to be allocated has to be lowered first, and little of what is random can be dropped or merged.
    let function = match check {
        "regalloc" => lowerable(function),
        "drops" => owning(function),
        "destprop" => copying(function),
        "structurize" => returning_nothing(function),
        _ => function,
    };
    let program = Program { memory: Some(64), functions: vec![function], ..Program::default() };
    check::by_name(check).unwrap().judge(&Case { program }, subject)
}

/// The findings of a fault on the functions of the first `count` seeds, with the functions.
fn findings(fault: &Fault, count: u64, most_blocks: usize) -> Vec<(Function, Verdict)> {
    let all = (0..count).map(|seed| finding(fault, seed, most_blocks));
    all.filter(|(_, verdict)| !verdict.findings().is_empty()).collect()
}

/// The function of a seed, and what is said of the fault on it.
fn finding(fault: &Fault, seed: u64, most_blocks: usize) -> (Function, Verdict) {
    let function = random_function(seed, most_blocks);
    (function.clone(), judge(fault.check, &mut *fault.make(), function))
}

#[test]
fn without_a_fault_they_are_right() {
    for seed in 0..1000 {
        let function = random_function(seed, 10);
        let mut right = liveness::Naive::new("naive", None);
        assert_eq!(judge("liveness", &mut right, function.clone()), Verdict::Pass, "seed {seed}");
        let mut right = cfg::Naive::new("naive", None);
        assert_eq!(judge("cfg", &mut right, function.clone()), Verdict::Pass, "seed {seed}");
        let mut right = constants::Naive::new("naive", None);
        assert_eq!(judge("constants", &mut right, function.clone()), Verdict::Pass, "seed {seed}");
        let mut right = drops::Naive::new("naive", None);
        assert_eq!(judge("drops", &mut right, function.clone()), Verdict::Pass, "seed {seed}");
        let mut right = destprop::Naive::new("naive", None);
        assert_eq!(judge("destprop", &mut right, function.clone()), Verdict::Pass, "seed {seed}");
        let mut right = regalloc::Plain::new("plain", None);
        assert_eq!(judge("regalloc", &mut right, function), Verdict::Pass, "seed {seed}");
    }
}

/// Solvers that are right, but not what they make of it: that shows in runs alone, and random functions of
/// this crate have no tapes. They are caught beside their checks, and on generated cases.
const ONLY_IN_RUNS: [&str; 4] = [
    "fault:jumps-the-other-way",
    "fault:flag-not-set-again",
    "fault:flag-not-cleared",
    "fault:hoisted-into-third-path",
];

#[test]
fn every_fault_is_caught() {
    for fault in all().iter().filter(|fault| !ONLY_IN_RUNS.contains(&fault.name)) {
        let caught = (0..1000).any(|seed| !finding(fault, seed, 10).1.findings().is_empty());
        assert!(caught, "{} drew nothing", fault.name);
    }
}

#[test]
fn every_fault_shows_on_a_small_function() {
    for fault in all().iter().filter(|fault| !ONLY_IN_RUNS.contains(&fault.name)) {
        let blocks = if fault.check == "structurize" { 5 } else { 3 };
        let mut all = (0..3000).map(|seed| finding(fault, seed, blocks));
        let is_small = |(function, verdict): (Function, Verdict)| {
            let most =
                if ["regalloc", "drops", "structurize"].contains(&fault.check) { 8 } else { 4 };
            function.inst_count() <= most && !verdict.findings().is_empty()
        };
        assert!(all.any(is_small), "{} needs more blocks", fault.name);
    }
}

#[test]
fn every_kind_that_a_solver_in_this_process_can_draw_is_drawn() {
    // A check that runs whole programs is held to its kinds where it stands, by code that is given.
    for check in check::all().iter().filter(|check| !check.judges_whole_programs()) {
        let faults = all().iter().filter(|fault| fault.check == check.name());
        let drawn: BTreeSet<&str> = faults
            .flat_map(|fault| findings(fault, 300, 8))
            .flat_map(|(_, verdict)| verdict.findings().to_vec())
            .map(|finding| finding.kind)
            .collect();
        let elsewhere = match check.name() {
            "liveness" => &["crash", "timeout"][..],
            // These need a tape, and are drawn beside the check.
            "constants" => {
                let runs = &["contradicted-by-run", "fold-differs"];
                &[runs, &["panic", "crash", "timeout", "nonsense", "error"][..]].concat()
            }
            "drops" => &["elaborated-differs", "panic", "crash", "timeout", "nonsense", "error"],
            // No instruction that lowering makes has a result that could be anywhere, and clobbers.
            "regalloc" => &["def-clobbered", "crash", "timeout", "nonsense", "error"],
            _ => &["panic", "crash", "timeout", "nonsense", "error"],
        };
        let expected: BTreeSet<&str> =
            check.kinds().iter().copied().filter(|kind| !elsewhere.contains(kind)).collect();
        assert_eq!(drawn, expected);
    }
}

#[test]
fn a_worklist_seeded_from_the_exits_is_wrong_where_control_never_leaves() {
    let fault = by_name("fault:seeded-from-exits").unwrap();
    for (function, _) in findings(fault, 1000, 10) {
        let graph = crate::reference::graph::Graph::new(&function);
        assert!(graph.can_exit().contains(&false), "{function:?}");
    }
}

#[test]
fn names_are_distinct_and_found() {
    let names: BTreeSet<&str> = all().iter().map(|fault| fault.name).collect();
    assert_eq!(names.len(), all().len());
    for fault in all() {
        assert!(fault.name.starts_with("fault:"));
        assert_eq!(by_name(fault.name), Some(fault));
        assert_eq!(fault.make().name(), fault.name);
    }
    assert_eq!(by_name("fault:none"), None);
}
