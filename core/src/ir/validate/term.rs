//! Terminators: operands, targets, cases, and what is returned.

use super::function::Checker;
use super::inst::{INT, THUNK};
use super::{Spot, shorten};
use crate::diagnostic::Span;
use crate::ir::{Operand, Target, Terminator, TerminatorKind};
use smallvec::SmallVec;

impl<'p> Checker<'_, 'p, '_> {
    /// Checks a terminator.
    pub(super) fn terminator(&mut self, term: &'p Terminator) {
        let at = term.span;
        let first = (at, Spot::Operand(0));
        match &term.kind {
            TerminatorKind::Branch { cond, .. } => self.operand(*cond, &INT, first),
            TerminatorKind::Switch { value, cases, .. } => {
                self.operand(*value, &INT, first);
                self.cases(cases, at);
            }
            TerminatorKind::TryCall { dest, callee, args, .. } => {
                self.call(callee, args, dest.as_ref(), at);
            }
            TerminatorKind::TryDrop { place, .. } => drop(self.owned_place(place, at)),
            TerminatorKind::Enter(thunk) => self.operand(*thunk, &THUNK, first),
            TerminatorKind::Return(value) => self.returned(*value, at),
            TerminatorKind::Jump(_) | TerminatorKind::Unreachable | TerminatorKind::Resume => {}
        }
        let mut slot = 0;
        term.kind.for_each_target(|target| {
            self.target(target, slot, at);
            slot += 1;
        });
    }

    fn returned(&mut self, value: Option<Operand>, at: Span) {
        let operand = (at, Spot::Operand(0));
        let name = &self.function.name;
        match (value, &self.function.ret) {
            (None, None) => {}
            (None, Some(ty)) => self.report("return-type", (at, Spot::Whole), || {
                format!("`@{}` returns `{ty}`, but there is no value here", shorten(name))
            }),
            (Some(value), None) => {
                self.operand_type(value, operand);
                self.report("return-type", operand, || {
                    format!("`@{}` returns nothing", shorten(name))
                });
            }
            (Some(value), Some(ty)) => {
                if let Some(found) = self.operand_type(value, operand)
                    && found != ty
                {
                    self.report("return-type", operand, || {
                        format!("`@{}` returns `{ty}`, but this is `{found}`", shorten(name))
                    });
                }
            }
        }
    }

    /// Checks that keys are distinct, by sorting them.
    fn cases(&mut self, cases: &[(i64, Target)], at: Span) {
        let mut keys: SmallVec<[(i64, usize); 16]> =
            cases.iter().enumerate().map(|(index, (key, _))| (*key, index)).collect();
        keys.sort_unstable();
        for pair in keys.windows(2) {
            let (key, index) = pair[1];
            if pair[0].0 == key {
                self.report("duplicate-case", (at, Spot::Key(index)), || {
                    format!("there are two cases for {key}")
                });
            }
        }
    }
}
