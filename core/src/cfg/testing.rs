//! Bare graphs for tests, and definitions that are read off a graph naively.

use super::{Cfg, Code, Values};
use crate::entity::{Block, Value};
use cranelift_entity::EntityRef;
use proptest::prelude::*;
use std::collections::BTreeSet;

/// Blocks by number, each with its successors.
#[derive(Clone, Debug)]
pub(crate) struct Graph(pub(crate) Vec<Vec<usize>>);

impl Code for Graph {
    fn block_count(&self) -> usize {
        self.0.len()
    }

    fn block_name(&self, _: Block) -> &str {
        ""
    }

    fn inst_count(&self, _: Block) -> usize {
        1
    }

    fn successors(&self, block: Block, mut visit: impl FnMut(Block)) {
        self.0[block.index()].iter().for_each(|&to| visit(Block::new(to)));
    }
}

/// No block reads or writes anything; block `b` has the phi `b`.
impl Values for Graph {
    fn value_count(&self) -> usize {
        self.0.len()
    }
    fn uses(&self, _: Block, _: usize, _: impl FnMut(Value)) {}
    fn defs(&self, _: Block, _: usize, _: impl FnMut(Value)) {}
    fn phi_defs(&self, block: Block, mut visit: impl FnMut(Value)) {
        visit(Value::new(block.index()));
    }
    fn edge_uses(&self, _: Block, _: usize, _: impl FnMut(Value)) {}
    fn edge_defs(&self, _: Block, _: usize, _: impl FnMut(Value)) {}
    fn is_call(&self, _: Block, _: usize) -> bool {
        false
    }
}

pub(crate) fn graph(successors: &[&[usize]]) -> Graph {
    Graph(successors.iter().map(|list| list.to_vec()).collect())
}

pub(crate) fn block(number: usize) -> Block {
    Block::new(number)
}

pub(crate) fn numbers(blocks: impl IntoIterator<Item = Block>) -> Vec<usize> {
    blocks.into_iter().map(|block| block.index()).collect()
}

/// Graphs of up to 9 blocks with up to 3 successors each, of every kind.
pub(crate) fn any_graph() -> impl Strategy<Value = Graph> {
    (1..10usize).prop_flat_map(|count| {
        let successors = proptest::collection::vec(0..count, 0..4);
        proptest::collection::vec(successors, count).prop_map(Graph)
    })
}

/// What can be reached from `start` over edges, without setting foot on `without`.
pub(crate) fn reach(cfg: &Cfg<'_>, start: Block, without: Option<Block>) -> BTreeSet<Block> {
    let mut found = BTreeSet::new();
    let mut work = vec![start];
    while let Some(block) = work.pop() {
        if Some(block) != without && found.insert(block) {
            work.extend(cfg.succ_blocks(block));
        }
    }
    found
}

/// A chain, each block of which can leave for the exit.
pub(crate) fn chain(count: usize) -> Graph {
    let last = count - 1;
    let body = (0..last).map(|block| vec![block + 1, last]);
    Graph(body.chain([vec![]]).collect())
}

/// Two rails with rungs both ways.
pub(crate) fn ladder(count: usize) -> Graph {
    let across = |block: usize| block ^ 1;
    let rail = |block: usize| vec![block + 2, across(block)];
    let body = (0..count).map(|block| if block + 2 < count { rail(block) } else { vec![] });
    Graph(body.collect())
}

/// Loops inside of loops: headers down, latches up, each latch back to its header.
pub(crate) fn nest(count: usize) -> Graph {
    let depth = count / 2;
    let headers = (0..depth).map(|level| vec![level + 1]);
    let latches = (0..depth).map(|level| {
        let next = depth + level + 1;
        if next < 2 * depth { vec![depth - 1 - level, next] } else { vec![depth - 1 - level] }
    });
    Graph(headers.chain(latches).collect())
}

/// Runs `work` on a thread whose stack holds 256 KiB.
pub(crate) fn on_small_stack(work: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(256 * 1024).spawn(work);
    thread.expect("a thread starts").join().expect("the work does not panic");
}
