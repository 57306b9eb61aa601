//! What stands outside functions: `extern`, `memory`, and functions themselves.

use super::{Parsed, Parser, Reported, Result, infer};
use crate::diagnostic::{Diagnostic, Span};
use crate::ir::text::directives;
use crate::ir::text::lexer::TokenKind;
use crate::ir::{Extern, Type};

impl Parser<'_, '_> {
    /// Reads the whole text.
    pub(super) fn program(&mut self) {
        loop {
            while self.eat(TokenKind::Newline) {}
            if self.at(TokenKind::End) {
                return;
            }
            let function = self.at_word("fn") || self.at_word("ssa");
            if let Err(Reported) = self.item() {
                self.complete = false;
                let opened = self.recover().braces;
                if function || opened > 0 {
                    self.headless_function(opened);
                } else {
                    self.eat(TokenKind::RBrace);
                }
            }
        }
    }

    fn item(&mut self) -> Result<()> {
        if self.at_word("extern") {
            self.external()
        } else if self.at_word("memory") {
            self.memory()
        } else if self.at_word("fn") || self.at_word("ssa") {
            self.function()
        } else {
            Err(self.expected("`fn`, `ssa fn`, `extern` or `memory`"))
        }
    }

    /// `extern @name(types) -> type`
    pub(super) fn external(&mut self) -> Result<()> {
        let start = self.bump().span;
        let token = self.expect(TokenKind::Global, "`@` and a name")?;
        let name = self.name(token)?;
        let mut params = Vec::new();
        self.open_paren("the types of the parameters")?;
        self.paren_list(|p| {
            params.push(p.ty()?);
            Ok(())
        })?;
        let ret = self.result_type()?;
        let span = Span { start: start.start, end: self.prev_end };
        self.program.externs.push(Extern { name, params, ret, span });
        self.end_of_statement()
    }

    /// Checks that `(` follows, before a list is read.
    pub(super) fn open_paren(&mut self, what: &str) -> Result<()> {
        if self.at(TokenKind::LParen) {
            Ok(())
        } else {
            Err(self.expected(&format!("`(` and {what}")))
        }
    }

    /// `-> type`, if it is there.
    pub(super) fn result_type(&mut self) -> Result<Option<Type>> {
        if self.eat(TokenKind::Arrow) { self.ty().map(Some) } else { Ok(None) }
    }

    /// `memory N`
    pub(super) fn memory(&mut self) -> Result<()> {
        let start = self.bump().span;
        let token = self.expect(TokenKind::Word, "a number of words")?;
        let span = start.to(token.span);
        if let Some(first) = self.memory_span {
            let diagnostic = Diagnostic::new("memory-twice", span, "the memory is declared twice");
            return Err(self.report(diagnostic.note(first, "first declared here")));
        }
        self.memory_span = Some(span);
        // It counts as declared even if the size is wrong.
        self.program.memory = Some(1);
        let words = match u64::try_from(self.integer(token)?) {
            Ok(words) if words.is_power_of_two() => words,
            _ => {
                let message = "the memory's size must be a power of two";
                return Err(self.report(Diagnostic::new("bad-memory", token.span, message)));
            }
        };
        self.program.memory = Some(words);
        self.end_of_statement()
    }

    /// Hands out what was read, once the types of locals are known.
    pub(super) fn finish(mut self) -> Parsed {
        let functions = std::mem::take(&mut self.functions);
        let results = infer::result_types(&self.program.externs, functions.iter());
        let broken = functions.iter().map(|parse| parse.broken).collect();
        self.program.functions =
            functions.into_iter().map(|parse| parse.into_function(&results)).collect();
        self.program.directives = directives::collect(self.text);
        Parsed { program: self.program, broken, complete: self.complete }
    }
}
