//! The check `constants`: what is claimed to be constant is so in every run, and what a naive solver finds is
//! found.
//!
//! Three judges. **Precision**: at every point the answer says at least as much as the [reference]. It may
//! say more, since a solver may know more of arithmetic. **Soundness**, statically: runs through single
//! blocks, from values that fit what is claimed of the block's start, end in what is claimed of its end
//! and of its successors; so the claims hold in every run, by induction, as far as the values drawn show.
//! **Runs**: on each tape, nothing contradicts a claim, and the program with its constants put in does
//! what the program does.

mod precision;
mod runs;
mod sample;
#[cfg(test)]
mod tests;

use super::ask::{Judged, ask, judge_functions};
use super::report::Report;
use super::{Case, Check, Verdict};
use crate::reference::constants as reference;
use crate::subject::{ConstantsAnswer, Known, NoAnswer, Subject};
use backedge_core::ir::Function;

/// The check `constants`.
pub struct ConstantsCheck;

const KINDS: &[&str] = &[
    // Where control goes comes first: the rest follows from it.
    "missing-edge",
    "unreached-edge",
    "unreached-block",
    "wrong-decision",
    "missing-decision",
    "unjustified-constant",
    "missing-constant",
    "wrong-fold",
    "missing-fold",
    "contradicted-by-run",
    "fold-invalid",
    "fold-differs",
    "panic",
    "crash",
    "timeout",
    "nonsense",
    "error",
];

/// The largest function that is judged, in blocks times locals: the reference keeps a table of that size.
const LARGEST: usize = 1 << 22;

impl Check for ConstantsCheck {
    fn name(&self) -> &'static str {
        "constants"
    }

    fn kinds(&self) -> &'static [&'static str] {
        KINDS
    }

    fn judge(&self, case: &Case, subject: &mut dyn Subject) -> Verdict {
        let verdict = judge_functions(case, subject, self.name(), KINDS, |report, subject| {
            let function = report.function;
            if function.blocks.len().saturating_mul(function.locals.len().max(16)) > LARGEST {
                return Ok(Judged::Skip("the function is too large for the reference".into()));
            }
            let answer = answer_of(function, subject)?;
            check_form(function, &answer)?;
            precision::judge(report, &reference::constants(function), &answer);
            sample::judge(report, &answer);
            Ok(Judged::Done)
        });
        match verdict {
            Verdict::Pass => runs::judge(case, subject),
            other => other,
        }
    }
}

fn answer_of(function: &Function, subject: &mut dyn Subject) -> Result<ConstantsAnswer, NoAnswer> {
    ask(subject, |subject| Some(subject.constants()?.constants(function)))
}

/// That the answer is about this function.
fn check_form(function: &Function, answer: &ConstantsAnswer) -> Result<(), NoAnswer> {
    let nonsense = |what: &str| Err(NoAnswer::Nonsense(what.to_owned()));
    let states = [Some(&answer.entry), answer.exit.as_ref()];
    for states in states.into_iter().flatten() {
        let fits = |state: &Option<Vec<Known>>| {
            state.as_ref().is_none_or(|state| state.len() == function.locals.len())
        };
        if states.len() != function.blocks.len() || !states.iter().all(fits) {
            return nonsense("the states are those of another function");
        }
    }
    let slots = |block| function.blocks.get(block).map_or(0, |data| data.term.kind.targets().len());
    let mut edges = answer.edges.iter().chain(&answer.decided).flatten();
    if edges.any(|&(block, slot)| slot as usize >= slots(block)) {
        return nonsense("there is no such edge");
    }
    let insts = |block| function.blocks.get(block).map_or(0, |data| data.insts.len());
    let mut folds = answer.foldable.iter().flatten();
    if folds.any(|&(block, inst, _)| inst >= insts(block)) {
        return nonsense("there is no such instruction");
    }
    Ok(())
}

/// A claim in words.
fn words(known: Known) -> String {
    match known {
        Known::Undefined => "undefined".to_owned(),
        Known::Constant(value) => value.to_string(),
        Known::Overdefined => "overdefined".to_owned(),
    }
}

/// `%x = 3`
fn of_local(report: &Report<'_>, index: usize, known: Known) -> String {
    let name = report.function.locals.values().nth(index).map_or("?", |data| data.name.as_str());
    format!("%{name} = {}", words(known))
}
