//! What an SSA function can read: for one type, the definitions of the blocks that dominate the
//! current one, latest first.

use crate::generate::graph::Node;
use backedge_core::ir::Local;
use std::ops::Range;

/// The definitions of one type, by block. Blocks are filled one after another, dominators first.
#[derive(Clone, Debug)]
pub(super) struct Chain {
    defs: Vec<Local>,
    ranges: Vec<Range<u32>>,
    /// The nearest dominator that has definitions; the last entry, one past the blocks, stands for
    /// the parameters of the function, and is its own.
    up: Vec<u32>,
    current: usize,
}

impl Chain {
    /// No definitions yet, in a function of so many blocks. Parameters of the function come next.
    pub(super) fn new(blocks: usize) -> Chain {
        let root = blocks as u32;
        let (ranges, up) = (vec![0..0; blocks + 1], vec![root; blocks + 1]);
        Chain { defs: Vec::new(), ranges, up, current: blocks }
    }

    /// Goes on to a block. Nothing but the function's parameters dominates a block without `idom`.
    pub(super) fn begin(&mut self, block: Node, idom: Option<Node>) {
        let above =
            |idom: Node| if self.ranges[idom].is_empty() { self.up[idom] } else { idom as u32 };
        let root = self.up.len() as u32 - 1;
        self.up[block] = idom.map_or(root, above);
        let end = self.defs.len() as u32;
        self.ranges[block] = end..end;
        self.current = block;
    }

    /// Adds a definition at the end of the current block.
    pub(super) fn push(&mut self, local: Local) {
        self.defs.push(local);
        self.ranges[self.current].end += 1;
    }

    /// Takes the last definition of the current block away again.
    pub(super) fn pop(&mut self) {
        if !self.ranges[self.current].is_empty() {
            self.defs.pop();
            self.ranges[self.current].end -= 1;
        }
    }

    /// The definition so many back from the end of the current block; the earliest if there are
    /// fewer. Takes at most `back` steps up, since each passes a definition.
    pub(super) fn back(&self, mut back: usize) -> Option<Local> {
        let root = self.up.len() - 1;
        let mut block = self.current;
        let mut earliest = None;
        loop {
            let defs =
                &self.defs[self.ranges[block].start as usize..self.ranges[block].end as usize];
            if let Some(index) = defs.len().checked_sub(back + 1) {
                return Some(defs[index]);
            }
            earliest = defs.first().copied().or(earliest);
            if block == root {
                return earliest;
            }
            back -= defs.len();
            block = self.up[block] as usize;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn local(index: u32) -> Local {
        Local::from_u32(index)
    }

    #[test]
    fn reads_what_dominates() {
        // 0 dominates 1 and 2, 3 can't be reached; block 1 defines nothing.
        let mut chain = Chain::new(4);
        chain.push(local(0));
        chain.begin(0, None);
        chain.push(local(1));
        chain.push(local(2));
        chain.begin(2, Some(0));
        chain.push(local(3));
        let reads: Vec<_> = (0..6).map(|back| chain.back(back)).collect();
        assert_eq!(reads, [3, 2, 1, 0, 0, 0].map(|index| Some(local(index))));
        chain.begin(1, Some(0));
        assert_eq!(chain.back(0), Some(local(2)), "block 2 does not dominate block 1");
        chain.push(local(4));
        chain.pop();
        chain.pop();
        assert_eq!(chain.back(0), Some(local(2)), "only the current block's can be taken away");
        chain.begin(3, None);
        assert_eq!(chain.back(0), Some(local(0)));
        assert_eq!(Chain::new(1).back(3), None);
    }
}
