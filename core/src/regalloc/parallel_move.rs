//! Moves that happen at once, as moves one after the other.
//!
//! Each destination is written once, so that every group of moves that touch is trees of moves, rooted in
//! at most one cycle. A move whose destination nobody is still to read can go first; when only cycles
//! are left, one value is set aside in a scratch register, which breaks its cycle. So every step
//! retires a move or breaks a cycle, and a cycle that is broken is used up before the next is.

use super::Location;
use crate::machine::Reg;
use rustc_hash::FxHashMap;

/// Where a value of a cycle is set aside.
const ASIDE: Location = Location::Reg(Reg::SCRATCH[0]);

/// What a value passes through from slot to slot.
const BETWEEN: Location = Location::Reg(Reg::SCRATCH[1]);

/// Puts moves `(from, to)` that happen at once into an order in which they can happen one after the
/// other. Each of the result has a register on at least one side. In time linear in the moves.
///
/// # Panics
/// In debug builds, if two moves write to one place, or one reads or writes a scratch register.
pub fn sequential(moves: &[(Location, Location)]) -> Vec<(Location, Location)> {
    match moves {
        [] => Vec::new(),
        [(from, to)] if from == to => Vec::new(),
        &[only] => {
            let mut result = Vec::new();
            push(&mut result, only);
            result
        }
        moves => Resolver::new(moves).run(),
    }
}

/// Adds a move; one between slots goes through a register.
fn push(result: &mut Vec<(Location, Location)>, (from, to): (Location, Location)) {
    match (from, to) {
        (Location::Slot(_), Location::Slot(_)) => result.extend([(from, BETWEEN), (BETWEEN, to)]),
        _ => result.push((from, to)),
    }
}

struct Resolver {
    /// By destination: what is to be moved there.
    sources: FxHashMap<Location, Location>,
    /// By source: how many moves are still to read it.
    readers: FxHashMap<Location, u32>,
    /// Destinations in the order of the moves.
    order: Vec<Location>,
}

impl Resolver {
    fn new(moves: &[(Location, Location)]) -> Resolver {
        let mut sources = FxHashMap::default();
        let mut readers = FxHashMap::default();
        let mut order = Vec::with_capacity(moves.len());
        for &(from, to) in moves {
            debug_assert!(![from, to].iter().any(|place| [ASIDE, BETWEEN].contains(place)));
            if from != to {
                let twice = sources.insert(to, from);
                debug_assert!(twice.is_none(), "{to} is written twice");
                *readers.entry(from).or_insert(0) += 1;
                order.push(to);
            }
        }
        Resolver { sources, readers, order }
    }

    fn run(mut self) -> Vec<(Location, Location)> {
        let mut result = Vec::with_capacity(self.order.len() + 2);
        let mut ready: Vec<Location> = Vec::new();
        let order = std::mem::take(&mut self.order);
        let is_free = |this: &Resolver, to: &Location| this.readers.get(to).is_none_or(|&n| n == 0);
        ready.extend(order.iter().rev().filter(|to| is_free(&self, to)));
        self.drain(&mut ready, &mut result);
        for to in order {
            if !self.sources.contains_key(&to) {
                continue;
            }
            // Only cycles are left: `to` has one reader, which finds the value in the scratch register.
            push(&mut result, (to, ASIDE));
            let reader = self.reader_of(to);
            self.sources.insert(reader, ASIDE);
            ready.push(to);
            self.drain(&mut ready, &mut result);
        }
        result
    }

    /// The destination that reads `place` in its cycle: found by going around it.
    fn reader_of(&self, place: Location) -> Location {
        let mut at = place;
        while self.sources[&at] != place {
            at = self.sources[&at];
        }
        at
    }

    /// Does the moves whose destinations are free, and those that become so.
    fn drain(&mut self, ready: &mut Vec<Location>, result: &mut Vec<(Location, Location)>) {
        while let Some(to) = ready.pop() {
            let Some(from) = self.sources.remove(&to) else { continue };
            push(result, (from, to));
            if let Some(left) = self.readers.get_mut(&from) {
                *left -= 1;
                if *left == 0 && self.sources.contains_key(&from) {
                    ready.push(from);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    /// Carries the moves out one by one; every place starts with its own name in it.
    fn outcome(moves: &[(Location, Location)]) -> BTreeMap<Location, Location> {
        let mut held: BTreeMap<Location, Location> = BTreeMap::new();
        for (from, to) in moves {
            assert!(from.reg().is_some() || to.reg().is_some(), "{from} to {to}");
            let value = held.get(from).copied().unwrap_or(*from);
            held.insert(*to, value);
        }
        held
    }

    fn check(moves: &[(Location, Location)]) {
        let sequence = sequential(moves);
        let held = outcome(&sequence);
        let moved: BTreeMap<Location, Location> =
            moves.iter().map(|&(from, to)| (to, from)).collect();
        for (&place, &value) in &held {
            if ![ASIDE, BETWEEN].contains(&place) {
                assert_eq!(
                    moved.get(&place),
                    Some(&value),
                    "{place} after {sequence:?} for {moves:?}"
                );
            }
        }
        for (&to, &from) in &moved {
            assert_eq!(held.get(&to).copied().unwrap_or(to), from, "{sequence:?} for {moves:?}");
        }
        assert!(sequence.len() <= 3 * moves.len(), "{sequence:?} for {moves:?}");
    }

    /// A place by number: registers and slots take turns.
    fn place(number: usize) -> Location {
        match number % 2 {
            0 => Location::Reg(Reg::physical(10 + number as u32 / 2)),
            _ => Location::Slot(4 * (number as u32 - 1)),
        }
    }

    /// All ways to fill up to five places from five, and to leave some alone.
    #[test]
    fn all_moves_of_few_places_come_out_right() {
        const PLACES: usize = 5;
        let choices = PLACES + 1;
        for pick in
            [|number| place(number), |number| place(2 * number), |number| place(2 * number + 1)]
        {
            for code in 0..choices.pow(PLACES as u32) {
                let from = |to: usize| code / choices.pow(to as u32) % choices;
                let moves: Vec<_> = (0..PLACES)
                    .filter(|&to| from(to) < PLACES)
                    .map(|to| (pick(from(to)), pick(to)))
                    .collect();
                check(&moves);
            }
        }
    }

    #[test]
    fn several_cycles_share_the_scratch_register() {
        let swap = |a: usize, b: usize| [(place(a), place(b)), (place(b), place(a))];
        let moves = [swap(0, 2), swap(4, 7), swap(1, 3)].concat();
        check(&moves);
        assert_eq!(sequential(&moves[..2]).len(), 3);
    }
}
