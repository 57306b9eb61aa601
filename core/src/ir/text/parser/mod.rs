//! The parser: one pass over the tokens, one token of lookahead (two at the start of a statement),
//! no recursion.
//!
//! The files follow the text from the outside in: [`items`], [`function`], [`statement`],
//! [`operation`], [`terminator`], [`place`], [`types`]. What must wait until a function's end is in
//! files of its own: [`labels`], [`phi`], [`for_loop`], [`infer`].
//!
//! **Recovery.** A mistake is reported once, where it is; the parser then goes on at the next
//! statement ([`recover`]). A function in which something is wrong is checked no further, since what
//! else would be said of it may only follow from the mistake.

mod for_loop;
mod function;
mod infer;
mod items;
mod labels;
mod operation;
mod phi;
mod place;
mod recover;
mod region;
mod statement;
mod terminator;
mod types;

use super::lexer::{LexError, Lexer, Token, TokenKind};
use super::marks::{Mark, Marks};
use super::names::{shorten, unescape};
use crate::diagnostic::{Diagnostic, Sink, Span};
use crate::ir::{Name, Program};
use function::FunctionParse;
pub(super) use region::parse_regions;

/// A mistake was reported; the statement is given up.
#[derive(Debug)]
struct Reported;

type Result<T> = std::result::Result<T, Reported>;

/// What came of a text.
pub(super) struct Parsed {
    /// The program; of no use where something was reported.
    pub(super) program: Program,
    /// By function, whether something was reported within it.
    pub(super) broken: Vec<bool>,
    /// Whether every declaration could be read: if not, names may seem to be missing.
    pub(super) complete: bool,
}

/// Parses `text`, and reports mistakes to `sink`.
pub(super) fn parse(text: &str, sink: &mut Sink) -> Parsed {
    let mut parser = Parser::new(text, 0, sink);
    parser.program();
    parser.finish()
}

/// Where the parts of the statement or label that starts at byte `start` stand. The statement was
/// read without a mistake before.
pub(super) fn marks(text: &str, start: usize) -> Marks {
    let mut scratch = Sink::default();
    let mut parser = Parser::new(text, start, &mut scratch);
    if parser.at_word("for") {
        // What it was turned into has other parts.
        return Marks::default();
    }
    parser.marks = Some(Marks::default());
    let _ = parser.statement(&mut FunctionParse::new("".into()));
    parser.marks.unwrap_or_default()
}

struct Parser<'t, 's> {
    text: &'t str,
    lexer: Lexer<'t>,
    /// The token to look at.
    token: Token,
    /// Where the token before it ended, ends of lines left out.
    prev_end: u32,
    /// How many brackets are open; ends of lines count for nothing within them.
    depth: u32,
    /// The end of a line that was passed within brackets just before `token`.
    passed_line_end: Option<u32>,
    sink: &'s mut Sink,
    program: Program,
    functions: Vec<FunctionParse>,
    memory_span: Option<Span>,
    complete: bool,
    /// Where the parts of a statement stand, if somebody asked for that.
    marks: Option<Marks>,
}

impl<'t, 's> Parser<'t, 's> {
    fn new(text: &'t str, at: usize, sink: &'s mut Sink) -> Parser<'t, 's> {
        let mut lexer = Lexer::new(text, at);
        let token = lexer.next();
        Parser {
            text,
            lexer,
            token,
            prev_end: 0,
            depth: 0,
            passed_line_end: None,
            sink,
            program: Program::default(),
            functions: Vec::new(),
            memory_span: None,
            complete: true,
            marks: None,
        }
    }

    /// Remembers where a part of a statement stands, if somebody asked for that.
    fn mark(&mut self, mark: Mark, span: Span) {
        if let Some(marks) = &mut self.marks {
            marks.push(mark, span);
        }
    }

    /// Goes on to the next token and returns the one before.
    fn bump(&mut self) -> Token {
        let token = self.token;
        if token.kind != TokenKind::Newline {
            self.prev_end = token.span.end;
        }
        self.passed_line_end = None;
        self.token = self.lexer.next();
        if self.depth > 0 && self.token.kind == TokenKind::Newline {
            self.passed_line_end = Some(self.token.span.start);
            self.token = self.lexer.next();
        }
        token
    }

    fn at(&self, kind: TokenKind) -> bool {
        self.token.kind == kind
    }

    fn eat(&mut self, kind: TokenKind) -> bool {
        let found = self.at(kind);
        if found {
            self.bump();
        }
        found
    }

    /// What comes after the token to look at.
    fn peek_second(&self) -> TokenKind {
        self.lexer.clone().next().kind
    }

    fn slice(&self, token: Token) -> &'t str {
        &self.text[token.span.start as usize..token.span.end as usize]
    }

    /// Whether the token to look at is this keyword.
    fn at_word(&self, word: &str) -> bool {
        self.at(TokenKind::Word) && self.slice(self.token) == word
    }

    fn expect(&mut self, kind: TokenKind, what: &str) -> Result<Token> {
        if self.at(kind) { Ok(self.bump()) } else { Err(self.expected(what)) }
    }

    fn expect_word(&mut self, word: &str) -> Result<Token> {
        if self.at_word(word) { Ok(self.bump()) } else { Err(self.expected(&format!("`{word}`"))) }
    }

    /// Reads `open item, .. close`; a comma may follow the last item.
    fn list(
        &mut self,
        open: TokenKind,
        close: (TokenKind, &str),
        mut item: impl FnMut(&mut Self) -> Result<()>,
    ) -> Result<()> {
        self.depth += 1;
        self.expect(open, "an opening bracket")?;
        while !self.at(close.0) {
            item(self)?;
            if self.at(TokenKind::Comma) {
                self.bump();
            } else if !self.at(close.0) {
                return Err(self.expected(&format!("`,` or `{}`", close.1)));
            }
        }
        self.depth -= 1;
        self.bump();
        Ok(())
    }

    fn paren_list(&mut self, item: impl FnMut(&mut Self) -> Result<()>) -> Result<()> {
        self.list(TokenKind::LParen, (TokenKind::RParen, ")"), item)
    }

    /// Checks that a statement ends here.
    fn end_of_statement(&mut self) -> Result<()> {
        match self.token.kind {
            TokenKind::Newline | TokenKind::RBrace | TokenKind::End => Ok(()),
            _ => Err(self.expected("the end of the line")),
        }
    }

    /// The name that a token carries, without sigil and quotes.
    fn name(&mut self, token: Token) -> Result<Name> {
        let raw = self.slice(token).trim_start_matches(['%', '@']);
        let Some(quoted) = raw.strip_prefix('"') else { return Ok(raw.into()) };
        let inner = &quoted[..quoted.len() - 1];
        unescape(inner).map(Name::from).map_err(|bad| {
            let from = token.span.end as usize - 1 - inner.len();
            let span = Span::new(from + bad.start, from + bad.end);
            let what = format!("`{}` is no escape", &inner[bad.start..bad.end]);
            let help = r#"escapes are \" \\ \n \r \t \0 and \u{1f600}"#;
            self.report(Diagnostic::new("bad-escape", span, what).help(help))
        })
    }

    fn report(&mut self, diagnostic: Diagnostic) -> Reported {
        self.sink.push(diagnostic);
        Reported
    }

    /// Reports that something else than the token to look at should stand here.
    fn expected(&mut self, what: &str) -> Reported {
        if self.sink.is_full() {
            self.sink.skip();
            return Reported;
        }
        let span = self.token.span;
        let diagnostic = match self.token.kind {
            TokenKind::Bad(error) => self.bad_token(error),
            // The end of a line is shown just after what stands before it.
            TokenKind::Newline => self.missing(what, self.prev_end, "the end of the line"),
            TokenKind::End => self.missing(what, span.start, "the end of the text"),
            _ => match self.passed_line_end {
                Some(_) => self.missing(what, self.prev_end, "the end of the line"),
                None => {
                    let found = shorten(self.slice(self.token));
                    let message = format!("expected {what}, found `{found}`");
                    Diagnostic::new("syntax", span, message)
                }
            },
        };
        self.report(diagnostic)
    }

    fn missing(&self, what: &str, at: u32, found: &str) -> Diagnostic {
        let message = format!("expected {what}, found {found}");
        Diagnostic::new("syntax", Span { start: at, end: at }, message)
    }

    fn bad_token(&self, error: LexError) -> Diagnostic {
        let span = self.token.span;
        let text = shorten(self.slice(self.token));
        match error {
            LexError::Character => {
                Diagnostic::new("bad-character", span, format!("`{text}` has no meaning here"))
            }
            LexError::UnterminatedString => {
                Diagnostic::new("unterminated-string", span, "the string does not end on its line")
            }
            LexError::MissingName => {
                Diagnostic::new("missing-name", span, format!("a name must follow `{text}`"))
            }
        }
    }
}
