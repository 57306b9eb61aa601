//! A set of points for each of many rows, of which most may be empty.

use super::{IntervalSet, Point};
use cranelift_entity::EntityRef;
use std::marker::PhantomData;
use std::ops::RangeInclusive;

/// Rows of points. A row comes into being when something is first put into it; what was never made is
/// empty.
#[derive(Clone, Debug)]
pub struct SparseIntervalMatrix<R> {
    rows: Vec<IntervalSet>,
    of: PhantomData<fn(R)>,
}

impl<R> Default for SparseIntervalMatrix<R> {
    fn default() -> SparseIntervalMatrix<R> {
        SparseIntervalMatrix { rows: Vec::new(), of: PhantomData }
    }
}

impl<R: EntityRef> SparseIntervalMatrix<R> {
    /// A matrix without rows.
    pub fn new() -> SparseIntervalMatrix<R> {
        SparseIntervalMatrix::default()
    }

    /// How many rows were made, or lie below one that was.
    pub fn row_count(&self) -> usize {
        self.rows.len()
    }

    /// A row; `None` if neither it nor one above was made.
    pub fn row(&self, row: R) -> Option<&IntervalSet> {
        self.rows.get(row.index())
    }

    /// Makes a row, if it is not there.
    pub fn make_row(&mut self, row: R) -> &mut IntervalSet {
        let index = row.index();
        if index >= self.rows.len() {
            self.rows.resize_with(index + 1, IntervalSet::new);
        }
        &mut self.rows[index]
    }

    /// Whether a point is in a row.
    pub fn contains(&self, row: R, point: Point) -> bool {
        self.row(row).is_some_and(|set| set.contains(point))
    }

    /// Puts a point into a row; tells whether it was missing.
    pub fn insert(&mut self, row: R, point: Point) -> bool {
        self.make_row(row).insert(point)
    }

    /// Puts a range into a row; tells whether a point of it was missing.
    pub fn insert_range(&mut self, row: R, range: RangeInclusive<Point>) -> bool {
        self.make_row(row).insert_range(range)
    }

    /// Puts a range into a row that starts at or behind all that is there.
    ///
    /// # Panics
    /// If it starts before.
    pub fn append_range(&mut self, row: R, range: RangeInclusive<Point>) {
        self.make_row(row).append_range(range);
    }

    /// Puts all points of the row `from` into the row `into`; tells whether one was missing.
    pub fn union_rows(&mut self, from: R, into: R) -> bool {
        let (from, into) = (from.index(), into.index());
        if from == into || from >= self.rows.len() {
            return false;
        }
        if into >= self.rows.len() {
            self.rows.resize_with(into + 1, IntervalSet::new);
        }
        let [from, into] =
            self.rows.get_disjoint_mut([from, into]).expect("two different rows that are there");
        into.union_with(from)
    }

    /// Takes a row out, and leaves it empty.
    pub fn take_row(&mut self, row: R) -> IntervalSet {
        self.rows.get_mut(row.index()).map(std::mem::take).unwrap_or_default()
    }

    /// The rows from the first to the last that was made.
    pub fn rows(&self) -> impl Iterator<Item = (R, &IntervalSet)> {
        self.rows.iter().enumerate().map(|(index, set)| (R::new(index), set))
    }

    /// Bytes that the matrix takes.
    pub fn bytes(&self) -> usize {
        let rows: usize = self.rows.iter().map(IntervalSet::heap_bytes).sum();
        rows + self.rows.capacity() * size_of::<IntervalSet>()
    }
}
