//! Shapes that are drawn on a raster: two rails with rungs, and a grid.

use crate::generate::draw::{Draw, scale};
use crate::generate::graph::{Graph, Node};

/// Two rails with a rung at every step: from left to right, from right to left, both or none; at the
/// ends from left to right. The blocks of a step are `2 * step` and `2 * step + 1`.
pub(super) fn ladder(draw: &mut Draw, blocks: usize) -> Graph {
    let steps = blocks / 2;
    if steps < 2 {
        return Graph::path(blocks);
    }
    let mut graph = Graph::with_nodes(2 * steps);
    graph.edge(0, 1);
    for step in 0..steps {
        let (left, right) = (2 * step, 2 * step + 1);
        if step + 1 < steps {
            graph.edge(left, left + 2);
            graph.edge(right, right + 2);
        }
        match step {
            0 => {}
            _ if step + 1 == steps => graph.edge(left, right),
            _ => rung(&mut graph, left, right, draw.byte()),
        }
    }
    graph
}

fn rung(graph: &mut Graph, left: Node, right: Node, kind: u8) {
    if matches!(kind, 0..100 | 200..230) {
        graph.edge(left, right);
    }
    if matches!(kind, 100..230) {
        graph.edge(right, left);
    }
}

/// A grid: every block goes right and down. Some rows and columns close to loops.
pub(super) fn mesh(draw: &mut Draw, blocks: usize) -> Graph {
    let [width, ..] = draw.array::<1>();
    let widest = (blocks / 2).clamp(1, 256);
    let width = if widest < 2 { 1 } else { 2 + scale(width, widest - 1) };
    let rows = blocks / width;
    let mut graph = Graph::with_nodes(rows * width);
    for row in 0..rows {
        let start = row * width;
        for column in 0..width {
            let node = start + column;
            if column + 1 < width {
                graph.edge(node, node + 1);
            } else if row > 0 && width > 1 && draw.chance(32) {
                graph.edge(node, start);
            }
            if row + 1 < rows {
                graph.edge(node, node + width);
            } else if column > 0 && rows > 1 && draw.chance(16) {
                graph.edge(node, column);
            }
        }
    }
    graph
}
