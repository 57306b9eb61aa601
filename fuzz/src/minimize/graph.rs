//! Orders of a function's blocks.

use backedge_core::cfg::Cfg;
use backedge_core::ir::{Block, Function};
use cranelift_entity::EntityRef;

/// Blocks as a depth-first search meets them, then those it does not reach, in the order of the text.
/// What only a block leads to stands near behind it, so ranges of this order are much like
/// regions.
pub(super) fn preorder(function: &Function) -> Vec<Block> {
    search(function).0
}

/// Blocks in reverse postorder, then those that the entry does not reach, in the order of the text.
pub(super) fn reverse_postorder(function: &Function) -> Vec<Block> {
    search(function).1
}

/// Both orders, from one depth-first search.
fn search(function: &Function) -> (Vec<Block>, Vec<Block>) {
    if function.blocks.is_empty() {
        return Default::default();
    }
    let cfg = Cfg::build(function);
    let mut seen = vec![false; function.blocks.len()];
    let (mut preorder, mut postorder) = (vec![cfg.entry()], Vec::new());
    let mut stack = vec![(cfg.entry(), cfg.succs(cfg.entry()))];
    seen[cfg.entry().index()] = true;
    while let Some((block, succs)) = stack.last_mut() {
        let Some(edge) = succs.next() else {
            postorder.push(*block);
            stack.pop();
            continue;
        };
        let to = cfg.edge(edge).to;
        if !std::mem::replace(&mut seen[to.index()], true) {
            preorder.push(to);
            stack.push((to, cfg.succs(to)));
        }
    }
    postorder.reverse();
    let unreachable: Vec<Block> = cfg.blocks().filter(|block| !seen[block.index()]).collect();
    preorder.extend(&unreachable);
    postorder.extend(unreachable);
    (preorder, postorder)
}
