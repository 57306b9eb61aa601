//! `int`, `own`, `own{T, ..}`, `thunk`.

use super::{Parser, Result};
use crate::diagnostic::{Diagnostic, Span};
use crate::ir::Type;
use crate::ir::text::lexer::TokenKind;
use crate::ir::text::names::shorten;

impl Parser<'_, '_> {
    /// Reads a type. Aggregates that are open are on a stack.
    pub(super) fn ty(&mut self) -> Result<Type> {
        let mut open: Vec<(Span, Vec<Type>)> = Vec::new();
        loop {
            let mut done = match self.simple_type(open.len())? {
                Opened::Type(ty) => ty,
                Opened::Aggregate(span) => {
                    open.push((span, Vec::new()));
                    continue;
                }
            };
            // Put what is done into what is open, and close what ends here.
            loop {
                let Some((_, parts)) = open.last_mut() else { return Ok(done) };
                parts.push(done);
                let more = self.eat(TokenKind::Comma);
                if !self.at(TokenKind::RBrace) {
                    if more {
                        break;
                    }
                    return Err(self.expected("`,` or `}`"));
                }
                self.depth -= 1;
                self.bump();
                let Some((_, parts)) = open.pop() else { return Err(self.expected("a type")) };
                done = Type::Aggregate(parts.into());
            }
        }
    }

    /// Reads a type, or the start of an aggregate that lies within `depth` others.
    fn simple_type(&mut self, depth: usize) -> Result<Opened> {
        let token = self.expect(TokenKind::Word, "a type")?;
        match self.slice(token) {
            // With a blank between, the brace is the one of a function that returns `own`.
            "own" if self.at(TokenKind::LBrace) && self.token.span.start == token.span.end => {
                self.open_aggregate(token.span, depth)
            }
            "own" => Ok(Opened::Type(Type::Own)),
            "int" | "thunk" if depth > 0 => {
                let message = "a part of an aggregate is `own` or `own{..}`";
                Err(self.report(Diagnostic::new("aggregate-part", token.span, message)))
            }
            "int" => Ok(Opened::Type(Type::Int)),
            "thunk" => Ok(Opened::Type(Type::Thunk)),
            other => {
                let message = format!("there is no type `{}`", shorten(other));
                let help = "types are `int`, `own`, `own{own, ..}` and `thunk`";
                let diagnostic = Diagnostic::new("unknown-type", token.span, message).help(help);
                Err(self.report(diagnostic))
            }
        }
    }

    fn open_aggregate(&mut self, start: Span, depth: usize) -> Result<Opened> {
        if depth == Type::MAX_DEPTH {
            let message = format!("types nest at most {} deep", Type::MAX_DEPTH);
            return Err(self.report(Diagnostic::new("type-too-deep", start, message)));
        }
        self.depth += 1;
        self.bump();
        if self.at(TokenKind::RBrace) {
            let span = start.to(self.token.span);
            let message = "an aggregate has at least one part";
            return Err(self.report(Diagnostic::new("empty-aggregate", span, message)));
        }
        Ok(Opened::Aggregate(start))
    }
}

/// What was read of a type.
enum Opened {
    /// All of it.
    Type(Type),
    /// `own{`
    Aggregate(Span),
}
