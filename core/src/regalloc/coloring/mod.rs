//! Graph coloring with iterated coalescing.
//!
//! After Chaitin's allocator with Briggs' optimism, in the form of George and Appel ("Iterated Register
//! Coalescing", 1996). A round builds the interference graph of what needs a register ([`nodes`],
//! [`graph`]) and colors it ([`color`]). Values that get no color are spilled everywhere: from then on they
//! need a register only at each of their uses and definitions, and the next round is built on that. Each
//! round spills a value at least, so that the rounds end. [`answer`] puts the colors in terms of the
//! code.

mod answer;
mod color;
mod graph;
mod nodes;
#[cfg(test)]
mod tests;

use super::lifetimes::{Lifetimes, Position};
use super::{Allocation, AllocationError, Allocator, Registers};
use crate::cfg::{Cfg, Code, Dominators, Loops, Postorder};
use crate::dataflow::Liveness;
use crate::machine::{MFunction, Reg, RegSet};
use color::Coloring;
use nodes::Nodes;

/// The allocator `graph-coloring`. It keeps no state.
#[derive(Copy, Clone, Debug, Default)]
pub struct GraphColoring;

impl Allocator for GraphColoring {
    fn name(&self) -> &'static str {
        "graph-coloring"
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
        let colors = in_order_of_preference(registers);
        let mut groups = Groups::new(function.virtuals as usize);
        loop {
            let nodes = Nodes::new(function, &lifetimes, &loops, &colors, &groups);
            let coloring = Coloring::new(&nodes, colors.len()).run();
            if coloring.spilled.is_empty() {
                return Ok(answer::allocation(function, &cfg, &live, &nodes, &coloring, &groups));
            }
            if let Err(at) = groups.spill(&nodes, &coloring) {
                let (block, inst) = lifetimes.inst_at(at);
                return Err(AllocationError::TooFewRegisters {
                    block: function.block_name(block).to_owned(),
                    inst: inst as usize,
                    registers: colors.len(),
                });
            }
        }
    }
}

/// Those that need no saving come first.
fn in_order_of_preference(registers: &Registers) -> Vec<Reg> {
    let (callee, caller): (Vec<Reg>, Vec<Reg>) =
        registers.allocatable.iter().partition(|&&reg| RegSet::CALLEE_SAVED.contains(reg));
    [caller, callee].concat()
}

/// Which values are spilled. Those that were coalesced when they were share a slot.
struct Groups {
    /// By virtual register: the number of its slot.
    of: Vec<Option<u32>>,
    count: u32,
}

impl Groups {
    fn new(values: usize) -> Groups {
        Groups { of: vec![None; values], count: 0 }
    }

    /// Spills what got no color, or, where that is spilled already, the cheapest that stands in its way.
    ///
    /// # Errors
    /// Where there is nothing left to spill.
    fn spill(&mut self, nodes: &Nodes<'_>, coloring: &Coloring<'_>) -> Result<(), Position> {
        let before = self.count;
        for &node in &coloring.spilled {
            let mut candidates = [node].into_iter().chain(coloring.neighbors_by_cost(node));
            candidates.any(|candidate| self.add(coloring.members(candidate)));
        }
        match coloring.spilled.first() {
            Some(&node) if self.count == before => Err(nodes.start(node)),
            _ => Ok(()),
        }
    }

    /// Makes a group of the values among these that are in none; whether there are any.
    fn add(&mut self, mut values: Vec<u32>) -> bool {
        values.retain(|&value| self.of[value as usize].is_none());
        values.iter().for_each(|&value| self.of[value as usize] = Some(self.count));
        self.count += u32::from(!values.is_empty());
        !values.is_empty()
    }
}
