//! Sets of values, in two representations behind one trait.
//!
//! [`Dense`] sets are rows of bits. Nothing is faster while a row is a few words long.
//!
//! [`Shared`] sets are tries whose equal parts are stored once, whichever sets they belong to. Sets
//! along a path through code differ by a value or two, so that a hundred thousand sets of a hundred
//! thousand values cost little more than their differences, and comparing two is comparing two numbers.

mod dense;
mod interner;
mod shared;
mod view;

pub use dense::{Dense, Matrix, Row};
pub use shared::{Shared, SharedSet};
pub use view::{Iter, ValueSet};

use crate::entity::Value;

/// A representation of sets of values `0..n`, with all storage that its sets share.
pub trait Sets {
    /// One set.
    type Set: Clone + PartialEq;

    /// Many sets.
    type Table;

    /// For sets of values below `value_count`.
    fn new(value_count: usize) -> Self;

    /// The empty set.
    fn empty(&self) -> Self::Set;

    /// Puts a value in or takes it out. The set shows it after [`Sets::settle`], which must be called
    /// before anything else is done with it or with another set. What comes later wins.
    fn set(&mut self, set: &mut Self::Set, value: Value, present: bool);

    /// Ends a series of changes.
    fn settle(&mut self, set: &mut Self::Set);

    /// Adds all of `other`; tells whether any was missing.
    fn unite(&mut self, set: &mut Self::Set, other: &Self::Set) -> bool;

    /// Looks at a set.
    fn view<'s>(&'s self, set: &'s Self::Set) -> ValueSet<'s>;

    /// A table of `count` empty sets.
    fn table(&self, count: usize) -> Self::Table;

    /// Writes a set to a table.
    fn put(&self, table: &mut Self::Table, index: usize, set: &Self::Set);

    /// Copies a set of a table to `set`.
    fn load(&self, table: &Self::Table, index: usize, set: &mut Self::Set);

    /// Looks at a set of a table.
    fn get<'s>(&'s self, table: &'s Self::Table, index: usize) -> ValueSet<'s>;
}

#[cfg(test)]
mod tests;
