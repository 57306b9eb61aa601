//! Everything that reads or writes a local, local by local.

use super::relevant::Narrowed;
use crate::cfg::{Cfg, Values};
use crate::dataflow::intervals::{Half, Point, Points};
use crate::entity::{Block, Edge, Value};
use cranelift_entity::EntityRef;

/// What is done to a local.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum What {
    /// It is a parameter of the block.
    Bound,
    /// An instruction reads it.
    Read,
    /// An instruction writes the whole of it.
    Written,
    /// An instruction writes a part of it.
    PartWritten,
    /// An edge out of the block writes it, before it reads.
    Result(Edge),
    /// An edge out of the block reads it.
    Argument(Edge),
}

/// What is done to a local, and where.
#[derive(Copy, Clone, Debug)]
pub(super) struct Event {
    pub(super) block: Block,
    pub(super) at: Point,
    pub(super) what: What,
}

/// The events of all locals, those of each in the order of the points.
pub(super) struct Events {
    /// By value: where its events end.
    ends: Vec<u32>,
    events: Vec<Event>,
}

impl Events {
    /// One pass over the code, and one to sort what it found by value.
    pub(super) fn new(code: &Narrowed<'_>, cfg: &Cfg<'_>, points: &Points) -> Events {
        let mut found: Vec<(Value, Event)> = Vec::new();
        for block in cfg.blocks() {
            let mut add = |at, what, value| found.push((value, Event { block, at, what }));
            let start = points.statement(block, 0, Half::Before);
            code.phi_defs(block, |value| add(start, What::Bound, value));
            for inst in 0..=code.function.blocks[block].insts.len() {
                let [before, after] =
                    [Half::Before, Half::After].map(|half| points.statement(block, inst, half));
                code.uses(block, inst, |value| add(before, What::Read, value));
                code.partial_defs(block, inst, |value| add(after, What::PartWritten, value));
                code.defs(block, inst, |value| add(after, What::Written, value));
            }
            for edge in cfg.succs(block) {
                let slot = cfg.edge(edge).slot as usize;
                let at = points.edge(edge, Half::Before);
                code.edge_defs(block, slot, |value| add(at, What::Result(edge), value));
                code.edge_uses(block, slot, |value| add(at, What::Argument(edge), value));
            }
        }
        Events::sorted(code.value_count(), &found)
    }

    /// A counting sort, which keeps the order of the events of each value.
    fn sorted(count: usize, found: &[(Value, Event)]) -> Events {
        let mut ends = vec![0; count];
        found.iter().for_each(|(value, _)| ends[value.index()] += 1);
        let mut total = 0;
        for end in &mut ends {
            // Where the events of a value start, until they are put there.
            (*end, total) = (total, total + *end);
        }
        let mut events = found.iter().map(|(_, event)| *event).collect::<Vec<_>>();
        for &(value, event) in found {
            let place = &mut ends[value.index()];
            events[*place as usize] = event;
            *place += 1;
        }
        Events { ends, events }
    }

    /// What is done to a value.
    pub(super) fn of(&self, value: Value) -> &[Event] {
        let start = value.index().checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.events[start as usize..self.ends[value.index()] as usize]
    }
}
