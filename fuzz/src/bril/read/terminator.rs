//! Terminators.

use super::Signature;
use super::function::FunctionReader;
use super::shape::{Element, Word};
use backedge_core::diagnostic::Span;
use backedge_core::ir::{Block, Operands, Target, TerminatorKind};

impl FunctionReader<'_> {
    /// The block with this label.
    pub(super) fn block(&mut self, label: &Word, span: Span) -> Option<Block> {
        match self.numbers.get(&*label.0) {
            Some(&number) => Some(Block::from_u32(number as u32)),
            None => {
                let message = format!("there is no block `{}`", label.0);
                self.wrong("dangling-target", span, message);
                None
            }
        }
    }

    /// The terminator; `unreachable` where it is reported to be wrong. Targets have no arguments yet.
    pub(super) fn terminator(
        &mut self,
        element: &Element,
        span: Span,
        next: Option<Block>,
    ) -> TerminatorKind {
        self.try_terminator(element, span, next).unwrap_or(TerminatorKind::Unreachable)
    }

    fn try_terminator(
        &mut self,
        element: &Element,
        span: Span,
        next: Option<Block>,
    ) -> Option<TerminatorKind> {
        let op = super::blocks::op(element);
        let targets = self.targets(element, span)?;
        let operands = self.operands(element, span);
        Some(match op {
            "ret" if operands.is_empty() => TerminatorKind::Return(None),
            "ret" => TerminatorKind::Return(Some(self.exactly::<1>(op, &operands, span)?[0])),
            "unreachable" => TerminatorKind::Unreachable,
            "resume" => TerminatorKind::Resume,
            "enter" => TerminatorKind::Enter(self.exactly::<1>(op, &operands, span)?[0]),
            "switch" => self.switch(element, &targets, &operands, span)?,
            "jmp" => {
                let [to] = self.labels::<1>(op, targets, span)?;
                TerminatorKind::Jump(to)
            }
            "br" | "guard" => {
                let [cond] = self.exactly::<1>(op, &operands, span)?;
                let mut targets = targets;
                if op == "guard" {
                    targets.insert(0, Target::new(next?));
                }
                let [then_to, else_to] = self.labels::<2>(op, targets, span)?;
                TerminatorKind::Branch { cond, then_to, else_to }
            }
            _ => self.fallible(element, op, targets, operands, span)?,
        })
    }

    /// `try_call` and `try_drop`.
    fn fallible(
        &mut self,
        element: &Element,
        op: &str,
        targets: Vec<Target>,
        args: Operands,
        span: Span,
    ) -> Option<TerminatorKind> {
        let [normal, unwind] = self.labels::<2>(op, targets, span)?;
        if op == "try_drop" {
            let place = self.place(element, op, span)?;
            return Some(TerminatorKind::TryDrop { place, normal, unwind });
        }
        let dest = self.dest(element, span);
        let callee = self.callee(element, op, span)?;
        let ret = dest.as_ref().map(|dest| self.type_of(dest));
        let params = args.iter().map(|arg| self.operand_type(arg)).collect();
        self.called.push(Signature { name: callee.clone(), params, ret, span });
        Some(TerminatorKind::TryCall { dest, callee, args, normal, unwind })
    }

    fn switch(
        &mut self,
        element: &Element,
        targets: &[Target],
        operands: &Operands,
        span: Span,
    ) -> Option<TerminatorKind> {
        let [value] = self.exactly::<1>("switch", operands, span)?;
        let keys = element.cases.as_deref().unwrap_or_default();
        match targets.split_first() {
            Some((default, rest)) if rest.len() == keys.len() => {
                let cases = keys.iter().copied().zip(rest.iter().cloned()).collect();
                Some(TerminatorKind::Switch { value, default: default.clone(), cases })
            }
            _ => {
                let message = format!(
                    "a switch of {} cases has a label more, for the default; this has {}",
                    keys.len(),
                    targets.len()
                );
                self.wrong("wrong-labels", span, message);
                None
            }
        }
    }

    /// All targets, or none where a label is unknown.
    fn targets(&mut self, element: &Element, span: Span) -> Option<Vec<Target>> {
        let labels = element.labels.as_deref().unwrap_or_default();
        let blocks: Vec<Option<Block>> =
            labels.iter().map(|label| self.block(label, span)).collect();
        blocks.into_iter().map(|block| block.map(Target::new)).collect()
    }

    fn labels<const N: usize>(
        &mut self,
        op: &str,
        targets: Vec<Target>,
        span: Span,
    ) -> Option<[Target; N]> {
        let count = targets.len();
        let exact = targets.try_into().ok();
        if exact.is_none() {
            let message = format!("`{op}` goes to {N} labels, this has {count}");
            self.wrong("wrong-labels", span, message);
        }
        exact
    }
}
