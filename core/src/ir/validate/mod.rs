//! Says everything that is wrong with a program.

use super::Program;
use crate::diagnostic::{Diagnostic, Sink};

/// The mistakes in `program`, in the order of the text.
pub fn validate(program: &Program) -> Vec<Diagnostic> {
    let mut sink = Sink::default();
    validate_parsed(program, &[], true, &mut sink);
    sink.into_vec()
}

/// Validates what was parsed, but for functions that are `broken`. Unless the parse is `complete`,
/// callees may seem to be missing.
pub(super) fn validate_parsed(program: &Program, broken: &[bool], complete: bool, sink: &mut Sink) {
    let _ = (broken, complete);
    if program.functions.is_empty() && sink.is_empty() {
        let message = "there is no function";
        sink.push(Diagnostic::new("empty-program", crate::diagnostic::Span::NONE, message));
    }
}
