//! A graph before it has contents: lists of successors, with hints for what is put in.

use smallvec::SmallVec;

/// A block of a [`Graph`], by number; block 0 is the entry.
pub(super) type Node = usize;

/// What the contents should make of a block's end.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Hint {
    /// Whatever fits the number of successors.
    Any,
    /// Two successors: where a call returns to, and where it unwinds to.
    Try,
    /// A landing pad: a block that ends in `resume` when it has no successor.
    Landing,
}

/// One block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct NodeData {
    /// Successors by slot; a block named twice is two edges.
    pub(super) succs: SmallVec<[Node; 4]>,
    /// The block holds no instruction but its terminator.
    pub(super) empty: bool,
    /// What ends it.
    pub(super) hint: Hint,
}

/// A control-flow graph to be filled. It has at least one block.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Graph {
    /// The blocks; the first is the entry.
    pub(super) nodes: Vec<NodeData>,
}

impl Graph {
    /// A graph of so many blocks and no edges.
    pub(super) fn with_nodes(count: usize) -> Graph {
        let mut graph = Graph { nodes: Vec::with_capacity(count + 8) };
        (0..count).for_each(|_| _ = graph.add());
        graph
    }

    /// A path: every block but the last has the next as its successor.
    pub(super) fn path(count: usize) -> Graph {
        let mut graph = Graph::with_nodes(count);
        (1..count).for_each(|to| graph.edge(to - 1, to));
        graph
    }

    /// Adds a block without edges.
    pub(super) fn add(&mut self) -> Node {
        self.nodes.push(NodeData { succs: SmallVec::new(), empty: false, hint: Hint::Any });
        self.nodes.len() - 1
    }

    /// Adds an edge in a new slot, the last.
    pub(super) fn edge(&mut self, from: Node, to: Node) {
        self.nodes[from].succs.push(to);
    }

    /// Adds an edge unless there is one already between the two.
    pub(super) fn edge_once(&mut self, from: Node, to: Node) {
        if !self.succs(from).contains(&to) {
            self.edge(from, to);
        }
    }

    /// Puts `middle`, which has no edges yet, on the edge in `slot` of `from`.
    pub(super) fn split(&mut self, from: Node, slot: usize, middle: Node) {
        let to = std::mem::replace(&mut self.nodes[from].succs[slot], middle);
        self.edge(middle, to);
    }

    /// How many blocks there are.
    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// How many edges there are.
    pub(super) fn edge_count(&self) -> usize {
        self.nodes.iter().map(|node| node.succs.len()).sum()
    }

    /// The successors of a block, by slot.
    pub(super) fn succs(&self, node: Node) -> &[Node] {
        &self.nodes[node].succs
    }

    /// How many edges enter each block.
    pub(super) fn in_degrees(&self) -> Vec<u32> {
        let mut degrees = vec![0; self.len()];
        for &to in self.nodes.iter().flat_map(|node| &node.succs) {
            degrees[to] += 1;
        }
        degrees
    }
}
