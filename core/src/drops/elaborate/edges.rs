//! Flags that are written on edges: for what an edge moves, and for the result of a `try_call`.

use super::{Elaboration, Inst};
use crate::cfg::Cfg;
use crate::drops::effects::{self, Effect};
use crate::ir::{Block, Place, Target, TerminatorKind};

impl Elaboration<'_> {
    /// Writes go to the end of the source if that has no other way out, to the start of the target if
    /// that has no other way in, and else to a block of their own.
    pub(super) fn edges(&mut self, cfg: &Cfg<'_>) {
        let blocks: Vec<Block> = self.result.blocks.keys().collect();
        let targets = self.bound_blocks();
        for block in blocks {
            if self.is_done(block) {
                continue;
            }
            let count = self.result.blocks[block].term.kind.targets().len();
            for slot in 0..count {
                let writes = self.on_edge(block, slot);
                if writes.is_empty() {
                    continue;
                }
                let term = &self.result.blocks[block].term.kind;
                let Some(to) = term.target(slot).map(|target| target.block) else { continue };
                // A block of the original is entered by as many edges as there.
                let only = to.as_u32() < cfg.block_count() as u32
                    && cfg.preds(to).len() == 1
                    && to != cfg.entry()
                    && !targets.contains(&to);
                if matches!(term, TerminatorKind::Jump(_)) {
                    self.result.blocks[block].insts.extend(writes);
                } else if only {
                    self.result.blocks[to].insts.splice(0..0, writes);
                } else {
                    self.split(block, slot, writes);
                }
            }
        }
    }

    fn bound_blocks(&self) -> Vec<Block> {
        let insts = self.function.blocks.values().flat_map(|data| &data.insts);
        let bound = insts.filter_map(|inst| match &inst.op {
            crate::ir::Op::Bind(target) => Some(target.block),
            _ => None,
        });
        bound.collect()
    }

    /// What is written on an edge. Parameters are left to the blocks that they belong to, and the
    /// place of a `try_drop` was seen to before it.
    fn on_edge(&self, block: Block, slot: usize) -> Vec<Inst> {
        let mut writes = Vec::new();
        let term = &self.result.blocks[block].term.kind;
        let params = term.target(slot).map(|target| &self.result.blocks[target.block].params);
        let is_param = |place: &Place| {
            place.is_whole() && params.is_some_and(|params| params.contains(&place.local))
        };
        let is_try_drop = matches!(term, TerminatorKind::TryDrop { .. });
        let dropped = |place: &Place| match term {
            TerminatorKind::TryDrop { place: dropped, .. } => is_try_drop && place == dropped,
            _ => false,
        };
        effects::of_edge(&self.result, term, slot, &mut |place, effect| {
            let left_out = effect == Effect::Init && is_param(place) || dropped(place);
            if !left_out {
                writes.extend(self.flags.writes(place, effect));
            }
        });
        writes
    }

    fn split(&mut self, block: Block, slot: usize, writes: Vec<Inst>) {
        let middle = self.new_block(block, "edge");
        let term = &mut self.result.blocks[block].term.kind;
        let Some(target) = term.target_mut(slot) else { return };
        let old = std::mem::replace(target, Target::new(middle));
        self.result.blocks[middle].insts = writes;
        self.result.blocks[middle].term = TerminatorKind::Jump(old).into();
    }
}
