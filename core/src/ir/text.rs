//! Reads and prints the text form (`.cfg`).

use super::{Function, Program};
use crate::diagnostic::Diagnostic;

/// Reads a program and validates it.
///
/// # Errors
/// Every mistake found, in the order of the text.
pub fn parse(text: &str) -> Result<Program, Vec<Diagnostic>> {
    let _ = text;
    unimplemented!()
}

/// The canonical text of a program.
pub fn print(program: &Program) -> String {
    let _ = program;
    unimplemented!()
}

/// The canonical text of one function.
pub fn print_function(function: &Function) -> String {
    let _ = function;
    unimplemented!()
}
