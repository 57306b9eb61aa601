//! Colors in terms of the code: a register for every operand, and moves around those of spilled values.

use super::Groups;
use super::color::Coloring;
use super::nodes::{Node, Nodes};
use crate::cfg::{Cfg, Code};
use crate::dataflow::PointLiveness;
use crate::entity::{Block, Value};
use crate::machine::{MFunction, Reg, RegSet, reg};
use crate::regalloc::lifetimes::range_of;
use crate::regalloc::parallel_move::sequential;
use crate::regalloc::slots::{Stay, assign};
use crate::regalloc::{Allocation, Edit, Location, Point};
use smallvec::SmallVec;

struct Answer<'a, 'c> {
    function: &'a MFunction,
    live: &'a PointLiveness<'c, MFunction>,
    nodes: &'a Nodes<'a>,
    coloring: &'a Coloring<'a>,
    groups: &'a Groups,
    /// By group: the offset of its slot.
    slots: Vec<u32>,
    allocation: Allocation,
}

pub(super) fn allocation(
    function: &MFunction,
    cfg: &Cfg<'_>,
    live: &PointLiveness<'_, MFunction>,
    nodes: &Nodes<'_>,
    coloring: &Coloring<'_>,
    groups: &Groups,
) -> Allocation {
    let (slots, spill_bytes) = assign(&stays(nodes, groups));
    let allocation = Allocation { spill_bytes, ..Allocation::default() };
    let mut answer = Answer { function, live, nodes, coloring, groups, slots, allocation };
    for block in cfg.blocks() {
        let params = function.blocks[block].params.iter();
        let params = params.map(|&param| answer.home(param)).collect();
        answer.allocation.params.push(params);
        let insts = 0..Code::inst_count(function, block);
        let operands = insts.map(|inst| answer.inst(block, inst)).collect();
        answer.allocation.operands.push(operands);
    }
    answer.edges(cfg);
    answer.allocation
}

/// From the first start to the last end of a group's lifetimes.
fn stays(nodes: &Nodes<'_>, groups: &Groups) -> Vec<Stay> {
    let mut stays = vec![Stay { start: u32::MAX, end: 0 }; groups.count as usize];
    for (lifetime, group) in nodes.lifetimes.virtuals.iter().zip(&groups.of) {
        if let (Some(group), Some(first), Some(last)) =
            (*group, lifetime.ranges.first(), lifetime.ranges.last())
        {
            let stay = &mut stays[group as usize];
            stay.start = stay.start.min(first.start);
            stay.end = stay.end.max(last.end);
        }
    }
    stays
}

impl Answer<'_, '_> {
    fn register(&mut self, node: Node) -> Reg {
        let color = self.coloring.color(node);
        let reg = color.map(|color| self.nodes.colors[color]);
        let reg = reg.unwrap_or_else(|| unreachable!("every node has a color by now"));
        if RegSet::CALLEE_SAVED.contains(reg) {
            self.allocation.saved = self.allocation.saved.with(reg);
        }
        reg
    }

    fn slot(&self, of: Reg) -> Option<Location> {
        let group = self.groups.of[(of.number() - reg::PHYSICAL) as usize]?;
        Some(Location::Slot(self.slots[group as usize]))
    }

    /// Where a value is between instructions. One that does not occur is nowhere, and may be anywhere.
    fn home(&mut self, of: Reg) -> Location {
        if of.is_physical() {
            return Location::Reg(of);
        }
        match (self.slot(of), self.nodes.whole(of)) {
            (Some(slot), _) => slot,
            (None, Some(node)) => Location::Reg(self.register(node)),
            (None, None) => Location::Reg(self.nodes.colors[0]),
        }
    }

    /// The registers of an instruction's operands, with what is loaded before it and stored after.
    fn inst(&mut self, block: Block, inst: usize) -> SmallVec<[Reg; 4]> {
        let at = self.nodes.lifetimes.position(block, inst);
        let function = self.function;
        let mut regs = SmallVec::new();
        let mut stores: SmallVec<[Edit; 2]> = SmallVec::new();
        for (index, operand) in function.operands(block, inst).iter().enumerate() {
            if operand.reg.is_physical() {
                regs.push(operand.reg);
                continue;
            }
            let node = self.nodes.at(operand.reg, range_of(operand.access, at).start);
            let node = node.unwrap_or_else(|| unreachable!("every use has a node"));
            let reg = self.register(node);
            regs.push(reg);
            let Some(slot) = self.slot(operand.reg) else { continue };
            let before = &function.operands(block, inst)[..index];
            if before.iter().any(|of| (of.reg, of.is_def()) == (operand.reg, operand.is_def())) {
                continue;
            }
            if operand.is_def() {
                if self.live.after(block, inst).contains(Value::from(operand.reg)) {
                    let at = Point::Before { block, inst: inst as u32 + 1 };
                    stores.push(Edit { at, from: Location::Reg(reg), to: slot });
                }
            } else {
                let at = Point::Before { block, inst: inst as u32 };
                self.allocation.edits.push(Edit { at, from: slot, to: Location::Reg(reg) });
            }
        }
        // They come before what is loaded for the next instruction.
        self.allocation.edits.extend(stores);
        regs
    }

    /// Arguments go to their parameters, all at once.
    fn edges(&mut self, cfg: &Cfg<'_>) {
        let function = self.function;
        for (edge, data) in cfg.edges() {
            let target = function.blocks[data.from].term.kind.target(data.slot as usize);
            let args = target.map(|target| &target.args[..]).unwrap_or_default();
            let params = &function.blocks[data.to].params;
            let mut moves = Vec::with_capacity(args.len());
            for (&arg, &param) in args.iter().zip(params) {
                moves.push((self.home(arg), self.home(param)));
            }
            let at = Point::OnEdge(edge);
            let moves = sequential(&moves).into_iter().map(|(from, to)| Edit { at, from, to });
            self.allocation.edits.extend(moves);
        }
    }
}
