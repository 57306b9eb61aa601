//! Which values each location holds for certain.

use super::is_followed;
use backedge_core::ir::Block;
use backedge_core::machine::{Reg, RegSet};
use backedge_core::regalloc::{Allocation, Location};
use smallvec::SmallVec;

/// Values in one location, ascending.
type Held = SmallVec<[Reg; 2]>;

/// Why nothing is known of a location. It decides nothing, and is for messages.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Why {
    /// Something else was written there, or paths that meet differ.
    Other,
    /// Nothing was written there yet.
    NeverWritten,
    /// A call left anything there.
    Clobbered(Block, usize),
}

/// A location as a small number: registers first, then slots by offset.
pub(super) struct Places {
    /// Ascending, each once.
    offsets: Vec<u32>,
}

/// How many registers there are.
const REGISTERS: usize = 32;

impl Places {
    pub(super) fn new(allocation: &Allocation) -> Places {
        let params = allocation.params.iter().flatten().copied();
        let moves = allocation.edits.iter().flat_map(|edit| [edit.from, edit.to]);
        let mut offsets: Vec<u32> = params
            .chain(moves)
            .filter_map(|place| match place {
                Location::Slot(offset) => Some(offset),
                Location::Reg(_) => None,
            })
            .collect();
        offsets.sort_unstable();
        offsets.dedup();
        Places { offsets }
    }

    fn count(&self) -> usize {
        REGISTERS + self.offsets.len()
    }

    fn index(&self, place: Location) -> usize {
        match place {
            Location::Reg(reg) => reg.number() as usize,
            Location::Slot(offset) => REGISTERS + self.offsets.partition_point(|&of| of < offset),
        }
    }

    /// The slots that share a byte with the one at `offset`, itself among them.
    fn overlapping(&self, offset: u32) -> std::ops::Range<usize> {
        let first = self.offsets.partition_point(|&of| u64::from(of) + 8 <= u64::from(offset));
        let end = self.offsets.partition_point(|&of| u64::from(of) < u64::from(offset) + 8);
        REGISTERS + first..REGISTERS + end
    }
}

/// What is certain at a point.
#[derive(Clone)]
pub(super) struct State {
    held: Vec<Held>,
    why: Vec<Why>,
}

impl State {
    /// At the entry: every register holds its own value, and no slot anything.
    pub(super) fn at_entry(places: &Places) -> State {
        let mut held = vec![Held::new(); places.count()];
        for (number, held) in held.iter_mut().enumerate().take(REGISTERS) {
            let reg = Reg::physical(number as u32);
            // What a caller leaves in the other registers is of no use to anyone.
            let arguments = RegSet::of((0..8).filter_map(Reg::argument));
            if arguments.union(RegSet::CALLEE_SAVED).contains(reg) {
                held.push(reg);
            }
        }
        State { held, why: vec![Why::NeverWritten; places.count()] }
    }

    /// Keeps what both are certain of; whether that is less than before.
    pub(super) fn meet(&mut self, other: &State) -> bool {
        let mut changed = false;
        for (place, (ours, theirs)) in self.held.iter_mut().zip(&other.held).enumerate() {
            let before = ours.len();
            ours.retain(|value| theirs.contains(value));
            if ours.len() < before {
                changed = true;
                self.why[place] = if theirs.is_empty() { other.why[place] } else { Why::Other };
            }
        }
        changed
    }

    pub(super) fn holds(&self, places: &Places, place: Location, value: Reg) -> bool {
        !is_followed(value) || self.held[places.index(place)].contains(&value)
    }

    pub(super) fn held(&self, places: &Places, place: Location) -> &[Reg] {
        &self.held[places.index(place)]
    }

    pub(super) fn why(&self, places: &Places, place: Location) -> Why {
        self.why[places.index(place)]
    }

    /// A value gets a new meaning: whoever held the old one does no more.
    pub(super) fn forget(&mut self, value: Reg) {
        for held in &mut self.held {
            held.retain(|known| *known != value);
        }
    }

    /// A location gets what is held, and what it held is gone, with all that it overlaps.
    pub(super) fn write(&mut self, places: &Places, place: Location, values: &[Reg]) {
        if let Location::Slot(offset) = place {
            for index in places.overlapping(offset) {
                self.clear(index, Why::Other);
            }
        }
        let index = places.index(place);
        self.clear(index, Why::Other);
        self.held[index].extend_from_slice(values);
    }

    /// A location that is written to passes on why nothing is known.
    pub(super) fn copy(&mut self, places: &Places, from: Location, to: Location) {
        let (values, why) = (self.held[places.index(from)].clone(), self.why(places, from));
        self.write(places, to, &values);
        self.why[places.index(to)] = why;
    }

    /// Parameters get the values of arguments, all at once.
    pub(super) fn bind(&mut self, params: &[Reg], args: &[Reg]) {
        if params.is_empty() {
            return;
        }
        for held in &mut self.held {
            let copies = params.iter().zip(args).filter(|(_, arg)| held.contains(arg));
            let copies: Held = copies.map(|(&param, _)| param).collect();
            held.retain(|value| !params.contains(value));
            held.extend(copies);
        }
    }

    pub(super) fn clobber(&mut self, reg: Reg, why: Why) {
        self.clear(reg.number() as usize, why);
    }

    pub(super) fn add(&mut self, places: &Places, place: Location, value: Reg) {
        let held = &mut self.held[places.index(place)];
        if !held.contains(&value) {
            held.push(value);
        }
    }

    fn clear(&mut self, index: usize, why: Why) {
        self.held[index].clear();
        self.why[index] = why;
    }
}
