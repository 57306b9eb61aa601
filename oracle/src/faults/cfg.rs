//! A naive reader of graphs with a switch per fault.
//!
//! Dominators are the greatest solution of `dom(n) = {n} + the meet of dom(p) over its predecessors`,
//! found by rounds over all blocks; sets only shrink, so it ends. An edge is a back edge iff its
//! target dominates its source. A graph is reducible iff without its back edges it has no cycle.

use crate::subject::{CfgAnswer, CfgSolver, LoopAnswer, NoAnswer, Subject};
use backedge_core::ir::{Block, Function};
use cranelift_entity::EntityRef;
use std::collections::{BTreeSet, VecDeque};

/// What can be wrong with the solver.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum CfgFault {
    /// The arguments of the dominance test that tells back edges are swapped.
    DominanceSwapped,
    /// Edges are a set of pairs.
    ParallelEdgesMerged,
    /// A block without successors continues in the next one.
    ReturnFallsThrough,
    /// All blocks are reachable.
    AllReachable,
    /// The postorder is a breadth-first order, reversed.
    BreadthFirst,
    /// The entry is everybody's immediate dominator.
    EntryDominatesAll,
    /// All graphs are reducible.
    AlwaysReducible,
}

use CfgFault::*;

/// The solver as a subject.
#[derive(Clone, Debug)]
pub struct Naive {
    name: &'static str,
    fault: Option<CfgFault>,
}

impl Naive {
    /// A solver with this fault; with none, it is right.
    pub fn new(name: &'static str, fault: Option<CfgFault>) -> Naive {
        Naive { name, fault }
    }
}

impl Subject for Naive {
    fn name(&self) -> &str {
        self.name
    }

    fn cfg(&mut self) -> Option<&mut dyn CfgSolver> {
        Some(self)
    }
}

impl CfgSolver for Naive {
    fn cfg(&mut self, function: &Function) -> Result<CfgAnswer, NoAnswer> {
        let solver = Solver::new(function, self.fault);
        let loops = solver.loops();
        Ok(CfgAnswer {
            edges: solver.edges(),
            reachable: Some(solver.reachable()),
            postorder: Some(solver.postorder()),
            idom: Some(solver.idom()),
            loops: Some(loops),
            reducible: Some(solver.reducible()),
        })
    }
}

struct Solver {
    fault: Option<CfgFault>,
    succs: Vec<Vec<Block>>,
    preds: Vec<Vec<Block>>,
    /// Reachable blocks in depth-first postorder.
    postorder: Vec<Block>,
    /// By block: the blocks that dominate it; of an unreachable one, all.
    dom: Vec<BTreeSet<Block>>,
}

impl Solver {
    fn new(function: &Function, fault: Option<CfgFault>) -> Solver {
        let mut succs = vec![Vec::new(); function.blocks.len()];
        let mut preds = vec![Vec::new(); function.blocks.len()];
        for (from, data) in &function.blocks {
            data.term.kind.for_each_target(|target| {
                succs[from.index()].push(target.block);
                preds[target.block.index()].push(from);
            });
        }
        let mut solver = Solver { fault, succs, preds, postorder: Vec::new(), dom: Vec::new() };
        solver.postorder = solver.search(|_, _| true).0;
        solver.dom = solver.dominators();
        solver
    }

    fn has(&self, fault: CfgFault) -> bool {
        self.fault == Some(fault)
    }

    fn blocks(&self) -> impl Iterator<Item = Block> + use<> {
        (0..self.succs.len()).map(Block::new)
    }

    /// Blocks in the order in which a depth-first search along the edges that `follow` allows leaves
    /// them, and whether it met an edge to a block that it had not left yet.
    fn search(&self, follow: impl Fn(Block, Block) -> bool) -> (Vec<Block>, bool) {
        let (mut order, mut cycle) = (Vec::new(), false);
        let mut entered = BTreeSet::from([Block::new(0)]);
        let mut left = BTreeSet::new();
        let mut path = vec![(Block::new(0), 0)];
        while let Some((block, next)) = path.pop() {
            let Some(&to) = self.succs[block.index()].get(next) else {
                left.insert(block);
                order.push(block);
                continue;
            };
            path.push((block, next + 1));
            if !follow(block, to) {
                continue;
            }
            if entered.insert(to) {
                path.push((to, 0));
            } else {
                cycle |= !left.contains(&to);
            }
        }
        (order, cycle)
    }

    fn dominators(&self) -> Vec<BTreeSet<Block>> {
        let all: BTreeSet<Block> = self.blocks().collect();
        let mut dom = vec![all; self.succs.len()];
        dom[0] = BTreeSet::from([Block::new(0)]);
        let mut changed = true;
        while std::mem::take(&mut changed) {
            for &block in self.postorder.iter().rev().filter(|block| block.index() != 0) {
                let mut new = dom[block.index()].clone();
                for pred in &self.preds[block.index()] {
                    new.retain(|d| *d == block || dom[pred.index()].contains(d));
                }
                changed |= new != dom[block.index()];
                dom[block.index()] = new;
            }
        }
        dom
    }

    fn edges(&self) -> Vec<(Block, Block)> {
        let mut edges = Vec::new();
        for (from, succs) in self.blocks().zip(&self.succs) {
            edges.extend(succs.iter().map(|&to| (from, to)));
            let next = Block::new(from.index() + 1);
            if self.has(ReturnFallsThrough) && succs.is_empty() && next.index() < self.succs.len() {
                edges.push((from, next));
            }
        }
        if self.has(ParallelEdgesMerged) {
            edges.sort_unstable();
            edges.dedup();
        }
        edges
    }

    fn reachable(&self) -> BTreeSet<Block> {
        if self.has(AllReachable) {
            self.blocks().collect()
        } else {
            self.postorder.iter().copied().collect()
        }
    }

    fn postorder(&self) -> Vec<Block> {
        if !self.has(BreadthFirst) {
            return self.postorder.clone();
        }
        let mut queue = VecDeque::from([Block::new(0)]);
        let mut order = Vec::new();
        while let Some(block) = queue.pop_front() {
            if !order.contains(&block) {
                order.push(block);
                queue.extend(&self.succs[block.index()]);
            }
        }
        order.reverse();
        order
    }

    fn idom(&self) -> Vec<(Block, Block)> {
        let nearest = |block: Block| {
            let strict = self.dom[block.index()].iter().filter(|&&d| d != block);
            strict.max_by_key(|d| self.dom[d.index()].len()).copied()
        };
        let idom = |&block: &Block| match self.fault {
            Some(EntryDominatesAll) => Some((block, Block::new(0))).filter(|_| block.index() != 0),
            _ => Some((block, nearest(block)?)),
        };
        self.postorder.iter().filter_map(idom).collect()
    }

    fn is_back_edge(&self, from: Block, to: Block) -> bool {
        if self.has(DominanceSwapped) {
            self.dom[to.index()].contains(&from)
        } else {
            self.dom[from.index()].contains(&to)
        }
    }

    fn loops(&self) -> Vec<LoopAnswer> {
        let reachable: BTreeSet<Block> = self.postorder.iter().copied().collect();
        let mut loops = Vec::new();
        for &header in &reachable {
            let preds = self.preds[header.index()].iter().copied();
            let inside =
                |&from: &Block| reachable.contains(&from) && self.is_back_edge(from, header);
            let mut open: Vec<Block> = preds.filter(inside).collect();
            if open.is_empty() {
                continue;
            }
            let mut blocks = BTreeSet::from([header]);
            while let Some(block) = open.pop() {
                if blocks.insert(block) {
                    let preds = self.preds[block.index()].iter();
                    open.extend(preds.filter(|pred| reachable.contains(pred)));
                }
            }
            loops.push(LoopAnswer { header, blocks });
        }
        loops
    }

    fn reducible(&self) -> bool {
        let forward = |from: Block, to: Block| !self.dom[from.index()].contains(&to);
        self.has(AlwaysReducible) || !self.search(forward).1
    }
}
