//! What is live at every instruction, and what a register allocator asks about that.

use super::{Fact, Form, Interference, Liveness, ValueSet};
use crate::cfg::Values;
use crate::entity::{Block, Edge, Value};
use cranelift_entity::EntityRef;
use smallvec::SmallVec;
use std::ops::Deref;

/// A handful of values, sorted, each once.
pub type Few = SmallVec<[Value; 4]>;

/// [`Liveness`], and what is live before and after each instruction. The terminator is the last
/// instruction of a block.
#[derive(Clone, Debug)]
pub struct PointLiveness<'c, C> {
    blocks: Liveness<'c, C>,
    /// By block: the row of its first instruction; one more for the end.
    starts: Vec<u32>,
}

impl<'c, C> Deref for PointLiveness<'c, C> {
    type Target = Liveness<'c, C>;

    fn deref(&self) -> &Liveness<'c, C> {
        &self.blocks
    }
}

impl<'c, C: Values> PointLiveness<'c, C> {
    pub(super) fn new(mut blocks: Liveness<'c, C>) -> PointLiveness<'c, C> {
        let mut starts = Vec::with_capacity(blocks.cfg.block_count() + 1);
        let mut row = 0;
        for block in blocks.cfg.blocks() {
            starts.push(row);
            row += blocks.code.inst_count(block) as u32;
        }
        starts.push(row);
        match &mut blocks.form {
            Form::Dense(facts) => facts.fill_before(blocks.code, &starts),
            Form::Shared(facts) => facts.fill_before(blocks.code, &starts),
        }
        PointLiveness { blocks, starts }
    }

    /// How many instructions the block has, its terminator included.
    pub fn inst_count(&self, block: Block) -> usize {
        (self.starts[block.index() + 1] - self.starts[block.index()]) as usize
    }

    /// What is live before the instruction.
    ///
    /// # Panics
    /// If the block has no such instruction.
    pub fn before(&self, block: Block, inst: usize) -> ValueSet<'_> {
        assert!(inst < self.inst_count(block), "the block has this instruction");
        self.get(Fact::Before, self.starts[block.index()] as usize + inst)
    }

    /// What is live after the instruction; after the last, what is live out of the block.
    ///
    /// # Panics
    /// If the block has no such instruction.
    pub fn after(&self, block: Block, inst: usize) -> ValueSet<'_> {
        if inst + 1 == self.inst_count(block) {
            self.live_out(block)
        } else {
            self.before(block, inst + 1)
        }
    }

    /// What is live after the instruction itself, before an edge defines anything.
    fn right_after(&self, block: Block, inst: usize) -> ValueSet<'_> {
        if inst + 1 == self.inst_count(block) {
            self.at_end(block)
        } else {
            self.before(block, inst + 1)
        }
    }

    /// What the instruction reads for the last time: its old value can be released once the
    /// instruction has read. A value that the instruction overwrites is among them.
    pub fn last_uses(&self, block: Block, inst: usize) -> Few {
        let after = self.right_after(block, inst);
        let defs = few(|visit| self.code.defs(block, inst, visit));
        let mut uses = few(|visit| self.code.uses(block, inst, visit));
        uses.retain(|value| !after.contains(*value) || defs.contains(value));
        uses
    }

    /// What the instruction defines and nobody reads: it can be released at once.
    pub fn dead_defs(&self, block: Block, inst: usize) -> Few {
        let after = self.right_after(block, inst);
        let mut defs = few(|visit| self.code.defs(block, inst, visit));
        defs.retain(|value| !after.contains(*value));
        defs
    }

    /// The phis of the block that nobody reads.
    pub fn dead_phis(&self, block: Block) -> Few {
        let mut phis = few(|visit| self.code.phi_defs(block, visit));
        phis.retain(|value| !self.live_in(block).contains(*value));
        phis
    }

    /// What can be released when control has taken the edge and the edge has read its operands: what
    /// the block handed over for the sake of another edge, operands that are read for the last time,
    /// and what the edge defines for nobody.
    pub fn released_on(&self, edge: Edge) -> Vec<Value> {
        let data = self.cfg.edge(edge);
        let phis = few(|visit| self.code.phi_defs(data.to, visit));
        let live_in = self.live_in(data.to);
        let mut released: Vec<Value> = self.at_end(data.from).iter().collect();
        self.code.edge_defs(data.from, data.slot as usize, |value| released.push(value));
        released.sort_unstable();
        released.dedup();
        released.retain(|value| !live_in.contains(*value) || phis.contains(value));
        released
    }

    /// What has to survive the instruction: live after it, and not its own result. Ask it of calls.
    pub fn live_across(&self, block: Block, inst: usize) -> impl Iterator<Item = Value> {
        let defs = few(|visit| self.code.defs(block, inst, visit));
        self.right_after(block, inst).iter().filter(move |value| !defs.contains(value))
    }

    /// The calls of the block.
    pub fn calls(&self, block: Block) -> impl Iterator<Item = usize> {
        (0..self.inst_count(block)).filter(move |&inst| self.code.is_call(block, inst))
    }

    /// The most values that exist at one point of the block or on one of its edges. Results exist
    /// right after they are defined, read or not.
    pub fn pressure(&self, block: Block) -> usize {
        let with = |live: ValueSet<'_>, defs: Few| {
            live.len() + defs.iter().filter(|&&value| !live.contains(value)).count()
        };
        let entry = with(self.live_in(block), few(|visit| self.code.phi_defs(block, visit)));
        let insts = (0..self.inst_count(block)).map(|inst| {
            let defs = few(|visit| self.code.defs(block, inst, visit));
            with(self.right_after(block, inst), defs)
        });
        let edges = self.cfg.succs(block).map(|edge| {
            let slot = self.cfg.edge(edge).slot as usize;
            let defs = few(|visit| self.code.edge_defs(block, slot, visit));
            with(self.edge_live(edge), defs)
        });
        insts.chain(edges).fold(entry, usize::max)
    }

    /// The most values that exist at one point of the code.
    pub fn max_pressure(&self) -> usize {
        self.cfg.blocks().map(|block| self.pressure(block)).max().unwrap_or(0)
    }

    /// Which values can't share a register.
    pub fn interference(&self) -> Interference {
        Interference::new(self)
    }

    /// Calls `define` with each value that is defined somewhere, and the set that is live just then.
    /// Values defined together come one by one with the same set.
    pub(super) fn for_each_def(&self, mut define: impl FnMut(&[Value], ValueSet<'_>)) {
        for block in self.cfg.blocks() {
            define(&few(|visit| self.code.phi_defs(block, visit)), self.live_in(block));
            for inst in 0..self.inst_count(block) {
                let defs = few(|visit| self.code.defs(block, inst, visit));
                define(&defs, self.right_after(block, inst));
            }
            for edge in self.cfg.succs(block) {
                let slot = self.cfg.edge(edge).slot as usize;
                define(&few(|visit| self.code.edge_defs(block, slot, visit)), self.edge_live(edge));
            }
        }
    }

    /// How many values the code has.
    pub fn value_count(&self) -> usize {
        self.code.value_count()
    }
}

/// Collects what a visitor visits.
fn few(walk: impl FnOnce(&mut dyn FnMut(Value))) -> Few {
    let mut values = Few::new();
    walk(&mut |value| values.push(value));
    values.sort_unstable();
    values.dedup();
    values
}
