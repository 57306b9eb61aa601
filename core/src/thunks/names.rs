//! New locals, by names that no other local of the function has.

use crate::diagnostic::Span;
use crate::ir::{Local, LocalData, Name, Type};
use cranelift_entity::PrimaryMap;
use rustc_hash::{FxHashMap, FxHashSet};

/// Makes locals.
pub(super) struct Fresh {
    taken: FxHashSet<Name>,
    /// By stem, the number that was last tried.
    numbers: FxHashMap<Name, u32>,
}

impl Fresh {
    /// Knows the names of `locals`.
    pub(super) fn new(locals: &PrimaryMap<Local, LocalData>) -> Fresh {
        let taken = locals.values().map(|data| data.name.clone()).collect();
        Fresh { taken, numbers: FxHashMap::default() }
    }

    /// A local called `stem`, with a number if that name is taken.
    pub(super) fn local(
        &mut self,
        locals: &mut PrimaryMap<Local, LocalData>,
        stem: &str,
        ty: Type,
    ) -> Local {
        let number = self.numbers.entry(stem.into()).or_default();
        let name = loop {
            let name: Name =
                if *number == 0 { stem.into() } else { format!("{stem}{number}").into() };
            *number += 1;
            if self.taken.insert(name.clone()) {
                break name;
            }
        };
        locals.push(LocalData { name, ty, span: Span::NONE })
    }
}
