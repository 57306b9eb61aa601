//! Reducibility by T1 and T2: T1 removes an edge from a block to itself, T2 merges a block that has
//! exactly one predecessor into it. A graph is reducible iff nothing but the entry is left when
//! neither applies any more. The order of the steps does not matter.

use super::graph::Graph;
use backedge_core::ir::Block;
use cranelift_entity::EntityRef;

/// How many blocks of the collapsed graph branch to a block, itself left out (which is T1).
#[derive(Copy, Clone, PartialEq)]
enum Preds {
    None,
    One(Block),
    Many,
}

/// Whether the part that the entry reaches is reducible. Each round merges at least one block, so
/// it ends.
pub fn is_reducible(graph: &Graph) -> bool {
    let reachable = graph.reachable();
    // The block that each block has been merged into, so far.
    let mut merged: Vec<Block> = graph.blocks().collect();
    loop {
        let preds = predecessors(graph, &reachable, &merged);
        let is_left = |block: &Block| merged[block.index()] == *block && reachable[block.index()];
        let mut left = graph.blocks().skip(1).filter(is_left).peekable();
        if left.peek().is_none() {
            return true;
        }
        let candidate = left.find_map(|block| match preds[block.index()] {
            Preds::One(pred) => Some((block, pred)),
            Preds::None | Preds::Many => None,
        });
        let Some((block, pred)) = candidate else { return false };
        merged.iter_mut().filter(|into| **into == block).for_each(|into| *into = pred);
    }
}

/// The predecessors of each block of the collapsed graph.
fn predecessors(graph: &Graph, reachable: &[bool], merged: &[Block]) -> Vec<Preds> {
    let mut preds = vec![Preds::None; graph.block_count()];
    for edge in graph.edges().iter().filter(|edge| reachable[edge.from.index()]) {
        let (from, to) = (merged[edge.from.index()], merged[edge.to.index()]);
        let known = &mut preds[to.index()];
        if from != to {
            *known = match *known {
                Preds::None => Preds::One(from),
                Preds::One(other) if other == from => Preds::One(from),
                Preds::One(_) | Preds::Many => Preds::Many,
            };
        }
    }
    preds
}
