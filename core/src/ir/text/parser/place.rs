//! Operands, places, targets and integers: what statements are made of.

use super::function::FunctionParse;
use super::{Parser, Result};
use crate::diagnostic::{Diagnostic, Span};
use crate::ir::text::lexer::{Token, TokenKind};
use crate::ir::text::marks::Mark;
use crate::ir::text::names::shorten;
use crate::ir::{Block, Local, Name, Operand, Operands, Place, Target};
use smallvec::SmallVec;

impl Parser<'_, '_> {
    /// `%name`
    pub(super) fn local(&mut self, parse: &mut FunctionParse, what: &str) -> Result<Local> {
        let token = self.expect(TokenKind::Local, what)?;
        let name = self.name(token)?;
        if let Some(fields) = self.fields() {
            let span = token.span.to(fields.span);
            let message = "only a whole local can stand here";
            let diagnostic = Diagnostic::new("part-as-operand", span, message)
                .help("`move` the part into a local of its own first");
            return Err(self.report(diagnostic));
        }
        Ok(parse.local(name, token.span))
    }

    /// `%name`, which is read.
    pub(super) fn read_local(&mut self, parse: &mut FunctionParse, what: &str) -> Result<Local> {
        self.mark(Mark::Local, self.token.span);
        self.local(parse, what)
    }

    /// `%name` or an integer.
    pub(super) fn operand(&mut self, parse: &mut FunctionParse) -> Result<Operand> {
        if self.at(TokenKind::Word) && starts_like_integer(self.slice(self.token)) {
            let token = self.bump();
            self.mark(Mark::Literal, token.span);
            return self.int64(token).map(Operand::Const);
        }
        self.read_local(parse, "a local or an integer").map(Operand::Local)
    }

    /// `(a, b, ..)`
    pub(super) fn operands(&mut self, parse: &mut FunctionParse) -> Result<Operands> {
        let mut operands = Operands::new();
        self.open_paren("the arguments")?;
        self.paren_list(|p| {
            operands.push(p.operand(parse)?);
            Ok(())
        })?;
        Ok(operands)
    }

    /// `%name` with fields `.0.1` or without.
    pub(super) fn place(&mut self, parse: &mut FunctionParse) -> Result<Place> {
        let token = self.expect(TokenKind::Local, "a local")?;
        let mut place = Place::from(parse.local(self.name(token)?, token.span));
        if let Some(fields) = self.fields() {
            self.bump();
            place.path = self.field_numbers(fields)?;
        }
        Ok(place)
    }

    /// `@name`, which is called.
    pub(super) fn callee(&mut self) -> Result<Name> {
        let token = self.expect(TokenKind::Global, "`@` and a name")?;
        self.mark(Mark::Callee, token.span);
        self.name(token)
    }

    /// A place that an operation reads.
    pub(super) fn read_place(&mut self, parse: &mut FunctionParse) -> Result<Place> {
        let start = self.token.span;
        let place = self.place(parse)?;
        self.mark(Mark::Place, Span { start: start.start, end: self.prev_end });
        Ok(place)
    }

    /// The fields that follow a local without a blank.
    fn fields(&self) -> Option<Token> {
        let adjacent = self.token.span.start == self.prev_end;
        let fields = self.at(TokenKind::Word) && self.slice(self.token).starts_with('.');
        (adjacent && fields).then_some(self.token)
    }

    fn field_numbers(&mut self, token: Token) -> Result<SmallVec<[u32; 4]>> {
        let digits = |field: &str| field.bytes().all(|b| b.is_ascii_digit());
        let numbers = self.slice(token)[1..]
            .split('.')
            .map(|field| if digits(field) { field.parse().ok() } else { None })
            .collect::<Option<_>>();
        numbers.ok_or_else(|| {
            let message = "the parts of an aggregate are numbered: `%p.0`, `%p.0.1`";
            self.report(Diagnostic::new("bad-field", token.span, message))
        })
    }

    /// A label, as the number that stands for it until the function ends.
    pub(super) fn label(&mut self, parse: &mut FunctionParse) -> Result<(Block, Span)> {
        if !self.at(TokenKind::Word) && !self.at(TokenKind::Str) {
            return Err(self.expected("a label"));
        }
        let token = self.bump();
        let name = self.name(token)?;
        Ok((parse.labels.number(name, token.span), token.span))
    }

    /// `label` or `label(a, b, ..)`
    pub(super) fn target(&mut self, parse: &mut FunctionParse) -> Result<Target> {
        let (label, span) = self.label(parse)?;
        self.mark(Mark::Target, span);
        let mut target = Target::new(label);
        if self.at(TokenKind::LParen) {
            target.args = self.operands(parse)?;
        }
        Ok(target)
    }

    /// A 64-bit integer: signed, or in hexadecimal any pattern of 64 bits.
    pub(super) fn int64(&mut self, token: Token) -> Result<i64> {
        let value = self.integer(token)?;
        let hexadecimal = self.slice(token).starts_with("0x");
        match (i64::try_from(value), u64::try_from(value)) {
            (Ok(value), _) => Ok(value),
            (Err(_), Ok(bits)) if hexadecimal => Ok(bits as i64),
            _ => Err(self.out_of_range(token)),
        }
    }

    /// `12`, `-12`, `0x1f`, `-0x1f`
    pub(super) fn integer(&mut self, token: Token) -> Result<i128> {
        let text = self.slice(token);
        let (sign, digits) = match text.strip_prefix('-') {
            Some(digits) => (-1, digits),
            None => (1, text),
        };
        let (radix, digits) = match digits.strip_prefix("0x") {
            Some(digits) => (16, digits),
            None => (10, digits),
        };
        if digits.is_empty() || !digits.chars().all(|c| c.is_digit(radix)) {
            let message = format!("`{}` is no integer", shorten(text));
            return Err(self.report(Diagnostic::new("bad-integer", token.span, message)));
        }
        match i128::from_str_radix(digits, radix) {
            Ok(value) => Ok(sign * value),
            Err(_) => Err(self.out_of_range(token)),
        }
    }

    fn out_of_range(&mut self, token: Token) -> super::Reported {
        let message = "the integer does not fit into 64 bits";
        self.report(Diagnostic::new("integer-out-of-range", token.span, message))
    }
}

/// Whether somebody who wrote this meant an integer.
fn starts_like_integer(word: &str) -> bool {
    word.trim_start_matches('-').starts_with(|c: char| c.is_ascii_digit())
}
