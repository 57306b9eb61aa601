//! Random edges over a spine: a path through all blocks, so that each can be reached.
//!
//! Random edges never go to the entry, to their own block or twice to one block. Entry loops,
//! self-loops and parallel edges are features, each with a switch of its own.

use crate::generate::draw::{Draw, scale};
use crate::generate::graph::{Graph, Node};

/// A third of the blocks fall through, most others branch, some switch.
pub(super) fn goto(draw: &mut Draw, blocks: usize) -> Graph {
    let mut graph = Graph::path(blocks);
    for from in 0..blocks {
        let [kind, targets @ ..] = draw.array::<4>();
        let extra = match kind {
            0..90 => 0,
            90..220 => 1,
            220.. => 3,
        };
        add_edges(&mut graph, from, &targets[..extra]);
    }
    graph
}

/// Every block has two to eight successors, as far as there are blocks.
pub(super) fn dense(draw: &mut Draw, blocks: usize) -> Graph {
    let mut graph = Graph::path(blocks);
    for from in 0..blocks.saturating_sub(1) {
        let [kind, targets @ ..] = draw.array::<12>();
        let extra = 4 + scale(kind, 8);
        add_edges(&mut graph, from, &targets[..extra]);
        let others = (1..blocks).filter(|&to| to != from);
        for to in others.take(3) {
            if graph.succs(from).len() < 2 {
                graph.edge_once(from, to);
            }
        }
    }
    graph
}

/// Every block has a successor.
pub(super) fn loops_only(draw: &mut Draw, blocks: usize) -> Graph {
    let mut graph = goto(draw, blocks);
    let last = blocks - 1;
    if graph.succs(last).is_empty() {
        // The last block of a path of one or two can go back to nothing but itself.
        let back = if blocks > 2 { 1 + draw.below(blocks - 2) } else { last };
        graph.edge(last, back);
    }
    graph
}

/// Adds an edge for each byte, as the module's head says; one that may not be is left out.
fn add_edges(graph: &mut Graph, from: Node, targets: &[u8]) {
    for &byte in targets {
        if let Some(to) = other_target(graph.len(), from, byte) {
            graph.edge_once(from, to);
        }
    }
}

/// The block that a byte names: neither the entry nor `from`, near to `from` in graphs of more
/// blocks than a byte can name.
fn other_target(blocks: usize, from: Node, byte: u8) -> Option<Node> {
    let window = blocks.min(256);
    let start = from.saturating_sub(window / 2).min(blocks - window);
    let to = start + scale(byte, window);
    (to != 0 && to != from).then_some(to)
}
