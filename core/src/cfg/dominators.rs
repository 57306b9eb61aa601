//! Dominators, by the algorithm of Lengauer and Tarjan with path compression.
//!
//! Block `a` dominates `b` if every path from the entry to `b` passes `a`. The semidominator of a
//! block is the first block, in the preorder of a depth-first walk, from which a path leads to it
//! over later blocks only. Semidominators follow from the predecessors, last block first, and
//! immediate dominators from semidominators. Each edge asks once for the least semidominator on a
//! path of the walk's tree, and compression makes that `O(log n)` amortized: `O(m log n)` in all
//! whatever the graph, where the simpler iterative scheme turns quadratic on long chains with side exits.

use super::Cfg;
use super::walk::{Direction, Step, depth_first};
use crate::entity::Block;
use cranelift_entity::EntityRef;
use std::marker::PhantomData;

const NONE: u32 = u32::MAX;

/// The dominator tree of the blocks that the entry reaches.
///
/// A block that can't be reached dominates itself and nothing else, and nothing else dominates it.
///
/// ```compile_fail,E0502
/// use backedge_core::{cfg::{Cfg, Dominators}, ir::builder};
/// let mut function = builder::diamond();
/// let dominators = Dominators::new(&Cfg::build(&function));
/// function.blocks.clear();
/// dominators.preorder();
/// ```
#[derive(Clone, Debug)]
pub struct Dominators<'c> {
    /// The tree in preorder: what a block dominates stands together, the block first.
    tree: Vec<Block>,
    /// By block: where its subtree starts and ends in `tree`, and its parent's number.
    nodes: Vec<Node>,
    code: PhantomData<&'c ()>,
}

#[derive(Copy, Clone, Debug)]
struct Node {
    start: u32,
    end: u32,
    idom: u32,
}

impl<'c> Dominators<'c> {
    /// Builds the tree.
    pub fn new(cfg: &Cfg<'c>) -> Dominators<'c> {
        let walk = Walk::new(cfg);
        let idoms = Search::new(&walk).run(cfg, &walk);
        Dominators::from_idoms(cfg.block_count(), &walk.blocks, &idoms)
    }

    /// Lays the tree out. A parent comes before its children in `blocks`, so that two passes over
    /// it do: one for the sizes of subtrees, one for their places.
    fn from_idoms(count: usize, blocks: &[Block], idoms: &[u32]) -> Dominators<'c> {
        let mut sizes = vec![1u32; blocks.len()];
        for number in (1..blocks.len()).rev() {
            sizes[idoms[number] as usize] += sizes[number];
        }
        let mut tree = vec![Block::new(0); blocks.len()];
        let mut nodes = vec![Node { start: NONE, end: 0, idom: NONE }; count];
        let mut free = vec![0u32; blocks.len()];
        for (number, &block) in blocks.iter().enumerate() {
            let idom = idoms[number];
            let start = if idom == NONE { 0 } else { free[idom as usize] };
            if idom != NONE {
                free[idom as usize] += sizes[number];
            }
            free[number] = start + 1;
            tree[start as usize] = block;
            let idom = if idom == NONE { NONE } else { blocks[idom as usize].as_u32() };
            nodes[block.index()] = Node { start, end: start + sizes[number], idom };
        }
        Dominators { tree, nodes, code: PhantomData }
    }

    /// The closest block that dominates `block` and is not `block`; `None` for the entry and for
    /// blocks that can't be reached.
    pub fn idom(&self, block: Block) -> Option<Block> {
        let idom = self.nodes[block.index()].idom;
        (idom != NONE).then(|| Block::from_u32(idom))
    }

    /// Whether every path from the entry to `below` passes `above`, in constant time.
    pub fn dominates(&self, above: Block, below: Block) -> bool {
        let start = self.nodes[below.index()].start;
        let range = &self.nodes[above.index()];
        above == below || (range.start <= start && start < range.end)
    }

    /// Whether `above` dominates `below` and is another block.
    pub fn strictly_dominates(&self, above: Block, below: Block) -> bool {
        above != below && self.dominates(above, below)
    }

    /// Whether the entry reaches the block.
    pub fn is_reachable(&self, block: Block) -> bool {
        self.nodes[block.index()].end > 0
    }

    /// The block with what dominates it, innermost first, the entry last.
    pub fn ancestors(&self, block: Block) -> impl Iterator<Item = Block> {
        std::iter::successors(Some(block), |&block| self.idom(block))
    }

    /// The blocks whose immediate dominator is `block`.
    pub fn children(&self, block: Block) -> impl Iterator<Item = Block> {
        let Node { start, end, .. } = self.nodes[block.index()];
        let mut next = start.saturating_add(1);
        std::iter::from_fn(move || {
            let child = *self.tree[..end as usize].get(next as usize)?;
            next = self.nodes[child.index()].end;
            Some(child)
        })
    }

    /// All that `block` dominates, the block first, then in preorder of the tree; nothing for a
    /// block that can't be reached.
    pub fn dominated(&self, block: Block) -> &[Block] {
        let Node { start, end, .. } = self.nodes[block.index()];
        self.tree.get(start as usize..end as usize).unwrap_or(&[])
    }

    /// The tree in preorder: the reachable blocks, each after its immediate dominator.
    pub fn preorder(&self) -> &[Block] {
        &self.tree
    }
}

/// A depth-first tree. Blocks go by their numbers in its preorder from here on.
struct Walk {
    blocks: Vec<Block>,
    numbers: Vec<u32>,
    parents: Vec<u32>,
}

impl Walk {
    fn new(cfg: &Cfg<'_>) -> Walk {
        let mut walk = Walk {
            blocks: Vec::with_capacity(cfg.block_count()),
            numbers: vec![NONE; cfg.block_count()],
            parents: Vec::with_capacity(cfg.block_count()),
        };
        let roots = Some(cfg.entry()).filter(|_| cfg.block_count() > 0);
        depth_first(cfg, Direction::Forward, roots, |step| {
            if let Step::Enter(block, parent) = step {
                walk.numbers[block.index()] = walk.blocks.len() as u32;
                walk.blocks.push(block);
                walk.parents.push(parent.map_or(NONE, |parent| walk.numbers[parent.index()]));
            }
        });
        walk
    }
}

/// The state of the search, every array by number. Blocks are finished in descending order of
/// their numbers, and a finished block hangs below its parent in a forest.
struct Search {
    vertices: Vec<Vertex>,
    /// The dominator; before that is known, the next of the blocks that wait with this one.
    idoms: Vec<u32>,
    /// Lists of the blocks with a given semidominator that wait for their dominator.
    waiting: Vec<u32>,
    path: Vec<u32>,
}

#[derive(Copy, Clone)]
struct Vertex {
    /// The least semidominator known.
    semi: u32,
    /// The block with the least semidominator from here up to below `ancestor`.
    label: u32,
    /// The parent, or once paths were compressed a block further up.
    ancestor: u32,
}

impl Search {
    fn new(walk: &Walk) -> Search {
        let vertex = |(number, &parent): (usize, &u32)| {
            let number = number as u32;
            Vertex { semi: number, label: number, ancestor: parent }
        };
        Search {
            vertices: walk.parents.iter().enumerate().map(vertex).collect(),
            idoms: vec![NONE; walk.blocks.len()],
            waiting: vec![NONE; walk.blocks.len()],
            path: Vec::new(),
        }
    }

    fn run(mut self, cfg: &Cfg<'_>, walk: &Walk) -> Vec<u32> {
        for number in (1..walk.blocks.len() as u32).rev() {
            self.find_semidominator(number, cfg, walk);
            self.settle_waiting(walk.parents[number as usize], number);
        }
        for number in 1..walk.blocks.len() {
            let idom = self.idoms[number];
            if idom != self.vertices[number].semi {
                self.idoms[number] = self.idoms[idom as usize];
            }
        }
        self.idoms
    }

    fn find_semidominator(&mut self, number: u32, cfg: &Cfg<'_>, walk: &Walk) {
        let mut semi = number;
        for pred in cfg.pred_blocks(walk.blocks[number as usize]) {
            let pred = walk.numbers[pred.index()];
            if pred != NONE {
                let best = self.least(pred, number + 1);
                semi = semi.min(self.vertices[best as usize].semi);
            }
        }
        self.vertices[number as usize].semi = semi;
        self.idoms[number as usize] = self.waiting[semi as usize];
        self.waiting[semi as usize] = number;
    }

    /// Dominators of the blocks whose semidominator is `parent`, when all from `finished` on are
    /// finished. One with a lesser semidominator on its path shares the dominator of that block,
    /// which is filled in at the end.
    fn settle_waiting(&mut self, parent: u32, finished: u32) {
        let mut number = std::mem::replace(&mut self.waiting[parent as usize], NONE);
        while number != NONE {
            let best = self.least(number, finished);
            let lesser = self.vertices[best as usize].semi < self.vertices[number as usize].semi;
            let idom = if lesser { best } else { parent };
            number = std::mem::replace(&mut self.idoms[number as usize], idom);
        }
    }

    /// The block with the least semidominator on the path from `number` up through finished blocks;
    /// `number` itself if it is not finished. Compresses the path.
    fn least(&mut self, number: u32, finished: u32) -> u32 {
        if number < finished {
            return number;
        }
        let mut top = number;
        while self.vertices[top as usize].ancestor >= finished {
            self.path.push(top);
            top = self.vertices[top as usize].ancestor;
        }
        while let Some(below) = self.path.pop() {
            let Vertex { label, ancestor, .. } = self.vertices[top as usize];
            let least = self.vertices[label as usize].semi;
            let own = self.vertices[below as usize].label;
            let improves = least < self.vertices[own as usize].semi;
            let vertex = &mut self.vertices[below as usize];
            vertex.ancestor = ancestor;
            if improves {
                vertex.label = label;
            }
            top = below;
        }
        self.vertices[number as usize].label
    }
}

#[cfg(test)]
mod tests;
