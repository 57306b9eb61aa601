//! Liveness, kept as intervals.
//!
//! Each block is gone through backward once, with the ends of the ranges that are open; a range is put
//! down when what it belongs to is written, or at the start of the block. So the time is that of what is
//! live at the ends of blocks and on edges, and of the instructions.

use super::relevant::{Narrowed, Relevant};
use crate::cfg::{Cfg, Values};
use crate::dataflow::Liveness;
use crate::dataflow::intervals::{Half, IntervalSet, Point, Points, SparseIntervalMatrix};
use crate::entity::{Block, Value};
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
    let liveness = Liveness::solve(code, cfg);
    let count = code.value_count();
    let mut rows = SparseIntervalMatrix::new();
    if let Some(last) = count.checked_sub(1) {
        rows.make_row(Value::new(last));
    }
    let open = vec![None; count];
    let mut saver = Saver { code, cfg, points, keep, liveness, rows, open, closed: Vec::new() };
    saver.params();
    for block in cfg.blocks() {
        saver.block(block);
        saver.edges(block);
    }
    saver.rows
}

struct Saver<'s> {
    code: &'s Narrowed<'s>,
    cfg: &'s Cfg<'s>,
    points: &'s Points,
    keep: Keep,
    liveness: Liveness<'s, Narrowed<'s>>,
    rows: SparseIntervalMatrix<Value>,
    /// By value: the end of its range, if one is open.
    open: Vec<Option<Point>>,
    /// Ranges of the block at hand, each value's from the last to the first.
    closed: Vec<(Value, Point, Point)>,
}

impl Saver<'_> {
    fn keeps_writes(&self) -> bool {
        self.keep == Keep::LiveAndWritten
    }

    /// Where the function's parameters are bound.
    fn params(&mut self) {
        let at = self.points.params(Half::After);
        for value in self.liveness.live_in(self.cfg.entry()).iter() {
            self.rows.append_range(value, at..=at);
        }
        if self.keeps_writes() {
            for value in
                self.code.function.params.iter().filter_map(|&l| self.code.relevant.value(l))
            {
                self.rows.insert(value, at);
            }
        }
    }

    /// The instructions of a block.
    fn block(&mut self, block: Block) {
        let last = self.code.function.blocks[block].insts.len();
        self.end(block, last);
        for inst in (0..=last).rev() {
            let [before, after] =
                [Half::Before, Half::After].map(|half| self.points.statement(block, inst, half));
            let writes = self.keeps_writes();
            let (open, closed) = (&mut self.open, &mut self.closed);
            self.code.defs(block, inst, |value| match open[value.index()].take() {
                Some(end) => closed.push((value, after, end)),
                None if writes => closed.push((value, after, after)),
                None => {}
            });
            if writes {
                self.code.partial_defs(block, inst, |value| {
                    if open[value.index()].is_none() {
                        closed.push((value, after, after));
                    }
                });
            }
            self.code.uses(block, inst, |value| {
                open[value.index()].get_or_insert(before);
            });
        }
        let start = self.points.statement(block, 0, Half::Before);
        for value in self.liveness.live_in(block).iter() {
            if let Some(end) = self.open[value.index()].take() {
                self.closed.push((value, start, end));
            }
        }
        while let Some((value, first, last)) = self.closed.pop() {
            self.rows.append_range(value, first..=last);
        }
    }

    /// What is live after the terminator. What comes to be on an edge alone is there already.
    fn end(&mut self, block: Block, last: usize) {
        let after = self.points.statement(block, last, Half::After);
        let at_end = self.liveness.at_end(block);
        for value in self.liveness.live_out(block).iter() {
            if at_end.contains(value) {
                self.open[value.index()] = Some(after);
            } else {
                self.closed.push((value, after, after));
            }
        }
        if self.keeps_writes() {
            let live = self.liveness.live_out(block);
            for edge in self.cfg.succs(block) {
                let slot = self.cfg.edge(edge).slot as usize;
                self.code.edge_defs(block, slot, |value| {
                    if !live.contains(value) {
                        self.closed.push((value, after, after));
                    }
                });
            }
        }
    }

    /// The edges out of a block: before and after the target's parameters are bound.
    fn edges(&mut self, block: Block) {
        for edge in self.cfg.succs(block) {
            let data = self.cfg.edge(edge);
            let [before, after] = [Half::Before, Half::After].map(|h| self.points.edge(edge, h));
            for value in self.liveness.edge_live(edge).iter() {
                self.rows.append_range(value, before..=before);
            }
            if self.keeps_writes() {
                let rows = &mut self.rows;
                self.code.edge_defs(block, data.slot as usize, |value| {
                    rows.append_range(value, before..=before);
                });
            }
            for value in self.liveness.live_in(data.to).iter() {
                self.rows.append_range(value, after..=after);
            }
            if self.keeps_writes() {
                for (_, value) in self.code.params(data.to) {
                    self.rows.append_range(value, after..=after);
                }
            }
        }
    }
}

/// Whose each row is, once all is merged.
pub(super) fn owners(relevant: &Relevant, classes: &super::Classes) -> Vec<Option<Local>> {
    let values = (0..relevant.locals().len()).map(Value::new);
    let owner = |value| (classes.root(value) == value).then(|| classes.representative(value));
    values.map(owner).collect()
}
