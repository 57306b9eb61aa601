//! Types of locals.

use std::sync::Arc;

/// The type of a local.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// A 64-bit integer; arithmetic wraps.
    Int,
    /// A resource that must be dropped exactly once.
    Own,
    /// `own{T, ..}`: an aggregate of at least one part, each `own` or `own{..}`, that can be moved
    /// out one by one.
    Aggregate(Arc<[Type]>),
    /// A block with its arguments bound, to be entered once.
    Thunk,
}

impl Type {
    /// Whether values of this type must be dropped.
    pub fn is_owned(&self) -> bool {
        matches!(self, Type::Own | Type::Aggregate(_))
    }

    /// The type at `path`, as `%p.0.1` names it; `None` where the path leaves the type.
    pub fn at(&self, path: &[u32]) -> Option<&Type> {
        path.iter().try_fold(self, |ty, &field| match ty {
            Type::Aggregate(parts) => parts.get(field as usize),
            _ => None,
        })
    }
}
