//! Reads how rustc elaborated the drops of a body, from its dumps, as a program with expectations.
//!
//! `RUSTC_BOOTSTRAP=1 rustc -Zdump-mir='ElaborateDrops | maybe_init | maybe_uninit' -Zdump-mir-dataflow`
//! leaves four files for a body: MIR before and after, and the states of both analyses. Of MIR before, a
//! function is made that owns what rustc tracks, and does to it what the lines do; all else is left out, and
//! where control goes is up to a parameter. The states at the start of each block and the class of each
//! drop become the expectations `maybe_init`, `maybe_uninit` and `drop`, so that a check of the file
//! compares the references and a subject with rustc.
//!
//! # What becomes what
//!
//! - A local that rustc tracks is `own`, or an aggregate with a part for each move path within it and one
//!   for the rest ([`places`]).
//! - `drop` of what is tracked is `drop`, or `try_drop` where it may unwind into a cleanup block. A drop of what
//!   is not tracked (an element of an array, what is behind a reference) is always done, and has no class.
//!   Every other one has: where what rustc made of it can't be read, that is a diagnostic.
//! - What is moved is a `destroy`, since nobody asks where to; what is assigned is `new`. The result of a
//!   call is assigned on the edge where it returns.
//! - After a `switchInt` on a discriminant, variants that are not there are uninitialized ([`variants`]).

pub(crate) mod dumps;
mod effects;
mod lower;
pub(crate) mod path;
mod places;
#[cfg(test)]
mod tests;
mod variants;

use super::mistakes::Mistakes;
use super::{Imported, body, parse};
use backedge_core::diagnostic::{Diagnostic, Sink, Span};
use std::collections::BTreeSet;

/// What rustc dumped of one body.
#[derive(Clone, Debug, Default)]
pub struct Elaboration {
    /// MIR before the pass.
    pub before: Vec<u8>,
    /// MIR after it.
    pub after: String,
    /// The states of `maybe_init`, as a drawn graph.
    pub maybe_init: String,
    /// The states of `maybe_uninit`.
    pub maybe_uninit: String,
}

/// Reads it; what can't be read is told of, with spans in MIR before the pass.
pub fn read(dumped: &Elaboration) -> Imported {
    let mut sink = Sink::default();
    let mut imported = Imported::default();
    let text = super::valid(&dumped.before, &mut sink);
    let split = body::split(&text, &mut sink);
    let init = dumps::states(&dumped.maybe_init);
    let uninit = dumps::states(&dumped.maybe_uninit);
    let start = init.get(&0).into_iter().chain(uninit.get(&0));
    let tracked: BTreeSet<path::MovePath> = start.flatten().cloned().collect();
    let known = lower::Known { init: &init, after: dumps::terminators(&dumped.after) };
    let has_states = init.contains_key(&0) && uninit.contains_key(&0);
    if !has_states && !split.bodies.is_empty() {
        // Without them nothing would be tracked, and so nothing compared.
        let message = "the states that rustc dumped of this body can't be read";
        sink.push(Diagnostic::new("mir-drops", split.bodies[0].span, message));
        imported.diagnostics = sink.into_vec();
        return imported;
    }
    for raw in &split.bodies {
        let mut mistakes = Mistakes::new(&mut sink);
        let scope = parse::scope(raw, &mut mistakes);
        if mistakes.any() {
            continue;
        }
        match lower::lower(raw, &scope, &tracked, &known) {
            Ok(lowered) => {
                imported.program.directives = lowered.expectations(&init, &uninit);
                imported.program.functions.push(lowered.function);
            }
            Err((span, message)) => sink.push(Diagnostic::new("mir-drops", span, message)),
        }
    }
    if split.bodies.is_empty() && sink.is_empty() {
        let message = "there is no function in it";
        sink.push(Diagnostic::new("mir-item", Span::new(0, 0), message));
    }
    imported.diagnostics = sink.into_vec();
    imported
}
