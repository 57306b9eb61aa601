//! Cuts a text into tokens, one at a time: nothing is kept, and a lexer is cheap to copy, which is
//! how the parser looks ahead.

use super::names::{is_local_byte, is_word_byte, quoted_end};
use crate::diagnostic::Span;

/// What a token is.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum TokenKind {
    /// One or more ends of lines, with the blank lines and comments between them.
    Newline,
    /// The end of the text.
    End,
    /// A keyword, a bare label, a number, or the fields `.0.1` of a place.
    Word,
    /// `".."`
    Str,
    /// `%name` or `%".."`
    Local,
    /// `@name` or `@".."`
    Global,
    LParen,
    RParen,
    LBracket,
    RBracket,
    LBrace,
    RBrace,
    Comma,
    Colon,
    Equals,
    /// `->`
    Arrow,
    /// No token.
    Bad(LexError),
}

/// Why something is no token.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum LexError {
    /// A character that starts no token.
    Character,
    /// A string without a closing quote on its line.
    UnterminatedString,
    /// `%` or `@` without a name.
    MissingName,
}

/// A token.
#[derive(Copy, Clone, Debug)]
pub(super) struct Token {
    pub(super) kind: TokenKind,
    pub(super) span: Span,
}

/// A position in a text.
#[derive(Copy, Clone, Debug)]
pub(super) struct Lexer<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Lexer<'t> {
    /// Starts at byte `at`, past the mark that some editors put before a text.
    pub(super) fn new(text: &'t str, at: usize) -> Lexer<'t> {
        let mark = at == 0 && text.starts_with('\u{feff}');
        Lexer { text, at: if mark { '\u{feff}'.len_utf8() } else { at } }
    }

    /// Goes back, or on, to byte `at`.
    pub(super) fn seek(&mut self, at: u32) {
        self.at = at as usize;
    }

    /// The next token.
    pub(super) fn next(&mut self) -> Token {
        self.skip_blanks();
        let start = self.at;
        let kind = self.scan();
        Token { kind, span: Span::new(start, self.at) }
    }

    fn scan(&mut self) -> TokenKind {
        use TokenKind::*;
        let Some(byte) = self.peek(0) else { return End };
        if is_word_byte(byte) && !self.at_arrow() {
            self.skip_word();
            return Word;
        }
        self.at += 1;
        match byte {
            b'\n' => {
                self.skip_lines();
                Newline
            }
            b'%' => self.name(Local, is_local_byte),
            b'@' => self.name(Global, is_word_byte),
            b'"' => self.quoted(Str),
            b'(' => LParen,
            b')' => RParen,
            b'[' => LBracket,
            b']' => RBracket,
            b'{' => LBrace,
            b'}' => RBrace,
            b',' => Comma,
            b':' => Colon,
            b'=' => Equals,
            b'-' => {
                self.at += 1;
                Arrow
            }
            _ => self.bad_character(),
        }
    }

    fn peek(&self, offset: usize) -> Option<u8> {
        self.text.as_bytes().get(self.at + offset).copied()
    }

    fn at_arrow(&self) -> bool {
        self.peek(0) == Some(b'-') && self.peek(1) == Some(b'>')
    }

    fn skip_word(&mut self) {
        while self.peek(0).is_some_and(is_word_byte) && !self.at_arrow() {
            self.at += 1;
        }
    }

    /// Skips blanks and a comment, up to the end of the line.
    fn skip_blanks(&mut self) {
        while let Some(b' ' | b'\t' | b'\r') = self.peek(0) {
            self.at += 1;
        }
        if self.peek(0) == Some(b';') {
            let rest = &self.text[self.at..];
            self.at += rest.find('\n').unwrap_or(rest.len());
        }
    }

    /// Skips lines that hold blanks and comments alone.
    fn skip_lines(&mut self) {
        loop {
            self.skip_blanks();
            if self.peek(0) != Some(b'\n') {
                return;
            }
            self.at += 1;
        }
    }

    /// Scans what follows a sigil.
    fn name(&mut self, kind: TokenKind, bare: fn(u8) -> bool) -> TokenKind {
        if self.peek(0) == Some(b'"') {
            self.at += 1;
            return self.quoted(kind);
        }
        let start = self.at;
        while self.peek(0).is_some_and(bare) && !self.at_arrow() {
            self.at += 1;
        }
        if self.at == start { TokenKind::Bad(LexError::MissingName) } else { kind }
    }

    /// Scans a string whose opening quote was just passed.
    fn quoted(&mut self, kind: TokenKind) -> TokenKind {
        match quoted_end(self.text.as_bytes(), self.at - 1) {
            Some(end) => {
                self.at = end;
                kind
            }
            None => {
                let rest = &self.text[self.at..];
                self.at += rest.find('\n').unwrap_or(rest.len());
                TokenKind::Bad(LexError::UnterminatedString)
            }
        }
    }

    /// Passes a whole run of what starts no token, so that noise is one mistake and not many.
    fn bad_character(&mut self) -> TokenKind {
        let stops = |byte: u8| byte.is_ascii_whitespace() || is_word_byte(byte) || is_sign(byte);
        while self.peek(0).is_some_and(|byte| !stops(byte)) {
            self.at += 1;
        }
        TokenKind::Bad(LexError::Character)
    }
}

fn is_sign(byte: u8) -> bool {
    matches!(byte, b'%' | b'@' | b'"' | b'(' | b')' | b'[' | b']' | b'{' | b'}' | b',')
        || matches!(byte, b':' | b'=' | b';')
}
