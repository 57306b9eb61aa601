//! The cases are good enough to catch wrong solvers, and right solvers pass on all of them.

use crate::generate::*;
use backedge_oracle::check::{self, Verdict};
use backedge_oracle::faults;
use backedge_oracle::subject::{Subject, SubjectFactory};

fn cases(count: u64) -> Vec<Case> {
    (0..count).map(|seed| from_seed(seed, &Config::default()).case).collect()
}

#[test]
fn every_fault_is_caught_within_a_thousand_cases() {
    let cases = cases(1000);
    for fault in faults::all() {
        let check = check::by_name(fault.check).expect("a fault names a check");
        let caught = |case: &Case| {
            let verdict = check.judge(case, &mut *fault.make());
            matches!(verdict, Verdict::Findings(_))
        };
        let first = cases.iter().position(caught);
        assert!(first.is_some_and(|first| first < 500), "{}: {first:?}", fault.name);
    }
}

#[test]
fn right_solvers_pass() {
    let subjects: [Box<dyn Subject>; 3] = [
        Box::new(faults::liveness::Naive::new("naive", None)),
        Box::new(faults::cfg::Naive::new("naive", None)),
        Box::new(faults::destprop::Naive::new("naive", None)),
    ];
    for (name, mut subject) in ["liveness", "cfg", "destprop"].into_iter().zip(subjects) {
        let check = check::by_name(name).expect("there is this check");
        for (seed, case) in cases(400).iter().enumerate() {
            assert_eq!(check.judge(case, &mut *subject), Verdict::Pass, "{name}, seed {seed}");
        }
    }
}
