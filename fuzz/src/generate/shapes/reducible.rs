//! A random graph whose retreating edges are turned into back edges.
//!
//! An edge that retreats in a depth-first search to a block that does not dominate its source makes
//! a graph irreducible. Each such edge is led to a dominator of its source instead. That is an
//! ancestor in the search's tree, so the tree stays a tree of the new graph; removing an edge breaks
//! no dominance, and an edge to a dominator of its source breaks none. So one pass suffices.

use super::random;
use crate::generate::dominance::Dominance;
use crate::generate::draw::Draw;
use crate::generate::graph::{Graph, Node};

/// A random graph, repaired.
pub(super) fn reducible(draw: &mut Draw, blocks: usize) -> Graph {
    let mut graph = random::goto(draw, blocks);
    let dominance = Dominance::of(&graph);
    for from in 0..graph.len() {
        for slot in 0..graph.succs(from).len() {
            let to = graph.succs(from)[slot];
            let retreats = dominance.position[to] <= dominance.position[from];
            if retreats && dominance.dominators(from).all(|node| node != to) {
                let steps = 1 + draw.below(3);
                let target = header(&dominance, from, steps);
                graph.nodes[from].succs[slot] = target;
            }
        }
        drop_repeats(&mut graph, from);
    }
    graph
}

/// The dominator of `from` so many steps up, but not the entry if that can be helped: a loop on the
/// entry is a feature of its own.
fn header(dominance: &Dominance, from: Node, steps: usize) -> Node {
    let inner = dominance.dominators(from).take_while(|&node| node != 0);
    inner.take(steps + 1).last().unwrap_or(from)
}

/// Leaves one edge to each target. The spine's edge comes first, so everything stays reachable.
fn drop_repeats(graph: &mut Graph, from: Node) {
    let succs = std::mem::take(&mut graph.nodes[from].succs);
    succs.into_iter().for_each(|to| graph.edge_once(from, to));
}
