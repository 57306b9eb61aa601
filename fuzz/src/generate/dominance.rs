//! Dominators of a graph that is being generated.
//!
//! The generator must not trust the code that its cases test, so it has these few lines of its own:
//! the iteration of Cooper, Harvey and Kennedy ("A Simple, Fast Dominance Algorithm", 2001). An
//! immediate dominator only ever moves towards the entry, so the iteration ends. Tests hold it
//! against the definition.

use super::graph::{Graph, Node};

/// Which blocks the entry reaches, in what order, and what dominates them.
#[derive(Clone, Debug)]
pub(super) struct Dominance {
    /// The reachable blocks in reverse postorder of one depth-first search.
    pub(super) order: Vec<Node>,
    /// The position of each block in `order`; `None` for a block that can't be reached.
    pub(super) position: Vec<Option<u32>>,
    /// The immediate dominator of each block; `None` for the entry and what can't be reached.
    pub(super) idom: Vec<Option<Node>>,
}

impl Dominance {
    /// Reads the dominators off a graph.
    pub(super) fn of(graph: &Graph) -> Dominance {
        let order = reverse_postorder(graph);
        let mut position = vec![None; graph.len()];
        for (index, &node) in order.iter().enumerate() {
            position[node] = Some(index as u32);
        }
        let preds = reachable_preds(graph, &order, &position);
        let idom = by_position(&preds);
        let node_of = |position: u32| order[position as usize];
        let mut by_node = vec![None; graph.len()];
        for (index, &node) in order.iter().enumerate().skip(1) {
            by_node[node] = Some(node_of(idom[index]));
        }
        Dominance { order, position, idom: by_node }
    }

    /// Whether the entry reaches the block.
    pub(super) fn is_reachable(&self, node: Node) -> bool {
        self.position[node].is_some()
    }

    /// The dominators of a reachable block, itself first, the entry last.
    pub(super) fn dominators(&self, node: Node) -> impl Iterator<Item = Node> {
        std::iter::successors(Some(node), |&node| self.idom[node])
    }
}

fn reverse_postorder(graph: &Graph) -> Vec<Node> {
    let mut seen = vec![false; graph.len()];
    let mut order = Vec::with_capacity(graph.len());
    let mut stack = vec![(0, 0)];
    seen[0] = true;
    while let Some((node, slot)) = stack.last_mut() {
        match graph.succs(*node).get(*slot) {
            None => {
                order.push(*node);
                stack.pop();
            }
            Some(&to) => {
                *slot += 1;
                if !std::mem::replace(&mut seen[to], true) {
                    stack.push((to, 0));
                }
            }
        }
    }
    order.reverse();
    order
}

/// The edges among reachable blocks as (target, source) positions, sorted by target.
fn reachable_preds(graph: &Graph, order: &[Node], position: &[Option<u32>]) -> Vec<(u32, u32)> {
    let mut preds = Vec::with_capacity(graph.edge_count());
    for (index, &node) in order.iter().enumerate() {
        for &to in graph.succs(node) {
            let to = position[to].expect("a successor of a reachable block is reachable");
            preds.push((to, index as u32));
        }
    }
    preds.sort_unstable();
    preds
}

/// Immediate dominators by position in reverse postorder.
fn by_position(preds: &[(u32, u32)]) -> Vec<u32> {
    const NONE: u32 = u32::MAX;
    let count = preds.last().map_or(1, |&(last, _)| last as usize + 1);
    let mut idom = vec![NONE; count];
    idom[0] = 0;
    let mut changed = true;
    while changed {
        changed = false;
        for group in preds.chunk_by(|a, b| a.0 == b.0) {
            let node = group[0].0 as usize;
            if node == 0 {
                continue;
            }
            let known = group.iter().map(|&(_, from)| from).filter(|&f| idom[f as usize] != NONE);
            let new = known.reduce(|a, b| intersect(&idom, a, b)).unwrap_or(NONE);
            changed |= new != idom[node];
            idom[node] = new;
        }
    }
    idom
}

fn intersect(idom: &[u32], mut a: u32, mut b: u32) -> u32 {
    while a != b {
        while a > b {
            a = idom[a as usize];
        }
        while b > a {
            b = idom[b as usize];
        }
    }
    a
}
