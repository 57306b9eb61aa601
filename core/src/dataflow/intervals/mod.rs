//! Sets of points as intervals.
//!
//! A local is live over stretches of code. An [`IntervalSet`] holds stretches of points, each as its
//! two ends: sorted, disjoint, and no two adjacent, so that equal sets are equal lists. A
//! [`SparseIntervalMatrix`] is a set a row, made when something is first put into it. [`points`] says
//! how the points of a function are numbered.
//!
//! **Cost.** What lies behind all that is there is appended in constant time. One point or interval is
//! put in by a binary search and a move of what lies behind it. A union of few intervals with many puts
//! them in one by one; otherwise both are read once.

pub mod history;
mod matrix;
pub mod points;
mod union;

pub use matrix::SparseIntervalMatrix;
pub use points::{Half, Point, Points};

use smallvec::SmallVec;
use std::ops::RangeInclusive;

/// All points between two, both among them.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Interval {
    /// The first point.
    pub first: Point,
    /// The last point, not below the first.
    pub last: Point,
}

impl Interval {
    fn touches(self, later: Interval) -> bool {
        self.last.as_u32().saturating_add(1) >= later.first.as_u32()
    }
}

/// A set of points.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IntervalSet {
    intervals: SmallVec<[Interval; 2]>,
}

impl IntervalSet {
    /// The empty set.
    pub fn new() -> IntervalSet {
        IntervalSet { intervals: SmallVec::new() }
    }

    /// Whether no point is in the set.
    pub fn is_empty(&self) -> bool {
        self.intervals.is_empty()
    }

    /// How many points are in the set.
    pub fn len(&self) -> u64 {
        let len = |i: &Interval| u64::from(i.last.as_u32() - i.first.as_u32()) + 1;
        self.intervals.iter().map(len).sum()
    }

    /// The intervals, in ascending order. Between two of them is at least one point.
    pub fn intervals(&self) -> &[Interval] {
        &self.intervals
    }

    /// The points, in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = Point> {
        let points = |i: &Interval| i.first.as_u32()..=i.last.as_u32();
        self.intervals.iter().flat_map(points).map(Point::from_u32)
    }

    /// The lowest point.
    pub fn first(&self) -> Option<Point> {
        self.intervals.first().map(|interval| interval.first)
    }

    /// The highest point.
    pub fn last(&self) -> Option<Point> {
        self.intervals.last().map(|interval| interval.last)
    }

    /// Whether the point is in the set.
    pub fn contains(&self, point: Point) -> bool {
        let next = self.first_that_ends_at(point, 0);
        self.intervals.get(next).is_some_and(|interval| interval.first <= point)
    }

    /// Takes all points out.
    pub fn clear(&mut self) {
        self.intervals.clear();
    }

    /// Puts a point in; tells whether it was missing.
    pub fn insert(&mut self, point: Point) -> bool {
        self.insert_range(point..=point)
    }

    /// Puts all points of a range in; tells whether one was missing. A range whose end lies below its
    /// start is empty.
    pub fn insert_range(&mut self, range: RangeInclusive<Point>) -> bool {
        let (first, last) = range.into_inner();
        if first > last {
            return false;
        }
        let new = Interval { first, last };
        // What touches the new interval is one with it: those from `from` up to `to`.
        let from = self.intervals.partition_point(|old| !old.touches(new));
        let behind = &self.intervals[from..];
        let to = from + behind.partition_point(|old| new.touches(*old));
        let Some(touched) = self.intervals[from..to].first().copied() else {
            self.intervals.insert(from, new);
            return true;
        };
        if touched.first <= first && last <= touched.last {
            return false;
        }
        let end = self.intervals[to - 1].last.max(last);
        self.intervals[from] = Interval { first: touched.first.min(first), last: end };
        self.intervals.drain(from + 1..to);
        true
    }

    /// Puts in a point that is at least as high as all that are there.
    ///
    /// # Panics
    /// If it is not.
    pub fn append(&mut self, point: Point) {
        self.append_range(point..=point);
    }

    /// Puts in a range that starts at or behind the highest point that is there.
    ///
    /// # Panics
    /// If it starts before.
    pub fn append_range(&mut self, range: RangeInclusive<Point>) {
        let (first, last) = range.into_inner();
        if first > last {
            return;
        }
        let new = Interval { first, last };
        match self.intervals.last_mut() {
            Some(old) if old.touches(new) => {
                assert!(old.last <= first, "what is appended lies behind what is there");
                old.last = last;
            }
            _ => self.intervals.push(new),
        }
    }

    /// The position of the first interval from `start` on that does not end before the point.
    fn first_that_ends_at(&self, point: Point, start: usize) -> usize {
        start + gallop(&self.intervals[start..], |interval| interval.last < point)
    }

    /// Bytes that the set takes beside itself.
    pub fn heap_bytes(&self) -> usize {
        if self.intervals.spilled() { self.intervals.capacity() * size_of::<Interval>() } else { 0 }
    }
}

/// The position of the first that `before` does not hold of. Takes the logarithm of that position, so
/// that a walk through a list by leaps takes no longer than by steps.
fn gallop<T>(list: &[T], before: impl Fn(&T) -> bool) -> usize {
    let mut bound = 1;
    while bound <= list.len() && before(&list[bound - 1]) {
        bound *= 2;
    }
    let start = bound / 2;
    start + list[start..list.len().min(bound)].partition_point(before)
}

impl FromIterator<Point> for IntervalSet {
    fn from_iter<I: IntoIterator<Item = Point>>(points: I) -> IntervalSet {
        let mut set = IntervalSet::new();
        for point in points {
            set.insert(point);
        }
        set
    }
}

#[cfg(test)]
mod tests;
