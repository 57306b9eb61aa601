//! Liveness once, mirrored through every merge.
//!
//! Two classes conflict where one is live and the other is written. A copy from one to the other is no
//! such write: it writes what is there. So a conflict can go away when what is copied there is merged
//! with one of the two, and the copies that were refused for such a write alone are tried again, until
//! a round merges nothing. What conflicts for any other write does so forever, since merges only add to
//! what is live and what is written otherwise.
//!
//! **Cost.** A test goes through the shorter of the writes of one and the live ranges of the other. A
//! merge moves the smaller class to the larger, and copies within the new class are taken out of its
//! writes.

use super::parts::Parts;
use super::relevant::Narrowed;
use super::save::{Keep, SavedLiveness, owners, save};
use super::written::Written;
use super::{Overlap, Refused, Work};
use crate::cfg::Cfg;
use crate::dataflow::intervals::points::Place;
use crate::dataflow::intervals::{Half, Point, Points, SparseIntervalMatrix};
use crate::entity::Value;
use crate::ir::{Function, TerminatorKind};

/// Merges until nothing can be merged.
pub(super) fn run(
    function: &Function,
    cfg: &Cfg<'_>,
    work: &mut Work<'_>,
    overlap: Overlap,
) -> SavedLiveness {
    let points = Points::new(function, cfg);
    let code = Narrowed { function, relevant: &work.relevant };
    let rows = save(&code, cfg, &points, Keep::Live);
    let written = Written::new(&code, cfg, &points);
    let parts = Parts::new(&code, cfg, overlap);
    let mut saved = Saved { function, cfg, points: &points, rows, written, parts };
    let mut waiting: Vec<Waiting> = (0..work.copies.len())
        .filter(|&at| work.outcomes[at].is_none())
        .map(|copy| Waiting { copy, witness: None })
        .collect();
    loop {
        work.rounds += 1;
        let before = waiting.len();
        let mut merged = false;
        waiting.retain_mut(|waiting| saved.attempt(work, waiting, &mut merged));
        if !merged || before == 0 {
            break;
        }
    }
    let owners = owners(&work.relevant, &work.classes);
    let rows = saved.rows;
    SavedLiveness::new(points, rows, owners)
}

/// A copy that may be merged yet.
struct Waiting {
    copy: usize,
    /// The write for which it was refused: what is written, and what is copied there.
    witness: Option<[Value; 2]>,
}

/// Why two classes conflict, with the write if it is a copy: what is written, and what is copied there.
struct Conflict {
    why: Refused,
    witness: Option<[Value; 2]>,
}

impl From<Refused> for Conflict {
    fn from(why: Refused) -> Conflict {
        Conflict { why, witness: None }
    }
}

/// What is known of each class, by root.
struct Saved<'s> {
    function: &'s Function,
    cfg: &'s Cfg<'s>,
    points: &'s Points,
    /// Where it is live.
    rows: SparseIntervalMatrix<Value>,
    written: Written,
    parts: Parts,
}

impl Saved<'_> {
    /// Tries a copy; whether it is to be tried again.
    fn attempt(&mut self, work: &mut Work<'_>, waiting: &mut Waiting, merged: &mut bool) -> bool {
        let copy = work.copies[waiting.copy];
        let root = |local| work.relevant.value(local).map(|value| work.classes.root(value));
        let (Some(dest), Some(source)) = (root(copy.dest), root(copy.source)) else {
            return false;
        };
        if dest == source {
            return false;
        }
        if let Some(witness) = waiting.witness
            && witness.iter().all(|&value| {
                let root = work.classes.root(value);
                (root == dest || root == source) == (value == witness[0])
            })
        {
            return true;
        }
        match self.conflict(work, dest, source) {
            Some(Conflict { why, witness }) => {
                work.outcomes[waiting.copy] = Some(why);
                waiting.witness = witness;
                witness.is_some()
            }
            None => {
                self.merge(work, dest, source);
                *merged = true;
                false
            }
        }
    }

    fn conflict(&self, work: &Work<'_>, dest: Value, source: Value) -> Option<Conflict> {
        if work.classes.is_param(dest) && work.classes.is_param(source) {
            return Some(Refused::TwoParameters.into());
        }
        if let Some(why) = self.parts.clash(dest, source) {
            return Some(why.into());
        }
        let both = [(dest, source, Refused::SourceLive), (source, dest, Refused::DestinationLive)];
        both.into_iter().find_map(|(written, live, why)| {
            let (at, witness) = self.written_where_live(work, written, live)?;
            let why = if self.unwinds(at, live) { Refused::LiveOnUnwind } else { why };
            Some(Conflict { why, witness: witness.map(|(value, from)| [value, from]) })
        })
    }

    /// A write of one class at a point where the other is live that is no copy from the other.
    fn written_where_live(
        &self,
        work: &Work<'_>,
        written: Value,
        live: Value,
    ) -> Option<(Point, Option<(Value, Value)>)> {
        let row = self.rows.row(live)?;
        self.written.find_in(written, row, |(at, source)| {
            let Some(source) = source else { return Some((at, None)) };
            let from = work.classes.root(source);
            let is_free = from == live || from == written;
            (!is_free).then_some((at, Some((written, source))))
        })
    }

    /// Whether what is live at a write of a terminator is so on its unwind edge alone.
    fn unwinds(&self, at: Point, live: Value) -> bool {
        let (Place::Statement(block, inst), _) = self.points.place(at) else { return false };
        let data = &self.function.blocks[block];
        if inst < data.insts.len() || !matches!(data.term.kind, TerminatorKind::TryCall { .. }) {
            return false;
        }
        let normal = self.cfg.succs(block).next();
        normal.is_some_and(|edge| !self.rows.contains(live, self.points.edge(edge, Half::Before)))
    }

    /// Mirrors what is known of both to the class that they are from now on.
    fn merge(&mut self, work: &mut Work<'_>, dest: Value, source: Value) {
        let root = work.classes.merge(dest, source);
        let other = if root == dest { source } else { dest };
        self.rows.union_rows(other, root);
        self.rows.take_row(other);
        let classes = &work.classes;
        self.written.merge(root, other, |value| classes.root(value) == root);
        self.parts.merge(root, other);
    }
}
