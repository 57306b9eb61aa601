//! The rules of SSA form: one definition for each local.

use super::{Spot, State, shorten};
use crate::diagnostic::{Diagnostic, Span};
use crate::ir::{Function, Inst, Local, TerminatorKind};
use cranelift_entity::SecondaryMap;

/// Checks a function in which everything that is named exists.
pub(super) fn check(function: &Function, state: &mut State<'_, '_>) {
    let mut definitions = Definitions { function, state, first: SecondaryMap::new() };
    for &local in &function.params {
        definitions.define(local, (function.span, Spot::Whole));
    }
    for block in function.blocks.values() {
        for (index, &local) in block.params.iter().enumerate() {
            definitions.define(local, (block.span, Spot::Param(index)));
        }
        for inst in &block.insts {
            definitions.inst(inst);
        }
        let at = (block.term.span, Spot::Dest);
        if let TerminatorKind::TryCall { dest: Some(dest), .. } = &block.term.kind {
            if dest.is_whole() {
                definitions.define(dest.local, at);
            } else {
                definitions.part(dest.local, at);
            }
        }
    }
}

/// The definitions that were seen.
struct Definitions<'f, 's, 'p, 'a> {
    function: &'f Function,
    state: &'s mut State<'p, 'a>,
    first: SecondaryMap<Local, Option<(Span, Spot)>>,
}

impl Definitions<'_, '_, '_, '_> {
    fn inst(&mut self, inst: &Inst) {
        inst.for_each_def(|local| self.define(local, (inst.span, Spot::Dest)));
        inst.for_each_partial_def(|local| self.part(local, (inst.span, Spot::Dest)));
    }

    fn define(&mut self, local: Local, at: (Span, Spot)) {
        let first = &mut self.first[local];
        let Some(first) = *first else {
            *first = Some(at);
            return;
        };
        if self.state.sink.is_full() {
            return self.state.sink.skip();
        }
        let name = shorten(&self.function.locals[local].name);
        let locate = self.state.context.locate;
        let message = format!("`%{name}` has a second definition here, in an `ssa` function");
        let diagnostic = Diagnostic::new("duplicate-definition", locate(at.0, at.1), message)
            .note(locate(first.0, first.1), "the first one");
        self.state.sink.push(diagnostic);
    }

    fn part(&mut self, local: Local, at: (Span, Spot)) {
        let function = self.function;
        self.state.report("part-in-ssa", at, || {
            let name = shorten(&function.locals[local].name);
            format!("a part of `%{name}` is assigned, which an `ssa` function does not allow")
        });
    }
}
