//! Live ranges once, united at every merge.
//!
//! A range has each point where its local is live and each point right after a write of it, so that a
//! write that nobody reads, or that writes a part, is in the way of what is live there too. Two classes
//! are merged where their ranges do not meet. Ranges only grow: what meets once meets forever, and one
//! round is enough.
//!
//! A copy from one to the other is a write as any other. So locals that hold the same value and are both
//! read later are not merged, though they could be.

use super::parts::Parts;
use super::relevant::Narrowed;
use super::save::{Keep, save};
use super::{Overlap, Refused, Work};
use crate::cfg::Cfg;
use crate::dataflow::intervals::{IntervalSet, Points, SparseIntervalMatrix};
use crate::entity::Value;
use crate::ir::Function;

/// Merges what can be merged.
pub(super) fn run(function: &Function, cfg: &Cfg<'_>, work: &mut Work<'_>, overlap: Overlap) {
    let points = Points::new(function, cfg);
    let code = Narrowed { function, relevant: &work.relevant };
    let rows = save(&code, cfg, &points, Keep::LiveAndWritten);
    let mut ranges = Ranges { rows, parts: Parts::new(&code, cfg, overlap) };
    work.rounds = 1;
    for at in 0..work.copies.len() {
        if work.outcomes[at].is_some() {
            continue;
        }
        let copy = work.copies[at];
        let root = |local| work.relevant.value(local).map(|value| work.classes.root(value));
        let (Some(dest), Some(source)) = (root(copy.dest), root(copy.source)) else { continue };
        if dest == source {
            continue;
        }
        match ranges.conflict(work, dest, source) {
            Some(why) => work.outcomes[at] = Some(why),
            None => ranges.merge(work, dest, source),
        }
    }
}

/// What is known of each class, by root.
struct Ranges {
    rows: SparseIntervalMatrix<Value>,
    parts: Parts,
}

impl Ranges {
    fn conflict(&self, work: &Work<'_>, dest: Value, source: Value) -> Option<Refused> {
        if work.classes.is_param(dest) && work.classes.is_param(source) {
            return Some(Refused::TwoParameters);
        }
        let why = self.parts.clash(dest, source);
        let empty = IntervalSet::new();
        let [a, b] = [dest, source].map(|root| self.rows.row(root).unwrap_or(&empty));
        why.or_else(|| a.intersects(b).then_some(Refused::RangesMeet))
    }

    fn merge(&mut self, work: &mut Work<'_>, dest: Value, source: Value) {
        let root = work.classes.merge(dest, source);
        let other = if root == dest { source } else { dest };
        self.rows.union_rows(other, root);
        self.rows.take_row(other);
        self.parts.merge(root, other);
    }
}
