//! The edges of a function, what the entry reaches, and what reaches an exit.

use backedge_core::ir::{Block, Function};
use cranelift_entity::EntityRef;

/// One successor slot of one terminator.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct GraphEdge {
    /// Where it starts.
    pub from: Block,
    /// Which successor of `from` it is.
    pub slot: usize,
    /// Where it ends.
    pub to: Block,
}

/// The edges of a function, by source and slot.
#[derive(Clone, Debug)]
pub struct Graph {
    edges: Vec<GraphEdge>,
    /// The edges out of block `b` are numbered from `first_out[b]` to `first_out[b + 1]`.
    first_out: Vec<usize>,
    /// The edges into each block.
    into: Vec<Vec<usize>>,
}

impl Graph {
    /// Reads the edges off the terminators.
    pub fn new(function: &Function) -> Graph {
        let mut edges = Vec::new();
        let mut first_out = vec![0];
        let mut into = vec![Vec::new(); function.blocks.len()];
        for (from, data) in &function.blocks {
            let mut slot = 0;
            data.term.kind.for_each_target(|target| {
                into[target.block.index()].push(edges.len());
                edges.push(GraphEdge { from, slot, to: target.block });
                slot += 1;
            });
            first_out.push(edges.len());
        }
        Graph { edges, first_out, into }
    }

    /// How many blocks there are.
    pub fn block_count(&self) -> usize {
        self.into.len()
    }

    /// All blocks, by number.
    pub fn blocks(&self) -> impl Iterator<Item = Block> + use<> {
        (0..self.block_count()).map(Block::new)
    }

    /// All edges, by source and slot.
    pub fn edges(&self) -> &[GraphEdge] {
        &self.edges
    }

    /// The edges out of a block, by slot.
    pub fn edges_out(&self, block: Block) -> &[GraphEdge] {
        &self.edges[self.first_out[block.index()]..self.first_out[block.index() + 1]]
    }

    /// The edges into a block, by source and slot.
    pub fn edges_in(&self, block: Block) -> impl Iterator<Item = &GraphEdge> {
        self.edges_in_numbered(block).map(|edge| &self.edges[edge])
    }

    /// The positions in [`Graph::edges`] of the edges into a block.
    pub fn edges_in_numbered(&self, block: Block) -> impl Iterator<Item = usize> {
        self.into[block.index()].iter().copied()
    }

    /// The position in [`Graph::edges`] of the edge out of `block` in `slot`, if there is one.
    pub fn edge_number(&self, block: Block, slot: usize) -> Option<usize> {
        (slot < self.edges_out(block).len()).then(|| self.first_out[block.index()] + slot)
    }

    /// By block: whether some path leads to it from the entry.
    pub fn reachable(&self) -> Vec<bool> {
        self.reachable_without(None)
    }

    /// By block: whether some path leads to it from the entry that does not pass `deleted`.
    pub fn reachable_without(&self, deleted: Option<Block>) -> Vec<bool> {
        let starts = self.blocks().take(1).filter(|&entry| Some(entry) != deleted);
        self.flood(starts, |block, visit| {
            for edge in self.edges_out(block).iter().filter(|edge| Some(edge.to) != deleted) {
                visit(edge.to);
            }
        })
    }

    /// By block: whether some path leads from it to a block without successors (`return`, `resume`,
    /// `enter`, `unreachable`).
    pub fn can_exit(&self) -> Vec<bool> {
        let exits = self.blocks().filter(|&block| self.edges_out(block).is_empty());
        self.flood(exits, |block, visit| {
            self.edges_in(block).for_each(|edge| visit(edge.from));
        })
    }

    /// Whether control can get to a block from which no path leaves the function.
    pub fn never_returns(&self) -> bool {
        self.reachable().into_iter().zip(self.can_exit()).any(|(reached, exits)| reached && !exits)
    }

    /// Marks `starts` and all that `neighbors` leads to from there. Each block is put on the stack
    /// at most once, so it ends.
    pub(super) fn flood(
        &self,
        starts: impl Iterator<Item = Block>,
        neighbors: impl Fn(Block, &mut dyn FnMut(Block)),
    ) -> Vec<bool> {
        let mut marked = vec![false; self.block_count()];
        let mut stack = Vec::with_capacity(self.block_count());
        let mut mark = |block: Block, stack: &mut Vec<Block>| {
            if !std::mem::replace(&mut marked[block.index()], true) {
                stack.push(block);
            }
        };
        starts.for_each(|block| mark(block, &mut stack));
        while let Some(block) = stack.pop() {
            neighbors(block, &mut |next| mark(next, &mut stack));
        }
        marked
    }
}

/// The kinds of graph that reports count apart. Both can hold of one graph.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct GraphKind {
    /// The part that the entry reaches is reducible.
    pub reducible: bool,
    /// Control can get to a block from which no path leaves the function.
    pub never_returns: bool,
}

impl GraphKind {
    /// The kind of a function's graph.
    pub fn of(function: &Function) -> GraphKind {
        let graph = Graph::new(function);
        GraphKind {
            reducible: super::reducible::is_reducible(&graph),
            never_returns: graph.never_returns(),
        }
    }
}
