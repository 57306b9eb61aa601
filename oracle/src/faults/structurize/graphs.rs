//! Graphs that are spoiled before they are structurized.

use super::StructurizeFault::{self, *};
use crate::reference::dominators::Dominators;
use crate::reference::graph::Graph;
use crate::reference::loops::natural_loops;
use backedge_core::ir::{Block, Function, Op, Operand, Target, TerminatorKind, Type};
use cranelift_entity::EntityRef;

/// Spoils the first place that can be.
pub(super) fn spoil(function: &mut Function, fault: StructurizeFault) {
    match fault {
        ExitOfBackEdgeLost => lose_exit(function),
        HoistedIntoThirdPath => hoist(function),
        LeavesOneLevelTooFew => leave_less(function),
        IrreducibleEdgeSwapped => swap_edge(function),
        BlockLost => lose_block(function),
        ParallelEdgeDropped => drop_parallel(function),
        SelfLoopLost => lose_self_loop(function),
        _ => {}
    }
}

fn blocks(function: &Function) -> Vec<Block> {
    function.blocks.keys().collect()
}

/// A target whose parameters get zeros; `None` where some are no integers.
fn with_zeros(function: &Function, block: Block) -> Option<Target> {
    let params = &function.blocks[block].params;
    let ints = params.iter().all(|&param| function.locals[param].ty == Type::Int);
    ints.then(|| Target::with(block, params.iter().map(|_| Operand::Const(0))))
}

/// `branch c, head, out` at the end of a loop, its only exit, becomes `jump head`.
fn lose_exit(function: &mut Function) {
    let graph = Graph::new(function);
    for (header, inside) in natural_loops(&graph, &Dominators::new(&graph)) {
        let exits = graph
            .edges()
            .iter()
            .filter(|edge| inside[edge.from.index()] && !inside[edge.to.index()]);
        let exits: Vec<(Block, usize)> = exits.map(|edge| (edge.from, edge.slot)).collect();
        let [(from, 1)] = exits[..] else { continue };
        if let TerminatorKind::Branch { then_to, .. } = &function.blocks[from].term.kind
            && then_to.block == header
        {
            function.blocks[from].term.kind = TerminatorKind::Jump(then_to.clone());
            return;
        }
    }
}

/// The first constant of an else arm moves before the branch, where three paths meet behind it.
fn hoist(function: &mut Function) {
    let graph = Graph::new(function);
    for block in blocks(function) {
        let TerminatorKind::Branch { else_to, .. } = &function.blocks[block].term.kind else {
            continue;
        };
        let arm = else_to.block;
        let TerminatorKind::Jump(join) = &function.blocks[arm].term.kind else { continue };
        if graph.edges_in(arm).count() != 1 || graph.edges_in(join.block).count() < 3 {
            continue;
        }
        let insts = &function.blocks[arm].insts;
        let plain = insts.iter().position(|inst| matches!(inst.op, Op::Const(_) | Op::Copy(_)));
        if let Some(at) = plain {
            let inst = function.blocks[arm].insts.remove(at);
            function.blocks[block].insts.push(inst);
            return;
        }
    }
}

/// An edge out of two loops at once goes to the head of the outer one.
fn leave_less(function: &mut Function) {
    let graph = Graph::new(function);
    let loops = natural_loops(&graph, &Dominators::new(&graph));
    for edge in graph.edges() {
        let leaves = |(_, inside): &&(Block, Vec<bool>)| {
            inside[edge.from.index()] && !inside[edge.to.index()]
        };
        let mut left: Vec<&(Block, Vec<bool>)> = loops.iter().filter(leaves).collect();
        left.sort_by_key(|(_, inside)| inside.iter().filter(|&&inside| inside).count());
        let [_, (outer, _), ..] = left[..] else { continue };
        if let Some(target) = with_zeros(function, *outer) {
            redirect(function, edge.from, edge.slot, target);
            return;
        }
    }
}

fn redirect(function: &mut Function, from: Block, slot: usize, to: Target) {
    let mut at = 0;
    function.blocks[from].term.kind.for_each_target_mut(|target| {
        if at == slot {
            *target = to.clone();
        }
        at += 1;
    });
}

/// An edge that closes a cycle without dominating it is turned round.
fn swap_edge(function: &mut Function) {
    let graph = Graph::new(function);
    let dominators = Dominators::new(&graph);
    let reaches = |from: Block, to: Block| {
        let mut seen = vec![false; graph.block_count()];
        let mut open = vec![from];
        while let Some(block) = open.pop() {
            for edge in graph.edges_out(block) {
                if !std::mem::replace(&mut seen[edge.to.index()], true) {
                    open.push(edge.to);
                }
            }
        }
        seen[to.index()]
    };
    for edge in graph.edges() {
        let (from, to) = (edge.from, edge.to);
        let reached = dominators.reachable()[from.index()];
        if !reached
            || from == to
            || dominators.dominates(to, from)
            || dominators.dominates(from, to)
        {
            continue;
        }
        if !reaches(to, from) || graph.edges_out(to).is_empty() {
            continue;
        }
        let swapped = with_zeros(function, from).zip(with_zeros(function, to));
        if let Some((back, own)) = swapped {
            let other =
                graph.edges_out(from).iter().find(|other| other.to != to).map(|other| other.to);
            let own = other.and_then(|other| with_zeros(function, other)).unwrap_or(own);
            redirect(function, from, edge.slot, own);
            redirect(function, to, 0, back);
            return;
        }
    }
}

/// A block that a loop is entered at, besides its head, does nothing but go on.
fn lose_block(function: &mut Function) {
    let graph = Graph::new(function);
    let dominators = Dominators::new(&graph);
    for edge in graph.edges() {
        let is_retreating = |other: &crate::reference::graph::GraphEdge| {
            other.to == edge.to && !dominators.dominates(edge.to, other.from)
        };
        let reached = dominators.reachable()[edge.from.index()];
        let entries = graph.edges_in(edge.to).filter(|other| is_retreating(other)).count();
        if reached && entries > 1 && !function.blocks[edge.to].insts.is_empty() {
            function.blocks[edge.to].insts.clear();
            return;
        }
    }
}

/// The second of two edges to one target passes what the first does.
fn drop_parallel(function: &mut Function) {
    for block in blocks(function) {
        let targets: Vec<Target> =
            function.blocks[block].term.kind.targets().into_iter().cloned().collect();
        for (slot, second) in targets.iter().enumerate() {
            let first = targets[..slot].iter().find(|first| first.block == second.block);
            if let Some(first) = first.filter(|first| first.args != second.args) {
                redirect(function, block, slot, first.clone());
                return;
            }
        }
    }
}

/// A block that may lead to itself leads where else it may.
fn lose_self_loop(function: &mut Function) {
    for block in blocks(function) {
        let targets: Vec<Target> =
            function.blocks[block].term.kind.targets().into_iter().cloned().collect();
        let own = targets.iter().position(|target| target.block == block);
        let other = targets.iter().find(|target| target.block != block);
        if let (Some(own), Some(other)) = (own, other) {
            redirect(function, block, own, other.clone());
            return;
        }
    }
}
