//! What is done with two sets of points.

use super::{Interval, IntervalSet, gallop};
use smallvec::SmallVec;

/// A set with more intervals than this many times those of another gets them one by one.
const MANY: usize = 8;

impl IntervalSet {
    /// Puts in all points of `other`; tells whether one was missing.
    pub fn union_with(&mut self, other: &IntervalSet) -> bool {
        if other.intervals.len() * MANY < self.intervals.len() {
            let mut changed = false;
            for interval in &other.intervals {
                changed |= self.insert_range(interval.first..=interval.last);
            }
            return changed;
        }
        let merged = merge(&self.intervals, &other.intervals);
        let changed = merged != self.intervals;
        self.intervals = merged;
        changed
    }

    /// Whether some point is in both sets.
    pub fn intersects(&self, other: &IntervalSet) -> bool {
        let (few, many) = if self.intervals.len() <= other.intervals.len() {
            (self, other)
        } else {
            (other, self)
        };
        let mut at = 0;
        for interval in &few.intervals {
            at = many.first_that_ends_at(interval.first, at);
            match many.intervals.get(at) {
                Some(found) if found.first <= interval.last => return true,
                Some(_) => {}
                None => return false,
            }
        }
        false
    }

    /// Whether no point is in both sets.
    pub fn is_disjoint(&self, other: &IntervalSet) -> bool {
        !self.intersects(other)
    }

    /// Whether every point of `other` is in this set.
    pub fn is_superset(&self, other: &IntervalSet) -> bool {
        let mut at = 0;
        other.intervals.iter().all(|interval| {
            at = self.first_that_ends_at(interval.last, at);
            let around = self.intervals.get(at);
            around.is_some_and(|around| around.first <= interval.first)
        })
    }

    /// The parts of this set that lie in `other`, in ascending order.
    pub fn overlaps<'s>(&'s self, other: &'s IntervalSet) -> impl Iterator<Item = Interval> + 's {
        let (mut a, mut b) = (0, 0);
        std::iter::from_fn(move || {
            loop {
                let (left, right) = (*self.intervals.get(a)?, *other.intervals.get(b)?);
                if left.last < right.first {
                    a += gallop(&self.intervals[a..], |interval| interval.last < right.first);
                } else if right.last < left.first {
                    b += gallop(&other.intervals[b..], |interval| interval.last < left.first);
                } else {
                    let first = left.first.max(right.first);
                    let last = left.last.min(right.last);
                    if left.last <= right.last {
                        a += 1;
                    } else {
                        b += 1;
                    }
                    return Some(Interval { first, last });
                }
            }
        })
    }
}

/// Both lists in one, each interval as far as it goes.
fn merge(a: &[Interval], b: &[Interval]) -> SmallVec<[Interval; 2]> {
    let mut merged = SmallVec::with_capacity(a.len().max(b.len()));
    let mut push = |next: Interval| match merged.last_mut() {
        Some(Interval { last, .. }) if last.as_u32().saturating_add(1) >= next.first.as_u32() => {
            *last = (*last).max(next.last);
        }
        _ => merged.push(next),
    };
    let (mut a, mut b) = (a.iter().copied().peekable(), b.iter().copied().peekable());
    loop {
        let from_a = match (a.peek(), b.peek()) {
            (Some(x), Some(y)) => x.first <= y.first,
            (Some(_), None) => true,
            (None, Some(_)) => false,
            (None, None) => break,
        };
        push(if from_a { a.next() } else { b.next() }.expect("one that was looked at"));
    }
    merged
}
