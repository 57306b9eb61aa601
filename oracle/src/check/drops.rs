//! The check `drops`: what may be initialized where, exactly; the class of each drop; and the elaborated
//! program on every tape.
//!
//! States and classes are held against the [reference], in both readings of when a drop may unwind. Runs
//! then see to it that the elaborated program, which must be valid and have no `drop` left, drops every
//! resource exactly where the program does. A run that contradicts a state or a class contradicts the
//! reference, so that nothing can be said of the subject.

mod runs;
#[cfg(test)]
mod tests;

use super::ask::{Judged, ask, judge_functions};
use super::report::{Report, at_block, at_inst};
use super::{At, Case, Check, Verdict};
use crate::measures::{Count, Measures};
use crate::reference::initialized as reference;
use crate::subject::{DropClass, DropsAnswer, NoAnswer, Resources, Subject, Unwinding};
use backedge_core::ir::{Block, Function};
use cranelift_entity::EntityRef;
use std::cell::RefCell;

/// The check `drops`.
pub struct DropsCheck;

const KINDS: &[&str] = &[
    "missing-reachable",
    "extra-reachable",
    "missing-maybe-initialized",
    "extra-maybe-initialized",
    "missing-maybe-uninitialized",
    "extra-maybe-uninitialized",
    "wrong-class",
    "elaborated-invalid",
    "drop-left",
    "needless-flag",
    "elaborated-differs",
    "panic",
    "crash",
    "timeout",
    "nonsense",
    "error",
];

/// The largest function that is judged, in instructions times resources: the reference keeps a table of
/// that size.
const LARGEST: usize = 1 << 24;

impl Check for DropsCheck {
    fn name(&self) -> &'static str {
        "drops"
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
            ask(subject, |subject| subject.drops().map(|_| Ok(())))?;
            if !function.locals.values().any(|data| data.ty.is_owned()) {
                return Ok(Judged::Skip("the function owns nothing".into()));
            }
            let points = function.inst_count() + function.blocks.len();
            if points.saturating_mul(function.locals.len()) > LARGEST {
                return Ok(Judged::Skip("the function is too large for the reference".into()));
            }
            let mut judged = 0;
            for unwinding in [Unwinding::WhereInitialized, Unwinding::Always] {
                match answer_of(function, subject, unwinding) {
                    Ok(answer) => {
                        let right = reference::drops(function, unwinding);
                        judge_answer(report, &right, &answer)?;
                        if judged == 0 {
                            measure(&right, &mut measures.borrow_mut());
                        }
                        judged += 1;
                    }
                    // A subject may know one reading alone.
                    Err(NoAnswer::Skip(_)) if unwinding == Unwinding::Always && judged > 0 => {}
                    Err(NoAnswer::Skip(_)) if unwinding == Unwinding::WhereInitialized => {}
                    Err(why) => return Err(why),
                }
            }
            Ok(Judged::Done)
        });
        match verdict {
            Verdict::Pass => runs::judge(case, subject),
            other => other,
        }
    }
}

fn answer_of(
    function: &Function,
    subject: &mut dyn Subject,
    unwinding: Unwinding,
) -> Result<DropsAnswer, NoAnswer> {
    ask(subject, |subject| Some(subject.drops()?.drops(function, unwinding)))
}

fn judge_answer(
    report: &mut Report<'_>,
    right: &DropsAnswer,
    answer: &DropsAnswer,
) -> Result<(), NoAnswer> {
    let function = report.function;
    if let (Some(right), Some(answer)) = (&right.entry, &answer.entry) {
        check_count("blocks", right.len(), answer.len())?;
        for (block, (right, answer)) in function.blocks.keys().zip(right.iter().zip(answer)) {
            let at = at_block(function, block);
            judge_state(report, &at, right, answer)?;
        }
    }
    if let (Some(right), Some(answer)) = (&right.before, &answer.before) {
        check_count("blocks", right.len(), answer.len())?;
        for (block, (right, answer)) in function.blocks.keys().zip(right.iter().zip(answer)) {
            check_count("instructions", right.len(), answer.len())?;
            for (index, (right, answer)) in right.iter().zip(answer).enumerate() {
                let at = at_inst(function, block, index);
                judge_state(report, &at, right, answer)?;
            }
        }
    }
    for (&(block, inst), &class) in &right.classes {
        let answered = answer.classes.get(&(block, inst));
        if answered != Some(&class) {
            let at = at_inst(function, block, inst);
            let answered = answered.map_or("no class".to_owned(), |class| class.name().to_owned());
            report.add("wrong-class", at, class.name().to_owned(), answered);
        }
    }
    if let Some((block, inst)) = answer.classes.keys().find(|at| !right.classes.contains_key(at)) {
        return Err(NoAnswer::Nonsense(format!("there is no drop at {inst} of {block:?}")));
    }
    Ok(())
}

fn check_count(what: &str, expected: usize, answered: usize) -> Result<(), NoAnswer> {
    if expected == answered {
        return Ok(());
    }
    Err(NoAnswer::Nonsense(format!("{answered} lists for {expected} {what}")))
}

fn judge_state(
    report: &mut Report<'_>,
    at: &At,
    right: &Resources,
    answer: &Resources,
) -> Result<(), NoAnswer> {
    let (right, answer) = match (right, answer) {
        (None, None) => return Ok(()),
        (Some(right), Some(answer)) => (right, answer),
        (Some(_), None) => {
            report.add("missing-reachable", at.clone(), "reachable".into(), "unreachable".into());
            return Ok(());
        }
        (None, Some(_)) => {
            report.add("extra-reachable", at.clone(), "unreachable".into(), "reachable".into());
            return Ok(());
        }
    };
    check_count("resources", right.len(), answer.len())?;
    let names = resource_names(report.function);
    for (index, (right, answer)) in right.iter().zip(answer).enumerate() {
        let name = &names[index];
        let facts = [
            (right.initialized, answer.initialized, "initialized", 2),
            (right.uninitialized, answer.uninitialized, "uninitialized", 4),
        ];
        for (right, answer, what, kind) in facts {
            if right != answer {
                let kind = KINDS[kind + usize::from(answer)];
                let word =
                    |may: bool| format!("%{name} may {}be {what}", if may { "" } else { "not " });
                report.add(kind, at.clone(), word(right), word(answer));
            }
        }
    }
    Ok(())
}

/// The resources by name: `p.0.1`.
pub fn resource_names(function: &Function) -> Vec<String> {
    let mut names = Vec::new();
    for data in function.locals.values().filter(|data| data.ty.is_owned()) {
        let mut open = vec![(&data.ty, data.name.to_string())];
        while let Some((ty, name)) = open.pop() {
            match ty {
                backedge_core::ir::Type::Aggregate(parts) => {
                    let parts = parts.iter().enumerate().rev();
                    open.extend(parts.map(|(part, ty)| (ty, format!("{name}.{part}"))));
                }
                _ => names.push(name),
            }
        }
    }
    names
}

fn measure(right: &DropsAnswer, measures: &mut Measures) {
    for class in right.classes.values() {
        let count = match class {
            DropClass::Static => Count::StaticDrops,
            DropClass::Dead => Count::DeadDrops,
            DropClass::Conditional => Count::ConditionalDrops,
            DropClass::Open => Count::OpenDrops,
            DropClass::Unclassified => Count::UnclassifiedDrops,
        };
        measures.add("", count, 1);
    }
}

/// The first resource of each local that owns something, by local.
fn first_resources(function: &Function) -> Vec<Option<usize>> {
    let mut next = 0;
    let of = |data: &backedge_core::ir::LocalData| {
        let first = data.ty.is_owned().then_some(next);
        next +=
            if data.ty.is_owned() { crate::reference::interpreter::leaves(&data.ty) } else { 0 };
        first
    };
    function.locals.values().map(of).collect()
}

/// What is said of before an instruction.
fn state_before(answer: &DropsAnswer, block: Block, inst: usize) -> Option<&Resources> {
    answer.before.as_ref()?.get(block.index())?.get(inst)
}
