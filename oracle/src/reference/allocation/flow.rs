//! The fixpoint, and what uses find in it.

use super::shape::operands_of;
use super::state::{State, Why};
use super::transfer::Transfer;
use super::{At, Edges, Kind, Violation, is_followed, words};
use backedge_core::ir::Block;
use backedge_core::machine::{MFunction, MTermKind, Reg, RegSet};
use backedge_core::regalloc::{Allocation, Location};
use cranelift_entity::EntityRef;

/// What is wrong on some path.
pub(super) fn violations(
    function: &MFunction,
    allocation: &Allocation,
    edges: &Edges,
) -> Vec<Violation> {
    let transfer = Transfer::new(function, allocation);
    let states = fixpoint(&transfer, edges);
    let mut found = Vec::new();
    for (block, state) in states.into_iter().enumerate() {
        if let Some(state) = state {
            let mut judge = Judge { transfer: &transfer, state, found: &mut found };
            judge.block(Block::new(block), edges);
        }
    }
    found
}

/// What is certain at the start of each block; `None` where no path leads.
fn fixpoint(transfer: &Transfer<'_>, edges: &Edges) -> Vec<Option<State>> {
    let count = transfer.function.blocks.len();
    let mut states: Vec<Option<State>> = vec![None; count];
    states[0] = Some(State::at_entry(&transfer.places));
    let mut waits = vec![false; count];
    let mut waiting = std::collections::VecDeque::from([Block::new(0)]);
    while let Some(block) = waiting.pop_front() {
        waits[block.index()] = false;
        let Some(mut state) = states[block.index()].clone() else { continue };
        for inst in 0..=transfer.function.blocks[block].insts.len() {
            transfer.moves_before(&mut state, block, inst);
            transfer.inst(&mut state, block, inst);
        }
        for edge in edges.of(block) {
            let ends = edges.ends(edge);
            let to = ends.2;
            let mut on_edge = state.clone();
            transfer.moves_on(&mut on_edge, edge);
            transfer.bind(&mut on_edge, ends);
            let changed = match &mut states[to.index()] {
                Some(known) => known.meet(&on_edge),
                unknown => {
                    *unknown = Some(on_edge);
                    true
                }
            };
            if changed && !std::mem::replace(&mut waits[to.index()], true) {
                waiting.push_back(to);
            }
        }
    }
    states
}

/// Holds what uses find against what they want.
struct Judge<'a, 'f> {
    transfer: &'a Transfer<'f>,
    state: State,
    found: &'a mut Vec<Violation>,
}

impl Judge<'_, '_> {
    fn block(&mut self, block: Block, edges: &Edges) {
        let transfer = self.transfer;
        let data = &transfer.function.blocks[block];
        for inst in 0..=data.insts.len() {
            transfer.moves_before(&mut self.state, block, inst);
            self.uses(block, inst);
            if inst == data.insts.len() && matches!(data.term.kind, MTermKind::Return) {
                self.callee_saved(At::Inst(block, inst));
            }
            transfer.inst(&mut self.state, block, inst);
        }
        let end = self.state.clone();
        for edge in edges.of(block) {
            self.state.clone_from(&end);
            transfer.moves_on(&mut self.state, edge);
            self.arguments(block, edges.ends(edge));
        }
    }

    fn uses(&mut self, block: Block, inst: usize) {
        let operands = operands_of(self.transfer.function, block, inst);
        let regs = &self.transfer.allocation.operands[block.index()][inst];
        for (operand, &reg) in operands.iter().zip(regs).filter(|(operand, _)| !operand.is_def()) {
            self.want(Kind::WrongValue, At::Inst(block, inst), Location::Reg(reg), operand.reg);
        }
    }

    fn arguments(&mut self, block: Block, (_, slot, to): (Block, usize, Block)) {
        let Some(target) = self.transfer.function.blocks[block].term.kind.target(slot) else {
            return;
        };
        let places = &self.transfer.allocation.params[to.index()];
        for (&arg, &place) in target.args.iter().zip(places) {
            self.want(Kind::WrongArgument, At::Edge(block, slot), place, arg);
        }
    }

    /// Callee-saved registers that the epilogue does not restore have to be as they were.
    fn callee_saved(&mut self, at: At) {
        let kept = RegSet::CALLEE_SAVED.difference(self.transfer.allocation.saved);
        for reg in kept.iter() {
            self.want(Kind::CalleeSavedLost, at, Location::Reg(reg), reg);
        }
    }

    fn want(&mut self, kind: Kind, at: At, place: Location, value: Reg) {
        let places = &self.transfer.places;
        if !is_followed(value) || self.state.holds(places, place, value) {
            return;
        }
        let why = self.state.why(places, place);
        let held = self.state.held(places, place);
        let is_clobbered = held.is_empty() && matches!(why, Why::Clobbered(..));
        let kind = match kind {
            Kind::WrongValue if is_clobbered => Kind::ClobberedAcrossCall,
            kind => kind,
        };
        let expected = match kind {
            Kind::CalleeSavedLost => format!("{value} as it was at the entry"),
            _ => format!("{value} in {place}"),
        };
        let found = match (held, why) {
            ([], Why::NeverWritten) => "nothing was written there".to_owned(),
            ([], Why::Clobbered(block, inst)) => {
                let name = &self.transfer.function.blocks[block].name;
                format!("what the call at instruction {inst} of `{name}` left")
            }
            ([], Why::Other) => "nothing that is the same on all paths".to_owned(),
            (held, _) => words(held.iter()),
        };
        self.found.push(Violation { kind, at, expected, found });
    }
}
