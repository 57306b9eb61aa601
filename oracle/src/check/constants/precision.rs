//! Is everything found that the reference finds?

use super::of_local;
use crate::check::At;
use crate::check::report::{Report, at_block, at_inst};
use crate::reference::constants::join;
use crate::subject::{ConstantsAnswer, Known, KnownLocals};
use backedge_core::ir::{Block, Function};
use cranelift_entity::EntityRef;

pub(super) fn judge(report: &mut Report<'_>, right: &ConstantsAnswer, answer: &ConstantsAnswer) {
    states(report, &right.entry, &answer.entry, "at the start");
    // Of a block that it takes for unreachable it need not say anything more.
    let states_of = &answer.entry;
    let reached = |block: Block| states_of[block.index()].is_some();
    if let (Some(right), Some(answer)) = (&right.exit, &answer.exit) {
        states(report, right, answer, "at the end");
    }
    if let (Some(right), Some(answer)) = (&right.edges, &answer.edges) {
        for &(block, slot) in answer.difference(right) {
            let at = at_slot(report.function, block, slot);
            report.add("unreached-edge", at, "never taken".into(), "may be taken".into());
        }
    }
    if let (Some(right), Some(answer)) = (&right.foldable, &answer.foldable) {
        for &(block, inst, value) in right {
            if reached(block) && !answer.iter().any(|&(b, i, _)| (b, i) == (block, inst)) {
                let at = at_inst(report.function, block, inst);
                report.add("missing-fold", at, format!("always {value}"), "no constant".into());
            }
        }
    }
    if let (Some(right), Some(answer)) = (&right.decided, &answer.decided) {
        for &(block, slot) in right {
            if reached(block) && !answer.iter().any(|&(other, _)| other == block) {
                let at = at_slot(report.function, block, slot);
                report.add("missing-decision", at, "always taken".into(), "undecided".into());
            }
        }
    }
}

fn states(report: &mut Report<'_>, right: &[KnownLocals], answer: &[KnownLocals], place: &str) {
    for (index, (right, answer)) in right.iter().zip(answer).enumerate() {
        let block = Block::from_u32(index as u32);
        let Some(answer) = answer else { continue };
        let Some(right) = right else {
            let at = at_block(report.function, block);
            report.add("unreached-block", at, "never reached".into(), "may be reached".into());
            continue;
        };
        // Two constants that differ are not for this judge to tell apart.
        let worse = |(_, (right, answer)): &(usize, (Known, Known))| {
            right != answer && join(*right, *answer) == *answer
        };
        if let Some((local, (right, answer))) =
            right.iter().copied().zip(answer.iter().copied()).enumerate().find(worse)
        {
            let at = at_block(report.function, block);
            let expected = format!("{} {place}", of_local(report, local, right));
            report.add("missing-constant", at, expected, of_local(report, local, answer));
        }
    }
}

/// The edge in a slot.
pub(super) fn at_slot(function: &Function, block: Block, slot: u32) -> At {
    let name = |block: Block| function.blocks[block].name.to_string();
    let to = function.blocks[block].term.kind.target(slot as usize);
    let to = to.map_or_else(String::new, |target| name(target.block));
    At::Edge { from: name(block), to, slot: Some(slot) }
}
