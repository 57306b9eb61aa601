//! Every wrong solver is caught within 2,000 generated cases, and what caught it is minimized to at
//! most three blocks and four instructions; of wrong passes that merge locals to three and six, of wrong
//! allocators to four and eight.

use backedge::generate::{Config, from_seed};
use backedge::judge::Judge;
use backedge::minimize::{Options, minimize};
use backedge_core::ir::Function;
use backedge_core::ir::text::print;
use backedge_oracle::check::{self, Case};
use backedge_oracle::faults::{self, Fault};
use backedge_oracle::tape::REGISTERS;
use std::sync::Arc;

const CASES: u64 = 2000;

/// The first case that the fault fails on, with the kind of its first finding.
fn caught(judge: &Judge) -> Option<(Case, &'static str)> {
    caught_among(judge, (0..CASES).map(|seed| from_seed(seed, &Config::default()).case))
}

/// The cases, each to be allocated with few registers: where pressure comes from a few values, few are
/// left in the end.
fn under_pressure(registers: &'static str) -> impl Iterator<Item = Case> {
    (0..CASES).map(move |seed| {
        let mut case = from_seed(seed, &Config::default()).case;
        let of_registers = case.program.directives.iter_mut().filter(|of| of.key == REGISTERS);
        of_registers.for_each(|directive| directive.value = registers.to_owned());
        case
    })
}

fn caught_among(
    judge: &Judge,
    mut cases: impl Iterator<Item = Case>,
) -> Option<(Case, &'static str)> {
    cases.find_map(|case| {
        let kind = judge.judge(&case).findings().first()?.kind;
        Some((case, kind))
    })
}

fn judge(fault: &Fault) -> Judge {
    let check = check::by_name(fault.check).expect("a fault names a check");
    Judge::new(Arc::from(check), Arc::new(*fault))
}

/// Wrong allocators of which no run can tell: what they do wrong lies where no value is, or in what no
/// bits of an instruction say.
const SEEN_BY_NO_RUN: [&str; 6] = [
    "fault:moves-never-written",
    "fault:slot-outside-frame",
    "fault:register-not-given",
    "fault:block-forgotten",
    "fault:panics-on-few-registers",
    "fault:fixed-operand-moved",
];

/// Where a value differs, running the code tells as well, and what it fails on is small in the end.
#[test]
fn wrong_allocators_are_caught_by_running_their_code() {
    let execute: Arc<dyn check::Check> =
        Arc::from(check::by_name("execute").expect("there is one"));
    for fault in faults::all().iter().filter(|fault| fault.check == "regalloc") {
        if SEEN_BY_NO_RUN.contains(&fault.name) {
            continue;
        }
        let judge = Judge::new(execute.clone(), Arc::new(*fault));
        let Some((case, kind)) =
            caught_among(&judge, under_pressure("3").chain(under_pressure("6")))
        else {
            panic!("{} is not caught within {CASES} cases by a run", fault.name);
        };
        let fails = |case: &Case| judge.fails_like(case, kind);
        let program = minimize(&case, &Options::default(), &fails).case.program;
        let blocks: usize = program.functions.iter().map(|function| function.blocks.len()).sum();
        let insts: usize = program.functions.iter().map(Function::inst_count).sum();
        assert!(blocks <= 4 && insts <= 8, "{} {kind}:\n{}", fault.name, print(&program));
        println!("{} {kind}: {blocks} blocks, {insts} instructions", fault.name);
    }
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
        let (most_blocks, most_insts) = match fault.check {
            "regalloc" | "drops" => (4, 8),
            "destprop" => (3, 6),
            "structurize" => (5, 8),
            _ => (3, 4),
        };
        assert!(
            blocks <= most_blocks && insts <= most_insts,
            "{} {kind}:\n{}",
            fault.name,
            print(&program)
        );
    }
}
