//! Does any run contradict a claim, and does the program with its constants put in do the same?

use super::{KINDS, answer_of, words};
use crate::check::ask::ask;
use crate::check::report::{Report, at_block, at_inst};
use crate::check::{At, Case, Verdict};
use crate::reference::interpreter::{Interpreter, Observer, View, run as interpret};
use crate::run::{self, Limits, agree};
use crate::subject::{ConstantsAnswer, Known, NoAnswer, Subject};
use crate::tape::{self, Tape};
use backedge_core::ir::validate::validate;
use backedge_core::ir::{Block, Function, Program};
use cranelift_entity::EntityRef;

/// Judges what passes the other judges. A subject that is asked about another function than the
/// program's is not asked here: the runs are those of the program.
pub(super) fn judge(case: &Case, subject: &mut dyn Subject) -> Verdict {
    let program = &case.program;
    let Some(start) = run::start(program) else { return Verdict::Pass };
    if program.functions.iter().any(|function| subject.prepare(function).is_some()) {
        return Verdict::Pass;
    }
    let mut report = Report::new("constants", KINDS, start);
    match judge_program(program, subject, &mut report) {
        Ok(()) | Err(NoAnswer::Skip(_)) => report.verdict(),
        Err(why) => report.no_answer(why).0,
    }
}

fn judge_program(
    program: &Program,
    subject: &mut dyn Subject,
    report: &mut Report<'_>,
) -> Result<(), NoAnswer> {
    let mut tapes = tape::tapes(program).map_err(|why| NoAnswer::Skip(why.message))?;
    if tapes.is_empty() {
        tapes.push(Tape::default());
    }
    let answers: Result<Vec<ConstantsAnswer>, NoAnswer> =
        program.functions.iter().map(|function| answer_of(function, subject)).collect();
    let answers = answers?;
    let folded = fold(program, subject)?;
    // What is wrong with the program is no fault of the subject's.
    if let Some(folded) = &folded
        && let Some(mistake) = validate(folded).first()
        && validate(program).is_empty()
    {
        let answered = mistake.message.clone();
        report.add("fold-invalid", At::Function, "a valid program".into(), answered);
        return Ok(());
    }
    let interpreter = Interpreter::new(program);
    for tape in &tapes {
        let mut watch = Watch { program, answers: &answers, wrong: None };
        let run = interpreter.run_observed(tape, Limits::default(), &mut watch);
        if let Some((at, expected, answered)) = watch.wrong {
            let expected = format!("{expected} on the tape `{tape}`");
            report.add("contradicted-by-run", at, expected, answered);
        }
        let Some(folded) = &folded else { continue };
        if let Err(difference) = agree(&run, &interpret(folded, tape, Limits::default())) {
            let expected = format!("what the program does on the tape `{tape}`");
            report.add("fold-differs", At::Function, expected, difference.to_string());
        }
    }
    Ok(())
}

/// The program with every function's constants put in; `None` if the subject does not do that.
fn fold(program: &Program, subject: &mut dyn Subject) -> Result<Option<Program>, NoAnswer> {
    let mut folded = program.clone();
    for function in &mut folded.functions {
        match ask(subject, |subject| Some(subject.constants()?.fold(function)))? {
            Some(of) => *function = of,
            None => return Ok(None),
        }
    }
    Ok(Some(folded))
}

/// Holds a run against the claims.
struct Watch<'a> {
    program: &'a Program,
    answers: &'a [ConstantsAnswer],
    /// The first contradiction: where, what happens, and what was claimed.
    wrong: Option<(At, String, String)>,
}

impl Watch<'_> {
    fn function(&self, view: &View<'_>) -> &Function {
        &self.program.functions[view.function]
    }

    fn holds(&mut self, view: &View<'_>, claim: Option<&Vec<Known>>, at: impl Fn(&Function) -> At) {
        if self.wrong.is_some() {
            return;
        }
        let function = self.function(view);
        let Some(claim) = claim else {
            let wrong = (at(function), "control gets there".to_owned(), "never reached".to_owned());
            self.wrong = Some(wrong);
            return;
        };
        for (local, &known) in function.locals.keys().zip(claim) {
            let Some(value) = view.int(local) else { continue };
            let fits = known == Known::Overdefined || known == Known::Constant(value);
            if !fits {
                let name = &function.locals[local].name;
                let (is, said) =
                    (format!("%{name} = {value}"), format!("%{name} = {}", words(known)));
                self.wrong = Some((at(function), is, said));
                return;
            }
        }
    }
}

impl Observer for Watch<'_> {
    fn enter(&mut self, view: &View<'_>, block: Block) {
        let claim = self.answers[view.function].entry[block.index()].as_ref();
        self.holds(view, claim, |function| at_block(function, block));
    }

    fn after(&mut self, view: &View<'_>, block: Block, inst: usize) {
        let mut folds = self.answers[view.function].foldable.iter().flatten();
        let Some(&(.., claimed)) = folds.find(|&&(b, i, _)| (b, i) == (block, inst)) else {
            return;
        };
        let function = self.function(view);
        let dest = function.blocks[block].insts[inst].dest.as_ref();
        let value = dest.and_then(|dest| view.int(dest.local));
        if value != Some(claimed) && self.wrong.is_none() {
            let is = value.map_or("no integer".to_owned(), |value| value.to_string());
            self.wrong = Some((at_inst(function, block, inst), is, format!("always {claimed}")));
        }
    }

    fn edge(&mut self, view: &View<'_>, block: Block, slot: usize) {
        let Some(edges) = &self.answers[view.function].edges else { return };
        if !edges.contains(&(block, slot as u32)) && self.wrong.is_none() {
            let at = super::precision::at_slot(self.function(view), block, slot as u32);
            self.wrong = Some((at, "control goes there".to_owned(), "never taken".to_owned()));
        }
    }
}
