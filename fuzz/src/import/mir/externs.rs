//! The `extern`s that stand for what calls call.
//!
//! An extern is named after the text of the callee and the types that one call passes, such as
//! `foo::<T>(int, own) -> int`: arguments that are constants without a value here are left out, so
//! one callee may need several.

use super::types;
use backedge_core::diagnostic::Span;
use backedge_core::ir::{Extern, Name, Type};
use rustc_hash::FxHashSet;

/// The externs so far, in the order of the calls.
#[derive(Debug, Default)]
pub(super) struct Externs {
    pub(super) list: Vec<Extern>,
    names: FxHashSet<Name>,
}

impl Externs {
    /// The name of the extern for these types; declares it if it is new.
    pub(super) fn name(
        &mut self,
        callee: &str,
        params: Vec<Type>,
        ret: Option<Type>,
        span: Span,
    ) -> Name {
        let types: Vec<String> = params.iter().map(types::name).collect();
        let result = ret.as_ref().map_or(String::new(), |ty| format!(" -> {}", types::name(ty)));
        let name = Name::from(format!("{callee}({}){result}", types.join(", ")));
        if self.names.insert(name.clone()) {
            self.list.push(Extern { name: name.clone(), params, ret, span });
        }
        name
    }

    /// Whether an extern has this name.
    pub(super) fn has(&self, name: &str) -> bool {
        self.names.contains(name)
    }
}
