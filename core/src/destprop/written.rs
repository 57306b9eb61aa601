//! What writes each class, as merges make classes larger.

use super::relevant::Narrowed;
use super::writes::for_each_write;
use crate::cfg::Cfg;
use crate::dataflow::intervals::points::Place;
use crate::dataflow::intervals::{Half, Interval, IntervalSet, Point, Points};
use crate::entity::Value;
use cranelift_entity::EntityRef;
use smallvec::SmallVec;
use std::collections::BTreeMap;

/// The point right after a write, and what is copied there, if it is a copy.
pub(super) type Entry = (Point, Option<Value>);

/// So many writes are a list. Nearly all locals have one or two.
const FEW: usize = 32;

/// The writes of one class, by point.
#[derive(Clone, Debug)]
enum Writes {
    /// In ascending order.
    Few(SmallVec<[Entry; 2]>),
    /// One more or less takes the logarithm.
    Many(BTreeMap<Point, Option<Value>>),
}

impl Writes {
    fn insert(&mut self, at: Point, source: Option<Value>) {
        match self {
            Writes::Few(list) => {
                match list.binary_search_by_key(&at, |&(at, _)| at) {
                    Ok(place) => list[place].1 = source,
                    Err(place) => list.insert(place, (at, source)),
                }
                if list.len() > FEW {
                    *self = Writes::Many(list.drain(..).collect());
                }
            }
            Writes::Many(tree) => _ = tree.insert(at, source),
        }
    }

    fn remove(&mut self, at: Point) {
        match self {
            Writes::Few(list) => {
                if let Ok(place) = list.binary_search_by_key(&at, |&(at, _)| at) {
                    list.remove(place);
                }
            }
            Writes::Many(tree) => _ = tree.remove(&at),
        }
    }

    /// The first of the writes at a point of the row that `counts` has something to say of.
    fn find_in<T>(&self, row: &IntervalSet, counts: impl Fn(Entry) -> Option<T>) -> Option<T> {
        let tree = match self {
            Writes::Few(list) => {
                let mut writes = list.iter().filter(|(at, _)| row.contains(*at));
                return writes.find_map(|&write| counts(write));
            }
            Writes::Many(tree) => tree,
        };
        let counts = |(&at, &source): (&Point, &Option<Value>)| counts((at, source));
        if tree.len() < row.intervals().len() {
            let mut writes = tree.iter().filter(|(at, _)| row.contains(**at));
            return writes.find_map(counts);
        }
        let within = |range: &Interval| tree.range(range.first..=range.last);
        row.intervals().iter().flat_map(within).find_map(counts)
    }

    fn into_entries(self) -> impl Iterator<Item = Entry> {
        let (list, tree) = match self {
            Writes::Few(list) => (list, BTreeMap::new()),
            Writes::Many(tree) => (SmallVec::new(), tree),
        };
        list.into_iter().chain(tree)
    }
}

impl Default for Writes {
    fn default() -> Writes {
        Writes::Few(SmallVec::new())
    }
}

/// What writes each class, by root.
pub(super) struct Written {
    writes: Vec<Writes>,
    /// The copies from it: the point, and what is written there.
    copied: Vec<SmallVec<[(Point, Value); 2]>>,
}

impl Written {
    /// What writes each local.
    pub(super) fn new(code: &Narrowed<'_>, cfg: &Cfg<'_>, points: &Points) -> Written {
        let count = code.relevant.locals().len();
        let mut written = Written {
            writes: vec![Writes::default(); count],
            copied: vec![SmallVec::new(); count],
        };
        for_each_write(code, cfg, |write| {
            let at = match write.at {
                Place::Params => points.params(Half::After),
                Place::Statement(block, inst) => points.statement(block, inst, Half::After),
                Place::Edge(edge) => points.edge(edge, Half::After),
            };
            if write.source == Some(write.value) {
                // It copies the local to itself.
                return;
            }
            written.writes[write.value.index()].insert(at, write.source);
            if let Some(source) = write.source {
                written.copied[source.index()].push((at, write.value));
            }
        });
        written
    }

    /// The first write of a class at a point of the row that `counts` has something to say of. Takes
    /// the logarithm for each of the writes or each interval of the row, whichever are fewer.
    pub(super) fn find_in<T>(
        &self,
        class: Value,
        row: &IntervalSet,
        counts: impl Fn(Entry) -> Option<T>,
    ) -> Option<T> {
        self.writes[class.index()].find_in(row, counts)
    }

    /// Puts what is known of `other` to what is known of `root`, of which it is a part from now on.
    /// Copies within the class are no writes of it any more.
    pub(super) fn merge(&mut self, root: Value, other: Value, is_inside: impl Fn(Value) -> bool) {
        let writes = std::mem::take(&mut self.writes[other.index()]);
        let into = &mut self.writes[root.index()];
        for (at, source) in writes.into_entries() {
            if !source.is_some_and(&is_inside) {
                into.insert(at, source);
            }
        }
        for (at, dest) in std::mem::take(&mut self.copied[other.index()]) {
            if is_inside(dest) {
                into.remove(at);
            } else {
                self.copied[root.index()].push((at, dest));
            }
        }
    }
}
