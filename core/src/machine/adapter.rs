//! Machine IR as the graph and the analyses see it: the same core as the IR's.
//!
//! Values are registers, by number. Clobbers are no definitions: they end no value's life, they say
//! where none may live. Registers that no one may give away ([`Reg::is_tracked`]) are left out.

use super::{MFunction, Reg, RegOperand, reg};
use crate::cfg::{Code, Values};
use crate::entity::{Block, Value};

impl Code for MFunction {
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

impl Values for MFunction {
    fn value_count(&self) -> usize {
        (reg::PHYSICAL + self.virtuals) as usize
    }

    fn uses(&self, block: Block, inst: usize, visit: impl FnMut(Value)) {
        tracked(self.operands(block, inst), |operand| !operand.is_def(), visit);
    }

    fn defs(&self, block: Block, inst: usize, visit: impl FnMut(Value)) {
        tracked(self.operands(block, inst), RegOperand::is_def, visit);
    }

    fn phi_defs(&self, block: Block, visit: impl FnMut(Value)) {
        self.blocks[block].params.iter().copied().map(Value::from).for_each(visit);
    }

    fn edge_uses(&self, block: Block, slot: usize, visit: impl FnMut(Value)) {
        let target = self.blocks[block].term.kind.target(slot);
        let args = target.into_iter().flat_map(|target| target.args.iter().copied());
        args.filter(|reg| reg.is_tracked()).map(Value::from).for_each(visit);
    }

    fn edge_defs(&self, _: Block, _: usize, _: impl FnMut(Value)) {}

    fn is_call(&self, block: Block, inst: usize) -> bool {
        self.blocks[block].insts.get(inst).is_some_and(|inst| inst.is_call())
    }
}

fn tracked(operands: &[RegOperand], wanted: impl Fn(RegOperand) -> bool, visit: impl FnMut(Value)) {
    let found = operands.iter().filter(|operand| wanted(**operand) && operand.reg.is_tracked());
    found.map(|operand: &RegOperand| -> Reg { operand.reg }).map(Value::from).for_each(visit);
}
