//! Which values can't share a register.
//!
//! Two values interfere if both are live at some point, or if one is defined where the other is live
//! or defined as well, read later or not. It is enough to look where values are defined: a pair that
//! is live together has been so since one of the two was defined, or since the entry. Blocks that the
//! entry does not reach have no such start, so that each of them counts as one.

use super::PointLiveness;
use crate::cfg::{Postorder, Values};
use crate::entity::Value;
use cranelift_entity::EntityRef;

/// A symmetric relation between values, in memory linear in its pairs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interference {
    starts: Vec<u32>,
    others: Vec<Value>,
}

impl Interference {
    pub(super) fn new<C: Values>(liveness: &PointLiveness<'_, C>) -> Interference {
        let mut pairs = Pairs { found: Vec::new(), sorted: 0 };
        liveness.for_each_def(|defs, live| {
            for (at, &def) in defs.iter().enumerate() {
                live.iter().chain(defs[at..].iter().copied()).for_each(|other| {
                    pairs.add(def, other);
                });
            }
        });
        let postorder = Postorder::new(liveness.cfg());
        let starts = postorder.unreachable().chain(postorder.blocks().last().copied());
        for block in starts {
            let live: Vec<Value> = liveness.live_in(block).iter().collect();
            for (at, &value) in live.iter().enumerate() {
                live[at..].iter().for_each(|&other| pairs.add(value, other));
            }
        }
        pairs.finish(liveness.value_count())
    }

    /// What the value interferes with, lowest first.
    pub fn of(&self, value: Value) -> &[Value] {
        let start = self.starts[value.index()] as usize;
        &self.others[start..self.starts[value.index() + 1] as usize]
    }

    /// Whether the two values interfere.
    pub fn contains(&self, a: Value, b: Value) -> bool {
        self.of(a).binary_search(&b).is_ok()
    }

    /// All pairs, the lower value first, in order.
    pub fn pairs(&self) -> impl Iterator<Item = (Value, Value)> {
        let values = (0..self.starts.len() - 1).map(Value::new);
        values.flat_map(|a| self.of(a).iter().filter(move |&&b| a < b).map(move |&b| (a, b)))
    }
}

/// Pairs as they are found. Duplicates go whenever half of the list is new.
struct Pairs {
    found: Vec<(Value, Value)>,
    sorted: usize,
}

impl Pairs {
    fn add(&mut self, a: Value, b: Value) {
        if a == b {
            return;
        }
        self.found.push((a.min(b), a.max(b)));
        if self.found.len() > 2 * self.sorted + 4096 {
            self.tidy();
        }
    }

    fn tidy(&mut self) {
        self.found.sort_unstable();
        self.found.dedup();
        self.sorted = self.found.len();
    }

    fn finish(mut self, value_count: usize) -> Interference {
        self.tidy();
        let mut starts = vec![0; value_count + 1];
        for (a, b) in &self.found {
            starts[a.index() + 1] += 1;
            starts[b.index() + 1] += 1;
        }
        for value in 0..value_count {
            starts[value + 1] += starts[value];
        }
        let mut next = starts.clone();
        let mut others = vec![Value::new(0); 2 * self.found.len()];
        for (a, b) in self.found {
            for (value, other) in [(a, b), (b, a)] {
                let place = &mut next[value.index()];
                others[*place as usize] = other;
                *place += 1;
            }
        }
        Interference { starts, others }
    }
}
