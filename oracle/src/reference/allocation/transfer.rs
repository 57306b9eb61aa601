//! What moves, instructions and edges do to a state.

use super::shape::operands_of;
use super::state::{Places, State, Why};
use backedge_core::ir::Block;
use backedge_core::machine::{MFunction, MOp, Reg, RegSet};
use backedge_core::regalloc::{Allocation, Edit, Location, Point};
use cranelift_entity::EntityRef;

/// The moves of an allocation by where they are; in order where they share a place.
pub(super) struct Moves<'a> {
    before: Vec<(Block, usize, &'a Edit)>,
    on_edge: Vec<(usize, &'a Edit)>,
}

impl<'a> Moves<'a> {
    pub(super) fn new(edits: &'a [Edit]) -> Moves<'a> {
        let mut moves = Moves { before: Vec::new(), on_edge: Vec::new() };
        for edit in edits {
            match edit.at {
                Point::Before { block, inst } => {
                    moves.before.push((block, inst as usize, edit));
                }
                Point::OnEdge(edge) => moves.on_edge.push((edge.index(), edit)),
            }
        }
        moves.before.sort_by_key(|&(block, inst, _)| (block, inst));
        moves.on_edge.sort_by_key(|&(edge, _)| edge);
        moves
    }

    pub(super) fn before(&self, block: Block, inst: usize) -> impl Iterator<Item = &'a Edit> {
        let start = self.before.partition_point(|&(b, i, _)| (b, i) < (block, inst));
        let here =
            self.before[start..].iter().take_while(move |(b, i, _)| (*b, *i) == (block, inst));
        here.map(|&(_, _, edit)| edit)
    }

    pub(super) fn on_edge(&self, edge: usize) -> impl Iterator<Item = &'a Edit> {
        let start = self.on_edge.partition_point(|&(at, _)| at < edge);
        self.on_edge[start..].iter().take_while(move |(at, _)| *at == edge).map(|&(_, edit)| edit)
    }
}

/// All that a transfer needs.
pub(super) struct Transfer<'a> {
    pub(super) function: &'a MFunction,
    pub(super) allocation: &'a Allocation,
    pub(super) places: Places,
    pub(super) moves: Moves<'a>,
}

impl<'a> Transfer<'a> {
    pub(super) fn new(function: &'a MFunction, allocation: &'a Allocation) -> Transfer<'a> {
        let places = Places::new(allocation);
        Transfer { function, allocation, places, moves: Moves::new(&allocation.edits) }
    }

    /// The moves before an instruction.
    pub(super) fn moves_before(&self, state: &mut State, block: Block, inst: usize) {
        self.moves.before(block, inst).for_each(|edit| self.edit(state, edit));
    }

    /// The moves on an edge.
    pub(super) fn moves_on(&self, state: &mut State, edge: usize) {
        self.moves.on_edge(edge).for_each(|edit| self.edit(state, edit));
    }

    fn edit(&self, state: &mut State, edit: &Edit) {
        if edit.from != edit.to {
            state.copy(&self.places, edit.from, edit.to);
        }
    }

    /// An instruction itself; the terminator is the last, and does nothing but end the scratch
    /// registers.
    pub(super) fn inst(&self, state: &mut State, block: Block, inst: usize) {
        let operands = operands_of(self.function, block, inst);
        let regs = &self.allocation.operands[block.index()][inst];
        let data = self.function.blocks[block].insts.get(inst);
        // A copy hands on what its source held, before anything is written.
        let copied = match data.map(|data| &data.op) {
            Some(MOp::Move) => state.held(&self.places, Location::Reg(regs[1])).to_vec(),
            _ => Vec::new(),
        };
        let clobbers = data.map_or(RegSet::EMPTY, |data| data.clobbers);
        clobbers.iter().for_each(|reg| state.clobber(reg, Why::Clobbered(block, inst)));
        Reg::SCRATCH.iter().for_each(|&reg| state.clobber(reg, Why::Other));
        for (operand, &reg) in operands.iter().zip(regs).filter(|(operand, _)| operand.is_def()) {
            state.forget(operand.reg);
            let values: Vec<Reg> = copied.iter().copied().filter(|&v| v != operand.reg).collect();
            state.write(&self.places, Location::Reg(reg), &values);
            state.add(&self.places, Location::Reg(reg), operand.reg);
        }
    }

    /// The parameters of an edge's target are defined, all at once, as copies of the arguments: whoever
    /// holds the argument then holds the parameter.
    pub(super) fn bind(&self, state: &mut State, (from, slot, to): (Block, usize, Block)) {
        let params = &self.function.blocks[to].params;
        let target = self.function.blocks[from].term.kind.target(slot);
        let args = target.map_or(&[][..], |target| &target.args);
        state.bind(params, args);
    }
}
