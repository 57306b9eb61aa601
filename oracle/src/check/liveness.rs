//! The check `liveness`: what is live where, exactly.

use super::ask::{Judged, ask, judge_functions};
use super::report::{Report, at_block, at_edge, at_inst};
use super::{Case, Check, Verdict};
use crate::reference::graph::Graph;
use crate::reference::liveness::Liveness;
use crate::subject::{EdgeLiveness, LivenessAnswer, Locals, NoAnswer, Subject};
use backedge_core::ir::{Block, Local};

/// The check `liveness`.
pub struct LivenessCheck;

const KINDS: &[&str] = &[
    "missing-block",
    "missing-live-in",
    "extra-live-in",
    "missing-live-out",
    "extra-live-out",
    "missing-edge",
    "missing-edge-live",
    "extra-edge-live",
    "missing-live-before",
    "extra-live-before",
    "missing-live-after",
    "extra-live-after",
    "panic",
    "crash",
    "timeout",
    "nonsense",
    "error",
];

impl Check for LivenessCheck {
    fn name(&self) -> &'static str {
        "liveness"
    }

    fn kinds(&self) -> &'static [&'static str] {
        KINDS
    }

    fn judge(&self, case: &Case, subject: &mut dyn Subject) -> Verdict {
        judge_functions(case, subject, self.name(), KINDS, |report, subject| {
            let function = report.function;
            let answer = ask(subject, |subject| Some(subject.liveness()?.liveness(function)))?;
            let graph = Graph::new(function);
            let right = Liveness::new(function, &graph);
            judge_blocks(report, &right, &answer)?;
            judge_edges(report, &graph, &right, &answer)?;
            let kinds = ["missing-live-before", "extra-live-before"];
            judge_points(report, kinds, &answer.before, |b, i| right.before(b, i))?;
            let kinds = ["missing-live-after", "extra-live-after"];
            judge_points(report, kinds, &answer.after, |b, i| right.after(b, i))?;
            Ok(Judged::Done)
        })
    }
}

fn judge_blocks(
    report: &mut Report<'_>,
    right: &Liveness,
    answer: &LivenessAnswer,
) -> Result<(), NoAnswer> {
    check_length(report, "the list of blocks", answer.blocks.len())?;
    for (block, facts) in report.function.blocks.keys().zip(&answer.blocks) {
        let Some(facts) = facts else {
            nothing_said(report, block);
            continue;
        };
        let kinds = ["missing-live-in", "extra-live-in"];
        report.compare(kinds, |f| at_block(f, block), right.live_in(block), &facts.live_in)?;
        if let Some(live_out) = &facts.live_out {
            let kinds = ["missing-live-out", "extra-live-out"];
            report.compare(kinds, |f| at_block(f, block), right.live_out(block), live_out)?;
        }
    }
    Ok(())
}

fn judge_edges(
    report: &mut Report<'_>,
    graph: &Graph,
    right: &Liveness,
    answer: &LivenessAnswer,
) -> Result<(), NoAnswer> {
    let Some(edges) = &answer.edges else { return Ok(()) };
    let mut named = vec![false; graph.edges().len()];
    let kinds = ["missing-edge-live", "extra-edge-live"];
    for answered in edges {
        let numbers = edges_meant(report, graph, answered)?;
        numbers.iter().for_each(|&number| named[number] = true);
        match numbers[..] {
            [number] => {
                let edge = &graph.edges()[number];
                report.compare(kinds, |f| at_edge(f, edge), right.edge(number), &answered.live)?;
            }
            // Edges that the subject can't tell apart: what is live on any of them.
            _ => {
                let mut union: Vec<Local> =
                    numbers.iter().flat_map(|&number| right.edge(number)).copied().collect();
                union.sort_unstable();
                union.dedup();
                let edge = &graph.edges()[numbers[0]];
                report.compare(kinds, |f| at_edge(f, edge), &union, &answered.live)?;
            }
        }
    }
    if let Some(number) = named.iter().position(|named| !named) {
        let at = at_edge(report.function, &graph.edges()[number]);
        report.add("missing-edge", at, "a live set".into(), "nothing".into());
    }
    Ok(())
}

/// The numbers of the edges that an answer is about, at least one: several only where it gives no
/// slot and they join the same blocks.
fn edges_meant(
    report: &Report<'_>,
    graph: &Graph,
    answered: &EdgeLiveness,
) -> Result<Vec<usize>, NoAnswer> {
    report.check_block(answered.from)?;
    report.check_block(answered.to)?;
    let numbers: Vec<usize> = match answered.slot {
        // At once, so that a switch with many arms does not take the square of their number.
        Some(slot) => graph
            .edge_number(answered.from, slot as usize)
            .filter(|&number| graph.edges()[number].to == answered.to)
            .into_iter()
            .collect(),
        None => {
            let out = graph.edges_out(answered.from).iter();
            out.filter(|edge| edge.to == answered.to)
                .filter_map(|edge| graph.edge_number(edge.from, edge.slot))
                .collect()
        }
    };
    if numbers.is_empty() {
        let [from, to] = [answered.from, answered.to].map(|block| report.block(block));
        let slot = answered.slot.map(|slot| format!(" #{slot}")).unwrap_or_default();
        return Err(NoAnswer::Nonsense(format!("there is no edge `{from} -> {to}{slot}`")));
    }
    Ok(numbers)
}

/// Judges one set an instruction; a block with an empty list is one that nothing is said of.
fn judge_points<'l>(
    report: &mut Report<'_>,
    kinds: [&'static str; 2],
    answered: &Option<Vec<Vec<Locals>>>,
    right: impl Fn(Block, usize) -> &'l [Local],
) -> Result<(), NoAnswer> {
    let Some(answered) = answered else { return Ok(()) };
    check_length(report, "the list of blocks with their points", answered.len())?;
    for ((block, data), sets) in report.function.blocks.iter().zip(answered) {
        if sets.is_empty() {
            nothing_said(report, block);
        } else if sets.len() != data.insts.len() + 1 {
            let (given, count) = (sets.len(), data.insts.len() + 1);
            let name = &data.name;
            let text = format!("{given} sets for the {count} instructions of `{name}`");
            return Err(NoAnswer::Nonsense(text));
        }
        for (index, set) in sets.iter().enumerate() {
            report.compare(kinds, |f| at_inst(f, block, index), right(block, index), set)?;
        }
    }
    Ok(())
}

fn nothing_said(report: &mut Report<'_>, block: Block) {
    let at = at_block(report.function, block);
    report.add("missing-block", at, "facts, reachable or not".into(), "nothing".into());
}

fn check_length(report: &Report<'_>, what: &str, length: usize) -> Result<(), NoAnswer> {
    let count = report.function.blocks.len();
    if length == count {
        Ok(())
    } else {
        Err(NoAnswer::Nonsense(format!("{what} has {length} entries for {count} blocks")))
    }
}
