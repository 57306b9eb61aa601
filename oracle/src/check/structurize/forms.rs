//! All forms of a program, as the subject makes them.

use crate::check::ask::ask;
use crate::subject::{NoAnswer, Subject};
use backedge_core::ir::{Function, Program};
use backedge_core::thunks::form::{RegionFunction, RegionProgram};

/// A program in each form.
pub(super) struct Forms {
    pub(super) thunks: RegionProgram,
    pub(super) structured: RegionProgram,
    /// `None` if the subject does not lower.
    pub(super) lowered: Option<Program>,
}

/// A function in each form.
pub(super) struct FunctionForms {
    pub(super) thunks: RegionFunction,
    pub(super) structured: RegionFunction,
    pub(super) lowered: Option<Function>,
}

/// Asks for the forms of a function.
pub(super) fn function_forms(
    function: &Function,
    subject: &mut dyn Subject,
) -> Result<FunctionForms, NoAnswer> {
    let thunks = ask(subject, |subject| Some(subject.structurizer()?.reify(function)))?;
    let structured = ask(subject, |subject| Some(subject.structurizer()?.structurize(&thunks)))?;
    let lowered = ask(subject, |subject| Some(subject.structurizer()?.lower(&structured)))?;
    Ok(FunctionForms { thunks, structured, lowered })
}

/// Asks for the forms of every function of a program.
pub(super) fn forms(program: &Program, subject: &mut dyn Subject) -> Result<Forms, NoAnswer> {
    let regions = || RegionProgram {
        directives: Vec::new(),
        externs: program.externs.clone(),
        memory: program.memory,
        functions: Vec::new(),
    };
    let mut lowered = Some(Program { functions: Vec::new(), ..program.clone() });
    let (mut thunks, mut structured) = (regions(), regions());
    for function in &program.functions {
        let forms = function_forms(function, subject)?;
        thunks.functions.push(forms.thunks);
        structured.functions.push(forms.structured);
        lowered = lowered.zip(forms.lowered).map(|(mut program, function)| {
            program.functions.push(function);
            program
        });
    }
    Ok(Forms { thunks, structured, lowered })
}
