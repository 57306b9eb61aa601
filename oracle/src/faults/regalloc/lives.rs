//! Which registers are live where, by going around until nothing changes.

use super::RegallocFault;
use backedge_core::ir::Block;
use backedge_core::machine::{MFunction, Reg, RegOperand};
use cranelift_entity::EntityRef;
use std::collections::BTreeSet;

/// A set of registers.
pub(super) type Set = BTreeSet<Reg>;

/// What is live after each instruction, by block; and into each block.
pub(super) struct Lives {
    /// By block, then by instruction, the terminator last: what is live after it.
    pub(super) after: Vec<Vec<Set>>,
    /// After parameters are bound.
    pub(super) into: Vec<Set>,
    fault: Option<RegallocFault>,
}

impl Lives {
    pub(super) fn new(function: &MFunction, fault: Option<RegallocFault>) -> Lives {
        let count = function.blocks.len();
        let after = function.blocks.values().map(|data| vec![Set::new(); data.insts.len() + 1]);
        let mut lives = Lives { after: after.collect(), into: vec![Set::new(); count], fault };
        loop {
            let before = lives.into.clone();
            for block in (0..count).rev().map(Block::new) {
                lives.block(function, block);
            }
            if lives.into == before {
                return lives;
            }
        }
    }

    fn block(&mut self, function: &MFunction, block: Block) {
        let mut live = self.out_of(function, block);
        for inst in (0..=function.blocks[block].insts.len()).rev() {
            self.after[block.index()][inst].clone_from(&live);
            for operand in self.operands(function, block, inst).filter(|of| of.is_def()) {
                live.remove(&operand.reg);
            }
            let uses = self.operands(function, block, inst).filter(|of| !of.is_def());
            live.extend(uses.map(|operand| operand.reg));
        }
        self.into[block.index()] = live;
    }

    /// The operands that liveness sees.
    fn operands<'f>(
        &self,
        function: &'f MFunction,
        block: Block,
        inst: usize,
    ) -> impl Iterator<Item = &'f RegOperand> + use<'f> {
        let data = &function.blocks[block];
        let is_terminator = inst == data.insts.len();
        let branch_ignored = self.fault == Some(RegallocFault::BranchReadsNothing) && is_terminator;
        let implicit_ignored = self.fault == Some(RegallocFault::ImplicitOperandsIgnored);
        operands_of(function, block, inst)
            .iter()
            .filter(move |operand| !(branch_ignored || implicit_ignored && operand.implicit))
            .filter(|operand| operand.reg.number() >= 5)
    }

    fn out_of(&self, function: &MFunction, block: Block) -> Set {
        let mut out = Set::new();
        for edge in edges_of(function, block) {
            if self.fault == Some(RegallocFault::CriticalBackEdgeIgnored)
                && is_critical_back_edge(function, block, edge.to)
            {
                continue;
            }
            let params = &function.blocks[edge.to].params;
            let through = self.into[edge.to.index()].iter().filter(|reg| !params.contains(reg));
            out.extend(through.copied().chain(edge.args));
        }
        out
    }
}

/// The operands of an instruction; the terminator is the last.
pub(super) fn operands_of(function: &MFunction, block: Block, inst: usize) -> &[RegOperand] {
    let data = &function.blocks[block];
    data.insts.get(inst).map_or(&data.term.regs, |inst| &inst.regs)
}

/// An edge out of a block.
pub(super) struct Edge {
    /// Its number in the function.
    pub(super) number: usize,
    pub(super) slot: usize,
    pub(super) to: Block,
    pub(super) args: Vec<Reg>,
}

/// The edges out of a block. Their numbers take a walk over all blocks before it.
pub(super) fn edges_of(function: &MFunction, block: Block) -> Vec<Edge> {
    let mut number = 0;
    for before in (0..block.index()).map(Block::new) {
        function.blocks[before].term.kind.for_each_target(|_| number += 1);
    }
    let mut edges = Vec::new();
    function.blocks[block].term.kind.for_each_target(|to| {
        let slot = edges.len();
        let args = to.args.to_vec();
        edges.push(Edge { number: number + slot, slot, to: to.block, args });
    });
    edges
}

/// How many edges lead to a block.
pub(super) fn ways_into(function: &MFunction, to: Block) -> usize {
    let blocks = (0..function.blocks.len()).map(Block::new);
    blocks.flat_map(|block| edges_of(function, block)).filter(|edge| edge.to == to).count()
}

fn is_critical_back_edge(function: &MFunction, from: Block, to: Block) -> bool {
    to <= from && edges_of(function, from).len() > 1 && ways_into(function, to) > 1
}
