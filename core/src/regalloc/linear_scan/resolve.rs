//! The moves that pieces ask for: inside blocks where one piece follows another, and on edges where a value
//! is in one place at the end of the source and in another at the start of the target.
//!
//! What goes to its slot is stored either there, or once after each definition, so that a slot always
//! holds what the value is and nothing is stored where pieces change: whichever runs less often, as far
//! as the depth of loops tells.

use super::scan::{Piece, Pieces};
use crate::cfg::{Cfg, Loops};
use crate::dataflow::PointLiveness;
use crate::entity::{Block, Edge, Value};
use crate::machine::{MFunction, Reg, reg};
use crate::regalloc::lifetimes::{Lifetimes, Position};
use crate::regalloc::parallel_move::sequential;
use crate::regalloc::slots::{Stay, assign};
use crate::regalloc::{Edit, Location, Point};

/// Where every value is when.
pub(super) struct Homes<'p> {
    pieces: &'p Pieces,
    /// By virtual register; `None` if it never is in its slot.
    slots: Vec<Option<u32>>,
    spill_bytes: u32,
}

impl Homes<'_> {
    /// Where a virtual register is at a position of its lifetime.
    pub(super) fn at(&self, of: Reg, position: Position) -> Location {
        self.place(index(of), piece_at(self.pieces, index(of), position))
    }

    pub(super) fn spill_bytes(&self) -> u32 {
        self.spill_bytes
    }

    fn place(&self, index: usize, piece: Piece) -> Location {
        match (piece.reg, self.slots[index]) {
            (Some(reg), _) => Location::Reg(reg),
            (None, Some(slot)) => Location::Slot(slot),
            (None, None) => unreachable!("what is in a slot has one"),
        }
    }
}

fn index(of: Reg) -> usize {
    (of.number() - reg::PHYSICAL) as usize
}

fn piece_at(pieces: &Pieces, index: usize, position: Position) -> Piece {
    let pieces = &pieces[index];
    let found = pieces.partition_point(|piece| piece.range.start <= position);
    pieces[found - 1]
}

/// When a move happens, among those before the same instruction.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Phase {
    /// A result is stored right after its definition.
    Define,
    /// Pieces follow one another: all at once.
    Change,
    /// A value gives way in the middle of the instruction.
    GiveWay,
}

/// A value that changes its place.
struct Transition {
    at: Point,
    phase: Phase,
    /// Which virtual register.
    from_index: usize,
    from: Piece,
    to_index: usize,
    to: Piece,
    /// How often it happens, as far as the depth of loops tells.
    frequency: u64,
}

impl Transition {
    /// Whether it writes a value to the slot of that value.
    fn is_store(&self) -> bool {
        self.from_index == self.to_index && self.from.reg.is_some() && self.to.reg.is_none()
    }
}

pub(super) struct Resolver<'a, 'c> {
    function: &'a MFunction,
    cfg: &'a Cfg<'c>,
    live: &'a PointLiveness<'c, MFunction>,
    loops: &'a Loops<'c>,
    lifetimes: &'a Lifetimes,
    pieces: &'a Pieces,
    transitions: Vec<Transition>,
    in_slot: Vec<bool>,
}

impl<'a, 'c> Resolver<'a, 'c> {
    pub(super) fn new(
        function: &'a MFunction,
        cfg: &'a Cfg<'c>,
        live: &'a PointLiveness<'c, MFunction>,
        loops: &'a Loops<'c>,
        lifetimes: &'a Lifetimes,
        pieces: &'a Pieces,
    ) -> Resolver<'a, 'c> {
        let is_alive = |index: usize, piece: &Piece| {
            lifetimes.virtuals[index].within(piece.range).next().is_some()
        };
        let in_slot = pieces.iter().enumerate().map(|(index, pieces)| {
            pieces.iter().any(|piece| piece.reg.is_none() && is_alive(index, piece))
        });
        let in_slot = in_slot.collect();
        let transitions = Vec::new();
        Resolver { function, cfg, live, loops, lifetimes, pieces, transitions, in_slot }
    }

    /// Where everything is, and the moves.
    pub(super) fn run(mut self) -> (Homes<'a>, Vec<Edit>) {
        self.inside_blocks();
        for edge in self.cfg.edges().map(|(edge, _)| edge) {
            self.on_edge(edge);
        }
        let homes = self.homes();
        let at_definition = self.store_at_definition();
        let mut moves = self.definitions(&at_definition);
        moves.extend(
            std::mem::take(&mut self.transitions)
                .into_iter()
                .filter(|of| !(of.is_store() && at_definition[of.to_index])),
        );
        let edits = edits(&homes, moves);
        (homes, edits)
    }

    /// Slots for all who need one, for the whole of their lifetimes.
    fn homes(&self) -> Homes<'a> {
        let who: Vec<usize> = (0..self.pieces.len()).filter(|&of| self.in_slot[of]).collect();
        let stay = |&of: &usize| {
            let ranges = &self.lifetimes.virtuals[of].ranges;
            Stay { start: ranges[0].start, end: ranges[ranges.len() - 1].end }
        };
        let (offsets, spill_bytes) = assign(&who.iter().map(stay).collect::<Vec<_>>());
        let mut slots = vec![None; self.pieces.len()];
        for (of, offset) in who.into_iter().zip(offsets) {
            slots[of] = Some(offset);
        }
        Homes { pieces: self.pieces, slots, spill_bytes }
    }

    fn frequency(&self, block: Block) -> u64 {
        10u64.pow(self.loops.block_depth(block).min(9))
    }

    /// Where pieces follow one another inside of a block.
    fn inside_blocks(&mut self) {
        for index in 0..self.pieces.len() {
            for pair in self.pieces[index].windows(2) {
                self.between(index, pair[0], pair[1]);
            }
        }
    }

    fn between(&mut self, index: usize, from: Piece, to: Piece) {
        let at = to.range.start;
        let lifetime = &self.lifetimes.virtuals[index];
        let goes_on = lifetime.is_alive(at - 1) && lifetime.is_alive(at);
        let (block, inst) = self.lifetimes.inst_at(at);
        let starts_block = at == self.lifetimes.span(block).start;
        let is_defined = lifetime.next_use(at).is_some_and(|of| of.is_def && of.range.start == at);
        if !goes_on || starts_block || is_defined || from.reg == to.reg {
            return;
        }
        if to.reg.is_none() && self.is_copy_of_slot(index, from) {
            return;
        }
        let phase = if at.is_multiple_of(2) { Phase::Change } else { Phase::GiveWay };
        let frequency = self.frequency(block);
        let at = Point::Before { block, inst };
        let (from_index, to_index) = (index, index);
        self.transitions.push(Transition { at, phase, from_index, from, to_index, to, frequency });
    }

    /// Whether a piece was reloaded from the slot in the same block and not changed since.
    fn is_copy_of_slot(&self, index: usize, piece: Piece) -> bool {
        let lifetime = &self.lifetimes.virtuals[index];
        let span = self.lifetimes.span(self.lifetimes.block_at(piece.range.start));
        let is_inside = piece.range.start > span.start && piece.range.end <= span.end;
        let is_changed = {
            let first = lifetime.uses.partition_point(|of| of.range.start < piece.range.start);
            let uses = lifetime.uses[first..].iter();
            uses.take_while(|of| of.range.start < piece.range.end).any(|of| of.is_def)
        };
        let start = piece.range.start;
        let was_in_slot = || {
            let is_first = self.pieces[index][0].range.start >= start;
            !is_first && piece_at(self.pieces, index, start - 1).reg.is_none()
        };
        is_inside && !is_changed && lifetime.is_alive(start - 1) && was_in_slot()
    }

    /// What lives on, and what parameters get.
    fn on_edge(&mut self, edge: Edge) {
        let data = self.cfg.edge(edge);
        let end = self.lifetimes.span(data.from).end - 1;
        let start = self.lifetimes.span(data.to).start;
        let frequency = self.frequency(data.from).min(self.frequency(data.to));
        let target = &self.function.blocks[data.to];
        let args = self.function.blocks[data.from].term.kind.target(data.slot as usize);
        let args = args.map_or(&[][..], |target| &target.args);
        let bound = target.params.iter().zip(args).map(|(&param, &arg)| (index(arg), index(param)));
        let mut pairs: Vec<(usize, usize)> = bound.collect();
        let live = self.live.live_in(data.to);
        let is_param = |value: Value| target.params.contains(&Reg::from(value));
        let virtuals = live.iter().filter(|&value| Reg::from(value).is_virtual());
        pairs.extend(virtuals.filter(|&value| !is_param(value)).map(|value| {
            let index = index(value.into());
            (index, index)
        }));
        for (from_index, to_index) in pairs {
            let from = piece_at(self.pieces, from_index, end);
            let to = piece_at(self.pieces, to_index, start);
            // Two values in slots are in different ones.
            let stays = from.reg == to.reg && (from.reg.is_some() || from_index == to_index);
            if !stays {
                let (at, phase) = (Point::OnEdge(edge), Phase::Change);
                self.transitions.push(Transition {
                    at,
                    phase,
                    from_index,
                    from,
                    to_index,
                    to,
                    frequency,
                });
            }
        }
    }

    /// For whom it is cheaper to be stored after each definition.
    fn store_at_definition(&self) -> Vec<bool> {
        let mut at_changes = vec![0u64; self.pieces.len()];
        for of in self.transitions.iter().filter(|of| of.is_store()) {
            at_changes[of.to_index] += of.frequency;
        }
        let mut at_definitions = vec![0u64; self.pieces.len()];
        for (index, lifetime) in self.lifetimes.virtuals.iter().enumerate() {
            if self.in_slot[index] && at_changes[index] > 0 {
                let defs = lifetime.uses.iter().filter(|of| of.is_def);
                let blocks = defs.map(|of| self.lifetimes.block_at(of.range.start));
                at_definitions[index] = blocks.map(|block| self.frequency(block)).sum();
            }
        }
        for (block, data) in &self.function.blocks {
            for &param in &data.params {
                at_definitions[index(param)] += self.frequency(block);
            }
        }
        let pairs = at_definitions.into_iter().zip(at_changes);
        pairs.map(|(definitions, changes)| changes > 0 && definitions <= changes).collect()
    }

    /// Stores after definitions, for those that are so stored.
    fn definitions(&self, at_definition: &[bool]) -> Vec<Transition> {
        let mut stores = Vec::new();
        for (index, lifetime) in self.lifetimes.virtuals.iter().enumerate() {
            if at_definition[index] {
                let defs = lifetime.uses.iter().filter(|of| of.is_def);
                stores.extend(defs.map(|of| {
                    let (block, inst) = self.lifetimes.inst_at(of.range.start);
                    let at = Point::Before { block, inst: inst + 1 };
                    self.store(index, of.range.start, at)
                }));
            }
        }
        for (block, data) in &self.function.blocks {
            let start = self.lifetimes.span(block).start;
            for index in data.params.iter().map(|&param| index(param)) {
                let is_reg =
                    at_definition[index] && piece_at(self.pieces, index, start).reg.is_some();
                if is_reg {
                    stores.push(self.store(index, start, Point::Before { block, inst: 0 }));
                }
            }
        }
        stores
    }

    fn store(&self, index: usize, position: Position, at: Point) -> Transition {
        let from = piece_at(self.pieces, index, position);
        let to = Piece { reg: None, ..from };
        let (from_index, to_index) = (index, index);
        Transition { at, phase: Phase::Define, from_index, from, to_index, to, frequency: 0 }
    }
}

/// The moves in order, those of one point and phase one after the other.
fn edits(homes: &Homes<'_>, mut moves: Vec<Transition>) -> Vec<Edit> {
    moves.sort_by_key(|of| (of.at, of.phase));
    let mut edits = Vec::with_capacity(moves.len());
    let mut pairs = Vec::new();
    for group in moves.chunk_by(|a, b| (a.at, a.phase) == (b.at, b.phase)) {
        pairs.clear();
        pairs.extend(
            group
                .iter()
                .map(|of| (homes.place(of.from_index, of.from), homes.place(of.to_index, of.to))),
        );
        let at = group[0].at;
        edits.extend(sequential(&pairs).into_iter().map(|(from, to)| Edit { at, from, to }));
    }
    edits
}
