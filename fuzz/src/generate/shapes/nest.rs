//! Deep loops: each the body of the next, left and continued from within.
//!
//! Loop `i` is the blocks from its header `i + 1` to its latch. A `while` loop is left by its header,
//! a `do` loop by its latch. Jumps go from anywhere in a loop to the headers, latches and exits of
//! the loops around it, so every loop keeps one way in: the graph is reducible.

use crate::generate::draw::{Draw, scale};
use crate::generate::graph::{Graph, Node};

/// As deep as so many blocks allow: two blocks a loop, besides an entry and an exit.
pub(super) fn nest(draw: &mut Draw, blocks: usize) -> Graph {
    let depth = blocks.saturating_sub(2) / 2;
    if depth == 0 {
        return Graph::path(blocks);
    }
    let nest = Nest { depth };
    let mut graph = Graph::with_nodes(2 * depth + 2);
    graph.edge(0, 1);
    for level in 0..depth {
        let [kind, jump, to] = draw.array();
        nest.make_loop(&mut graph, level, kind & 1 == 0);
        nest.jump_out(&mut graph, level, jump, to);
    }
    graph
}

struct Nest {
    depth: usize,
}

impl Nest {
    fn header(&self, level: usize) -> Node {
        level + 1
    }

    fn latch(&self, level: usize) -> Node {
        2 * self.depth - level
    }

    /// Where control goes on after the loop.
    fn after(&self, level: usize) -> Node {
        if level == 0 { 2 * self.depth + 1 } else { self.latch(level - 1) }
    }

    fn make_loop(&self, graph: &mut Graph, level: usize, is_while: bool) {
        let (header, latch) = (self.header(level), self.latch(level));
        let body = if level + 1 == self.depth { latch } else { self.header(level + 1) };
        graph.edge(header, body);
        graph.edge(latch, header);
        graph.edge(if is_while { header } else { latch }, self.after(level));
    }

    /// Adds a `continue` or `break` of an outer loop, from the header or the latch.
    fn jump_out(&self, graph: &mut Graph, level: usize, jump: u8, to: u8) {
        let from = if jump & 1 == 0 { self.header(level) } else { self.latch(level) };
        let outer = scale(to, level + 1);
        let target = match jump >> 1 {
            0..60 => return,
            60..90 => self.header(outer),
            90..110 => self.after(outer),
            110.. => self.latch(outer),
        };
        // A self-loop is a feature of its own.
        if target != from {
            graph.edge_once(from, target);
        }
    }
}
