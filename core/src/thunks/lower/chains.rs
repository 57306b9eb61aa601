//! Chains of guards: blocks that only ask one local for some values, and else lead to the next.
//!
//! Each guard has one place in one chain; a guard that several others lead to continues the chain of the
//! first, and ends those of the others. A table by chain and value finds the next guard that asks for the
//! value.

use super::facts::Facts;
use crate::entity::Block;
use crate::ir::{Function, Local, Operand, TerminatorKind};
use cranelift_entity::EntityRef;
use rustc_hash::FxHashMap;

pub(super) struct Chains {
    /// By block: its chain and its place there.
    places: Vec<Option<(u32, u32)>>,
    chains: Vec<Vec<Block>>,
    /// By chain and value: the places of the guards that ask for it.
    asking: FxHashMap<(u32, i64), Vec<u32>>,
}

impl Chains {
    pub(super) fn new(function: &Function, facts: &Facts<'_>) -> Chains {
        let next: Vec<Option<Block>> =
            function.blocks.keys().map(|block| next(function, facts, block)).collect();
        let mut before: Vec<Option<Block>> = vec![None; next.len()];
        for block in function.blocks.keys() {
            if let Some(next) = next[block.index()] {
                before[next.index()].get_or_insert(block);
            }
        }
        let mut chains = Chains {
            places: vec![None; next.len()],
            chains: Vec::new(),
            asking: FxHashMap::default(),
        };
        for block in function.blocks.keys() {
            let starts = before[block.index()].is_none() && next[block.index()].is_some();
            if starts {
                chains.gather(function, block, &next, &before);
            }
        }
        chains
    }

    fn gather(
        &mut self,
        function: &Function,
        start: Block,
        next: &[Option<Block>],
        before: &[Option<Block>],
    ) {
        let chain = self.chains.len() as u32;
        let mut blocks = Vec::new();
        let mut at = Some(start);
        while let Some(block) = at {
            let place = blocks.len() as u32;
            self.places[block.index()] = Some((chain, place));
            blocks.push(block);
            if let TerminatorKind::Switch { cases, .. } = &function.blocks[block].term.kind {
                for (key, _) in cases {
                    self.asking.entry((chain, *key)).or_default().push(place);
                }
            }
            at = next[block.index()].filter(|next| before[next.index()] == Some(block));
        }
        self.chains.push(blocks);
    }

    /// The guard that has an answer for the value, or the last of the chain.
    pub(super) fn skip(&self, block: Block, value: i64) -> Block {
        let Some((chain, place)) = self.places[block.index()] else { return block };
        let asking = self.asking.get(&(chain, value)).map_or(&[][..], |places| places);
        match asking.get(asking.partition_point(|&at| at < place)) {
            Some(&at) => self.chains[chain as usize][at as usize],
            None => self.chains[chain as usize].last().copied().unwrap_or(block),
        }
    }
}

/// The guard that a guard leads to by default, if both ask the same.
fn next(function: &Function, facts: &Facts<'_>, block: Block) -> Option<Block> {
    let (asked, default) = guard(function, block)?;
    let (next, header) = match facts.forward(default) {
        Some(forward) => (forward.target.block, forward.header),
        None => (default, false),
    };
    let (other, _) = guard(function, next)?;
    let asks = other == asked && next != block && !header && !facts.is_header(next);
    asks.then_some(next)
}

/// What a block without instructions and parameters asks, and where it leads by default.
fn guard(function: &Function, block: Block) -> Option<(Local, Block)> {
    let data = &function.blocks[block];
    match &data.term.kind {
        TerminatorKind::Switch { value: Operand::Local(asked), default, .. }
            if data.insts.is_empty() && data.params.is_empty() =>
        {
            Some((*asked, default.block))
        }
        _ => None,
    }
}
