//! The interference graph: who can't share a color with whom.

use super::nodes::{Node, Nodes};
use crate::regalloc::lifetimes::{Position, Range};
use rustc_hash::FxHashSet;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Nodes below `colors` are the colors. Those have no list of neighbors, which would be long.
pub(super) struct Graph {
    colors: usize,
    pairs: FxHashSet<(Node, Node)>,
    /// By node; each neighbor once.
    pub(super) neighbors: Vec<Vec<Node>>,
}

impl Graph {
    /// Two nodes interfere if their ranges overlap. A sweep over the ranges by start meets each pair
    /// that overlaps.
    pub(super) fn new(nodes: &Nodes<'_>) -> Graph {
        let mut graph = Graph {
            colors: nodes.colors.len(),
            pairs: FxHashSet::default(),
            neighbors: vec![Vec::new(); nodes.data.len()],
        };
        let mut ranges: Vec<(Range, Node)> = nodes.ranges.clone();
        ranges.sort_unstable_by_key(|&(range, node)| (range.start, range.end, node));
        let mut active: Active = Active::default();
        for (range, node) in ranges {
            active.begin(range, node, |other| {
                graph.add(node, other);
            });
        }
        graph
    }

    /// Adds an edge; whether it is new. Two colors are told apart without.
    pub(super) fn add(&mut self, a: Node, b: Node) -> bool {
        let is_color = |node: Node| (node as usize) < self.colors;
        if a == b || is_color(a) && is_color(b) || !self.pairs.insert((a.min(b), a.max(b))) {
            return false;
        }
        for (node, other) in [(a, b), (b, a)] {
            if !is_color(node) {
                self.neighbors[node as usize].push(other);
            }
        }
        true
    }

    pub(super) fn contains(&self, a: Node, b: Node) -> bool {
        self.pairs.contains(&(a.min(b), a.max(b)))
    }
}

/// Ranges that the sweep is within.
#[derive(Default)]
struct Active {
    nodes: Vec<Node>,
    /// By node: where it is in `nodes`.
    places: rustc_hash::FxHashMap<Node, usize>,
    ends: BinaryHeap<Reverse<(Position, Node)>>,
}

impl Active {
    /// Ends what is over by then, and meets the others.
    fn begin(&mut self, range: Range, node: Node, meet: impl FnMut(Node)) {
        while let Some(&Reverse((end, over))) = self.ends.peek()
            && end <= range.start
        {
            self.ends.pop();
            if let Some(place) = self.places.remove(&over) {
                self.nodes.swap_remove(place);
                if let Some(&moved) = self.nodes.get(place) {
                    self.places.insert(moved, place);
                }
            }
        }
        self.nodes.iter().copied().for_each(meet);
        // Ranges of one node are apart, so that it is not there yet.
        self.places.insert(node, self.nodes.len());
        self.nodes.push(node);
        self.ends.push(Reverse((range.end, node)));
    }
}
