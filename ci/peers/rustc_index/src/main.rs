//! The interval sets of rustc, as published, under the histories that ours are tested with.
//!
//! `IntervalSet::union` trades the two sets where the other has more intervals, and then says whether
//! the *other* was changed. The histories must find that, and nothing else: that is shown here.

#![feature(step_trait, new_range_api)]

use backedge_core::dataflow::intervals::history::{
    self, POINTS, SETS, Sets, Step, UNION_CHANGED, Wrong,
};
use interval::IntervalSet;

/// The peer's file, as published.
#[allow(dead_code, missing_docs, unused)]
mod interval {
    include!(concat!(env!("OUT_DIR"), "/interval.rs"));
}

/// What the file expects of the crate that it is in.
mod idx {
    pub use ra_ap_rustc_index::Idx;
}
mod vec {
    pub use ra_ap_rustc_index::IndexVec;
}

/// How many histories, of how many steps.
const HISTORIES: u64 = 2000;
const STEPS: usize = 40;

struct Peer {
    sets: Vec<IntervalSet<usize>>,
    /// Whether unions tell what really changed, so that everything else can be judged.
    tells_changes: bool,
}

impl Peer {
    fn new(tells_changes: bool) -> Peer {
        let sets = (0..SETS).map(|_| IntervalSet::new(POINTS as usize)).collect();
        Peer { sets, tells_changes }
    }
}

impl Sets for Peer {
    fn insert_range(&mut self, set: usize, first: u32, last: u32) -> bool {
        // A range whose end lies below its start is no question that the peer takes.
        first <= last && self.sets[set].insert_range(first as usize..=last as usize)
    }

    fn append(&mut self, set: usize, point: u32) {
        // The peer wants what is appended to be missing.
        if !self.sets[set].contains(point as usize) {
            self.sets[set].append(point as usize);
        }
    }

    fn union(&mut self, into: usize, from: usize) -> bool {
        let other = self.sets[from].clone();
        let before = self.points(into);
        let said = self.sets[into].union(&other);
        if self.tells_changes { before != self.points(into) } else { said }
    }

    fn clear(&mut self, set: usize) {
        self.sets[set].clear();
    }

    fn points(&self, set: usize) -> Vec<u32> {
        self.sets[set].iter().map(|point| point as u32).collect()
    }

    fn intervals(&self, set: usize) -> Vec<(u32, u32)> {
        let ends =
            |range: std::range::RangeInclusive<usize>| (range.start as u32, range.last as u32);
        self.sets[set].iter_intervals().map(ends).collect()
    }

    fn contains(&self, set: usize, point: u32) -> bool {
        self.sets[set].contains(point as usize)
    }

    fn first(&self, _: usize) -> Option<Option<u32>> {
        None
    }

    fn last(&self, set: usize) -> Option<Option<u32>> {
        let last = self.sets[set].last_set_in(0..POINTS as usize);
        Some(last.map(|point| point as u32))
    }

    fn is_superset(&self, set: usize, of: usize) -> Option<bool> {
        Some(self.sets[set].superset(&self.sets[of]))
    }

    fn is_disjoint(&self, set: usize, from: usize) -> Option<bool> {
        Some(self.sets[set].disjoint(&self.sets[from]))
    }

    fn overlap(&self, _: usize, _: usize) -> Option<Vec<u32>> {
        None
    }
}

/// The histories that get a wrong answer, with that.
fn wrong(tells_changes: bool) -> Vec<(Vec<Step>, Wrong)> {
    let run = |seed| {
        let steps = history::history(seed, STEPS);
        let wrong = history::run(&steps, &mut Peer::new(tells_changes)).err()?;
        Some((steps, wrong))
    };
    (0..HISTORIES).filter_map(run).collect()
}

fn main() {
    let lies = wrong(false);
    assert!(!lies.is_empty(), "the lie is found");
    for (_, wrong) in &lies {
        assert_eq!(wrong.asked, UNION_CHANGED, "nothing else is wrong: {wrong}");
    }
    println!("{} of {HISTORIES} histories find that `union` lies", lies.len());
    let make = || Peer::new(false);
    let shortest =
        lies.iter().map(|(steps, _)| history::shortest(steps.clone(), UNION_CHANGED, make));
    let shortest = shortest.min_by_key(Vec::len).expect("there is one");
    let told = history::run(&shortest, &mut make()).expect_err("it fails still");
    println!("the shortest: {shortest:?}\n{told}");
    let others = wrong(true);
    assert!(others.is_empty(), "with that left out nothing is wrong: {}", others[0].1);
    println!("with that left out, all {HISTORIES} come out right");
}
