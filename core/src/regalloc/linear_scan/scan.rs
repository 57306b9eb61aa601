//! The scan: windows of lifetimes, by where they start, get registers or go to their slots.
//!
//! A window is a stretch of one lifetime. It gets a register that is free for all of it, or the one that
//! is free longest, and then is split before that is taken; or it goes to its slot until the next use;
//! or, if it starts with a use, it evicts whoever needs his register latest. What is split off, or
//! evicted, waits as a window that starts behind. So windows only ever get shorter, and the scan ends.
//!
//! Splits lie where a move can be put, at even positions, with one exception: where a value gives way to
//! a definition or a clobber at an odd position it goes to its slot, which can be written to before
//! the instruction.

use super::file::{Owner, RegisterFile};
use crate::machine::{Reg, RegSet};
use crate::regalloc::lifetimes::{Lifetimes, Position, Range, Use};
use smallvec::SmallVec;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Where a value is for a while.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct Piece {
    pub(super) range: Range,
    /// The register; `None` for the value's slot.
    pub(super) reg: Option<Reg>,
}

/// By virtual register: its pieces, ascending, each starting where the last ended.
pub(super) type Pieces = Vec<SmallVec<[Piece; 2]>>;

/// What the registers of a function would like to share a register with.
pub(super) type Hints = Vec<SmallVec<[Reg; 2]>>;

pub(super) struct Scan<'l> {
    lifetimes: &'l Lifetimes,
    hints: &'l Hints,
    file: RegisterFile,
    /// By register number: its place in the file.
    places: [Option<usize>; 32],
    /// In the order in which to try them.
    callee_saved: RegSet,
    waiting: BinaryHeap<Reverse<(Position, u32, Position)>>,
    pieces: Pieces,
}

/// No register is left for an operand at this position.
pub(super) struct NoRegister(pub(super) Position);

impl<'l> Scan<'l> {
    pub(super) fn new(lifetimes: &'l Lifetimes, hints: &'l Hints, allocatable: &[Reg]) -> Scan<'l> {
        // Those that need no saving come first.
        let (callee, caller): (Vec<Reg>, Vec<Reg>) =
            allocatable.iter().partition(|&&reg| RegSet::CALLEE_SAVED.contains(reg));
        let order = [caller, callee].concat();
        let mut places = [None; 32];
        for (place, reg) in order.iter().enumerate() {
            places[reg.number() as usize] = Some(place);
        }
        let mut waiting = BinaryHeap::with_capacity(lifetimes.virtuals.len());
        for (index, lifetime) in lifetimes.virtuals.iter().enumerate() {
            if let (Some(first), Some(last)) = (lifetime.ranges.first(), lifetime.ranges.last()) {
                waiting.push(Reverse((first.start, index as u32, last.end)));
            }
        }
        Scan {
            lifetimes,
            hints,
            file: RegisterFile::new(&order, &lifetimes.fixed),
            places,
            callee_saved: RegSet::EMPTY,
            waiting,
            pieces: vec![SmallVec::new(); lifetimes.virtuals.len()],
        }
    }

    /// Places everything. The set is the callee-saved registers that were used.
    pub(super) fn run(mut self) -> Result<(Pieces, RegSet), NoRegister> {
        while let Some(Reverse((start, index, end))) = self.waiting.pop() {
            self.place(index, Range { start, end })?;
        }
        for pieces in &mut self.pieces {
            pieces.sort_by_key(|piece| piece.range.start);
        }
        Ok((self.pieces, self.callee_saved))
    }

    fn place(&mut self, index: u32, window: Range) -> Result<(), NoRegister> {
        let lifetime = &self.lifetimes.virtuals[index as usize];
        let needed = lifetime.next_use(window.start).filter(|of| of.range.start == window.start);
        let mut longest: Option<(Position, usize)> = None;
        for place in self.candidates(index) {
            match self.file.conflict(place, lifetime, window) {
                None => {
                    self.assign(index, window, place);
                    return Ok(());
                }
                Some(until) if longest.is_none_or(|(best, _)| until > best) => {
                    longest = Some((until, place));
                }
                Some(_) => {}
            }
        }
        let worthwhile = match needed {
            Some(of) => of.range.end,
            None => match lifetime.next_use(window.start) {
                Some(of) if of.range.start < window.end => of.range.end,
                _ => Position::MAX,
            },
        };
        match (longest, needed) {
            (Some((until, place)), _) if until >= worthwhile => {
                self.assign_until(index, window, place, until);
                Ok(())
            }
            (_, None) => {
                self.spill(index, window);
                Ok(())
            }
            (_, Some(needed)) => self.evict(index, window, needed),
        }
    }

    /// Registers to try, best first; some twice.
    fn candidates(&self, index: u32) -> impl Iterator<Item = usize> + use<> {
        let mut wanted: SmallVec<[usize; 4]> = SmallVec::new();
        for hint in &self.hints[index as usize] {
            let reg = if hint.is_physical() {
                Some(*hint)
            } else {
                let other = hint.number() - crate::machine::reg::PHYSICAL;
                self.pieces[other as usize].iter().rev().find_map(|piece| piece.reg)
            };
            wanted.extend(reg.and_then(|reg| self.places[reg.number() as usize]));
        }
        wanted.into_iter().chain(0..self.file.count())
    }

    fn assign(&mut self, index: u32, window: Range, place: usize) {
        let reg = self.file.register(place);
        if RegSet::CALLEE_SAVED.contains(reg) {
            self.callee_saved = self.callee_saved.with(reg);
        }
        self.file.take(place, index, &self.lifetimes.virtuals[index as usize], window);
        self.pieces[index as usize].push(Piece { range: window, reg: Some(reg) });
    }

    /// Assigns a register that is free up to a position, and lets the rest of the window wait.
    fn assign_until(&mut self, index: u32, window: Range, place: usize, until: Position) {
        let even = until & !1;
        let cut = if even > window.start { even } else { until };
        self.assign(index, Range { start: window.start, end: cut }, place);
        let rest = Range { start: cut, end: window.end };
        if cut.is_multiple_of(2) {
            self.wait(index, rest);
        } else {
            self.spill(index, rest);
        }
    }

    fn wait(&mut self, index: u32, window: Range) {
        if window.start < window.end {
            self.waiting.push(Reverse((window.start, index, window.end)));
        }
    }

    /// Leaves a value in its slot until the next use.
    fn spill(&mut self, index: u32, window: Range) {
        let next = self.lifetimes.virtuals[index as usize].next_use(window.start);
        let until = next.map_or(window.end, |of| of.range.start.min(window.end));
        if until > window.start {
            let range = Range { start: window.start, end: until };
            self.pieces[index as usize].push(Piece { range, reg: None });
        }
        self.wait(index, Range { start: until, end: window.end });
    }

    /// Makes room for a use: whoever is needed again latest gives way.
    fn evict(&mut self, index: u32, window: Range, needed: Use) -> Result<(), NoRegister> {
        let places = 0..self.file.count();
        let latest = places.filter_map(|place| Some((self.next_need(place, needed.range)?, place)));
        // Of equals the first, so that the order of registers decides.
        let best = latest.reduce(|best, next| if next.0 > best.0 { next } else { best });
        let Some((_, place)) = best else { return Err(NoRegister(window.start)) };
        let owners: SmallVec<[Owner; 2]> = self.file.owners(place, needed.range).collect();
        for owner in owners {
            if let Owner::Virtual(other) = owner {
                self.give_way(other, place, window.start);
            }
        }
        let lifetime = &self.lifetimes.virtuals[index as usize];
        match self.file.conflict(place, lifetime, window) {
            None => self.assign(index, window, place),
            Some(until) => self.assign_until(index, window, place, until),
        }
        Ok(())
    }

    /// When those who have a register in a range need it next; `None` if they do at its start. Whoever
    /// needs it later, be it within the range, can still be given another.
    fn next_need(&self, place: usize, range: Range) -> Option<Position> {
        self.file.owners(place, range).try_fold(Position::MAX, |soonest, owner| match owner {
            Owner::Fixed => None,
            Owner::Virtual(other) => {
                match self.lifetimes.virtuals[other as usize].pending_use(range.start) {
                    Some(of) if of.range.start <= range.start => None,
                    Some(of) => Some(soonest.min(of.range.start)),
                    None => Some(soonest),
                }
            }
        })
    }

    /// Ends the piece that has a register at a position, and leaves the rest of it in its slot.
    fn give_way(&mut self, index: u32, place: usize, at: Position) {
        let reg = Some(self.file.register(place));
        let pieces = &mut self.pieces[index as usize];
        let has_it = |piece: &Piece| piece.reg == reg && piece.range.end > at;
        let Some(found) = pieces.iter().position(has_it) else { return };
        let piece = pieces[found].range;
        let cut = at.max(piece.start);
        if cut == piece.start {
            pieces.remove(found);
        } else {
            pieces[found].range.end = cut;
        }
        let rest = Range { start: cut, end: piece.end };
        self.file.give_back(place, &self.lifetimes.virtuals[index as usize], rest);
        self.spill(index, rest);
    }
}
