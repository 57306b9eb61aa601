//! Reads what `rustc --emit=mir` prints.
//!
//! The way of a file: [`body`] splits it into bodies and lines; [`statement`] and [`terminator`] say
//! what a line reads, writes and leads to; [`lower`] makes functions of that. A line that none of
//! them knows is a diagnostic, and its function is left out. Every step is one pass without
//! recursion, so reading takes time in proportion to the text, and no text is too deep.
//!
//! # What becomes what
//!
//! - Each body is a function: functions, closures, constants, statics and promoted constants. Its
//!   name is the path that rustc prints; a second body of one name gets `#2`.
//! - Blocks `bb0` and locals `_0` keep their names. A local is `int`, or `own` if something drops
//!   it, or `own{..}` if something drops parts of it.
//! - `drop` of such a place is `drop` or `try_drop`; a move between such places is `move`; whole
//!   64-bit arithmetic, copies and integer constants are what they are. Everything else is an
//!   `opaque` with the text of its line, which reads, writes or writes in part what
//!   `MaybeLiveLocals` of rustc's dataflow says. A statement that touches no local vanishes.
//! - A call is a `call` or, with an unwind edge, a `try_call` of an extern that [`externs`] declares;
//!   its arguments are the locals that it reads, then its integer constants. Where unwinding goes on
//!   in the caller or ends the program, there is no edge. A result that goes into a part is written
//!   in a block of its own on the edge, named `bb3_edge9`.
//! - `assert`, `falseEdge`, assembly with labels and the like are an `opaque` that defines `%choice`,
//!   and a branch on it.
//! - `return` reads `_0`.

mod asm;
mod body;
mod edges;
pub mod elaboration;
mod externs;
mod lower;
mod mistakes;
mod ops;
mod parse;
mod place;
mod rvalue;
mod scan;
mod statement;
mod terminator;
mod types;

#[cfg(test)]
mod tests;

use backedge_core::diagnostic::{Diagnostic, Sink, Span};

use backedge_core::ir::{Name, Program};
use mistakes::Mistakes;
use rustc_hash::{FxHashMap, FxHashSet};
use std::borrow::Cow;

/// What a file holds.
#[derive(Clone, Debug, Default)]
pub struct Imported {
    /// Every function that can be read.
    pub program: Program,
    /// What can't be read, in the order of the text; a hundred mistakes at most.
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads a file of MIR, whatever bytes it holds.
pub fn read(text: &[u8]) -> Imported {
    let mut sink = Sink::default();
    let text = valid(text, &mut sink);
    let split = body::split(&text, &mut sink);
    if !split.is_mir && sink.is_empty() {
        let end = Span::new(text.len(), text.len());
        let message = "this is no MIR: there is no function in it";
        sink.push(Diagnostic::new("mir-item", end, message));
    }
    let mut program = Program::default();
    let mut externs = externs::Externs::default();
    for raw in &split.bodies {
        if let Some(body) = parse::parse(raw, Mistakes::new(&mut sink)) {
            program.functions.push(lower::lower(&body, &mut externs));
        }
    }
    name_apart(&mut program, &externs);
    program.externs = externs.list;
    Imported { program, diagnostics: sink.into_vec() }
}

/// The text, with each byte that is no UTF-8 replaced by a control character, so that spans stay
/// right.
fn valid<'t>(text: &'t [u8], sink: &mut Sink) -> Cow<'t, str> {
    let start = match std::str::from_utf8(text) {
        Ok(text) => return Cow::Borrowed(text),
        Err(error) => error.valid_up_to(),
    };
    let message = "this is not UTF-8";
    sink.push(Diagnostic::new("invalid-utf8", Span::new(start, start + 1), message));
    let mut valid = String::with_capacity(text.len());
    for chunk in text.utf8_chunks() {
        valid.push_str(chunk.valid());
        valid.extend(chunk.invalid().iter().map(|_| '\u{1a}'));
    }
    Cow::Owned(valid)
}

/// Gives every function a name that no other function and no extern has.
fn name_apart(program: &mut Program, externs: &externs::Externs) {
    let given: Vec<Name> = program.functions.iter().map(|function| function.name.clone()).collect();
    let mut taken: FxHashSet<Name> = given.iter().cloned().collect();
    let mut seen: FxHashSet<Name> = FxHashSet::default();
    let mut next: FxHashMap<Name, u32> = FxHashMap::default();
    for (function, name) in program.functions.iter_mut().zip(given) {
        if seen.insert(name.clone()) && !externs.has(&name) {
            continue;
        }
        let number = next.entry(name.clone()).or_insert(1);
        loop {
            *number += 1;
            let candidate = Name::from(format!("{name}#{number}"));
            if !externs.has(&candidate) && taken.insert(candidate.clone()) {
                function.name = candidate;
                break;
            }
        }
    }
}
