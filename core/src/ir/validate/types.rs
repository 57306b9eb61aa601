//! Types that can be built in memory, but not written.

use crate::ir::Type;

/// What is wrong with a type.
pub(super) fn type_mistake(ty: &Type) -> Option<(&'static str, &'static str)> {
    match ty {
        Type::Aggregate(_) => aggregate_mistake(ty, 0),
        Type::Int | Type::Own | Type::Thunk => None,
    }
}

/// Recurses at most [`Type::MAX_DEPTH`] deep.
fn aggregate_mistake(ty: &Type, depth: usize) -> Option<(&'static str, &'static str)> {
    match ty {
        Type::Own => None,
        Type::Int | Type::Thunk => {
            Some(("aggregate-part", "a part of an aggregate is `own` or `own{..}`"))
        }
        Type::Aggregate(_) if depth == Type::MAX_DEPTH => {
            Some(("type-too-deep", "types nest at most 64 deep"))
        }
        Type::Aggregate(parts) if parts.is_empty() => {
            Some(("empty-aggregate", "an aggregate has at least one part"))
        }
        Type::Aggregate(parts) => parts.iter().find_map(|part| aggregate_mistake(part, depth + 1)),
    }
}
