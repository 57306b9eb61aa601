//! Does the elaborated program drop the same, and does no run contradict a class or a state?

use super::{KINDS, first_resources, reference, state_before};
use crate::check::ask::ask;
use crate::check::report::{Report, at_inst};
use crate::check::{At, Case, Verdict};
use crate::reference::interpreter::{
    Cell, Interpreter, Observer, View, leaves_at, run as interpret,
};
use crate::run::{self, Limits, agree};
use crate::subject::{DropClass, DropsAnswer, NoAnswer, Subject, Unwinding};
use crate::tape::{self, Tape};
use backedge_core::ir::validate::validate;
use backedge_core::ir::{Block, Function, Local, Op, Program, Type};
use std::collections::BTreeSet;

/// Judges what passes the other judges. The runs are those of the program, so that a subject that is asked
/// about other functions is not asked here.
pub(super) fn judge(case: &Case, subject: &mut dyn Subject) -> Verdict {
    let program = &case.program;
    let Some(start) = run::start(program) else { return Verdict::Pass };
    if program.functions.iter().any(|function| subject.prepare(function).is_some()) {
        return Verdict::Pass;
    }
    let mut report = Report::new("drops", KINDS, start);
    match judge_program(program, subject, &mut report) {
        Ok(None) | Err(NoAnswer::Skip(_)) => report.verdict(),
        Ok(Some(broken)) => Verdict::Broken(broken),
        Err(why) => report.no_answer(why).0,
    }
}

/// The findings are in the report; if a run contradicts the reference, how.
fn judge_program(
    program: &Program,
    subject: &mut dyn Subject,
    report: &mut Report<'_>,
) -> Result<Option<String>, NoAnswer> {
    let mut tapes = tape::tapes(program).map_err(|why| NoAnswer::Skip(why.message))?;
    if tapes.is_empty() {
        tapes.push(Tape::default());
    }
    let elaborated = elaborate(program, subject, report)?;
    let of = |function: &Function| reference::drops(function, Unwinding::WhereInitialized);
    let answers: Vec<DropsAnswer> = program.functions.iter().map(of).collect();
    let interpreter = Interpreter::new(program);
    for tape in &tapes {
        let firsts = program.functions.iter().map(first_resources).collect();
        let mut watch = Watch { program, answers: &answers, firsts, wrong: None };
        let run = interpreter.run_observed(tape, Limits::default(), &mut watch);
        if let Some(wrong) = watch.wrong {
            return Ok(Some(format!("{wrong}, on the tape `{tape}`")));
        }
        let Some(elaborated) = &elaborated else { continue };
        let limits = Limits { steps: 8 * Limits::default().steps, ..Limits::default() };
        if let Err(difference) = agree(&run, &interpret(elaborated, tape, limits)) {
            let expected = format!("what the program does on the tape `{tape}`");
            report.add("elaborated-differs", At::Function, expected, difference.to_string());
        }
    }
    Ok(None)
}

/// The program with every function elaborated, if the subject does that and nothing is wrong with it.
fn elaborate(
    program: &Program,
    subject: &mut dyn Subject,
    report: &mut Report<'_>,
) -> Result<Option<Program>, NoAnswer> {
    let mut elaborated = program.clone();
    for (function, original) in elaborated.functions.iter_mut().zip(&program.functions) {
        match ask(subject, |subject| Some(subject.drops()?.elaborate(original)))? {
            Some(of) => *function = of,
            None => return Ok(None),
        }
        judge_form(original, function, report);
    }
    if let Some(mistake) = validate(&elaborated).first()
        && validate(program).is_empty()
    {
        let answered = mistake.message.clone();
        report.add("elaborated-invalid", At::Function, "a valid program".into(), answered);
        return Ok(None);
    }
    Ok(Some(elaborated))
}

/// No `drop` is left, and no more flags are there than anything could ask.
fn judge_form(original: &Function, elaborated: &Function, report: &mut Report<'_>) {
    let insts = elaborated.blocks.values().flat_map(|data| &data.insts);
    if insts.into_iter().any(|inst| matches!(inst.op, Op::Drop(_))) {
        let at = At::Function;
        report.add("drop-left", at, "no `drop`".into(), format!("one in @{}", elaborated.name));
    }
    let ints =
        |function: &Function| function.locals.values().filter(|data| data.ty == Type::Int).count();
    let flags = ints(elaborated).saturating_sub(ints(original));
    let most = places_in_doubt(original);
    if flags > most {
        let expected = format!("at most {most} flags");
        report.add("needless-flag", At::Function, expected, format!("{flags} more integers"));
    }
}

/// Of how many places some drop can't tell whether they are initialized: a flag each is enough.
fn places_in_doubt(function: &Function) -> usize {
    let right = reference::drops(function, Unwinding::WhereInitialized);
    let named = reference::named_parts(function);
    let firsts = first_resources(function);
    let mut doubt = BTreeSet::new();
    for block in function.blocks.keys() {
        for (inst, place) in reference::drops_of(function, block) {
            let Some(Some(state)) = state_before(&right, block, inst) else { continue };
            let ty = &function.locals[place.local].ty;
            let Some(first) = firsts[cranelift_entity::EntityRef::index(place.local)] else {
                continue;
            };
            let Some(range) = leaves_at(ty, &place.path) else { continue };
            for leaf in range.filter(|leaf| {
                let maybe = state[first + leaf];
                maybe.initialized && maybe.uninitialized
            }) {
                doubt.insert((place.local, nearest(ty, leaf, place.local, &named)));
            }
        }
    }
    doubt.len()
}

/// The longest named path that a leaf lies in; the empty one is its local.
fn nearest(ty: &Type, leaf: usize, local: Local, named: &BTreeSet<(Local, Vec<u32>)>) -> Vec<u32> {
    // A place between a named one and its local counts as named.
    let of_local = named.iter().filter(|(of, _)| *of == local).map(|(_, path)| path);
    let prefixes = of_local.flat_map(|path| (0..=path.len()).map(|length| path[..length].to_vec()));
    let around =
        prefixes.filter(|path| leaves_at(ty, path).is_some_and(|range| range.contains(&leaf)));
    around.max_by_key(|path| path.len()).unwrap_or_default()
}

/// Holds a run against states and classes of the reference.
struct Watch<'a> {
    program: &'a Program,
    answers: &'a [DropsAnswer],
    /// By function and local.
    firsts: Vec<Vec<Option<usize>>>,
    /// The first contradiction.
    wrong: Option<String>,
}

impl Watch<'_> {
    /// The resources of a local, by number, and whether each is held.
    fn held(&self, view: &View<'_>, local: Local) -> Vec<bool> {
        let ty = &self.program.functions[view.function].locals[local].ty;
        let count = crate::reference::interpreter::leaves(ty);
        match view.cell(local) {
            Cell::Owned(leaves) => leaves.iter().map(Option::is_some).collect(),
            _ => vec![false; count],
        }
    }
}

impl Observer for Watch<'_> {
    fn before(&mut self, view: &View<'_>, block: Block, inst: usize) {
        let Some(answer) = self.answers.get(view.function).filter(|_| self.wrong.is_none()) else {
            return;
        };
        let function = &self.program.functions[view.function];
        if let Some(state) = state_before(answer, block, inst) {
            for (local, first) in function.locals.keys().zip(&self.firsts[view.function]) {
                let Some(first) = first else { continue };
                for (leaf, held) in self.held(view, local).into_iter().enumerate() {
                    let fits = state.as_ref().is_some_and(|state| {
                        state.get(first + leaf).is_some_and(|maybe| match held {
                            true => maybe.initialized,
                            false => maybe.uninitialized,
                        })
                    });
                    if !fits {
                        let name = &function.locals[local].name;
                        let is = if held { "initialized" } else { "not initialized" };
                        let at = at_inst(function, block, inst);
                        let wrong =
                            format!("resource {leaf} of %{name} is {is}{at}, which can't be");
                        self.wrong = Some(wrong);
                        return;
                    }
                }
            }
        }
        let dropped = reference::drops_of(function, block).into_iter().find(|(at, _)| *at == inst);
        let (Some((_, place)), Some(class)) = (dropped, answer.classes.get(&(block, inst))) else {
            return;
        };
        let ty = &function.locals[place.local].ty;
        let held = self.held(view, place.local);
        let held: Vec<bool> =
            leaves_at(ty, &place.path).map_or(Vec::new(), |range| held[range].to_vec());
        let fits = match class {
            DropClass::Static => held.iter().all(|&held| held),
            DropClass::Dead => held.iter().all(|&held| !held),
            DropClass::Conditional => held.iter().all(|&other| other == held[0]),
            DropClass::Open => true,
            DropClass::Unclassified => false,
        };
        if !fits {
            let at = at_inst(function, block, inst);
            self.wrong = Some(format!("the drop{at} finds {held:?} but is {}", class.name()));
        }
    }
}
