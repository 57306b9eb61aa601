//! The check `structurize`: thunk form, structured form, and blocks again.
//!
//! Thunk form has to stand for exactly the graph that it was made of, edge by edge. Structured form may have no
//! construct that only unstructured code has, no block twice, no more nodes and regions than [`most`] allows, and
//! the loops of a reducible graph as they were nested. What it is lowered to has to be valid, in SSA form if the
//! original is, reducible, and to stay as large when it goes through all forms again. All of them then run on
//! every tape, and so do skeletons ([`skeleton`]), which tell on every wrong turn. Thunk form that stands for the
//! right graph has to run like it: if it does not, the references disagree.

mod forms;
mod runs;
mod skeleton;
#[cfg(test)]
mod tests;

use super::ask::{Judged, ask, judge_functions};
use super::report::Report;
use super::{At, Case, Check, Verdict};
use crate::measures::{Count, Measures};
use crate::reference::dominators::Dominators;
use crate::reference::graph::Graph;
use crate::reference::loops::natural_loops;
use crate::reference::reducible::is_reducible;
use crate::reference::thunks::{graph, loop_depths, unstructured};
use crate::subject::{NoAnswer, Subject};
use backedge_core::ir::text::print_function;
use backedge_core::ir::validate::validate;
use backedge_core::ir::{BlockData, Function, Op, Program, TerminatorKind};
use backedge_core::thunks::form::{Node, RegionFunction};
use forms::{FunctionForms, function_forms};
use std::cell::RefCell;
use std::collections::BTreeMap;

/// The check `structurize`.
pub struct StructurizeCheck;

const KINDS: &[&str] = &[
    "thunk-rule",
    "wrong-graph",
    "unreify-differs",
    "unstructured",
    "too-large",
    "lost-or-copied",
    "loop-nest",
    "lowered-invalid",
    "lowered-irreducible",
    "grows",
    "structured-differs",
    "lowered-differs",
    "unsteady",
    "panic",
    "crash",
    "timeout",
    "nonsense",
    "error",
];

/// The largest function whose loops and reducibility are judged: the references are quadratic and worse.
const LARGEST: usize = 2000;

impl Check for StructurizeCheck {
    fn name(&self) -> &'static str {
        "structurize"
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
        let measures = RefCell::new(measures);
        let verdict = judge_functions(case, subject, self.name(), KINDS, |report, subject| {
            let function = report.function;
            ask(subject, |subject| subject.structurizer().map(|_| Ok(())))?;
            if keeps_thunks(function) {
                return Ok(Judged::Skip(
                    "the function keeps thunks, so that its edges are not known".into(),
                ));
            }
            let forms = function_forms(function, subject)?;
            judge_thunks(report, &forms.thunks, subject)?;
            judge_structured(report, &forms.structured);
            judge_lowered(report, case, &forms, subject)?;
            judge_steady(report, &forms, subject)?;
            measure(function, &forms, &mut measures.borrow_mut());
            Ok(Judged::Done)
        });
        match verdict {
            Verdict::Pass => runs::judge(case, subject),
            other => other,
        }
    }
}

fn keeps_thunks(function: &Function) -> bool {
    function.blocks.values().any(|data| {
        matches!(data.term.kind, TerminatorKind::Enter(_))
            || data.insts.iter().any(|inst| matches!(inst.op, Op::Bind(_)))
    })
}

/// The text without what does not occur, so that locals of thunks do not count.
fn canonical(function: &Function) -> String {
    let mut function = function.clone();
    function.canonicalize();
    print_function(&function)
}

/// Thunk form stands for the graph, and the subject reads it off the same way.
fn judge_thunks(
    report: &mut Report<'_>,
    thunks: &RegionFunction,
    subject: &mut dyn Subject,
) -> Result<(), NoAnswer> {
    let function = report.function;
    let read = match graph(thunks) {
        Ok(read) => read,
        Err(broken) => {
            report.add("thunk-rule", At::Function, "thunks by their rules".into(), broken);
            return Ok(());
        }
    };
    let expected = canonical(function);
    compare_texts(report, "wrong-graph", &expected, &canonical(&read));
    let back = ask(subject, |subject| Some(subject.structurizer()?.unreify(thunks)))?;
    if let Some(back) = back {
        compare_texts(report, "unreify-differs", &expected, &canonical(&back));
    }
    Ok(())
}

fn compare_texts(report: &mut Report<'_>, kind: &'static str, expected: &str, answered: &str) {
    if expected != answered {
        let lines = expected.lines().zip(answered.lines());
        let differ = lines.clone().find(|(a, b)| a != b);
        let (expected, answered) = differ.unwrap_or(("nothing more", "another number of lines"));
        report.add(kind, At::Function, expected.trim().into(), answered.trim().into());
    }
}

/// How many nodes and regions the structured form may have: in a graph with `b` blocks, `e` edges with `a`
/// arguments in all, and `i` instructions, `i + 5b + 3e + 2a + 1` nodes and `7b + 2e + 3` regions. No block
/// can be there twice.
fn most(function: &Function) -> (usize, usize) {
    let (mut edges, mut args) = (0, 0);
    for data in function.blocks.values() {
        for target in data.term.kind.targets() {
            edges += 1;
            args += target.args.len();
        }
    }
    let blocks = function.blocks.len();
    let nodes = function.inst_count() + 5 * blocks + 3 * edges + 2 * args + 1;
    (nodes, 7 * blocks + 2 * edges + 3)
}

fn judge_structured(report: &mut Report<'_>, structured: &RegionFunction) {
    let function = report.function;
    if let Some(wrong) = unstructured(structured) {
        report.add("unstructured", At::Function, "structured constructs".into(), wrong);
        return;
    }
    let nodes = structured.regions.values().map(|region| region.nodes.len()).sum::<usize>();
    let (most_nodes, most_regions) = most(function);
    if nodes > most_nodes || structured.regions.len() > most_regions {
        let expected = format!("at most {most_nodes} nodes and {most_regions} regions");
        let answered = format!("{nodes} nodes and {} regions", structured.regions.len());
        report.add("too-large", At::Function, expected, answered);
    }
    judge_instructions(report, structured);
    if function.blocks.len() > LARGEST {
        return;
    }
    let graph = Graph::new(function);
    if is_reducible(&graph) {
        let expected = expected_depths(&graph);
        let answered = loop_depths(structured);
        if expected != answered {
            let shown = |depths: &[usize]| format!("loops at depths {depths:?}");
            report.add("loop-nest", At::Function, shown(&expected), shown(&answered));
        }
    }
}

/// How deep each natural loop lies in others, in ascending order.
fn expected_depths(graph: &Graph) -> Vec<usize> {
    let loops = natural_loops(graph, &Dominators::new(graph));
    let depth = |header: backedge_core::ir::Block| {
        let inside = |(_, blocks): &&(_, Vec<bool>)| blocks[header.as_u32() as usize];
        loops.iter().filter(inside).count()
    };
    let mut depths: Vec<usize> = loops.iter().map(|(header, _)| depth(*header)).collect();
    depths.sort_unstable();
    depths
}

/// Every instruction of the blocks that are reached is there as often as it was; only constants, copies and
/// moves may have joined.
fn judge_instructions(report: &mut Report<'_>, structured: &RegionFunction) {
    let function = report.function;
    let reachable = Graph::new(function).reachable();
    let mut count: BTreeMap<String, i64> = BTreeMap::new();
    let blocks = function.blocks.iter().filter(|(block, _)| reachable[block.as_u32() as usize]);
    for inst in blocks.flat_map(|(_, data)| &data.insts).filter(|inst| !is_helper(&inst.op)) {
        *count.entry(word(&inst.op)).or_default() += 1;
    }
    for node in structured.regions.values().flat_map(|region| &region.nodes) {
        if let Node::Inst(inst) = node
            && !is_helper(&inst.op)
        {
            *count.entry(word(&inst.op)).or_default() -= 1;
        }
    }
    if let Some((op, &more)) = count.iter().find(|(_, more)| **more != 0) {
        let answered =
            format!("`{op}` {} times {}", more.abs(), if more > 0 { "fewer" } else { "more" });
        report.add("lost-or-copied", At::Function, "every instruction once".into(), answered);
    }
}

fn is_helper(op: &Op) -> bool {
    matches!(op, Op::Const(_) | Op::Copy(_) | Op::Move(_))
}

/// The operation, without its operands: locals have other numbers in other forms.
fn word(op: &Op) -> String {
    match op {
        Op::Binary(op, ..) => format!("{op:?}"),
        Op::Call { callee, .. } => format!("call @{callee}"),
        Op::Opaque(opaque) => opaque.text.to_string(),
        other => {
            let shown = format!("{other:?}");
            shown.split(['(', ' ', '{']).next().unwrap_or_default().to_owned()
        }
    }
}

/// What is lowered is a valid program, in SSA form if the original is, and reducible.
fn judge_lowered(
    report: &mut Report<'_>,
    case: &Case,
    forms: &FunctionForms,
    subject: &mut dyn Subject,
) -> Result<(), NoAnswer> {
    let function = report.function;
    let Some(lowered) = &forms.lowered else { return Ok(()) };
    let with = |function: &Function| {
        let mut program = Program { directives: Vec::new(), ..case.program.clone() };
        program.functions.iter_mut().for_each(|of| {
            if of.name == function.name {
                *of = function.clone();
            }
        });
        validate(&program)
    };
    if let Some(mistake) = with(lowered).first()
        && with(function).is_empty()
    {
        let expected = "a valid function".to_owned();
        report.add("lowered-invalid", At::Function, expected, mistake.message.clone());
        return Ok(());
    }
    if lowered.ssa != function.ssa && !may_lose_form(function) {
        let form = |ssa: bool| if ssa { "SSA form" } else { "no SSA form" }.to_owned();
        report.add("lowered-invalid", At::Function, form(function.ssa), form(lowered.ssa));
    }
    if lowered.blocks.len() <= LARGEST && !is_reducible(&Graph::new(lowered)) {
        let [expected, answered] = ["a reducible graph", "an irreducible one"].map(str::to_owned);
        report.add("lowered-irreducible", At::Function, expected, answered);
    }
    judge_growth(report, lowered, subject)
}

/// A resource that is passed into a loop with several entries has no value on the ways to the others, so that
/// there may be no SSA form that is reducible.
fn may_lose_form(function: &Function) -> bool {
    let owns = function.locals.values().any(|data| data.ty.is_owned());
    function.ssa && owns && !is_reducible(&Graph::new(function))
}

/// What was structured comes back with no more blocks and no more conditional branches. Blocks do not count that
/// only hold copies: whether those stand on an edge as arguments or in a block, or before each of two returns, is
/// a matter of taste.
fn judge_growth(
    report: &mut Report<'_>,
    lowered: &Function,
    subject: &mut dyn Subject,
) -> Result<(), NoAnswer> {
    let Some(again) = function_forms(lowered, subject)?.lowered else { return Ok(()) };
    let size = |function: &Function| {
        let terms = function.blocks.values().map(|data| &data.term.kind);
        let asks = |kind: &&TerminatorKind| {
            matches!(kind, TerminatorKind::Branch { .. } | TerminatorKind::Switch { .. })
        };
        let blocks = function.blocks.values().filter(|data| !only_copies(data)).count();
        (blocks, terms.filter(asks).count())
    };
    let (before, after) = (size(lowered), size(&again));
    if after.0 > before.0 || after.1 > before.1 {
        let shown = |(blocks, branches)| format!("{blocks} blocks and {branches} branches");
        report.add("grows", At::Function, shown(before), shown(after));
    }
    Ok(())
}

fn only_copies(data: &BlockData) -> bool {
    let copies = data.insts.iter().all(|inst| is_helper(&inst.op));
    copies && data.term.kind.targets().len() < 2
}

/// The same question has the same answer.
fn judge_steady(
    report: &mut Report<'_>,
    forms: &FunctionForms,
    subject: &mut dyn Subject,
) -> Result<(), NoAnswer> {
    let again = function_forms(report.function, subject)?;
    if again.structured != forms.structured || again.lowered != forms.lowered {
        let expected = "the same answer to the same question".to_owned();
        report.add("unsteady", At::Function, expected, "another one".into());
    }
    Ok(())
}

fn measure(function: &Function, forms: &FunctionForms, measures: &mut Measures) {
    let structured = &forms.structured;
    let nodes = structured.regions.values().map(|region| region.nodes.len()).sum::<usize>();
    let switches = structured.regions.values().flat_map(|region| &region.nodes);
    let loops = switches.filter(|node| matches!(node, Node::Loop(_))).count();
    let counts = [
        (Count::Structurized, 1),
        (Count::StructurizedBlocks, function.blocks.len()),
        (Count::StructuredNodes, nodes),
        (Count::StructuredLoops, loops),
        (Count::LoweredBlocks, forms.lowered.as_ref().map_or(0, |lowered| lowered.blocks.len())),
    ];
    for (count, of) in counts {
        measures.add("", count, of as u64);
    }
}
