//! Chooses the type of each local.
//!
//! A local is `int` unless something drops it: as a whole it is `own` then, and where its parts are
//! dropped one by one, an aggregate with a part for each field number up to the largest.

use super::place::MirPlace;
use super::terminator::MirTerminator;
use backedge_core::ir::{Local, Place, Type};
use smallvec::SmallVec;
use std::sync::Arc;

/// More fields, or deeper ones, are not worth a type: the drop stays opaque.
const MAX_FIELD: u32 = 31;
const MAX_DEPTH: usize = 4;

/// The type of each of `count` locals.
pub(super) fn types<'a>(
    count: usize,
    terminators: impl Iterator<Item = &'a MirTerminator<'a>>,
) -> Vec<Type> {
    let mut types = vec![Type::Int; count];
    for terminator in terminators {
        if let MirTerminator::Drop(place, _) = terminator
            && let Some(path) = &place.fields
            && path.len() <= MAX_DEPTH
            && path.iter().all(|&field| field <= MAX_FIELD)
            && let Some(ty) = types.get_mut(place.local.as_u32() as usize)
        {
            *ty = grown(ty, path);
        }
    }
    types
}

/// `ty`, made to have a part at `path`; as deep as [`MAX_DEPTH`].
fn grown(ty: &Type, path: &[u32]) -> Type {
    let Some((&field, rest)) = path.split_first() else {
        return if ty.is_owned() { ty.clone() } else { Type::Own };
    };
    let mut parts: SmallVec<[Type; 8]> = match ty {
        Type::Aggregate(parts) => parts.iter().cloned().collect(),
        _ => SmallVec::new(),
    };
    let field = field as usize;
    if parts.len() <= field {
        parts.resize(field + 1, Type::Own);
    }
    parts[field] = grown(&parts[field], rest);
    Type::Aggregate(Arc::from(parts.as_slice()))
}

/// The owned place that `place` names, if the types have it.
pub(super) fn owned(types: &[Type], place: &MirPlace) -> Option<Place> {
    let path = place.fields.clone()?;
    let ty = types.get(place.local.as_u32() as usize)?.at(&path)?;
    ty.is_owned().then_some(Place { local: place.local, path })
}

/// The type of the whole of a local.
pub(super) fn of(types: &[Type], local: Local) -> &Type {
    types.get(local.as_u32() as usize).unwrap_or(&Type::Int)
}

/// How a type is written.
pub(super) fn name(ty: &Type) -> String {
    match ty {
        Type::Int => "int".to_owned(),
        Type::Own => "own".to_owned(),
        Type::Thunk => "thunk".to_owned(),
        Type::Aggregate(parts) => {
            let parts: Vec<String> = parts.iter().map(name).collect();
            format!("own{{{}}}", parts.join(", "))
        }
    }
}
