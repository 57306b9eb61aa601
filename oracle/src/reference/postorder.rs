//! Whether a list is a postorder: whether some depth-first search from the entry, free to try the
//! successors of a block in any order, leaves the blocks in that order.
//!
//! A search leaves behind a tree. A list is its postorder iff
//! - each subtree is a stretch of the list that ends with its root, and
//! - each edge that leads to a later place of the list leads to an ancestor: a search does not leave
//!   a block as long as it has a successor that was not yet entered.
//!
//! Read from its end, such a list names parents before children, and what is read next is a child
//! of the block just read or of one of its ancestors. If several of them branch to it, the nearest
//! is as good as any: it leaves the most ancestors for what follows.

use super::graph::Graph;
use backedge_core::ir::Block;
use cranelift_entity::EntityRef;

/// Why `list` is no depth-first postorder of the blocks that the entry reaches; `None` if it is one.
/// Each block is pushed and popped at most once.
pub fn why_no_postorder(graph: &Graph, list: &[Block]) -> Option<WhyNot> {
    let place = match places(graph, list) {
        Ok(place) => place,
        Err(why) => return Some(why),
    };
    let mut ancestors: Vec<Block> = Vec::new();
    for &block in list.iter().rev() {
        let is_parent = |p: Block| graph.edges_out(p).iter().any(|edge| edge.to == block);
        while ancestors.last().is_some_and(|&last| !is_parent(last)) {
            ancestors.pop();
        }
        if ancestors.is_empty() && block.index() != 0 {
            return Some(WhyNot::NotEntered(block));
        }
        for edge in graph.edges_out(block) {
            if place[edge.to.index()] > place[block.index()] && !ancestors.contains(&edge.to) {
                return Some(WhyNot::LeftTooEarly(block, edge.to));
            }
        }
        ancestors.push(block);
    }
    None
}

/// What is wrong with a list.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum WhyNot {
    /// The block is listed twice.
    Twice(Block),
    /// The entry does not reach the block.
    Unreachable(Block),
    /// The entry reaches the block, and it is not listed.
    Absent(Block),
    /// No block that is still open when this one must have been entered branches to it.
    NotEntered(Block),
    /// The first block is left while its successor, the second, was not yet entered.
    LeftTooEarly(Block, Block),
}

/// The place of each block in `list`, which must name what the entry reaches and nothing else.
fn places(graph: &Graph, list: &[Block]) -> Result<Vec<Option<usize>>, WhyNot> {
    let reachable = graph.reachable();
    let mut place = vec![None; graph.block_count()];
    for (position, &block) in list.iter().enumerate() {
        if !reachable[block.index()] {
            return Err(WhyNot::Unreachable(block));
        }
        if place[block.index()].replace(position).is_some() {
            return Err(WhyNot::Twice(block));
        }
    }
    match graph.blocks().find(|b| reachable[b.index()] && place[b.index()].is_none()) {
        Some(block) => Err(WhyNot::Absent(block)),
        None => Ok(place),
    }
}
