//! Statements: labels, declarations, assignments, and what starts with a keyword.

use super::function::FunctionParse;
use super::infer::Hint;
use super::{Parser, Reported, Result};
use crate::diagnostic::{Diagnostic, Span};
use crate::ir::text::lexer::{Token, TokenKind};
use crate::ir::text::marks::Mark;
use crate::ir::{Inst, Place, Type};
use smallvec::SmallVec;

/// What stands before `=`.
pub(super) struct Dest {
    pub(super) place: Place,
    pub(super) span: Span,
}

pub(super) type Dests = SmallVec<[Dest; 1]>;

impl Parser<'_, '_> {
    /// Reads one statement, or a label, which may have a statement after it on its line.
    pub(super) fn statement(&mut self, parse: &mut FunctionParse) -> Result<()> {
        match self.token.kind {
            TokenKind::Local => self.assignment(parse),
            TokenKind::Word | TokenKind::Str if self.at_label() => self.labelled(parse),
            TokenKind::Word => self.keyword(parse),
            _ => Err(self.expected("a label or a statement")),
        }
    }

    /// A word before `:` or `(` is a label, even if it is a keyword: no statement looks like that.
    fn at_label(&self) -> bool {
        let second = self.peek_second();
        self.at(TokenKind::Str) || matches!(second, TokenKind::Colon | TokenKind::LParen)
    }

    /// `name:` or `name(%p: type, ..):`
    fn labelled(&mut self, parse: &mut FunctionParse) -> Result<()> {
        let token = self.bump();
        let name = self.name(token)?;
        if let Some(open) = parse.current.take() {
            self.missing_terminator(parse, open, token.span);
        }
        let label = parse.labels.number(name.clone(), token.span);
        let block = parse.start_block(label, name, token.span);
        if self.at(TokenKind::LParen) {
            self.paren_list(|p| {
                let local = p.parameter(parse)?;
                parse.function.blocks[block].params.push(local);
                Ok(())
            })?;
        }
        self.expect(TokenKind::Colon, "`:`").map(drop)
    }

    pub(super) fn keyword(&mut self, parse: &mut FunctionParse) -> Result<()> {
        let start = self.token.span;
        if self.at_word("local") {
            return self.declaration(parse);
        }
        if self.at_word("for") {
            return self.for_loop(parse);
        }
        let word = self.bump();
        if let Some(kind) = self.terminator(parse, word)? {
            let span = start.to(Span { start: 0, end: self.prev_end });
            self.end_of_statement()?;
            match parse.current {
                Some(_) => parse.end_block(kind, span),
                None => self.homeless(parse, span),
            }
            return Ok(());
        }
        self.operation(parse, Dests::new(), word, start)
    }

    /// `local %x: type`
    pub(super) fn declaration(&mut self, parse: &mut FunctionParse) -> Result<()> {
        let word = self.bump();
        let local = self.local(parse, "a local")?;
        if !self.annotation(parse, local)? {
            parse.hint(local, || Hint::Known(Type::Int));
        }
        if !parse.function.blocks.is_empty() {
            let message = "locals are declared before the first label";
            self.report(Diagnostic::new("misplaced-declaration", word.span, message));
            parse.broken = true;
        }
        self.end_of_statement()
    }

    /// `%a, %b = ..`
    pub(super) fn assignment(&mut self, parse: &mut FunctionParse) -> Result<()> {
        let start = self.token.span;
        let mut dests = Dests::new();
        loop {
            dests.push(self.dest(parse)?);
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        self.expect(TokenKind::Equals, "`=`")?;
        let word = self.expect(TokenKind::Word, "an operation")?;
        if self.slice(word) == "phi" {
            return self.phi(parse, dests, start);
        }
        self.operation(parse, dests, word, start)
    }

    /// `%a`, `%a: type` or `%a.0`
    pub(super) fn dest(&mut self, parse: &mut FunctionParse) -> Result<Dest> {
        let start = self.token.span;
        let place = self.place(parse)?;
        let span = Span { start: start.start, end: self.prev_end };
        self.mark(Mark::Dest, span);
        if place.is_whole() {
            self.annotation(parse, place.local)?;
        } else if self.at(TokenKind::Colon) {
            let message = "a part has the type that the whole gives it";
            return Err(self.report(Diagnostic::new("type-on-part", self.token.span, message)));
        }
        Ok(Dest { place, span })
    }

    /// Reads an operation and appends it.
    fn operation(
        &mut self,
        parse: &mut FunctionParse,
        dests: Dests,
        word: Token,
        start: Span,
    ) -> Result<()> {
        let (dest, op) = if self.slice(word) == "opaque" {
            (None, self.opaque(parse, dests)?)
        } else {
            let dest = self.only_dest(dests)?;
            let op = self.op(parse, word)?;
            if let Some(place) = &dest
                && place.is_whole()
            {
                parse.hint(place.local, || Hint::of(&op));
            }
            (dest, op)
        };
        let span = start.to(Span { start: 0, end: self.prev_end });
        self.end_of_statement()?;
        self.append(parse, Inst { dest, op, span });
        Ok(())
    }

    /// Only `opaque` has several destinations.
    fn only_dest(&mut self, mut dests: Dests) -> Result<Option<Place>> {
        if dests.len() > 1 {
            return Err(self.too_many(dests[1].span));
        }
        Ok(dests.pop().map(|dest| dest.place))
    }

    fn too_many(&mut self, span: Span) -> Reported {
        let message = "only `opaque` has more than one destination";
        self.report(Diagnostic::new("too-many-destinations", span, message))
    }

    /// The one whole local that is assigned.
    pub(super) fn whole_dest(&mut self, mut dests: Dests) -> Result<Dest> {
        match dests.pop() {
            Some(dest) if dests.is_empty() && dest.place.is_whole() => Ok(dest),
            Some(dest) if dests.is_empty() => Err(self.part_as_dest(dest.span)),
            Some(dest) => Err(self.too_many(dest.span)),
            None => Err(self.expected("a destination")),
        }
    }

    /// Reports a part where only a whole local can be assigned.
    pub(super) fn part_as_dest(&mut self, span: Span) -> Reported {
        let message = "only a whole local can be assigned here";
        self.report(Diagnostic::new("part-as-destination", span, message))
    }
}
