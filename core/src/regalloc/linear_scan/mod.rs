//! Linear scan with lifetime holes and splitting.
//!
//! After Poletto and Sarkar's linear scan in the form that Wimmer and Mössenböck gave it: lifetimes have
//! holes in which others fit, and are split where a register is lost; a second chance comes with the next
//! use. [`scan`] decides who is where when, [`resolve`] says what has to be moved for that.

mod file;
mod resolve;
mod scan;
#[cfg(test)]
mod tests;

use super::lifetimes::{Lifetimes, range_of};
use super::{Allocation, AllocationError, Allocator, Location, Registers};
use crate::cfg::{Cfg, Code, Dominators, Loops, Postorder};
use crate::dataflow::Liveness;
use crate::entity::Block;
use crate::machine::{MFunction, Reg, reg};
use cranelift_entity::EntityRef;
use resolve::{Homes, Resolver};
use scan::{Hints, NoRegister, Scan};
use smallvec::SmallVec;

/// The allocator `linear-scan`. It keeps no state.
#[derive(Copy, Clone, Debug, Default)]
pub struct LinearScan;

impl Allocator for LinearScan {
    fn name(&self) -> &'static str {
        "linear-scan"
    }

    fn allocate(
        &mut self,
        function: &MFunction,
        registers: &Registers,
    ) -> Result<Allocation, AllocationError> {
        let cfg = Cfg::build(function);
        let postorder = Postorder::new(&cfg);
        let loops = Loops::new(&cfg, &postorder, &Dominators::new(&cfg));
        let live = Liveness::solve(function, &cfg).at_points();
        let lifetimes = Lifetimes::new(function, &cfg, &postorder, &live);
        let hints = hints(function);
        let scan = Scan::new(&lifetimes, &hints, &registers.allocatable);
        let (pieces, saved) = scan.run().map_err(|NoRegister(at)| {
            let (block, inst) = lifetimes.inst_at(at);
            AllocationError::TooFewRegisters {
                block: function.block_name(block).to_owned(),
                inst: inst as usize,
                registers: registers.allocatable.len(),
            }
        })?;
        let resolver = Resolver::new(function, &cfg, &live, &loops, &lifetimes, &pieces);
        let (homes, edits) = resolver.run();
        Ok(Allocation {
            operands: operands(function, &lifetimes, &homes),
            params: params(function, &lifetimes, &homes),
            edits,
            spill_bytes: homes.spill_bytes(),
            saved,
        })
    }
}

/// Most registers that one would like to share with.
const MOST_HINTS: usize = 4;

/// Whoever is copied to or from a register, by an instruction or an edge, would best share it.
fn hints(function: &MFunction) -> Hints {
    let mut hints: Hints = vec![SmallVec::new(); function.virtuals as usize];
    let mut add = |of: Reg, other: Reg| {
        if of.is_virtual() && other.is_tracked() {
            let list = &mut hints[(of.number() - reg::PHYSICAL) as usize];
            if list.len() < MOST_HINTS && !list.contains(&other) {
                list.push(other);
            }
        }
    };
    for data in function.blocks.values() {
        for (to, from) in data.insts.iter().filter_map(|inst| inst.as_move()) {
            add(to, from);
            add(from, to);
        }
        data.term.kind.for_each_target(|target| {
            for (&param, &arg) in function.blocks[target.block].params.iter().zip(&target.args) {
                add(param, arg);
                add(arg, param);
            }
        });
    }
    hints
}

/// The register of every operand.
fn operands(
    function: &MFunction,
    lifetimes: &Lifetimes,
    homes: &Homes<'_>,
) -> Vec<Vec<SmallVec<[Reg; 4]>>> {
    let of_inst = |block: Block, inst: usize| -> SmallVec<[Reg; 4]> {
        let at = lifetimes.position(block, inst);
        let operands = function.operands(block, inst).iter();
        let place = operands.map(|operand| match operand.reg.is_physical() {
            true => operand.reg,
            false => match homes.at(operand.reg, range_of(operand.access, at).start) {
                Location::Reg(reg) => reg,
                Location::Slot(_) => unreachable!("a use has a register"),
            },
        });
        place.collect()
    };
    let blocks = (0..function.blocks.len()).map(Block::new);
    blocks
        .map(|block| {
            (0..Code::inst_count(function, block)).map(|inst| of_inst(block, inst)).collect()
        })
        .collect()
}

/// Where every parameter is when its block is entered.
fn params(
    function: &MFunction,
    lifetimes: &Lifetimes,
    homes: &Homes<'_>,
) -> Vec<SmallVec<[Location; 4]>> {
    let of_block = |(block, data): (Block, &crate::machine::MBlock)| {
        let start = lifetimes.span(block).start;
        data.params.iter().map(|&param| homes.at(param, start)).collect()
    };
    function.blocks.iter().map(of_block).collect()
}
