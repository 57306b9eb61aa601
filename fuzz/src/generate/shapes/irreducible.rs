//! A cycle with two ways in, somewhere in a random graph.
//!
//! No block of the cycle dominates the others, and no further edge can change that. So the graph
//! stays irreducible whatever is added later.

use super::random;
use crate::generate::draw::{Draw, scale};
use crate::generate::graph::{Graph, Node};

/// A random graph with at least one such cycle; a random graph if there are fewer than 4 blocks.
pub(super) fn irreducible(draw: &mut Draw, blocks: usize) -> Graph {
    let [size, at, kind] = draw.array();
    let longest = blocks.saturating_sub(2).min(6);
    if longest < 2 {
        return random::goto(draw, blocks);
    }
    let cycle = 2 + scale(size, longest - 1);
    // One block is left for a way out of the cycle.
    let mut graph = random::goto(draw, blocks - cycle - 1);
    let from = scale(at, graph.len());
    let nodes: Vec<Node> = (0..cycle).map(|_| graph.add()).collect();
    connect(&mut graph, &nodes, kind);
    enter(&mut graph, from, &nodes);
    graph
}

/// Makes the cycle. `kind` says where else its blocks go, two bits a choice.
fn connect(graph: &mut Graph, nodes: &[Node], kind: u8) {
    for (index, &node) in nodes.iter().enumerate() {
        graph.edge(node, nodes[(index + 1) % nodes.len()]);
        match kind.rotate_right(2 * index as u32) & 3 {
            1 if index > 0 => graph.edge_once(node, nodes[index - 1]),
            2 if index > 1 => graph.edge_once(node, nodes[index / 2]),
            _ => {}
        }
    }
}

/// Leads `from` into the cycle at its first and at a middle block. The first successor of `from`
/// becomes the way out, so that what follows stays reachable.
fn enter(graph: &mut Graph, from: Node, nodes: &[Node]) {
    let after = graph.succs(from).first().copied();
    graph.nodes[from].succs.retain(|&mut to| Some(to) != after);
    graph.edge(from, nodes[0]);
    graph.edge(from, nodes[nodes.len() / 2]);
    let exit = after.unwrap_or_else(|| graph.add());
    graph.edge(nodes[nodes.len() - 1], exit);
}
