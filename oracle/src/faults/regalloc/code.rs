//! Operands, reloads and stores, one instruction at a time.

use super::RegallocFault;
use super::lives::{Lives, edges_of, operands_of};
use backedge_core::entity::Edge;
use backedge_core::ir::Block;
use backedge_core::machine::{Access, MFunction, MOp, Reg, RegSet};
use backedge_core::regalloc::{Allocation, Edit, Location, Point};
use cranelift_entity::EntityRef;
use smallvec::SmallVec;
use std::collections::BTreeMap;

/// An allocation on its way.
pub(super) struct Code<'a> {
    function: &'a MFunction,
    lives: &'a Lives,
    pool: &'a [Reg],
    residents: BTreeMap<Reg, Reg>,
    fault: Option<RegallocFault>,
    allocation: Allocation,
    /// By block: what is reloaded on the edges into it, and where to.
    on_entry: Vec<Vec<(Reg, Reg)>>,
}

impl<'a> Code<'a> {
    pub(super) fn new(
        function: &'a MFunction,
        lives: &'a Lives,
        pool: &'a [Reg],
        residents: BTreeMap<Reg, Reg>,
        fault: Option<RegallocFault>,
    ) -> Code<'a> {
        let on_entry = vec![Vec::new(); function.blocks.len()];
        let allocation = Allocation::default();
        Code { function, lives, pool, residents, fault, allocation, on_entry }
    }

    pub(super) fn run(&mut self) {
        for (block, data) in &self.function.blocks {
            let params = data.params.iter().map(|&param| self.home(param)).collect();
            self.allocation.params.push(params);
            let insts = 0..=data.insts.len();
            let operands = insts.map(|inst| self.inst(block, inst)).collect();
            self.allocation.operands.push(operands);
        }
        for block in (0..self.function.blocks.len()).map(Block::new) {
            self.edges(block);
        }
    }

    pub(super) fn finish(mut self) -> Allocation {
        // Slots of values, and as many again for arguments on their way.
        self.allocation.spill_bytes = 16 * self.function.virtuals;
        let operands = self.allocation.operands.iter().flatten().flatten().copied();
        let resident = self.residents.values().copied();
        self.allocation.saved = RegSet::of(operands.chain(resident));
        self.allocation
    }

    fn resident(&self, value: Reg) -> Option<Reg> {
        if value.is_physical() { Some(value) } else { self.residents.get(&value).copied() }
    }

    /// Where a value is between instructions.
    fn home(&self, value: Reg) -> Location {
        self.resident(value).map_or_else(|| Location::Slot(self.slot(value)), Location::Reg)
    }

    fn slot(&self, value: Reg) -> u32 {
        let index = value.number() - Reg::virtual_register(0).number();
        let half = self.function.virtuals.div_ceil(2).max(1);
        match self.fault {
            Some(RegallocFault::SlotReusedWhileLive) => 8 * (index % half),
            Some(RegallocFault::SlotsOverlap) if index > 0 => 8 * index - 4,
            _ => 8 * index,
        }
    }

    fn edit(&mut self, at: Point, from: Location, to: Location) {
        self.allocation.edits.push(Edit { at, from, to });
    }

    /// The registers of an instruction's operands.
    fn inst(&mut self, block: Block, inst: usize) -> SmallVec<[Reg; 4]> {
        let operands = operands_of(self.function, block, inst);
        let mut taken = self.taken(block, inst);
        let mut place: Vec<Option<Reg>> = operands.iter().map(|of| self.resident(of.reg)).collect();
        // Early definitions exclude everyone; then uses; definitions may take the place of a use.
        for access in [Access::EarlyDef, Access::Use, Access::Def] {
            if access == Access::Def {
                for (operand, place) in operands.iter().zip(&place) {
                    if operand.access == Access::Use && !self.residents.contains_key(&operand.reg) {
                        taken = place
                            .filter(|_| operand.reg.is_virtual())
                            .map_or(taken, |reg| taken.without(reg));
                    }
                }
            }
            for index in 0..operands.len() {
                if operands[index].access == access && place[index].is_none() {
                    let reg = self.pick(operands[index].reg, operands, &place, taken, access);
                    taken = taken.with(reg);
                    place[index] = Some(reg);
                }
            }
        }
        let place: SmallVec<[Reg; 4]> = place.into_iter().flatten().collect();
        self.reload(block, inst, &place);
        self.store(block, inst, &place);
        place
    }

    /// Registers of the pool that something else is in around an instruction.
    fn taken(&self, block: Block, inst: usize) -> RegSet {
        let lives = &self.lives.after[block.index()];
        let before = match inst.checked_sub(1) {
            Some(previous) => &lives[previous],
            None => &self.lives.into[block.index()],
        };
        let live = before.iter().chain(&lives[inst]).copied();
        let own = operands_of(self.function, block, inst).iter().map(|of| of.reg);
        let own = own.filter(|_| self.fault != Some(RegallocFault::ImplicitOperandsIgnored));
        let residents = self.residents.values().copied();
        RegSet::of(live.chain(own).chain(residents).filter(|reg| reg.is_physical()))
    }

    fn pick(
        &self,
        value: Reg,
        operands: &[backedge_core::machine::RegOperand],
        place: &[Option<Reg>],
        taken: RegSet,
        access: Access,
    ) -> Reg {
        // The same value is read from the same register.
        let known = operands
            .iter()
            .zip(place)
            .find_map(|(of, place)| place.filter(|_| of.reg == value && of.access == access));
        let shared = match self.fault {
            Some(RegallocFault::OperandsShareScratch) if access == Access::Use => {
                let uses = operands.iter().zip(place);
                uses.filter(|(of, _)| of.access == Access::Use && of.reg.is_virtual())
                    .find_map(|(of, place)| place.filter(|_| !self.residents.contains_key(&of.reg)))
            }
            _ => None,
        };
        let free = self.pool.iter().copied().find(|&reg| !taken.contains(reg));
        known.or(shared).or(free).unwrap_or(self.pool[0])
    }

    fn reload(&mut self, block: Block, inst: usize, place: &[Reg]) {
        let operands = operands_of(self.function, block, inst);
        let mut done: Vec<Reg> = Vec::new();
        for (operand, &reg) in operands.iter().zip(place) {
            let value = operand.reg;
            let is_defined = operands.iter().any(|of| of.is_def() && of.reg == value);
            let forgotten = self.fault == Some(RegallocFault::DestinationNotReloaded) && is_defined;
            let is_spilled = value.is_virtual() && self.resident(value).is_none();
            if operand.is_def() || !is_spilled || forgotten || done.contains(&value) {
                continue;
            }
            done.push(value);
            if inst == 0 && block.index() > 0 {
                self.on_entry[block.index()].push((value, reg));
                continue;
            }
            let behind_call = inst > 0
                && matches!(self.function.blocks[block].insts[inst - 1].op, MOp::Call { .. });
            let early = behind_call && self.fault == Some(RegallocFault::ReloadedBeforeCall);
            let inst = if early { inst - 1 } else { inst } as u32;
            let slot = Location::Slot(self.slot(value));
            self.edit(Point::Before { block, inst }, slot, Location::Reg(reg));
        }
    }

    fn store(&mut self, block: Block, inst: usize, place: &[Reg]) {
        let operands = operands_of(self.function, block, inst);
        for (operand, &reg) in operands.iter().zip(place) {
            if operand.is_def() && operand.reg.is_virtual() && self.resident(operand.reg).is_none()
            {
                let at = Point::Before { block, inst: inst as u32 + 1 };
                let slot = Location::Slot(self.slot(operand.reg));
                self.edit(at, Location::Reg(reg), slot);
            }
        }
    }

    /// Arguments go to their parameters, by way of slots of their own; then comes what is reloaded.
    fn edges(&mut self, block: Block) {
        for edge in edges_of(self.function, block) {
            let at = Point::OnEdge(Edge::new(edge.number));
            let params = self.function.blocks[edge.to].params.clone();
            let pairs: Vec<_> = edge.args.into_iter().zip(params).collect();
            if self.fault == Some(RegallocFault::ParametersInSequence) {
                for (arg, param) in pairs {
                    self.transfer(at, self.home(arg), self.home(param));
                }
            } else {
                let between =
                    |index: usize| Location::Slot(8 * (self.function.virtuals + index as u32));
                for (index, &(arg, _)) in pairs.iter().enumerate() {
                    self.transfer(at, self.home(arg), between(index));
                }
                for (index, &(_, param)) in pairs.iter().enumerate() {
                    self.transfer(at, between(index), self.home(param));
                }
            }
            if !self.leaves_out(block, edge.slot, edge.number, edge.to) {
                for (value, reg) in self.on_entry[edge.to.index()].clone() {
                    self.edit(at, Location::Slot(self.slot(value)), Location::Reg(reg));
                }
            }
        }
    }

    /// Whether the fault leaves the reloads of an edge out.
    fn leaves_out(&self, from: Block, slot: usize, number: usize, to: Block) -> bool {
        match self.fault {
            Some(RegallocFault::ReloadMissingOnOnePath) => {
                let blocks = (0..self.function.blocks.len()).map(Block::new);
                let into = blocks.flat_map(|block| edges_of(self.function, block));
                let numbers: Vec<usize> =
                    into.filter(|edge| edge.to == to).map(|edge| edge.number).collect();
                numbers.len() > 1 && numbers.last() == Some(&number)
            }
            Some(RegallocFault::UnwindWithoutReload) => {
                let catches = |op: &MOp| matches!(op, MOp::Call { catches: true, .. });
                slot == 1 && self.function.blocks[from].insts.iter().any(|inst| catches(&inst.op))
            }
            _ => false,
        }
    }

    /// A move, through a scratch register where both sides are slots.
    fn transfer(&mut self, at: Point, from: Location, to: Location) {
        match (from, to) {
            (Location::Slot(_), Location::Slot(_)) => {
                let between = Location::Reg(Reg::SCRATCH[0]);
                self.edit(at, from, between);
                self.edit(at, between, to);
            }
            _ => self.edit(at, from, to),
        }
    }
}
