//! Every wrong solver is caught within 2,000 generated cases, and what caught it is minimized to at
//! most three blocks and four instructions; of wrong allocators to at most four and eight.

use backedge::generate::{Config, from_seed};
use backedge::judge::Judge;
use backedge::minimize::{Options, minimize};
use backedge_core::ir::Function;
use backedge_core::ir::text::print;
use backedge_oracle::check::{self, Case};
use backedge_oracle::faults::{self, Fault};
use std::sync::Arc;

const CASES: u64 = 2000;

/// The first case that the fault fails on, with the kind of its first finding.
fn caught(judge: &Judge) -> Option<(Case, &'static str)> {
    (0..CASES).find_map(|seed| {
        let case = from_seed(seed, &Config::default()).case;
        let kind = judge.judge(&case).findings().first()?.kind;
        Some((case, kind))
    })
}

fn judge(fault: &Fault) -> Judge {
    let check = check::by_name(fault.check).expect("a fault names a check");
    Judge::new(Arc::from(check), Arc::new(*fault))
}

#[test]
fn every_fault_is_caught_and_minimized() {
    for fault in faults::all() {
        let judge = judge(fault);
        let Some((case, kind)) = caught(&judge) else {
            panic!("{} is not caught within {CASES} cases", fault.name);
        };
        let fails = |case: &Case| judge.fails_like(case, kind);
        let program = minimize(&case, &Options::default(), &fails).case.program;
        let blocks: usize = program.functions.iter().map(|function| function.blocks.len()).sum();
        let insts: usize = program.functions.iter().map(Function::inst_count).sum();
        let (most_blocks, most_insts) = if fault.check == "regalloc" { (4, 8) } else { (3, 4) };
        assert!(
            blocks <= most_blocks && insts <= most_insts,
            "{} {kind}:\n{}",
            fault.name,
            print(&program)
        );
    }
}
