//! Do all forms of a program do the same?

use super::KINDS;
use super::forms::{Forms, forms};
use super::skeleton::{skeleton, tapes};
use crate::check::report::Report;
use crate::check::{At, Case, Verdict};
use crate::reference::interpreter::{run, run_regions};
use crate::run::{Limits, Run, agree, start};
use crate::subject::{NoAnswer, Subject};
use crate::tape::{self, Tape};
use backedge_core::ir::Program;

/// The forms take more steps than the original: a bind and an end where that has one terminator.
const MORE_STEPS: u64 = 16;

/// Runs the program on its tapes, and the skeleton of each function on tapes of its own.
pub(super) fn judge(case: &Case, subject: &mut dyn Subject) -> Verdict {
    let Some(first) = start(&case.program) else { return Verdict::Pass };
    let mut report = Report::new("structurize", KINDS, first);
    let judged = judge_runs(case, subject, &mut report);
    match judged {
        Ok(Some(broken)) => Verdict::Broken(broken),
        Ok(None) | Err(NoAnswer::Skip(_)) => report.verdict(),
        Err(why) => report.no_answer(why).0,
    }
}

/// The findings are in the report; if the references disagree, how.
fn judge_runs(
    case: &Case,
    subject: &mut dyn Subject,
    report: &mut Report<'_>,
) -> Result<Option<String>, NoAnswer> {
    for function in &case.program.functions {
        let skeleton = skeleton(function);
        let tapes = tapes(function);
        let name = format!("the skeleton of @{}", function.name);
        if let Some(broken) = judge_program(&skeleton, &tapes, subject, report, &name)? {
            return Ok(Some(broken));
        }
    }
    let mut tapes = tape::tapes(&case.program).map_err(|why| NoAnswer::Skip(why.message))?;
    if tapes.is_empty() {
        tapes.push(Tape::default());
    }
    judge_program(&case.program, &tapes, subject, report, "the program")
}

fn judge_program(
    program: &Program,
    tapes: &[Tape],
    subject: &mut dyn Subject,
    report: &mut Report<'_>,
    what: &str,
) -> Result<Option<String>, NoAnswer> {
    let Forms { thunks, structured, lowered } = forms(program, subject)?;
    for tape in tapes {
        let limits = Limits::default();
        let original = run(program, tape, limits);
        let limits = Limits { steps: MORE_STEPS * limits.steps, ..limits };
        if let Err(difference) = agree(&original, &run_regions(&thunks, tape, limits)) {
            let broken = format!("thunks of the right graph do not do what {what} does");
            return Ok(Some(format!("{broken} on the tape `{tape}`: {difference}")));
        }
        let mut compare = |kind, run: Run| {
            if let Err(difference) = agree(&original, &run) {
                let expected = format!("what {what} does on the tape `{tape}`");
                report.add(kind, At::Function, expected, difference.to_string());
            }
        };
        compare("structured-differs", run_regions(&structured, tape, limits));
        if let Some(lowered) = &lowered {
            compare("lowered-differs", run(lowered, tape, limits));
        }
    }
    Ok(None)
}
