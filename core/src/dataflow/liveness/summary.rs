//! What each block reads and writes, seen as a whole.

use crate::cfg::{Cfg, Values};
use crate::entity::{Block, Value};
use cranelift_entity::EntityRef;

/// Exposed uses and definitions of all blocks. One pass over the code, in its order.
#[derive(Clone, Debug)]
pub(super) struct Summary {
    /// By block: where its exposed uses and its definitions end in `values`.
    ends: Vec<(u32, u32)>,
    values: Vec<Value>,
}

impl Summary {
    pub(super) fn new(code: &impl Values, cfg: &Cfg<'_>) -> Summary {
        let mut ends = Vec::with_capacity(cfg.block_count());
        let mut values = Vec::new();
        let mut defs = Vec::new();
        // The last block, counted from 1, that was seen to define or to read a value.
        let mut defined = vec![0; code.value_count()];
        let mut exposed = defined.clone();
        for block in cfg.blocks() {
            let stamp = block.as_u32() + 1;
            for inst in 0..code.inst_count(block) {
                code.uses(block, inst, |value| {
                    let seen = std::mem::replace(&mut exposed[value.index()], stamp) == stamp;
                    if !seen && defined[value.index()] != stamp {
                        values.push(value);
                    }
                });
                code.defs(block, inst, |value| {
                    if std::mem::replace(&mut defined[value.index()], stamp) != stamp {
                        defs.push(value);
                    }
                });
            }
            let middle = values.len() as u32;
            values.append(&mut defs);
            ends.push((middle, values.len() as u32));
        }
        Summary { ends, values }
    }

    /// What the block reads before it overwrites it, each once, in the order of the reads.
    pub(super) fn exposed_uses(&self, block: Block) -> &[Value] {
        let start = block.index().checked_sub(1).map_or(0, |before| self.ends[before].1);
        &self.values[start as usize..self.ends[block.index()].0 as usize]
    }

    /// What the block overwrites, each once, in the order of the first writes.
    pub(super) fn defs(&self, block: Block) -> &[Value] {
        let (start, end) = self.ends[block.index()];
        &self.values[start as usize..end as usize]
    }
}
