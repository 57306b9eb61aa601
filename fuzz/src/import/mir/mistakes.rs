//! Collects what is wrong with one body.

use backedge_core::diagnostic::{Diagnostic, Sink, Span};

/// Passes diagnostics on, and remembers whether there was one.
pub(super) struct Mistakes<'s> {
    sink: &'s mut Sink,
    any: bool,
}

impl<'s> Mistakes<'s> {
    pub(super) fn new(sink: &'s mut Sink) -> Mistakes<'s> {
        Mistakes { sink, any: false }
    }

    pub(super) fn tell(&mut self, code: &'static str, span: Span, message: impl Into<String>) {
        self.any = true;
        self.sink.push(Diagnostic::new(code, span, message));
    }

    /// Whether anything was told.
    pub(super) fn any(&self) -> bool {
        self.any
    }
}
