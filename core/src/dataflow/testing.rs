//! Code without an instruction set, for tests.

use crate::cfg::{Code, Values};
use crate::entity::{Block, Value};
use cranelift_entity::EntityRef;
use proptest::collection::vec;
use proptest::prelude::*;

#[derive(Clone, Debug, Default)]
pub(crate) struct Toy {
    pub(crate) values: usize,
    pub(crate) blocks: Vec<ToyBlock>,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct ToyBlock {
    pub(crate) phis: Vec<u32>,
    pub(crate) insts: Vec<ToyInst>,
    pub(crate) edges: Vec<ToyEdge>,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct ToyInst {
    pub(crate) defs: Vec<u32>,
    pub(crate) uses: Vec<u32>,
    pub(crate) call: bool,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct ToyEdge {
    pub(crate) to: usize,
    pub(crate) defs: Vec<u32>,
    pub(crate) uses: Vec<u32>,
}

/// `defs <- uses`
pub(crate) fn inst(defs: &[u32], uses: &[u32]) -> ToyInst {
    ToyInst { defs: defs.to_vec(), uses: uses.to_vec(), call: false }
}

/// An edge with its operands.
pub(crate) fn to(to: usize, uses: &[u32]) -> ToyEdge {
    ToyEdge { to, defs: vec![], uses: uses.to_vec() }
}

impl Toy {
    /// Blocks of phis, instructions and edges.
    pub(crate) fn new<const N: usize>(
        values: usize,
        blocks: [(&[u32], Vec<ToyInst>, Vec<ToyEdge>); N],
    ) -> Toy {
        let block =
            |(phis, insts, edges): (&[u32], _, _)| ToyBlock { phis: phis.to_vec(), insts, edges };
        Toy { values, blocks: blocks.into_iter().map(block).collect() }
    }

    fn block(&self, block: Block) -> &ToyBlock {
        &self.blocks[block.index()]
    }
}

fn each(values: &[u32], visit: impl FnMut(Value)) {
    values.iter().copied().map(Value::from_u32).for_each(visit);
}

impl Code for Toy {
    fn block_count(&self) -> usize {
        self.blocks.len()
    }

    fn block_name(&self, _: Block) -> &str {
        ""
    }

    fn inst_count(&self, block: Block) -> usize {
        self.block(block).insts.len()
    }

    fn successors(&self, block: Block, mut visit: impl FnMut(Block)) {
        self.block(block).edges.iter().for_each(|edge| visit(Block::new(edge.to)));
    }
}

impl Values for Toy {
    fn value_count(&self) -> usize {
        self.values
    }

    fn uses(&self, block: Block, inst: usize, visit: impl FnMut(Value)) {
        each(&self.block(block).insts[inst].uses, visit);
    }

    fn defs(&self, block: Block, inst: usize, visit: impl FnMut(Value)) {
        each(&self.block(block).insts[inst].defs, visit);
    }

    fn phi_defs(&self, block: Block, visit: impl FnMut(Value)) {
        each(&self.block(block).phis, visit);
    }

    fn edge_uses(&self, block: Block, slot: usize, visit: impl FnMut(Value)) {
        each(&self.block(block).edges[slot].uses, visit);
    }

    fn edge_defs(&self, block: Block, slot: usize, visit: impl FnMut(Value)) {
        each(&self.block(block).edges[slot].defs, visit);
    }

    fn is_call(&self, block: Block, inst: usize) -> bool {
        self.block(block).insts[inst].call
    }
}

/// Code of up to 6 blocks with up to 7 values, of every kind.
pub(crate) fn any_toy() -> impl Strategy<Value = Toy> {
    (1..7usize, 1..8u32).prop_flat_map(|(count, values)| {
        let some = |most| vec(0..values, 0..most);
        let inst = (some(2), some(3), any::<bool>());
        let inst = inst.prop_map(|(defs, uses, call)| ToyInst { defs, uses, call });
        let edge = (0..count, some(2), some(2));
        let edge = edge.prop_map(|(to, defs, uses)| ToyEdge { to, defs, uses });
        let block = (some(3), vec(inst, 0..4), vec(edge, 0..3));
        let block = block.prop_map(|(phis, insts, edges)| ToyBlock { phis, insts, edges });
        vec(block, count).prop_map(move |blocks| Toy { values: values as usize, blocks })
    })
}
