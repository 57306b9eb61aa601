//! The IR as the graph and the analyses see it.

use super::{Function, Local};
use crate::cfg::{Code, Values};
use crate::entity::{Block, Value};

impl Code for Function {
    fn block_count(&self) -> usize {
        self.blocks.len()
    }

    fn block_name(&self, block: Block) -> &str {
        &self.blocks[block].name
    }

    fn inst_count(&self, block: Block) -> usize {
        self.blocks[block].insts.len() + 1
    }

    fn successors(&self, block: Block, mut visit: impl FnMut(Block)) {
        self.blocks[block].term.kind.for_each_target(|target| visit(target.block));
    }
}

impl Values for Function {
    fn value_count(&self) -> usize {
        self.locals.len()
    }

    fn uses(&self, block: Block, inst: usize, mut visit: impl FnMut(Value)) {
        let data = &self.blocks[block];
        let visit = |local: Local| visit(local.into());
        match data.insts.get(inst) {
            Some(inst) => inst.for_each_use(visit),
            None => data.term.kind.for_each_use(visit),
        }
    }

    fn defs(&self, block: Block, inst: usize, mut visit: impl FnMut(Value)) {
        if let Some(inst) = self.blocks[block].insts.get(inst) {
            inst.for_each_def(|local| visit(local.into()));
        }
    }

    fn phi_defs(&self, block: Block, mut visit: impl FnMut(Value)) {
        self.blocks[block].params.iter().for_each(|&local| visit(local.into()));
    }

    fn edge_uses(&self, block: Block, slot: usize, mut visit: impl FnMut(Value)) {
        let target = self.blocks[block].term.kind.target(slot);
        for operand in target.into_iter().flat_map(|target| &target.args) {
            if let Some(local) = operand.local() {
                visit(local.into());
            }
        }
    }

    fn edge_defs(&self, block: Block, slot: usize, mut visit: impl FnMut(Value)) {
        if let Some(local) = self.blocks[block].term.kind.edge_def(slot) {
            visit(local.into());
        }
    }

    fn is_call(&self, block: Block, inst: usize) -> bool {
        let data = &self.blocks[block];
        match data.insts.get(inst) {
            Some(inst) => inst.is_call(),
            None => matches!(data.term.kind, super::TerminatorKind::TryCall { .. }),
        }
    }
}
