//! What a local holds.

use backedge_core::ir::{Block, Type};
use std::ops::Range;

/// What a local holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Cell {
    /// Nothing was assigned, or all was moved out.
    #[default]
    Nothing,
    /// An integer.
    Int(i64),
    /// An owned value: the token of each leaf, in the order of the type; `None` where it is not
    /// initialized.
    Owned(Box<[Option<u64>]>),
    /// A thunk: where it leads, and with what.
    Thunk(Box<Thunk>),
}

/// A block with its arguments bound.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Thunk {
    /// The block.
    pub block: Block,
    /// An argument for each of its parameters.
    pub args: Vec<Cell>,
}

impl Cell {
    pub(super) fn owned(leaves: Vec<Option<u64>>) -> Cell {
        Cell::Owned(leaves.into_boxed_slice())
    }

    /// The tokens that it holds, in order.
    pub(super) fn tokens(&self, found: &mut Vec<u64>) {
        // Thunks can be bound to thunks, as deep as a run likes.
        let mut rest = vec![self];
        while let Some(cell) = rest.pop() {
            match cell {
                Cell::Nothing | Cell::Int(_) => {}
                Cell::Owned(leaves) => found.extend(leaves.iter().flatten()),
                Cell::Thunk(thunk) => rest.extend(thunk.args.iter().rev()),
            }
        }
    }
}

/// Thunks can be bound to thunks, as deep as a run likes: they are taken apart one by one.
impl Drop for Thunk {
    fn drop(&mut self) {
        let mut rest = std::mem::take(&mut self.args);
        while let Some(mut cell) = rest.pop() {
            if let Cell::Thunk(thunk) = &mut cell {
                rest.append(&mut thunk.args);
            }
        }
    }
}

/// How many leaves a type has. Recursion goes as deep as [`Type::MAX_DEPTH`].
pub(crate) fn leaves(ty: &Type) -> usize {
    match ty {
        Type::Aggregate(parts) => parts.iter().map(leaves).sum(),
        Type::Own => 1,
        Type::Int | Type::Thunk => 0,
    }
}

/// Which leaves of a type lie at a path; `None` where the path leaves the type.
pub(crate) fn leaves_at(ty: &Type, path: &[u32]) -> Option<Range<usize>> {
    let mut first = 0;
    let mut ty = ty;
    for &field in path {
        let Type::Aggregate(parts) = ty else { return None };
        ty = parts.get(field as usize)?;
        first += parts[..field as usize].iter().map(leaves).sum::<usize>();
    }
    Some(first..first + leaves(ty))
}
