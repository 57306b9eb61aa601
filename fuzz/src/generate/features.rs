//! What real bugs hang on, added to a graph of any shape.
//!
//! Each feature is a switch of its own. A case draws which are on (swarm testing: a case with a few
//! features finds what a case with all of them hides), and each that is on is applied at least once
//! where the graph has room and an edge to apply it to. None takes away what makes a shape: a
//! feature that could is not allowed with it.

use super::draw::{Draw, scale};
use super::graph::{Graph, Node};
use super::shape::Shape;

/// Something that a graph can have besides its shape.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Feature {
    /// Blocks that nothing reaches.
    UnreachableBlocks,
    /// Blocks that nothing reaches, and that go to one that is reached.
    UnreachablePreds,
    /// Blocks without instructions.
    EmptyBlocks,
    /// Blocks that go to themselves, loop headers among them.
    SelfLoops,
    /// Parallel edges: two slots of a terminator with one target.
    MultiEdges,
    /// Edges from a block with several successors to one with several predecessors.
    CriticalEdges,
    /// Several blocks that leave the function.
    Exits,
    /// An entry with predecessors.
    EntryLoop,
    /// Loops that nothing leaves.
    EndlessLoops,
    /// A path of as many blocks as there is room for. Rare.
    DeepChain,
    /// Edges from anywhere to anywhere.
    CrossEdges,
}

impl Feature {
    /// Every feature, in the order in which they are applied.
    pub const ALL: [Feature; 11] = {
        use Feature::*;
        [
            UnreachableBlocks,
            UnreachablePreds,
            EmptyBlocks,
            SelfLoops,
            MultiEdges,
            CriticalEdges,
            Exits,
            EntryLoop,
            EndlessLoops,
            DeepChain,
            CrossEdges,
        ]
    };

    /// What reports call it.
    pub fn name(self) -> &'static str {
        match self {
            Feature::UnreachableBlocks => "unreachable-blocks",
            Feature::UnreachablePreds => "unreachable-preds",
            Feature::EmptyBlocks => "empty-blocks",
            Feature::SelfLoops => "self-loops",
            Feature::MultiEdges => "multi-edges",
            Feature::CriticalEdges => "critical-edges",
            Feature::Exits => "exits",
            Feature::EntryLoop => "entry-loop",
            Feature::EndlessLoops => "endless-loops",
            Feature::DeepChain => "deep-chain",
            Feature::CrossEdges => "cross-edges",
        }
    }

    /// Whether graphs of the shape keep what makes them one when this is added.
    pub fn fits(self, shape: Shape) -> bool {
        match (shape, self) {
            (Shape::Tiny, _) => false,
            (Shape::LoopsOnly, feature) => feature != Feature::Exits,
            (
                Shape::Structured | Shape::Reducible | Shape::Nest | Shape::Chain,
                Feature::CrossEdges,
            ) => false,
            _ => true,
        }
    }
}

/// A set of features.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Features(u16);

impl Features {
    /// The set of those for which `keep` holds.
    pub fn filter(keep: impl Fn(Feature) -> bool) -> Features {
        let bits = Feature::ALL.into_iter().filter(|&feature| keep(feature));
        Features(bits.fold(0, |set, feature| set | 1 << feature as u16))
    }

    /// Whether the feature is in the set.
    pub fn contains(self, feature: Feature) -> bool {
        self.0 >> feature as u16 & 1 == 1
    }

    /// Draws a set for a shape: one in four of the features, in every other case one in eight.
    pub(super) fn draw(draw: &mut Draw, shape: Shape) -> Features {
        let [a, b, c] = [(); 3].map(|()| u16::from_le_bytes(draw.array()));
        let [rare, sparse] = draw.array();
        let drawn = if sparse < 128 { a & b & c } else { a & b };
        let on = Features(drawn);
        Features::filter(|feature| {
            let is_rare = feature == Feature::DeepChain && rare < 224;
            on.contains(feature) && feature.fits(shape) && !is_rare
        })
    }
}

/// Adds the features to a graph, which keeps at most `most` blocks.
pub(super) fn apply(
    graph: &mut Graph,
    features: Features,
    shape: Shape,
    draw: &mut Draw,
    most: usize,
) {
    let mut edit = Edit { graph, shape, most, reachable: 0 };
    edit.reachable = edit.graph.len();
    for feature in Feature::ALL.into_iter().filter(|&feature| features.contains(feature)) {
        let bytes = draw.array();
        match feature {
            Feature::UnreachableBlocks => edit.unreachable_blocks(bytes),
            Feature::UnreachablePreds => edit.unreachable_preds(bytes),
            Feature::EmptyBlocks => edit.empty_blocks(bytes),
            Feature::SelfLoops => edit.self_loops(bytes),
            Feature::MultiEdges => edit.multi_edges(bytes),
            Feature::CriticalEdges => edit.critical_edges(bytes),
            Feature::Exits => edit.exits(bytes),
            Feature::EntryLoop => edit.entry_loop(bytes),
            Feature::EndlessLoops => edit.endless_loops(bytes),
            Feature::DeepChain => edit.deep_chain(bytes),
            Feature::CrossEdges => edit.cross_edges(bytes),
        }
    }
}

/// What every feature draws: how many times, and a byte or two for each time.
type Bytes = [u8; 8];

/// One to three.
fn times(bytes: Bytes) -> usize {
    1 + scale(bytes[7], 3)
}

struct Edit<'g> {
    graph: &'g mut Graph,
    shape: Shape,
    most: usize,
    /// The blocks below this are reachable: those of the shape, which come first.
    reachable: usize,
}

impl Edit<'_> {
    fn add(&mut self) -> Option<Node> {
        (self.graph.len() < self.most).then(|| self.graph.add())
    }

    /// A block of the shape.
    fn node(&self, byte: u8) -> Node {
        scale(byte, self.reachable)
    }

    /// A block that has successors, so that one more keeps the function's exits. Looks on from the
    /// block that the byte names; that block itself if there is no other.
    fn inner_node(&self, byte: u8) -> Node {
        let start = self.node(byte);
        let after = (start..self.reachable).chain(0..start).take(64);
        after.into_iter().find(|&node| !self.graph.succs(node).is_empty()).unwrap_or(start)
    }

    /// An edge out of a block of the shape, if it has any near the block that the byte names.
    fn edge(&self, byte: u8, slot: u8) -> Option<(Node, usize)> {
        let from = self.inner_node(byte);
        let slots = self.graph.succs(from).len();
        (slots > 0).then(|| (from, scale(slot, slots)))
    }

    fn unreachable_blocks(&mut self, bytes: Bytes) {
        let first = self.graph.len();
        for &byte in &bytes[..times(bytes)] {
            let Some(node) = self.add() else { return };
            let known = self.graph.len() - first;
            match byte {
                0..80 if self.shape != Shape::LoopsOnly => {}
                80..120 if node > first => self.graph.edge(node - 1, node),
                _ => self.graph.edge(node, first + scale(byte << 2, known)),
            }
        }
        // An added block that another was made to follow may still have no successor.
        if self.shape == Shape::LoopsOnly {
            for node in first..self.graph.len() {
                if self.graph.succs(node).is_empty() {
                    self.graph.edge(node, node);
                }
            }
        }
    }

    fn unreachable_preds(&mut self, bytes: Bytes) {
        for &byte in &bytes[..times(bytes)] {
            let target = self.node(byte);
            let Some(node) = self.add() else { return };
            self.graph.edge(node, target);
        }
    }

    fn empty_blocks(&mut self, bytes: Bytes) {
        for index in 0..times(bytes) {
            let [byte, slot] = [bytes[2 * index], bytes[2 * index + 1]];
            if slot & 1 == 0 {
                // Not the entry: cases that can be run may have to assign something there.
                let node = self.node(byte).max(1).min(self.reachable - 1);
                self.graph.nodes[node].empty = true;
            } else if let Some((from, slot)) = self.edge(byte, slot)
                && let Some(node) = self.add()
            {
                self.graph.split(from, slot, node);
                self.graph.nodes[node].empty = true;
            }
        }
        if self.graph.nodes.iter().all(|node| !node.empty) {
            self.graph.nodes[1.min(self.reachable - 1)].empty = true;
        }
    }

    fn self_loops(&mut self, bytes: Bytes) {
        let in_degrees = self.graph.in_degrees();
        for &byte in &bytes[..times(bytes)] {
            let mut node = self.inner_node(byte);
            if byte & 1 == 0 {
                let joins = (node..self.reachable).take(64).filter(|&join| in_degrees[join] > 1);
                node = joins.into_iter().next().unwrap_or(node);
            }
            self.graph.edge_once(node, node);
        }
    }

    fn multi_edges(&mut self, bytes: Bytes) {
        for index in 0..times(bytes) {
            if let Some((from, slot)) = self.edge(bytes[2 * index], bytes[2 * index + 1]) {
                let to = self.graph.succs(from)[slot];
                self.graph.edge(from, to);
            }
        }
    }

    /// Adds a detour to an edge: the edge becomes critical.
    fn critical_edges(&mut self, bytes: Bytes) {
        for index in 0..times(bytes) {
            if let Some((from, slot)) = self.edge(bytes[2 * index], bytes[2 * index + 1])
                && let Some(detour) = self.add()
            {
                let to = self.graph.succs(from)[slot];
                self.graph.edge(from, detour);
                self.graph.edge(detour, to);
            }
        }
    }

    fn exits(&mut self, bytes: Bytes) {
        let has_exit = self.graph.nodes.iter().any(|node| node.succs.is_empty());
        for &byte in &bytes[..times(bytes) + usize::from(!has_exit)] {
            let from = self.inner_node(byte);
            let Some(exit) = self.add() else { return };
            self.graph.edge(from, exit);
        }
    }

    fn entry_loop(&mut self, bytes: Bytes) {
        let from = self.inner_node(bytes[0]);
        self.graph.edge_once(from, 0);
    }

    fn endless_loops(&mut self, bytes: Bytes) {
        let from = self.inner_node(bytes[0]);
        let length = times(bytes).min(self.most - self.graph.len());
        let first = self.graph.len();
        for node in first..first + length {
            self.graph.add();
            self.graph.edge(if node == first { from } else { node - 1 }, node);
        }
        if length > 0 {
            self.graph.edge(first + length - 1, first + scale(bytes[1], length));
        }
    }

    /// Puts a path on an edge. Most of its blocks are empty.
    fn deep_chain(&mut self, bytes: Bytes) {
        let Some((mut from, mut slot)) = self.edge(bytes[0], bytes[1]) else { return };
        let period = 1 + scale(bytes[2], 16);
        while let Some(node) = self.add() {
            self.graph.split(from, slot, node);
            self.graph.nodes[node].empty = node % period != 0;
            (from, slot) = (node, 0);
        }
    }

    fn cross_edges(&mut self, bytes: Bytes) {
        for index in 0..times(bytes) {
            let from = self.inner_node(bytes[2 * index]);
            let to = self.node(bytes[2 * index + 1]);
            if to != 0 && to != from {
                self.graph.edge_once(from, to);
            }
        }
    }
}
