//! Says everything that is wrong with a program in region form.
//!
//! First [`tree`]: whether the regions are a tree at all. Then the rules that blocks have too, on a
//! function of blocks with the same instructions ([`surrogate`]). Then what a region's nodes give to
//! each other ([`values`]), where its end may stand ([`shape`]), and the rules of thunks ([`thunk`]).
//! Every rule has a code of its own, besides those of [`ir::validate`](crate::ir::validate):
//!
//! | code | what is wrong |
//! |---|---|
//! | `no-entry` | there is no root |
//! | `dangling-region`, `shared-region`, `stray-region` | a region that is named does not exist, lies in two nodes, or in none |
//! | `duplicate-region` | two regions have one name |
//! | `unexpected-name`, `missing-name` | a region that no thunk can lead to has a name, or the reverse |
//! | `unexpected-inputs` | inputs of a region that nothing gives any |
//! | `arm-count` | not as many arms as cases |
//! | `misplaced-end` | `yield` outside of an arm, `repeat` outside of a loop's body, `enter` within a node |
//! | `misplaced-return` | `return` or `resume` where more would follow |
//! | `value-count`, `value-type` | what is yielded or carried against what it is assigned to |
//! | `duplicate-output` | one local is assigned twice at once |
//! | `argument-count`, `argument-type` | of a `bind`, against the inputs of its target |
//! | `bind-as-instruction` | a `bind` or `enter` of blocks, whose targets are no regions |
//! | `thunk-kept` | a thunk is stored, passed, returned, copied or carried |
//! | `thunk-not-entered` | a thunk is not entered, yielded or matched on right after it is bound |
//! | `thunk-not-bound` | what is entered, yielded or matched on was not bound just before |
//! | `thunk-beside-others` | a selection yields a thunk together with something else |
//! | `thunk-out-of-scope` | a thunk that leads to an arm of a match is entered elsewhere |
//! | `exit-without-thunk` | in thunk form, a region that is left by other means than a thunk |
//!
//! Nothing here recurses; each check is one walk.

mod shape;
mod surrogate;
#[cfg(test)]
mod tests;
mod thunk;
mod tree;
mod values;

use super::form::{Region, RegionFunction, RegionProgram};
use crate::diagnostic::{Diagnostic, Sink, Span};
use crate::ir::text::names::shorten;
use crate::ir::validate::{Context, Spot};
use crate::ir::{Local, Operand, Type};

/// The mistakes in `program`, in the order of the text: up to [`Sink::LIMIT`], then one that says how
/// many more there are.
pub fn validate(program: &RegionProgram) -> Vec<Diagnostic> {
    let mut sink = Sink::default();
    run(program, &[], true, &|statement, _| statement, &mut sink);
    sink.into_vec()
}

/// Validates `program`, the functions left out that are `broken`, and reports to `sink`.
pub(crate) fn run(
    program: &RegionProgram,
    broken: &[bool],
    names_complete: bool,
    locate: &dyn Fn(Span, Spot) -> Span,
    sink: &mut Sink,
) {
    let is_broken = |(index, function): (usize, &RegionFunction)| {
        broken.get(index) == Some(&true) || !tree::check(function, sink)
    };
    let broken: Vec<bool> = program.functions.iter().enumerate().map(is_broken).collect();
    let blocks = surrogate::program(program, &broken);
    let context = Context { broken: &broken, names_complete, targets_checked: true, locate };
    crate::ir::validate::run(&blocks, &context, sink);
    for (function, broken) in program.functions.iter().zip(broken) {
        if !broken {
            let mut checker = Checker { function, sink };
            shape::check(&mut checker);
            values::check(&mut checker);
            thunk::check(&mut checker);
        }
    }
}

/// What the checks of one function share.
struct Checker<'f, 's> {
    function: &'f RegionFunction,
    sink: &'s mut Sink,
}

static INT: Type = Type::Int;

impl<'f> Checker<'f, '_> {
    fn report(&mut self, code: &'static str, span: Span, message: impl FnOnce() -> String) {
        report(self.sink, code, span, message);
    }

    /// The type of an operand. A local that does not exist was reported.
    fn operand_type(&self, operand: Operand) -> Option<&'f Type> {
        match operand {
            Operand::Local(local) => self.local_type(local),
            Operand::Const(_) => Some(&INT),
        }
    }

    fn local_type(&self, local: Local) -> Option<&'f Type> {
        self.function.locals.get(local).map(|data| &data.ty)
    }

    fn is_thunk(&self, local: Local) -> bool {
        self.local_type(local) == Some(&Type::Thunk)
    }

    fn show(&self, operand: Operand) -> String {
        match operand {
            Operand::Local(local) => match self.function.locals.get(local) {
                Some(data) => format!("`%{}`", shorten(&data.name)),
                None => "a local that does not exist".into(),
            },
            Operand::Const(value) => format!("`{value}`"),
        }
    }

    fn region_name(&self, region: Region) -> String {
        self.function.regions[region].name.as_deref().map(shorten).unwrap_or_default()
    }
}

fn report(sink: &mut Sink, code: &'static str, span: Span, message: impl FnOnce() -> String) {
    if sink.is_full() {
        sink.skip();
    } else {
        sink.push(Diagnostic::new(code, span, message()));
    }
}
