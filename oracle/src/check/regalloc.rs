//! The check `regalloc`: lowered code has the control flow of the IR, and with every allocator of the
//! subject each use finds its value.
//!
//! A case says with how many registers it is to be allocated; one that does not is judged with the
//! fewest and with all.

use super::ask::{Judged, ask, judge_functions};
use super::report::Report;
use super::{At, Case, Check, Verdict};
use crate::measures::{Count, Measures, configuration};
use crate::reference::allocation::{self, Kind, violations, walk};
use crate::reference::topology;
use crate::subject::{NoAnswer, Subject};
use crate::tape;
use backedge_core::ir::{Function, Program};
use backedge_core::machine::reg::{FEWEST_REGISTERS, MOST_REGISTERS};
use backedge_core::machine::{self, MFunction};
use backedge_core::regalloc::{Allocation, Registers, Statistics, rewrite};
use std::cell::RefCell;

/// The check `regalloc`.
pub struct RegallocCheck;

const KINDS: &[&str] = &[
    "topology",
    Kind::Malformed.name(),
    Kind::NotAllocatable.name(),
    Kind::FixedOperandMoved.name(),
    Kind::EarlyDefShares.name(),
    Kind::TwoDefsShare.name(),
    Kind::DefClobbered.name(),
    Kind::SlotOverlap.name(),
    Kind::SlotOutOfFrame.name(),
    Kind::WrongValue.name(),
    Kind::ClobberedAcrossCall.name(),
    Kind::WrongArgument.name(),
    Kind::CalleeSavedLost.name(),
    "panic",
    "crash",
    "timeout",
    "nonsense",
    "error",
];

/// The largest function that is judged: the reference's memory grows with blocks times locations.
const MOST_BLOCKS: usize = 20_000;

/// Walks of the second opinion: how many, and how many blocks each.
const WALKS: (u64, usize) = (1, 40);

impl Check for RegallocCheck {
    fn name(&self) -> &'static str {
        "regalloc"
    }

    fn kinds(&self) -> &'static [&'static str] {
        KINDS
    }

    fn judge(&self, case: &Case, subject: &mut dyn Subject) -> Verdict {
        self.judge_and_measure(case, subject, &mut Measures::default())
    }

    fn judge_and_measure(
        &self,
        case: &Case,
        subject: &mut dyn Subject,
        measures: &mut Measures,
    ) -> Verdict {
        let counts = match tape::registers(&case.program) {
            Ok(Some(count)) => vec![count],
            Ok(None) => vec![FEWEST_REGISTERS, MOST_REGISTERS],
            Err(why) => return Verdict::Skip(why.message),
        };
        let measures = RefCell::new(measures);
        judge_functions(case, subject, self.name(), KINDS, |report, subject| {
            if report.function.blocks.len() > MOST_BLOCKS {
                return Ok(Judged::Skip(format!("more than {MOST_BLOCKS} blocks")));
            }
            let function = report.function;
            let machine = lower(subject, &case.program, function)?;
            judge_topology(report, function, &machine);
            judge_allocators(report, subject, &machine, &counts, &mut measures.borrow_mut())
        })
    }
}

/// By the subject, or by `core` for a subject that has only allocators.
fn lower(
    subject: &mut dyn Subject,
    program: &Program,
    function: &Function,
) -> Result<MFunction, NoAnswer> {
    ask(subject, |subject| {
        if let Some(lowering) = subject.lowering() {
            return Some(lowering.lower(program, function));
        }
        if subject.allocators().is_empty() {
            return None;
        }
        Some(machine::lower(program, function).map_err(|why| NoAnswer::Skip(why.to_string())))
    })
}

fn judge_topology(report: &mut Report<'_>, function: &Function, machine: &MFunction) {
    if let Err(wrong) = topology::compare(function, machine) {
        let at = At::Block(function.blocks[wrong.block].name.to_string());
        report.add("topology", at, wrong.expected, wrong.found);
    }
}

fn judge_allocators(
    report: &mut Report<'_>,
    subject: &mut dyn Subject,
    machine: &MFunction,
    counts: &[usize],
    measures: &mut Measures,
) -> Result<Judged, NoAnswer> {
    for index in 0..subject.allocators().len() {
        for &count in counts {
            let registers = Registers::new(count);
            let answer = ask(subject, |subject| {
                let mut allocators = subject.allocators();
                let allocator = allocators.get_mut(index)?;
                let name = allocator.name().to_owned();
                Some(allocator.allocate(machine, &registers).map(|answer| (name, answer)))
            });
            let (name, allocation) = answer?;
            let how = format!("{name} with {count} registers");
            let found = violations(machine, &registers, &allocation);
            for violation in &found {
                tell(report, machine, &how, violation);
            }
            if found.is_empty() {
                if let Some(why) = second_opinion(machine, &allocation) {
                    return Ok(Judged::Broken(format!("{how}: {why}")));
                }
                let name = configuration(&name, count);
                measure(measures, &name, report.function, machine, &allocation);
            }
        }
    }
    Ok(Judged::Done)
}

/// What a walk finds wrong with an allocation that the symbolic judge accepts.
fn second_opinion(machine: &MFunction, allocation: &Allocation) -> Option<String> {
    let (walks, blocks) = WALKS;
    (0..walks).find_map(|seed| walk(machine, allocation, seed, blocks).err())
}

fn tell(
    report: &mut Report<'_>,
    machine: &MFunction,
    how: &str,
    violation: &allocation::Violation,
) {
    let name = |block| machine.blocks[block].name.to_string();
    let (at, where_) = match violation.at {
        allocation::At::Function => (At::Function, String::new()),
        allocation::At::Inst(block, index) => {
            let data = &machine.blocks[block];
            let text =
                data.insts.get(index).map_or("the terminator".into(), |inst| inst.to_string());
            (At::Block(name(block)), format!(" at `{text}`"))
        }
        allocation::At::Edge(block, slot) => {
            let to = machine.blocks[block].term.kind.target(slot).map_or(block, |to| to.block);
            let (from, to) = (name(block), name(to));
            (At::Edge { from, to, slot: Some(slot as u32) }, String::new())
        }
    };
    let expected = format!("{}{where_}", named(report.function, &violation.expected));
    let answered = format!("{} ({how})", named(report.function, &violation.found));
    report.add(violation.kind.name(), at, expected, answered);
}

/// Virtual registers with the names of their locals: `v3` is also `%sum`.
fn named(function: &Function, text: &str) -> String {
    let word = |word: &str| {
        let trimmed = word.trim_end_matches(',');
        let number: Option<usize> = trimmed.strip_prefix('v').and_then(|text| text.parse().ok());
        match number.and_then(|number| function.locals.values().nth(number)) {
            Some(local) => word.replacen(trimmed, &format!("{trimmed} (%{})", local.name), 1),
            None => word.to_owned(),
        }
    };
    text.split(' ').map(word).collect::<Vec<_>>().join(" ")
}

fn measure(
    measures: &mut Measures,
    name: &str,
    function: &Function,
    machine: &MFunction,
    allocation: &Allocation,
) {
    let Ok(code) = rewrite(machine, allocation) else { return };
    let counts = Statistics::of(&code);
    let blocks = |function: &MFunction| function.blocks.len();
    let size =
        |function: &MFunction| function.blocks.values().map(|data| data.insts.len()).sum::<usize>();
    let all = [
        (Count::Functions, 1),
        (Count::Instructions, function.inst_count() + function.blocks.len()),
        (Count::MachineInstructions, size(machine) + blocks(machine)),
        (Count::Spills, counts.spills),
        (Count::Reloads, counts.reloads),
        (Count::Moves, counts.moves),
        (Count::Saved, counts.saved),
        (Count::SpillBytes, counts.spill_bytes as usize),
    ];
    for (count, amount) in all {
        measures.add(name, count, amount as u64);
    }
}
