//! Which blocks and edges runs get to.

use super::{Observer, View};
use backedge_core::ir::{Block, Program};
use cranelift_entity::EntityRef;

/// The blocks and edges of a program that some run got to. Thunks' ways have no slot and are not counted.
#[derive(Clone, Debug)]
pub struct Coverage {
    /// By function and block.
    blocks: Vec<Vec<bool>>,
    /// By function, block and slot.
    edges: Vec<Vec<Vec<bool>>>,
    /// How many blocks and edges were new.
    found: usize,
}

impl Coverage {
    /// Of no run yet.
    pub fn new(program: &Program) -> Coverage {
        let blocks = program.functions.iter().map(|function| vec![false; function.blocks.len()]);
        let edges = program.functions.iter().map(|function| {
            let slots =
                function.blocks.values().map(|data| vec![false; data.term.kind.targets().len()]);
            slots.collect()
        });
        Coverage { blocks: blocks.collect(), edges: edges.collect(), found: 0 }
    }

    /// How many blocks and edges some run got to.
    pub fn found(&self) -> usize {
        self.found
    }

    /// Whether some run entered the block.
    pub fn block(&self, function: usize, block: Block) -> bool {
        self.blocks[function][block.index()]
    }

    /// Whether some run took the edge.
    pub fn edge(&self, function: usize, block: Block, slot: usize) -> bool {
        self.edges[function][block.index()][slot]
    }

    /// How many blocks and edges of a function were got to.
    pub fn of_function(&self, function: usize) -> (usize, usize) {
        let blocks = self.blocks[function].iter().filter(|&&hit| hit).count();
        let edges = self.edges[function].iter().flatten().filter(|&&hit| hit).count();
        (blocks, edges)
    }
}

impl Observer for Coverage {
    fn enter(&mut self, view: &View<'_>, block: Block) {
        let hit = &mut self.blocks[view.function][block.index()];
        self.found += usize::from(!*hit);
        *hit = true;
    }

    fn edge(&mut self, view: &View<'_>, block: Block, slot: usize) {
        let hit = &mut self.edges[view.function][block.index()][slot];
        self.found += usize::from(!*hit);
        *hit = true;
    }
}
