//! Removes blocks, and reroutes the edges that led to them.

use super::Pick;
use super::edges::{MOST_BLOCKS, default_target, halted};
use crate::minimize::{graph, visit};
use backedge_core::cfg::Cfg;
use backedge_core::ir::{
    Block, Function, Local, Op, Operand, Operands, Program, Target, TerminatorKind,
};
use cranelift_entity::{EntityRef, PrimaryMap};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// Sites: blocks, in preorder of dominance. An edge to a removed block leads on to the nearest one that is left.
pub(super) fn bypass(program: &mut Program, pick: &mut Pick) {
    for function in &mut program.functions {
        let doomed = doomed(function, pick);
        if doomed.contains(&true) {
            let detours = detours(function, &doomed);
            remove(function, &doomed, &detours);
        }
    }
}

/// Sites: blocks, in preorder of dominance. An edge to a removed block goes.
pub(super) fn cut(program: &mut Program, pick: &mut Pick) {
    for function in &mut program.functions {
        let doomed = doomed(function, pick);
        if doomed.contains(&true) {
            let detours = vec![None; doomed.len()];
            remove(function, &doomed, &detours);
        }
    }
}

/// Sites: a block with another one, to which all edges to the first are redirected.
pub(super) fn redirect(program: &mut Program, pick: &mut Pick) {
    for function in &mut program.functions {
        let count = function.blocks.len();
        if count > MOST_BLOCKS {
            continue;
        }
        let mut chosen = None;
        for block in function.blocks.keys().skip(1) {
            for to in function.blocks.keys().filter(|&to| to != block) {
                if pick.site() {
                    chosen = Some((block, to));
                }
            }
        }
        if let Some((block, to)) = chosen {
            let mut detours = vec![None; count];
            detours[block.index()] = default_target(function, to);
            let doomed: Vec<bool> = (0..count).map(|index| index == block.index()).collect();
            remove(function, &doomed, &detours);
        }
    }
}

/// Sites: functions whose blocks do not stand in reverse postorder.
pub(super) fn sort(program: &mut Program, pick: &mut Pick) {
    for function in &mut program.functions {
        let order = graph::reverse_postorder(function).blocks;
        if !order.is_sorted() && pick.site() {
            rearrange(function, &order);
        }
    }
}

/// Which blocks are picked. If all are, the entry stays.
fn doomed(function: &Function, pick: &mut Pick) -> Vec<bool> {
    let mut doomed = vec![false; function.blocks.len()];
    for block in graph::dominance_order(function) {
        doomed[block.index()] = pick.site();
    }
    if !doomed.contains(&false)
        && let Some(entry) = doomed.first_mut()
    {
        *entry = false;
    }
    doomed
}

/// For each doomed block the nearest block that stays, with arguments in terms of the doomed block's
/// parameters.
///
/// A breadth-first search backwards from what stays: each doomed block is reached once, from
/// a block whose own detour is known, so it ends and takes linear time.
fn detours(function: &Function, doomed: &[bool]) -> Vec<Option<Target>> {
    let cfg = Cfg::build(function);
    let mut detours: Vec<Option<Target>> = vec![None; doomed.len()];
    let mut queue: VecDeque<Block> =
        function.blocks.keys().filter(|block| !doomed[block.index()]).collect();
    while let Some(to) = queue.pop_front() {
        for edge in cfg.preds(to).iter().map(|&edge| cfg.edge(edge)) {
            if !doomed[edge.from.index()] || detours[edge.from.index()].is_some() {
                continue;
            }
            let Some(target) = function.blocks[edge.from].term.kind.target(edge.slot as usize)
            else {
                continue;
            };
            let detour = match &detours[to.index()] {
                Some(onward) => follow(function, target, onward),
                None => target.clone(),
            };
            detours[edge.from.index()] = Some(detour);
            queue.push_back(edge.from);
        }
    }
    detours
}

/// `onward`, which says where the block of `target` leads, as seen from an edge to `target`.
fn follow(function: &Function, target: &Target, onward: &Target) -> Target {
    let params = &function.blocks[target.block].params;
    let bound: FxHashMap<Local, Operand> =
        params.iter().copied().zip(target.args.iter().copied()).collect();
    let resolve = |arg: &Operand| match arg {
        Operand::Local(local) => bound.get(local).copied().unwrap_or(*arg),
        Operand::Const(_) => *arg,
    };
    Target { block: onward.block, args: onward.args.iter().map(resolve).collect() }
}

/// Removes blocks; an edge to one takes its detour, or goes where there is none. If the entry is removed,
/// its detour leads to the new one, or else the first block that is left is it, one without parameters if
/// there is any.
fn remove(function: &mut Function, doomed: &[bool], detours: &[Option<Target>]) {
    let kept = |block: &Block| !doomed[block.index()];
    let old = function.entry();
    let detour = detours[old.index()].as_ref().map(|detour| detour.block);
    let entry = if kept(&old) { old } else { detour.or(first(function, doomed)).unwrap_or(old) };
    for block in function.blocks.keys().filter(kept) {
        reroute(function, block, doomed, detours);
    }
    if entry != old {
        strip_params(function, entry);
    }
    let rest = function.blocks.keys().filter(kept).filter(|&block| block != entry);
    let order: Vec<Block> = std::iter::once(entry).chain(rest).collect();
    rearrange(function, &order);
}

fn first(function: &Function, doomed: &[bool]) -> Option<Block> {
    let kept = || function.blocks.keys().filter(|block| !doomed[block.index()]);
    kept().find(|&block| function.blocks[block].params.is_empty()).or_else(|| kept().next())
}

/// Removes one block with the edges to it.
pub(super) fn cut_one(function: &mut Function, block: Block) {
    let doomed: Vec<bool> = function.blocks.keys().map(|other| other == block).collect();
    remove(function, &doomed, &vec![None; doomed.len()]);
}

fn reroute(function: &mut Function, block: Block, doomed: &[bool], detours: &[Option<Target>]) {
    let resolve = |target: &Target| match &detours[target.block.index()] {
        _ if !doomed[target.block.index()] => Some(target.clone()),
        Some(detour) => Some(follow(function, target, detour)),
        None => None,
    };
    let mut insts = function.blocks[block].insts.clone();
    insts.retain_mut(|inst| match &mut inst.op {
        Op::Bind(target) => resolve(target).is_some_and(|resolved| {
            *target = resolved;
            true
        }),
        _ => true,
    });
    let kind = without_cut_edges(&function.blocks[block].term.kind, resolve);
    let kind = kind.unwrap_or_else(|| halted(function));
    function.blocks[block].insts = insts;
    function.blocks[block].term.kind = kind;
}

/// The terminator with each target resolved; `None` if it loses all of its edges.
fn without_cut_edges(
    kind: &TerminatorKind,
    resolve: impl Fn(&Target) -> Option<Target>,
) -> Option<TerminatorKind> {
    let resolved: Vec<Option<Target>> = kind.targets().into_iter().map(resolve).collect();
    if !resolved.contains(&None) {
        let mut kind = kind.clone();
        let mut resolved = resolved.into_iter().flatten();
        kind.for_each_target_mut(|target| {
            if let Some(resolved) = resolved.next() {
                *target = resolved;
            }
        });
        return Some(kind);
    }
    if let TerminatorKind::Switch { value, cases, .. } = kind {
        let mut left = resolved.into_iter();
        let default = left.next().flatten();
        let keys = cases.iter().map(|&(key, _)| key);
        let mut cases: Vec<(i64, Target)> =
            keys.zip(left).filter_map(|(key, to)| Some((key, to?))).collect();
        let default = default.or_else(|| cases.pop().map(|(_, to)| to))?;
        return Some(match cases.is_empty() {
            true => TerminatorKind::Jump(default),
            false => TerminatorKind::Switch { value: *value, default, cases },
        });
    }
    resolved.into_iter().flatten().next().map(TerminatorKind::Jump)
}

/// Takes away a block's parameters, which stay as locals.
fn strip_params(function: &mut Function, block: Block) {
    function.blocks[block].params.clear();
    visit::targets_mut(function, &mut |target| {
        if target.block == block {
            target.args = Operands::new();
        }
    });
}

/// Keeps these blocks, which alone are still branched to.
pub(super) fn retain(function: &mut Function, kept: &[bool]) {
    let order: Vec<Block> = function.blocks.keys().filter(|block| kept[block.index()]).collect();
    rearrange(function, &order);
}

/// Keeps the blocks of `order`, in this order. No kept block may lead to another one.
fn rearrange(function: &mut Function, order: &[Block]) {
    let mut renumbered = vec![Block::new(0); function.blocks.len()];
    for (new, old) in order.iter().enumerate() {
        renumbered[old.index()] = Block::new(new);
    }
    let blocks: PrimaryMap<_, _> = order.iter().map(|&old| function.blocks[old].clone()).collect();
    function.blocks = blocks;
    visit::targets_mut(function, &mut |target| target.block = renumbered[target.block.index()]);
}
