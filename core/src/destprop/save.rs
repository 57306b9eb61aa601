//! Liveness, kept as intervals.

use super::events::Events;
use super::relevant::{Narrowed, Relevant};
use super::spread::Spread;
use crate::cfg::{Cfg, Values};
use crate::dataflow::intervals::{IntervalSet, Points, SparseIntervalMatrix};
use crate::entity::Value;
use crate::ir::Local;
use cranelift_entity::EntityRef;

/// What is live where.
#[derive(Clone, Debug)]
pub struct SavedLiveness {
    points: Points,
    rows: SparseIntervalMatrix<Value>,
    /// By row: whose it is; `None` for one that was merged into another.
    owners: Vec<Option<Local>>,
}

impl SavedLiveness {
    pub(super) fn new(
        points: Points,
        rows: SparseIntervalMatrix<Value>,
        owners: Vec<Option<Local>>,
    ) -> SavedLiveness {
        SavedLiveness { points, rows, owners }
    }

    /// How points are numbered: by the function as it was before the pass.
    pub fn points(&self) -> &Points {
        &self.points
    }

    /// The representatives of all classes that were looked at, each with the points where it is live.
    pub fn rows(&self) -> impl Iterator<Item = (Local, &IntervalSet)> {
        let rows = self.rows.rows().zip(&self.owners);
        rows.filter_map(|((_, set), owner)| Some(((*owner)?, set)))
    }

    /// Bytes that the rows take.
    pub fn bytes(&self) -> usize {
        self.rows.bytes()
    }

    /// Bytes that a bit for each point and row would take.
    pub fn dense_bytes(&self) -> usize {
        self.owners.len() * self.points.count().div_ceil(8)
    }
}

/// What a row has besides what is live.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Keep {
    /// Nothing.
    Live,
    /// Each point right after a write, whether or not anybody reads what is written.
    LiveAndWritten,
}

/// Saves what is live where, a row a value.
pub(super) fn save(
    code: &Narrowed<'_>,
    cfg: &Cfg<'_>,
    points: &Points,
    keep: Keep,
) -> SparseIntervalMatrix<Value> {
    let mut rows = SparseIntervalMatrix::new();
    let count = code.value_count();
    let Some(last) = count.checked_sub(1) else { return rows };
    rows.make_row(Value::new(last));
    let mut is_param = vec![false; count];
    for value in code.function.params.iter().filter_map(|&param| code.relevant.value(param)) {
        is_param[value.index()] = true;
    }
    let events = Events::new(code, cfg, points);
    let mut spread = Spread::new(cfg, points, keep);
    for (value, is_param) in is_param.into_iter().enumerate() {
        let value = Value::new(value);
        *rows.make_row(value) = spread.row(events.of(value), is_param);
    }
    rows
}

/// Whose each row is, once all is merged.
pub(super) fn owners(relevant: &Relevant, classes: &super::Classes) -> Vec<Option<Local>> {
    let values = (0..relevant.locals().len()).map(Value::new);
    let owner = |value| (classes.root(value) == value).then(|| classes.representative(value));
    values.map(owner).collect()
}
