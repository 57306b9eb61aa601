//! A second opinion on allocations: both codes are executed side by side along paths drawn at random,
//! every definition making a number of its own.
//!
//! No lattice and no fixpoint: what a use reads on this path is compared, number by number. Whoever
//! passes the symbolic judge must pass every walk; the reverse need not hold, since a walk sees few paths.

use super::shape::operands_of;
use super::transfer::Moves;
use super::{Edges, is_followed};
use backedge_core::ir::Block;
use backedge_core::machine::{MFunction, MOp, Reg};
use backedge_core::regalloc::{Allocation, Edit, Location};
use cranelift_entity::EntityRef;
use std::collections::BTreeMap;

/// Walks so many blocks along a path that the seed picks. The allocation has the right shape.
///
/// # Errors
/// In words, at the first use that reads another number than it should.
pub fn walk(
    function: &MFunction,
    allocation: &Allocation,
    seed: u64,
    blocks: usize,
) -> Result<(), String> {
    let mut walker = Walker {
        function,
        allocation,
        moves: Moves::new(&allocation.edits),
        wanted: BTreeMap::new(),
        held: BTreeMap::new(),
        next: 0,
    };
    walker.enter();
    let edges = Edges::new(function);
    let mut random = seed;
    let mut at = Block::new(0);
    for _ in 0..blocks {
        walker.block(at)?;
        let out = edges.of(at);
        if out.is_empty() {
            break;
        }
        random =
            random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let edge = out.start + (random >> 33) as usize % out.len();
        walker.edge(edge, edges.ends(edge))?;
        at = edges.ends(edge).2;
    }
    Ok(())
}

struct Walker<'a> {
    function: &'a MFunction,
    allocation: &'a Allocation,
    moves: Moves<'a>,
    /// What each register of the original holds.
    wanted: BTreeMap<Reg, u64>,
    /// What each location holds.
    held: BTreeMap<Location, u64>,
    next: u64,
}

impl Walker<'_> {
    fn fresh(&mut self) -> u64 {
        self.next += 1;
        self.next
    }

    /// Arguments are in their registers.
    fn enter(&mut self) {
        for reg in (0..8).filter_map(Reg::argument) {
            let number = self.fresh();
            self.wanted.insert(reg, number);
            self.held.insert(Location::Reg(reg), number);
        }
    }

    fn edit(&mut self, edit: &Edit) {
        match self.held.get(&edit.from).copied() {
            Some(number) => self.held.insert(edit.to, number),
            None => self.held.remove(&edit.to),
        };
    }

    fn compare(&self, value: Reg, place: Location, at: &str) -> Result<(), String> {
        if !is_followed(value) || self.wanted.get(&value) == self.held.get(&place) {
            return Ok(());
        }
        Err(format!("{value} is not in {place} {at}"))
    }

    fn block(&mut self, block: Block) -> Result<(), String> {
        let data = &self.function.blocks[block];
        for inst in 0..=data.insts.len() {
            let edits: Vec<&Edit> = self.moves.before(block, inst).collect();
            edits.into_iter().for_each(|edit| self.edit(edit));
            let operands = operands_of(self.function, block, inst);
            let regs = &self.allocation.operands[block.index()][inst];
            let at = format!("at instruction {inst} of `{}`", data.name);
            for (operand, &reg) in operands.iter().zip(regs).filter(|(of, _)| !of.is_def()) {
                self.compare(operand.reg, Location::Reg(reg), &at)?;
            }
            let copied = match data.insts.get(inst).map(|inst| &inst.op) {
                Some(MOp::Move) => self.wanted.get(&operands[1].reg).copied(),
                _ => None,
            };
            if let Some(inst) = data.insts.get(inst) {
                for reg in inst.clobbers.iter().chain(Reg::SCRATCH) {
                    let garbage = self.fresh();
                    self.held.insert(Location::Reg(reg), garbage);
                }
            }
            for (operand, &reg) in operands.iter().zip(regs).filter(|(of, _)| of.is_def()) {
                let number = copied.unwrap_or_else(|| self.fresh());
                self.wanted.insert(operand.reg, number);
                self.held.insert(Location::Reg(reg), number);
            }
        }
        Ok(())
    }

    fn edge(&mut self, edge: usize, ends: (Block, usize, Block)) -> Result<(), String> {
        let (from, slot, to) = ends;
        let edits: Vec<&Edit> = self.moves.on_edge(edge).collect();
        edits.into_iter().for_each(|edit| self.edit(edit));
        let data = &self.function.blocks[from];
        let Some(target) = data.term.kind.target(slot) else { return Ok(()) };
        let places = &self.allocation.params[to.index()];
        let at = format!("on edge {slot} of `{}`", data.name);
        for (&arg, &place) in target.args.iter().zip(places) {
            self.compare(arg, place, &at)?;
        }
        let numbers: Vec<Option<u64>> =
            target.args.iter().map(|arg| self.wanted.get(arg).copied()).collect();
        for (&param, number) in self.function.blocks[to].params.iter().zip(numbers) {
            match number {
                Some(number) => self.wanted.insert(param, number),
                None => self.wanted.remove(&param),
            };
        }
        Ok(())
    }
}
