//! Big switches: hubs, each with many arms that meet again at the next hub.

use crate::generate::draw::{Draw, scale};
use crate::generate::graph::{Graph, Node};

/// Hubs in a row. An arm goes on to the next hub, falls through to the next arm, goes back to its
/// hub (as in an interpreter's loop), or has no successor; several cases may name one arm.
pub(super) fn wide(draw: &mut Draw, blocks: usize) -> Graph {
    let mut graph = Graph::with_nodes(1);
    let mut hub = 0;
    while graph.len() + 3 <= blocks {
        let room = blocks - graph.len() - 1;
        let arms = 2 + draw.below(room.min(64) - 1);
        let next = switch(&mut graph, draw, hub, arms);
        if !draw.chance(200) {
            return finish(graph, next, blocks);
        }
        hub = next;
    }
    finish(graph, hub, blocks)
}

/// Adds the arms of a hub, and the next hub; returns that.
fn switch(graph: &mut Graph, draw: &mut Draw, hub: Node, arms: usize) -> Node {
    let arm_nodes: Vec<Node> = (0..arms).map(|_| graph.add()).collect();
    let next = graph.add();
    // The default comes first: reached whatever the arms do, so the next hub is reachable.
    graph.edge(hub, next);
    for (index, &arm) in arm_nodes.iter().enumerate() {
        graph.edge(hub, arm);
        let [repeat, goes] = draw.array();
        if repeat > 200 {
            graph.edge(hub, arm_nodes[scale(repeat.wrapping_mul(31), index + 1)]);
        }
        match goes {
            0..120 => graph.edge(arm, next),
            120..160 => graph.edge(arm, arm_nodes.get(index + 1).copied().unwrap_or(next)),
            // The entry gets no predecessors here: that is a feature of its own.
            160..230 => graph.edge(arm, if hub == 0 { next } else { hub }),
            230.. => {}
        }
    }
    next
}

/// Spends the blocks that are left on a path to the end.
fn finish(mut graph: Graph, mut last: Node, blocks: usize) -> Graph {
    let left = blocks - graph.len();
    for _ in 0..left.min(2) {
        let next = graph.add();
        graph.edge(last, next);
        last = next;
    }
    graph
}
