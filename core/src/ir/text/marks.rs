//! Finds where a part of a statement stands.
//!
//! The IR keeps one span for each statement. A diagnostic about a part of it reads the statement
//! again, so that programs need not carry a span for each operand.

use super::parser;
use crate::diagnostic::Span;
use crate::ir::validate::Spot;

/// A part of a statement, as the parser meets it.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Mark {
    Dest,
    Callee,
    Place,
    /// A local that is read.
    Local,
    /// An integer in the place of one.
    Literal,
    Target,
    Key,
    Param,
}

impl Mark {
    fn is_operand(self) -> bool {
        matches!(self, Mark::Local | Mark::Literal)
    }
}

/// The parts of one statement, in order.
#[derive(Debug, Default)]
pub(super) struct Marks(Vec<(Mark, Span)>);

impl Marks {
    pub(super) fn push(&mut self, mark: Mark, span: Span) {
        self.0.push((mark, span));
    }

    fn nth(&self, wanted: impl Fn(Mark) -> bool, n: usize) -> Option<usize> {
        let mut found = (0..self.0.len()).filter(|&index| wanted(self.0[index].0));
        found.nth(n)
    }

    fn find(&self, spot: Spot) -> Option<Span> {
        let index = match spot {
            Spot::Whole => None,
            Spot::Dest => self.nth(|mark| mark == Mark::Dest, 0),
            Spot::Callee => self.nth(|mark| mark == Mark::Callee, 0),
            Spot::Place => self.nth(|mark| mark == Mark::Place, 0),
            Spot::Operand(n) => self.nth(Mark::is_operand, n),
            Spot::Use(n) => self.nth(|mark| matches!(mark, Mark::Local | Mark::Place), n),
            Spot::Target(slot) => self.nth(|mark| mark == Mark::Target, slot),
            Spot::Arg(slot, n) => self.nth(|mark| mark == Mark::Target, slot).map(|target| {
                // An argument that a phi put there has no mark; its target will do.
                let arg = target + 1 + n;
                let operands = self.0.get(target + 1..=arg);
                let there = operands.is_some_and(|o| o.iter().all(|m| m.0.is_operand()));
                if there { arg } else { target }
            }),
            Spot::Key(n) => self.nth(|mark| mark == Mark::Key, n),
            Spot::Param(n) => self.nth(|mark| mark == Mark::Param, n),
        };
        index.map(|index| self.0[index].1)
    }
}

/// The span of a part of the statement, or of the label, at `statement`; of all of it where the part
/// does not stand in the text.
pub(super) fn locate(text: &str, statement: Span, spot: Spot) -> Span {
    if spot == Spot::Whole {
        return statement;
    }
    parser::marks(text, statement.start as usize).find(spot).unwrap_or(statement)
}
