//! Types of locals.

use std::fmt;
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
    /// How many aggregates may lie within one another. Code that walks a type may recurse.
    pub const MAX_DEPTH: usize = 64;

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

/// As the text form writes it.
impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Type::Int => f.write_str("int"),
            Type::Own => f.write_str("own"),
            Type::Thunk => f.write_str("thunk"),
            Type::Aggregate(parts) => {
                f.write_str("own{")?;
                for (index, part) in parts.iter().enumerate() {
                    f.write_str(if index > 0 { ", " } else { "" })?;
                    fmt::Display::fmt(part, f)?;
                }
                f.write_str("}")
            }
        }
    }
}
