//! Where the parser goes on after a mistake.
//!
//! Every token is passed once, so that a text of nothing but mistakes still takes linear time.

use super::Parser;
use crate::ir::text::lexer::TokenKind;

/// What was passed unread.
pub(super) struct Passed {
    /// How many `{` the statement did not close.
    pub(super) braces: usize,
    /// Whether it went on to further lines, which may have held labels.
    pub(super) lines: bool,
}

impl Parser<'_, '_> {
    /// Goes on at the end of the statement that the mistake is in, and tells what was passed.
    ///
    /// Outside brackets a statement ends with its line. Within brackets it goes on to the closing
    /// one, unless a line starts as only a statement does: then the bracket was never closed.
    pub(super) fn recover(&mut self) -> Passed {
        self.go_back_to_line_end();
        let mut brackets = std::mem::take(&mut self.depth);
        let mut braces = 0;
        let mut lines = false;
        let mut after_own = None;
        loop {
            match self.token.kind {
                TokenKind::End => break,
                TokenKind::Newline if brackets == 0 || self.statement_follows() => break,
                TokenKind::RBrace if braces == 0 && brackets == 0 => break,
                TokenKind::RBrace if braces > 0 => braces -= 1,
                TokenKind::LBrace if after_own == Some(self.token.span.start) => brackets += 1,
                TokenKind::LBrace => braces += 1,
                TokenKind::LParen | TokenKind::LBracket => brackets += 1,
                TokenKind::RParen | TokenKind::RBracket | TokenKind::RBrace => {
                    brackets = brackets.saturating_sub(1);
                }
                TokenKind::Newline => lines = true,
                _ => {}
            }
            after_own = self.at_word("own").then_some(self.token.span.end);
            self.bump();
        }
        Passed { braces, lines }
    }

    /// If the token that was not expected starts a line, the mistake is at the end of the line
    /// before, and this line may be fine.
    fn go_back_to_line_end(&mut self) {
        if let Some(at) = self.passed_line_end.take() {
            self.lexer.seek(at);
            self.token = self.lexer.next();
        }
    }

    /// Whether what follows the end of this line can only be the start of a statement.
    fn statement_follows(&self) -> bool {
        let mut ahead = self.lexer;
        let first = ahead.next();
        let second = ahead.next();
        match first.kind {
            TokenKind::RBrace => true,
            TokenKind::Local => second.kind == TokenKind::Equals,
            TokenKind::Word => {
                let continues = [TokenKind::Colon, TokenKind::LParen, TokenKind::Comma];
                let word = &self.text[first.span.start as usize..first.span.end as usize];
                is_keyword(word) && !continues.contains(&second.kind)
            }
            _ => false,
        }
    }
}

/// Whether a statement without a destination, or a declaration, starts with this word.
fn is_keyword(word: &str) -> bool {
    matches!(word, "fn" | "ssa" | "extern" | "memory" | "for" | "local" | "store" | "call" | "drop")
        || matches!(word, "destroy" | "jump" | "branch" | "switch" | "try_call" | "try_drop")
        || matches!(word, "enter" | "return" | "unreachable" | "resume")
}
