//! Terminators.

use super::function::FunctionParse;
use super::infer::Hint;
use super::{Parser, Result};
use crate::ir::text::lexer::{Token, TokenKind};
use crate::ir::text::marks::Mark;
use crate::ir::{Target, TerminatorKind};

impl Parser<'_, '_> {
    /// Reads what follows `word`, if that is a terminator.
    pub(super) fn terminator(
        &mut self,
        parse: &mut FunctionParse,
        word: Token,
    ) -> Result<Option<TerminatorKind>> {
        let kind = match self.slice(word) {
            "jump" => TerminatorKind::Jump(self.target(parse)?),
            "branch" => self.branch(parse)?,
            "switch" => self.switch(parse)?,
            "try_call" => self.try_call(parse)?,
            "try_drop" => {
                let place = self.read_place(parse)?;
                let (normal, unwind) = self.normal_and_unwind(parse)?;
                TerminatorKind::TryDrop { place, normal, unwind }
            }
            "enter" => TerminatorKind::Enter(self.read_local(parse, "a local")?.into()),
            "return" => TerminatorKind::Return(match self.token.kind {
                TokenKind::Newline | TokenKind::RBrace | TokenKind::End => None,
                _ => Some(self.operand(parse)?),
            }),
            "unreachable" => TerminatorKind::Unreachable,
            "resume" => TerminatorKind::Resume,
            _ => return Ok(None),
        };
        Ok(Some(kind))
    }

    /// `c, then, else`
    fn branch(&mut self, parse: &mut FunctionParse) -> Result<TerminatorKind> {
        let cond = self.operand(parse)?;
        self.expect(TokenKind::Comma, "`,` and a label")?;
        let then_to = self.target(parse)?;
        self.expect(TokenKind::Comma, "`,` and another label")?;
        let else_to = self.target(parse)?;
        Ok(TerminatorKind::Branch { cond, then_to, else_to })
    }

    /// `v, default, [k: L, ..]`
    fn switch(&mut self, parse: &mut FunctionParse) -> Result<TerminatorKind> {
        let value = self.operand(parse)?;
        self.expect(TokenKind::Comma, "`,` and the default's label")?;
        let default = self.target(parse)?;
        self.expect(TokenKind::Comma, "`,` and the cases in `[ ]`")?;
        if !self.at(TokenKind::LBracket) {
            return Err(self.expected("`[` and the cases"));
        }
        let mut cases = Vec::new();
        self.list(TokenKind::LBracket, (TokenKind::RBracket, "]"), |p| {
            let token = p.expect(TokenKind::Word, "an integer")?;
            p.mark(Mark::Key, token.span);
            let key = p.int64(token)?;
            p.expect(TokenKind::Colon, "`:` and a label")?;
            cases.push((key, p.target(parse)?));
            Ok(())
        })?;
        Ok(TerminatorKind::Switch { value, default, cases })
    }

    /// `%d = @f(..), ok, unwind bad`, where the destination may be left out.
    fn try_call(&mut self, parse: &mut FunctionParse) -> Result<TerminatorKind> {
        let mut dest = None;
        if self.at(TokenKind::Local) {
            dest = Some(self.dest(parse)?.place);
            self.expect(TokenKind::Equals, "`=`")?;
        }
        let callee = self.callee()?;
        if let Some(place) = &dest
            && place.is_whole()
        {
            parse.hint(place.local, || Hint::Result(callee.clone()));
        }
        let args = self.operands(parse)?;
        let (normal, unwind) = self.normal_and_unwind(parse)?;
        Ok(TerminatorKind::TryCall { dest, callee, args, normal, unwind })
    }

    /// `, ok, unwind bad`
    fn normal_and_unwind(&mut self, parse: &mut FunctionParse) -> Result<(Target, Target)> {
        self.expect(TokenKind::Comma, "`,` and a label")?;
        let normal = self.target(parse)?;
        self.expect(TokenKind::Comma, "`, unwind` and a label")?;
        self.expect_word("unwind")?;
        Ok((normal, self.target(parse)?))
    }
}
