//! Functions and externs by name, with their types.

use super::shorten;
use super::types::type_mistake;
use crate::diagnostic::{Diagnostic, Sink, Span};
use crate::ir::{Extern, Function, Program, Type};
use rustc_hash::FxHashMap;
use std::collections::hash_map::Entry;

/// What can be called.
#[derive(Copy, Clone)]
pub(super) enum Signature<'p> {
    Extern(&'p Extern),
    Function(&'p Function),
}

impl<'p> Signature<'p> {
    pub(super) fn param_count(self) -> usize {
        match self {
            Signature::Extern(external) => external.params.len(),
            Signature::Function(function) => function.params.len(),
        }
    }

    /// The type of a parameter; `None` where a function lists a local that it does not have.
    pub(super) fn param(self, index: usize) -> Option<&'p Type> {
        match self {
            Signature::Extern(external) => external.params.get(index),
            Signature::Function(function) => {
                let local = *function.params.get(index)?;
                function.locals.get(local).map(|data| &data.ty)
            }
        }
    }

    pub(super) fn ret(self) -> Option<&'p Type> {
        match self {
            Signature::Extern(external) => external.ret.as_ref(),
            Signature::Function(function) => function.ret.as_ref(),
        }
    }

    fn name(self) -> &'p str {
        match self {
            Signature::Extern(external) => &external.name,
            Signature::Function(function) => &function.name,
        }
    }

    fn span(self) -> Span {
        match self {
            Signature::Extern(external) => external.span,
            Signature::Function(function) => function.span,
        }
    }
}

/// Everything that can be called.
pub(super) struct Names<'p>(FxHashMap<&'p str, Signature<'p>>);

impl<'p> Names<'p> {
    /// Reads the declarations, and reports names that are used twice.
    pub(super) fn collect(program: &'p Program, sink: &mut Sink) -> Names<'p> {
        let mut names = FxHashMap::default();
        let externs = program.externs.iter().map(Signature::Extern);
        let functions = program.functions.iter().map(Signature::Function);
        let mut all: Vec<Signature<'p>> = externs.chain(functions).collect();
        // The later one in the text is the one too many.
        all.sort_by_key(|signature| signature.span().start);
        for signature in all {
            match names.entry(signature.name()) {
                Entry::Vacant(entry) => {
                    entry.insert(signature);
                }
                Entry::Occupied(entry) => sink.push(duplicate(signature, *entry.get())),
            }
        }
        Names(names)
    }

    pub(super) fn get(&self, name: &str) -> Option<Signature<'p>> {
        self.0.get(name).copied()
    }
}

fn duplicate(second: Signature<'_>, first: Signature<'_>) -> Diagnostic {
    let message = format!("`@{}` is declared twice", shorten(second.name()));
    Diagnostic::new("duplicate-function", second.span(), message)
        .note(first.span(), "first declared here")
}

/// Reports types that an extern can't have.
pub(super) fn check_externs(program: &Program, sink: &mut Sink) {
    for external in &program.externs {
        for ty in external.params.iter().chain(&external.ret) {
            if let Some((code, message)) = signature_mistake(ty) {
                sink.push(Diagnostic::new(code, external.span, message));
            }
        }
    }
}

/// Why a function can't take or return this type.
pub(super) fn signature_mistake(ty: &Type) -> Option<(&'static str, &'static str)> {
    if *ty == Type::Thunk {
        return Some(("thunk-in-signature", "functions neither take nor return thunks"));
    }
    type_mistake(ty)
}
