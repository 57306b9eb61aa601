//! What can be told of an allocation without following any value.

use super::{At, Edges, Kind, Violation, is_followed, is_scratch};
use backedge_core::ir::Block;
use backedge_core::machine::{Access, MFunction, Reg, RegOperand, RegSet};
use backedge_core::regalloc::{Allocation, Edit, Location, Point, Registers};
use cranelift_entity::EntityRef;

/// Bytes that a slot takes.
const SLOT: u64 = 8;

pub(super) fn violations(
    function: &MFunction,
    registers: &Registers,
    allocation: &Allocation,
    edges: &Edges,
) -> Vec<Violation> {
    let given = RegSet::of(registers.allocatable.iter().copied());
    let mut judge = Judge { function, allocation, given, found: Vec::new() };
    if judge.counts() {
        for block in (0..function.blocks.len()).map(Block::new) {
            for inst in 0..=function.blocks[block].insts.len() {
                judge.operands(block, inst);
            }
            for &param in &allocation.params[block.index()] {
                judge.location(At::Inst(block, 0), param, false);
            }
        }
        allocation.edits.iter().for_each(|edit| judge.edit(edit, edges));
        judge.slots();
        judge.saved();
    }
    judge.found
}

struct Judge<'a> {
    function: &'a MFunction,
    allocation: &'a Allocation,
    given: RegSet,
    found: Vec<Violation>,
}

impl Judge<'_> {
    fn add(&mut self, kind: Kind, at: At, expected: impl Into<String>, found: impl Into<String>) {
        let (expected, found) = (expected.into(), found.into());
        self.found.push(Violation { kind, at, expected, found });
    }

    /// Whether every block, instruction and parameter has an answer for each of its operands.
    fn counts(&mut self) -> bool {
        let blocks = self.function.blocks.len();
        let (operands, params) = (&self.allocation.operands, &self.allocation.params);
        if operands.len() != blocks || params.len() != blocks {
            let found = format!("{} and {}", operands.len(), params.len());
            self.add(
                Kind::Malformed,
                At::Function,
                format!("operands and parameters of {blocks} blocks"),
                found,
            );
            return false;
        }
        let mut wrong = Vec::new();
        for (block, data) in &self.function.blocks {
            let answered = &operands[block.index()];
            if answered.len() != data.insts.len() + 1 {
                wrong.push((
                    At::Inst(block, 0),
                    data.insts.len() + 1,
                    answered.len(),
                    "instructions",
                ));
                continue;
            }
            for (inst, regs) in answered.iter().enumerate() {
                let count = operands_of(self.function, block, inst).len();
                if regs.len() != count {
                    wrong.push((At::Inst(block, inst), count, regs.len(), "operands"));
                }
            }
            let answered = params[block.index()].len();
            if answered != data.params.len() {
                wrong.push((At::Inst(block, 0), data.params.len(), answered, "parameters"));
            }
        }
        let is_right = wrong.is_empty();
        for (at, expected, found, what) in wrong {
            self.add(Kind::Malformed, at, format!("{expected} {what}"), found.to_string());
        }
        is_right
    }

    fn operands(&mut self, block: Block, inst: usize) {
        let at = At::Inst(block, inst);
        let operands = operands_of(self.function, block, inst);
        let regs = &self.allocation.operands[block.index()][inst];
        for (operand, &reg) in operands.iter().zip(regs) {
            self.operand(at, operand, reg);
        }
        let clobbers =
            self.function.blocks[block].insts.get(inst).map_or(RegSet::EMPTY, |inst| inst.clobbers);
        for (index, (one, &reg)) in operands.iter().zip(regs).enumerate() {
            if one.is_def() && clobbers.contains(reg) {
                let expected = format!("{} in a register that is not clobbered", one.reg);
                self.add(Kind::DefClobbered, at, expected, reg.to_string());
            }
            for (other, &same) in operands.iter().zip(regs).skip(index + 1) {
                if reg == same && is_followed(reg) {
                    self.share(at, one, other, reg);
                }
            }
        }
    }

    /// Two operands of one instruction in one register.
    fn share(&mut self, at: At, one: &RegOperand, other: &RegOperand, reg: Reg) {
        let is_early = [one, other].iter().any(|operand| operand.access == Access::EarlyDef);
        let kind = match (one.is_def() && other.is_def(), is_early) {
            (true, _) => Kind::TwoDefsShare,
            (false, true) => Kind::EarlyDefShares,
            (false, false) => return,
        };
        let expected = format!("{} and {} in different registers", one.reg, other.reg);
        self.add(kind, at, expected, format!("both in {reg}"));
    }

    fn operand(&mut self, at: At, operand: &RegOperand, reg: Reg) {
        if operand.reg.is_physical() {
            if reg != operand.reg {
                self.add(Kind::FixedOperandMoved, at, operand.reg.to_string(), reg.to_string());
            }
        } else {
            self.location(at, Location::Reg(reg), false);
        }
    }

    /// A place of a value; only moves may use the scratch registers.
    fn location(&mut self, at: At, place: Location, is_move: bool) {
        match place {
            Location::Reg(reg) if reg.is_virtual() => {
                self.add(Kind::Malformed, at, "a physical register", reg.to_string());
            }
            Location::Reg(reg) => {
                let may_use = self.given.contains(reg) || (is_move && is_scratch(place));
                if !may_use {
                    self.add(
                        Kind::NotAllocatable,
                        at,
                        "a register that may be used",
                        reg.to_string(),
                    );
                }
            }
            Location::Slot(offset) => {
                let size = self.allocation.spill_bytes;
                if u64::from(offset) + SLOT > u64::from(size) {
                    let expected = format!("a slot within {size} bytes");
                    self.add(Kind::SlotOutOfFrame, at, expected, place.to_string());
                }
                if u64::from(offset) % SLOT != 0 {
                    self.add(Kind::SlotOverlap, at, "a slot at a multiple of 8", place.to_string());
                }
            }
        }
    }

    fn edit(&mut self, edit: &Edit, edges: &Edges) {
        let at = match edit.at {
            Point::Before { block, inst } => {
                let data = self.function.blocks.get(block);
                if data.is_none_or(|data| inst as usize > data.insts.len()) {
                    let found = format!("{:?}", edit.at);
                    return self.add(
                        Kind::Malformed,
                        At::Function,
                        "a point of the function",
                        found,
                    );
                }
                At::Inst(block, inst as usize)
            }
            Point::OnEdge(edge) if edge.index() < edges.count() => {
                let (from, slot, _) = edges.ends(edge.index());
                At::Edge(from, slot)
            }
            Point::OnEdge(edge) => {
                let found = format!("{edge:?}");
                return self.add(Kind::Malformed, At::Function, "an edge of the function", found);
            }
        };
        if edit.from.reg().is_none() && edit.to.reg().is_none() {
            let found = format!("{} to {}", edit.from, edit.to);
            self.add(Kind::Malformed, at, "a move with a register", found);
        }
        self.location(at, edit.from, true);
        self.location(at, edit.to, true);
    }

    /// That no two slots share a byte.
    fn slots(&mut self) {
        let params = self.allocation.params.iter().flatten().copied();
        let moves = self.allocation.edits.iter().flat_map(|edit| [edit.from, edit.to]);
        let mut offsets: Vec<u32> = params
            .chain(moves)
            .filter_map(|place| match place {
                Location::Slot(offset) => Some(offset),
                Location::Reg(_) => None,
            })
            .collect();
        offsets.sort_unstable();
        offsets.dedup();
        for pair in offsets.windows(2) {
            if u64::from(pair[0]) + SLOT > u64::from(pair[1]) {
                let found = format!("[{}] and [{}]", pair[0], pair[1]);
                self.add(Kind::SlotOverlap, At::Function, "slots that share no byte", found);
            }
        }
    }

    /// That the epilogue restores nothing but what a function has to give back.
    fn saved(&mut self) {
        let others = self.allocation.saved.difference(RegSet::CALLEE_SAVED);
        if !others.is_empty() {
            let found = format!("{others:?}");
            self.add(Kind::Malformed, At::Function, "callee-saved registers to be saved", found);
        }
    }
}

/// The operands of an instruction; the terminator is the last.
pub(super) fn operands_of(function: &MFunction, block: Block, inst: usize) -> &[RegOperand] {
    let data = &function.blocks[block];
    data.insts.get(inst).map_or(&data.term.regs, |inst| &inst.regs)
}
