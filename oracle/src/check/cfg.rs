//! The check `cfg`: edges, reachable blocks, postorder, dominators, loops and reducibility.

use super::ask::{Judged, ask, judge_functions};
use super::report::{Report, at_block};
use super::{At, Case, Check, Verdict};
use crate::reference::dominators::Dominators;
use crate::reference::graph::Graph;
use crate::reference::loops::natural_loops;
use crate::reference::postorder::{WhyNot, why_no_postorder};
use crate::reference::reducible::is_reducible;
use crate::reference::second_opinion::SecondOpinion;
use crate::subject::{CfgAnswer, LoopAnswer, NoAnswer, Subject};
use backedge_core::ir::Block;
use cranelift_entity::EntityRef;
use std::collections::BTreeSet;

/// The check `cfg`.
pub struct CfgCheck;

/// The references take time and space that grow with the square of this.
const MOST_BLOCKS: usize = 10_000;

const KINDS: &[&str] = &[
    "missing-edge",
    "extra-edge",
    "wrong-reachable",
    "wrong-postorder",
    "wrong-idom",
    "wrong-loops",
    "wrong-reducible",
    "panic",
    "crash",
    "timeout",
    "nonsense",
    "error",
];

impl Check for CfgCheck {
    fn name(&self) -> &'static str {
        "cfg"
    }

    fn kinds(&self) -> &'static [&'static str] {
        KINDS
    }

    fn judge(&self, case: &Case, subject: &mut dyn Subject) -> Verdict {
        judge_functions(case, subject, self.name(), KINDS, |report, subject| {
            let function = report.function;
            let blocks = function.blocks.len();
            if blocks > MOST_BLOCKS {
                let text = format!("{blocks} blocks are more than the {MOST_BLOCKS} judged");
                return Ok(Judged::Skip(text));
            }
            let answer = ask(subject, |subject| Some(subject.cfg()?.cfg(function)))?;
            let right = Right::new(Graph::new(function));
            if let Some(why) = right.disagreement() {
                return Ok(Judged::Broken(why));
            }
            judge_edges(report, &right, &answer)?;
            judge_orders(report, &right, &answer)?;
            judge_idom(report, &right, &answer)?;
            judge_loops(report, &right, &answer)?;
            if answer.reducible.is_some_and(|answered| answered != right.reducible) {
                let [expected, answered] = [right.reducible, !right.reducible].map(reducible_text);
                report.add("wrong-reducible", At::Function, expected, answered);
            }
            Ok(Judged::Done)
        })
    }
}

/// What is true of a graph.
struct Right {
    graph: Graph,
    dominators: Dominators,
    loops: Vec<(Block, Vec<bool>)>,
    reducible: bool,
}

impl Right {
    fn new(graph: Graph) -> Right {
        let dominators = Dominators::new(&graph);
        let loops = natural_loops(&graph, &dominators);
        let reducible = is_reducible(&graph);
        Right { graph, dominators, loops, reducible }
    }

    /// Where the second opinion differs.
    fn disagreement(&self) -> Option<String> {
        let second = SecondOpinion::new(&self.graph);
        second
            .on_reachable(self.dominators.reachable())
            .or_else(|| second.on_idom(&self.dominators))
            .or_else(|| second.on_loops(&self.loops))
            .or_else(|| second.on_reducible(self.reducible))
    }

    fn is_reachable(&self, block: Block) -> bool {
        self.dominators.reachable()[block.index()]
    }
}

fn judge_edges(report: &mut Report<'_>, right: &Right, answer: &CfgAnswer) -> Result<(), NoAnswer> {
    for &(from, to) in &answer.edges {
        report.check_block(from)?;
        report.check_block(to)?;
    }
    let mut expected: Vec<_> =
        right.graph.edges().iter().map(|edge| (edge.from, edge.to)).collect();
    let mut answered = answer.edges.clone();
    expected.sort_unstable();
    answered.sort_unstable();
    if expected == answered {
        return Ok(());
    }
    let count = |edges: &[_], edge| edges.iter().filter(|&&other| other == edge).count();
    for &edge in expected.iter().chain(&answered) {
        let [there, given] = [count(&expected, edge), count(&answered, edge)];
        let kind = match there.cmp(&given) {
            std::cmp::Ordering::Equal => continue,
            std::cmp::Ordering::Greater => "missing-edge",
            std::cmp::Ordering::Less => "extra-edge",
        };
        let [from, to] = [edge.0, edge.1].map(|block| report.block(block).to_owned());
        let [there, given] = [there, given].map(|count| format!("{count} of it"));
        report.add(kind, At::Edge { from, to, slot: None }, there, given);
    }
    Ok(())
}

fn judge_orders(
    report: &mut Report<'_>,
    right: &Right,
    answer: &CfgAnswer,
) -> Result<(), NoAnswer> {
    if let Some(reachable) = &answer.reachable {
        report.check_distinct("reachable", reachable.iter().copied())?;
        let is_wrong = |&b: &Block| right.is_reachable(b) != reachable.contains(&b);
        if let Some(block) = right.graph.blocks().find(is_wrong) {
            let text = |is| if is { "reachable" } else { "unreachable" }.to_owned();
            let is = right.is_reachable(block);
            let at = at_block(report.function, block);
            report.add("wrong-reachable", at, text(is), text(!is));
        }
    }
    if let Some(postorder) = &answer.postorder {
        postorder.iter().try_for_each(|&block| report.check_block(block))?;
        if let Some(why) = why_no_postorder(&right.graph, postorder) {
            let (block, expected) = postorder_text(report, why);
            let answered = report.blocks(postorder.iter().copied());
            let at = at_block(report.function, block);
            report.add("wrong-postorder", at, expected, answered);
        }
    }
    Ok(())
}

/// The block that is in a wrong place, and where it should be.
fn postorder_text(report: &Report<'_>, why: WhyNot) -> (Block, String) {
    match why {
        WhyNot::Twice(block) => (block, "each block once".into()),
        WhyNot::Unreachable(block) => (block, "no unreachable block".into()),
        WhyNot::Absent(block) => (block, "every reachable block".into()),
        WhyNot::NotEntered(block) => (block, "a place that some search leaves it at".into()),
        WhyNot::LeftTooEarly(block, next) => {
            let [block_name, next] = [block, next].map(|block| report.block(block));
            (block, format!("`{next}`, which `{block_name}` branches to, left before it"))
        }
    }
}

fn judge_idom(report: &mut Report<'_>, right: &Right, answer: &CfgAnswer) -> Result<(), NoAnswer> {
    let Some(pairs) = &answer.idom else { return Ok(()) };
    report.check_distinct("idom", pairs.iter().map(|pair| pair.0))?;
    pairs.iter().try_for_each(|pair| report.check_block(pair.1))?;
    let mut answered = vec![None; right.graph.block_count()];
    for &(block, idom) in pairs {
        answered[block.index()] = Some(idom);
    }
    for (block, answered) in right.graph.blocks().zip(answered) {
        let expected = right.dominators.idom(block);
        if expected != answered {
            let text = |idom: Option<Block>| match idom {
                Some(block) => format!("`{}`", report.block(block)),
                None => "none".into(),
            };
            let [expected, answered] = [expected, answered].map(text);
            report.add("wrong-idom", at_block(report.function, block), expected, answered);
            break;
        }
    }
    Ok(())
}

fn judge_loops(report: &mut Report<'_>, right: &Right, answer: &CfgAnswer) -> Result<(), NoAnswer> {
    let Some(loops) = &answer.loops else { return Ok(()) };
    report.check_distinct("the list of loops", loops.iter().map(|one| one.header))?;
    for one in loops {
        one.blocks.iter().try_for_each(|&block| report.check_block(block))?;
    }
    let members = |inside: &[bool]| -> BTreeSet<Block> {
        right.graph.blocks().filter(|block| inside[block.index()]).collect()
    };
    for header in right.graph.blocks() {
        let expected = right.loops.iter().find(|one| one.0 == header).map(|one| members(&one.1));
        let answered = loops.iter().find(|one| one.header == header).map(blocks_of);
        if expected.as_ref() != answered {
            let text = |blocks: Option<&BTreeSet<Block>>| match blocks {
                Some(blocks) => format!("the loop {}", report.blocks(blocks.iter().copied())),
                None => "no loop with this header".into(),
            };
            let [expected, answered] = [expected.as_ref(), answered].map(text);
            report.add("wrong-loops", at_block(report.function, header), expected, answered);
            break;
        }
    }
    Ok(())
}

fn blocks_of(one: &LoopAnswer) -> &BTreeSet<Block> {
    &one.blocks
}

fn reducible_text(reducible: bool) -> String {
    if reducible { "reducible" } else { "irreducible" }.into()
}
