//! Says everything that is wrong with a program.
//!
//! One pass over each function: [`function`] looks at names, blocks and parameters, [`inst`] at
//! instructions, [`term`] at terminators, [`ssa`] at functions that claim to be in SSA form. Every
//! rule has a code of its own:
//!
//! | code | what is wrong |
//! |---|---|
//! | `empty-program` | there is no function |
//! | `duplicate-function` | two functions or externs have one name |
//! | `duplicate-block`, `duplicate-local` | two blocks, or two locals, of a function have one name |
//! | `duplicate-parameter` | a list of parameters names a local twice |
//! | `duplicate-case` | two cases of a switch have one key |
//! | `no-entry`, `entry-parameters` | a function has no block, or its entry has parameters |
//! | `dangling-target`, `dangling-callee`, `dangling-local` | what is named does not exist |
//! | `argument-count`, `argument-type` | arguments of a call, an edge or a `bind` |
//! | `operand-type`, `destination-type` | other types than the operation takes or gives |
//! | `missing-destination`, `unexpected-destination` | |
//! | `return-type` | a returned value, or none, against the function's head |
//! | `bad-place` | a field that the type does not have |
//! | `not-owned` | `move`, `drop`, `destroy` or `try_drop` of what is not owned |
//! | `thunk-in-signature` | functions and externs neither take nor return thunks |
//! | `empty-aggregate`, `aggregate-part`, `type-too-deep` | a type that the text can't say |
//! | `bad-memory`, `no-memory` | a size that is no power of two; `load` or `store` without memory |
//! | `duplicate-definition`, `undominated-use`, `part-in-ssa` | a function that is not in SSA form |
//!
//! Nothing is allocated for an instruction, and names are hashed once: validation runs on every
//! generated case.

mod function;
mod inst;
mod names;
mod ssa;
mod term;
mod types;

use super::Program;
use super::text::names::shorten;
use crate::diagnostic::{Diagnostic, Sink, Span};
use function::Scratch;
use names::Names;

/// The mistakes in `program`, in the order of the text: up to [`Sink::LIMIT`], then one that says
/// how many more there are.
pub fn validate(program: &Program) -> Vec<Diagnostic> {
    let mut sink = Sink::default();
    let context = Context {
        broken: &[],
        names_complete: true,
        targets_checked: false,
        locate: &|statement, _| statement,
    };
    run(program, &context, &mut sink);
    sink.into_vec()
}

/// What is known of where a program comes from.
pub(crate) struct Context<'a> {
    /// Functions to leave out, since mistakes in them were reported.
    pub(crate) broken: &'a [bool],
    /// Whether every function and extern that the text declares is there.
    pub(crate) names_complete: bool,
    /// Whether targets that do not exist were reported.
    pub(crate) targets_checked: bool,
    /// Finds a part of a statement.
    pub(crate) locate: &'a dyn Fn(Span, Spot) -> Span,
}

/// A part of a statement, or of a label.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Spot {
    /// All of it.
    Whole,
    /// The destination.
    Dest,
    /// The function that is called.
    Callee,
    /// The place that is read.
    Place,
    /// An operand, arguments of targets left out.
    Operand(usize),
    /// A local that the statement reads, arguments of targets left out.
    Use(usize),
    /// The target in a slot.
    Target(usize),
    /// An argument of the target in a slot.
    Arg(usize, usize),
    /// The key of a case.
    Key(usize),
    /// A parameter of a label.
    Param(usize),
}

/// Validates `program` and reports to `sink`.
pub(crate) fn run(program: &Program, context: &Context<'_>, sink: &mut Sink) {
    if program.functions.is_empty() && sink.is_empty() {
        sink.push(Diagnostic::new("empty-program", Span::NONE, "there is no function"));
    }
    let names = Names::collect(program, sink);
    names::check_externs(program, sink);
    if program.memory.is_some_and(|words| !words.is_power_of_two()) {
        let message = "the memory's size must be a power of two";
        sink.push(Diagnostic::new("bad-memory", Span::NONE, message));
    }
    let mut state = State {
        context,
        names,
        has_memory: program.memory.is_some(),
        memory_reported: false,
        sink,
    };
    let mut scratch = Scratch::default();
    for (index, function) in program.functions.iter().enumerate() {
        if context.broken.get(index) != Some(&true) {
            function::check(function, &mut state, &mut scratch);
        }
    }
}

/// What the checks of all functions share.
struct State<'p, 'a> {
    context: &'a Context<'a>,
    names: Names<'p>,
    has_memory: bool,
    memory_reported: bool,
    sink: &'a mut Sink,
}

impl State<'_, '_> {
    /// Reports a mistake in a part of the statement at `statement`.
    fn report(&mut self, code: &'static str, at: (Span, Spot), message: impl FnOnce() -> String) {
        if self.sink.is_full() {
            self.sink.skip();
        } else {
            let span = (self.context.locate)(at.0, at.1);
            self.sink.push(Diagnostic::new(code, span, message()));
        }
    }
}
