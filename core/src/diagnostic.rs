//! What is wrong with a source text, and where.
//!
//! The library only collects; the command line renders (file, line, column, underlined source).

/// A byte range of a source text.
///
/// Where something stood does not change what it is: every two spans are equal, so that a parsed
/// program equals the same program built in memory.
#[derive(Copy, Clone, Debug, Default)]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl PartialEq for Span {
    fn eq(&self, _: &Span) -> bool {
        true
    }
}

impl Eq for Span {}

impl Span {
    /// The span of something that no text was read for.
    pub const NONE: Span = Span { start: 0, end: 0 };

    /// The bytes `start..end`.
    pub fn new(start: usize, end: usize) -> Span {
        Span { start: start as u32, end: end as u32 }
    }

    /// The smallest span that holds both.
    pub fn to(self, end: Span) -> Span {
        Span { start: self.start, end: end.end.max(self.end) }
    }
}

/// One mistake.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// A stable name for the kind of mistake, such as `dangling-target`.
    pub code: &'static str,
    /// What is wrong, in one sentence without a full stop.
    pub message: String,
    /// Where.
    pub span: Span,
    /// Other places that explain it, such as the first of two definitions.
    pub notes: Vec<(Span, String)>,
    /// What to do about it, when that is known.
    pub help: Option<String>,
}

impl Diagnostic {
    /// A diagnostic without notes or help.
    pub fn new(code: &'static str, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic { code, message: message.into(), span, notes: Vec::new(), help: None }
    }

    /// Adds a place that explains the mistake.
    #[must_use]
    pub fn note(mut self, span: Span, text: impl Into<String>) -> Diagnostic {
        self.notes.push((span, text.into()));
        self
    }

    /// Adds advice.
    #[must_use]
    pub fn help(mut self, text: impl Into<String>) -> Diagnostic {
        self.help = Some(text.into());
        self
    }
}

/// Collects diagnostics, up to a limit: of a text that is all mistakes, the first hundred tell enough.
#[derive(Clone, Debug, Default)]
pub struct Sink {
    kept: Vec<Diagnostic>,
    skipped: usize,
}

impl Sink {
    /// How many diagnostics are kept.
    pub const LIMIT: usize = 100;

    /// Adds a diagnostic, or counts it if the limit is reached.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        if self.is_full() {
            self.skip();
        } else {
            self.kept.push(diagnostic);
        }
    }

    /// Whether a further diagnostic would only be counted, so that there is no need to make it.
    pub fn is_full(&self) -> bool {
        self.kept.len() == Sink::LIMIT
    }

    /// Counts a diagnostic that was not made.
    pub fn skip(&mut self) {
        self.skipped += 1;
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }

    /// The diagnostics in the order of the text. If some were left out, one more, `too-many-errors`,
    /// says how many.
    pub fn into_vec(mut self) -> Vec<Diagnostic> {
        self.kept.sort_by_key(|diagnostic| diagnostic.span.start);
        if self.skipped > 0 {
            let span = self.kept.last().map_or(Span::NONE, |last| last.span);
            let message = format!("and {} more", self.skipped);
            self.kept.push(Diagnostic::new("too-many-errors", span, message));
        }
        self.kept
    }
}
