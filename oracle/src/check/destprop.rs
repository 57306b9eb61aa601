//! The check `destprop`: what a pass merges is no conflict, what is live afterwards is within what it held
//! for live, nothing that it could merge is left, and the program does what it did.

use super::ask::{Judged, ask, judge_functions};
use super::report::{Report, at_block, at_edge, at_inst};
use super::{At, Case, Check, Verdict};
use crate::measures::{Count, Measures, part};
use crate::reference::destprop::conflicts::{Facts, Rule};
use crate::reference::destprop::cover::{Comparison, Cover, Where};
use crate::reference::destprop::transform::Transformed;
use crate::reference::destprop::{Copied, Phi, Spot, copies};
use crate::reference::graph::Graph;
use crate::reference::interpreter;
use crate::reference::liveness::Liveness;
use crate::run::{Limits, Run, agree};
use crate::subject::{DestpropAnswer, MergeRule, NoAnswer, SavedAnswer, Subject};
use crate::tape::{self, Tape};
use backedge_core::ir::{Block, Function, Local, Program};
use cranelift_entity::EntityRef;
use std::cell::RefCell;

/// The check `destprop`.
pub struct DestpropCheck;

const KINDS: &[&str] = &[
    "bad-merge",
    "merged-without-copy",
    "conflict",
    "not-as-merged",
    "live-not-covered",
    "strict-for-no-cause",
    "missing-saved",
    "extra-saved",
    "copy-left",
    "run-differs",
    "panic",
    "crash",
    "timeout",
    "nonsense",
    "error",
];

/// The largest function that is judged: what is looked at grows with blocks times locals.
const MOST_BLOCKS: usize = 5_000;

impl Check for DestpropCheck {
    fn name(&self) -> &'static str {
        "destprop"
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
        let mut tapes = match tape::tapes(&case.program) {
            Ok(tapes) => tapes,
            Err(why) => return Verdict::Skip(why.message),
        };
        if tapes.is_empty() {
            tapes.push(Tape::default());
        }
        let measures = RefCell::new(measures);
        judge_functions(case, subject, self.name(), KINDS, |report, subject| {
            if report.function.blocks.len() > MOST_BLOCKS {
                return Ok(Judged::Skip(format!("more than {MOST_BLOCKS} blocks")));
            }
            let passes = subject.propagators().len();
            if passes == 0 {
                return Err(NoAnswer::Skip("the subject has no such analysis".into()));
            }
            let original = Original::new(report.function, &case.program, &tapes);
            for pass in 0..passes {
                let (name, rule, answer) = answer(subject, report.function, pass)?;
                let mut judge = Judge { name: &name, original: &original, report };
                judge.judge(&answer, rule, &mut measures.borrow_mut())?;
            }
            Ok(Judged::Done)
        })
    }
}

fn answer(
    subject: &mut dyn Subject,
    function: &Function,
    pass: usize,
) -> Result<(String, MergeRule, DestpropAnswer), NoAnswer> {
    ask(subject, |subject| {
        let mut passes = subject.propagators();
        let pass = passes.get_mut(pass)?;
        let (name, rule) = (pass.name().to_owned(), pass.rule());
        Some(pass.propagate(function).map(|answer| (name, rule, answer)))
    })
}

/// What is known of a function before it is changed.
struct Original<'o> {
    function: &'o Function,
    graph: Graph,
    live: Liveness,
    copies: Vec<Copied>,
    program: Program,
    runs: Vec<(&'o Tape, Run)>,
}

impl<'o> Original<'o> {
    fn new(function: &'o Function, program: &Program, tapes: &'o [Tape]) -> Original<'o> {
        let graph = Graph::new(function);
        let live = Liveness::new(function, &graph);
        let copies = copies(function, &graph);
        let program = with(program, function);
        let run = |tape| (tape, interpreter::run(&program, tape, Limits::default()));
        let runs = tapes.iter().map(run).collect();
        Original { function, graph, live, copies, program, runs }
    }

    fn facts(&self) -> Facts<'_> {
        Facts { function: self.function, graph: &self.graph, live: &self.live }
    }
}

/// The program with this function instead of the one of its name.
fn with(program: &Program, function: &Function) -> Program {
    let mut program = program.clone();
    if let Some(old) = program.functions.iter_mut().find(|old| old.name == function.name) {
        *old = function.clone();
    }
    program
}

struct Judge<'j, 'o, 'f> {
    name: &'j str,
    original: &'j Original<'o>,
    report: &'j mut Report<'f>,
}

impl Judge<'_, '_, '_> {
    fn judge(
        &mut self,
        answer: &DestpropAnswer,
        rule: MergeRule,
        measures: &mut Measures,
    ) -> Result<(), NoAnswer> {
        let original = self.original;
        let phi = match Phi::new(original.function, &answer.merges) {
            Ok(phi) => phi,
            Err(why) => {
                self.add("bad-merge", At::Function, "no such merge".into(), why);
                return Ok(());
            }
        };
        if let Some(local) = phi.unconnected(&original.copies) {
            let [from, into] = [local, phi.of(local)].map(|local| self.local(local));
            let expected = "locals that copies connect".into();
            let merged = format!("{from} merged into {into}");
            self.add("merged-without-copy", At::Function, expected, merged);
        }
        let mut transformed = Transformed::new(original.function, &original.graph, &phi);
        if !self.is_as_merged(&answer.function, &transformed) {
            if !transformed.has_shape_of(&answer.function) {
                return Ok(());
            }
            transformed = transformed.with(answer.function.clone());
        }
        let live_now = Liveness::new(&transformed.function, &original.graph);
        let comparison = Comparison {
            original: original.function,
            graph: &original.graph,
            live: &original.live,
            phi: &phi,
            transformed: &transformed,
            live_now: &live_now,
        };
        self.conflicts(&comparison, rule);
        let cover = self.cover(&comparison);
        self.saved(answer.saved.as_ref(), &phi)?;
        self.left(&phi, rule, &transformed, &live_now);
        self.runs(&transformed);
        self.measure(answer, &phi, &cover, measures);
        Ok(())
    }

    fn add(&mut self, kind: &'static str, at: At, expected: String, answered: String) {
        self.report.add(kind, at, expected, format!("{answered} by {}", self.name));
    }

    fn local(&self, local: Local) -> String {
        format!("`{}`", self.original.function.locals[local].name)
    }

    fn at_spot(&self, spot: Spot) -> At {
        let Original { function, graph, .. } = self.original;
        match spot {
            Spot::Params => At::Function,
            Spot::Inst(block, inst) => at_inst(function, block, inst),
            Spot::Edge(edge) => at_edge(function, &graph.edges()[edge]),
        }
    }

    fn at(&self, at: Where) -> At {
        match at {
            Where::Before(block, inst) => at_inst(self.original.function, block, inst),
            Where::End(block) => at_block(self.original.function, block),
            Where::Edge(edge) => self.at_spot(Spot::Edge(edge)),
        }
    }

    /// No two locals of a class conflict.
    fn conflicts(&mut self, comparison: &Comparison<'_>, rule: MergeRule) {
        let looks_again = rule == MergeRule::WrittenWhereLiveNow;
        let needed = looks_again.then(|| comparison.needed());
        let wrong = self.original.facts().merged_wrongly(comparison.phi, needed.as_ref());
        if let Some(clash) = wrong {
            let [written, needed] = [clash.written, clash.needed].map(|local| self.local(local));
            let expected = format!("{needed} kept from {written}, which is written here");
            self.add("conflict", self.at_spot(clash.spot), expected, "both in one".into());
        }
        for (block, data) in &comparison.transformed.function.blocks {
            let twice =
                data.params.iter().enumerate().find(|(at, p)| data.params[..*at].contains(p));
            if let Some((_, &param)) = twice {
                let at = at_block(self.original.function, block);
                let answered = format!("two that are {}", self.local(param));
                self.add("conflict", at, "different parameters".into(), answered);
            }
        }
    }

    /// The function is the original with its locals renamed, and without copies to themselves.
    fn is_as_merged(&mut self, answered: &Function, expected: &Transformed) -> bool {
        let function = &expected.function;
        let same_locals = answered.locals.len() == function.locals.len();
        if answered.params != function.params || !same_locals {
            let expected = "the parameters and locals of the original".into();
            self.add("not-as-merged", At::Function, expected, "others".into());
            return false;
        }
        let wrong: Vec<Block> = (0..function.blocks.len().max(answered.blocks.len()))
            .map(Block::new)
            .filter(|&block| function.blocks.get(block) != answered.blocks.get(block))
            .collect();
        let Some(&block) = wrong.first() else { return true };
        let at = match self.original.function.blocks.is_valid(block) {
            true => at_block(self.original.function, block),
            false => At::Function,
        };
        let expected = "the block with its locals renamed, without copies to themselves".into();
        self.add("not-as-merged", at, expected, "another".into());
        false
    }

    /// What is live is within phi of what was, and where it is less there is a cause.
    fn cover(&mut self, comparison: &Comparison<'_>) -> Cover {
        let transformed = comparison.transformed;
        let cover = comparison.cover();
        if let Some((at, local)) = cover.uncovered {
            let removed = match at {
                Where::Before(block, inst) if transformed.is_removed(block, inst) => ", removed,",
                _ => "",
            };
            let expected = format!("nothing live here{removed} that was not live before");
            let answered = format!("{} is", self.local(local));
            self.add("live-not-covered", self.at(at), expected, answered);
        }
        if let Some((at, local)) = cover.unexplained {
            let expected = format!("{} live, since it is read", self.local(local));
            self.add("strict-for-no-cause", self.at(at), expected, "it is not".into());
        }
        cover
    }

    /// What it holds for live is phi of what was live, of the locals that it looked at.
    fn saved(&mut self, saved: Option<&SavedAnswer>, phi: &Phi) -> Result<(), NoAnswer> {
        let Some(saved) = saved else { return Ok(()) };
        let Original { function, live, .. } = self.original;
        let is_tracked = |local: &Local| saved.tracked.binary_search(local).is_ok();
        let merged = function.locals.keys().filter(|&local| phi.of(local) != local);
        if let Some(local) = merged.into_iter().find(|local| !is_tracked(local)) {
            let name = self.local(local);
            return Err(NoAnswer::Nonsense(format!("it says nothing of {name}, which it merged")));
        }
        let expected =
            |set: &[Local]| phi.of_set(&set.iter().copied().filter(is_tracked).collect::<Vec<_>>());
        for (block, data) in &function.blocks {
            for inst in 0..=data.insts.len() {
                let sets = [
                    (&saved.before, live.before(block, inst)),
                    (&saved.after, live.after(block, inst)),
                ];
                for (answered, right) in sets {
                    let answered = answered.get(block.index()).and_then(|insts| insts.get(inst));
                    let Some(answered) = answered else {
                        let why = "it says nothing of an instruction".to_owned();
                        return Err(NoAnswer::Nonsense(why));
                    };
                    let kinds = ["missing-saved", "extra-saved"];
                    let at = |function: &Function| at_inst(function, block, inst);
                    self.report.compare(kinds, at, &expected(right), answered)?;
                }
            }
        }
        Ok(())
    }

    /// What is left conflicts, as the pass itself sees it.
    fn left(&mut self, phi: &Phi, rule: MergeRule, now: &Transformed, live_now: &Liveness) {
        let original = self.original;
        let left = match rule {
            MergeRule::WrittenWhereLive => original.facts().left(phi, Rule::Written),
            MergeRule::RangesMeet => original.facts().left(phi, Rule::Ranges),
            MergeRule::WrittenWhereLiveNow => {
                let facts =
                    Facts { function: &now.function, graph: &original.graph, live: live_now };
                facts.left(&Phi::identity(original.function), Rule::Written)
            }
        };
        if let Some(copy) = left {
            let [dest, source] = [copy.dest, copy.source].map(|local| self.local(local));
            let at = match rule {
                MergeRule::WrittenWhereLiveNow => At::Function,
                _ => self.at_spot(copy.spot),
            };
            let expected = format!("{dest} and {source} merged");
            self.add("copy-left", at, expected, "a copy left".into());
        }
    }

    /// On every tape the program does what it did.
    fn runs(&mut self, transformed: &Transformed) {
        if transformed.function.blocks == self.original.function.blocks {
            return;
        }
        let program = with(&self.original.program, &transformed.function);
        for (tape, before) in &self.original.runs {
            let now = interpreter::run(&program, tape, Limits::default());
            if let Err(difference) = agree(before, &now) {
                let expected = format!("{} on the tape `{tape}`", difference.expected());
                self.add("run-differs", At::Function, expected, difference.found());
                return;
            }
        }
    }

    fn measure(&self, answer: &DestpropAnswer, phi: &Phi, cover: &Cover, measures: &mut Measures) {
        let copies = &self.original.copies;
        let merged = copies.iter().filter(|copy| phi.same(copy.dest, copy.source)).count();
        measures.add(self.name, Count::Copies, copies.len() as u64);
        measures.add(self.name, Count::CopiesMerged, merged as u64);
        measures.add(self.name, Count::Points, cover.points);
        measures.add(self.name, Count::StrictPoints, cover.strict);
        for (cause, points) in [("dead copy", cover.dead_copies), ("cycle", cover.cycles)] {
            if points > 0 {
                measures.add(&part(self.name, cause), Count::StrictPoints, points);
            }
        }
        for why in &answer.refused {
            measures.add(self.name, Count::CopiesRefused, 1);
            measures.add(&part(self.name, why), Count::CopiesRefused, 1);
        }
    }
}
