//! Copies before a jump become arguments of it.
//!
//! A local that is assigned just before every edge to a block becomes a parameter of the block. An edge
//! before which it is not assigned may pass the local itself, if that is an integer that certainly holds
//! something there: a definition dominates the edge. The copies are read all at once then, so that those in the way (what was
//! kept for a swap) go as well. Where what is left would come between, the copies of this edge stay, and
//! it passes the locals.

use crate::cfg::{Cfg, Dominators};
use crate::entity::Block;
use crate::ir::{Function, Inst, Local, Op, Operand, Place, TerminatorKind, Type};
use cranelift_entity::{EntityRef, EntitySet, SecondaryMap};
use rustc_hash::FxHashMap;

/// Hoists them. An SSA function gets no more parameters.
pub(super) fn hoist(function: &mut Function) {
    let added = if function.ssa { Vec::new() } else { parameters(function) };
    let reads = reads(function);
    for (block, params) in added {
        function.blocks[block].params.extend(params);
    }
    let params: Vec<Vec<Local>> = function.blocks.values().map(|d| d.params.clone()).collect();
    for data in function.blocks.values_mut() {
        // Any terminator passes what it is asked for; only before a jump are copies taken in.
        data.term.kind.for_each_target_mut(|target| {
            let params = &params[target.block.index()];
            for &param in &params[target.args.len()..] {
                target.args.push(param.into());
            }
        });
        if let TerminatorKind::Jump(target) = &mut data.term.kind {
            let start = data.insts.len() - copies(&data.insts).count();
            let suffix = &data.insts[start..];
            if suffix.is_empty() {
                continue;
            }
            let folded = fold(suffix, &params[target.block.index()], &target.args, &reads);
            if let Some((kept, args)) = folded {
                data.insts.truncate(start);
                data.insts.extend(kept);
                target.args = args.into_iter().collect();
            }
        }
    }
}

/// The copies at the end of some instructions, last first.
fn copies(insts: &[Inst]) -> impl Iterator<Item = (Local, Operand)> {
    insts.iter().rev().map_while(|inst| {
        let dest = inst.dest.as_ref().filter(|dest| dest.is_whole())?;
        match &inst.op {
            Op::Const(value) => Some((dest.local, Operand::Const(*value))),
            Op::Copy(value) => Some((dest.local, *value)),
            // Where a resource is moved matters to what is leaked, so that moves stay where they are.
            _ => None,
        }
    })
}

/// What a block assigns at its end.
fn assigned_at_end(function: &Function, block: Block) -> Vec<Local> {
    let data = &function.blocks[block];
    if !matches!(data.term.kind, TerminatorKind::Jump(_)) {
        return Vec::new();
    }
    let moves: Vec<(Local, Operand)> = copies(&data.insts).collect();
    let mut found: Vec<Local> = Vec::new();
    if moves.len() == data.insts.len() {
        found.extend(&data.params);
    }
    let mut moved: EntitySet<Local> = EntitySet::new();
    for &(dest, value) in moves.iter().rev() {
        if let Operand::Local(local) = value
            && function.locals[local].ty.is_owned()
        {
            moved.insert(local);
        }
        moved.remove(dest);
        found.push(dest);
    }
    // What was moved on is not there any more.
    found.retain(|&local| !moved.contains(local));
    found.sort_unstable();
    found.dedup();
    found
}

/// The parameters that blocks get.
fn parameters(function: &Function) -> Vec<(Block, Vec<Local>)> {
    let cfg = Cfg::build(function);
    let dominators = Dominators::new(&cfg);
    let ends: Vec<Vec<Local>> =
        cfg.blocks().map(|block| assigned_at_end(function, block)).collect();
    let defs = definitions(function);
    let jumps = |from: Block| matches!(function.blocks[from].term.kind, TerminatorKind::Jump(_));
    let mut added = Vec::new();
    for block in cfg.blocks().skip(1) {
        let preds = cfg.preds(block);
        // Worth it where no edge comes from a branch, or where a block on an edge is left empty.
        let on_edge = |from: Block| {
            let insts = &function.blocks[from].insts;
            jumps(from) && !insts.is_empty() && copies(insts).count() == insts.len()
        };
        let [mut all, mut some] = [(); 2].map(|()| cfg.pred_blocks(block));
        if preds.is_empty() || !(all.all(jumps) || some.any(on_edge)) {
            continue;
        }
        let mut counts: FxHashMap<Local, usize> = FxHashMap::default();
        for from in cfg.pred_blocks(block) {
            ends[from.index()].iter().for_each(|&local| *counts.entry(local).or_default() += 1);
        }
        let holds = |local: Local, from: Block| {
            ends[from.index()].binary_search(&local).is_ok()
                || defs[local].iter().any(|&def| dominators.dominates(def, from))
        };
        let mut params: Vec<Local> = counts
            .into_iter()
            .filter(|&(local, count)| {
                !function.blocks[block].params.contains(&local)
                    && (count == preds.len()
                        || function.locals[local].ty == Type::Int
                            && defs[local].len() <= MOST
                            && cfg.pred_blocks(block).all(|p| holds(local, p)))
            })
            .map(|(local, _)| local)
            .collect();
        if !params.is_empty() {
            params.sort_unstable();
            added.push((block, params));
        }
    }
    added
}

/// Of locals with more definitions than this, none is looked for.
const MOST: usize = 16;

/// By local: the blocks that certainly assign it.
fn definitions(function: &Function) -> SecondaryMap<Local, Vec<Block>> {
    let mut defs: SecondaryMap<Local, Vec<Block>> = SecondaryMap::new();
    function.params.iter().for_each(|&param| defs[param].push(function.entry()));
    for (block, data) in &function.blocks {
        data.params.iter().for_each(|&param| defs[param].push(block));
        data.insts.iter().for_each(|inst| inst.for_each_def(|local| defs[local].push(block)));
    }
    defs
}

/// By local: how often it is read.
fn reads(function: &Function) -> SecondaryMap<Local, u32> {
    let mut reads: SecondaryMap<Local, u32> = SecondaryMap::new();
    for data in function.blocks.values() {
        let mut read = |local: Local| reads[local] += 1;
        for inst in &data.insts {
            inst.for_each_use(&mut read);
            inst.for_each_partial_def(&mut read);
        }
        data.term.kind.for_each_use(&mut read);
        data.term.kind.for_each_target(|target| {
            target.args.iter().filter_map(|arg| arg.local()).for_each(&mut read);
        });
    }
    reads
}

/// Takes copies into the arguments of the jump after them. Gives the copies that stay, and the arguments;
/// `None` if what stays would change what is passed.
fn fold(
    suffix: &[Inst],
    params: &[Local],
    args: &[Operand],
    reads: &SecondaryMap<Local, u32>,
) -> Option<(Vec<Inst>, Vec<Operand>)> {
    let mut passed: EntitySet<Local> = EntitySet::new();
    passed.extend(params.iter().copied());
    let mut read_here = reads_of_copies(suffix);
    for local in args.iter().filter_map(|arg| arg.local()) {
        *read_here.entry(local).or_default() += 1;
    }
    let mut now: FxHashMap<Local, Operand> = FxHashMap::default();
    let value_of = |now: &FxHashMap<Local, Operand>, operand: Operand| match operand {
        Operand::Local(local) => now.get(&local).copied().unwrap_or(operand),
        Operand::Const(_) => operand,
    };
    let mut kept: Vec<(&Inst, Local, Operand)> = Vec::new();
    for inst in suffix {
        let (dest, value) = copies(std::slice::from_ref(inst)).next()?;
        let value = value_of(&now, value);
        now.insert(dest, value);
        let only_here = read_here.get(&dest).is_some_and(|&count| count == reads[dest]);
        if !passed.contains(dest) && !only_here {
            kept.push((inst, dest, value));
        }
    }
    let args: Vec<Operand> = args.iter().map(|&arg| value_of(&now, arg)).collect();
    let mut overwritten: EntitySet<Local> = EntitySet::new();
    let changed = |set: &EntitySet<Local>, operand: &Operand| {
        operand.local().is_some_and(|local| set.contains(local))
    };
    let mut insts = Vec::new();
    for (inst, dest, value) in kept {
        if changed(&overwritten, &value) {
            return None;
        }
        overwritten.insert(dest);
        insts.push(copy(inst, dest, value));
    }
    (!args.iter().any(|arg| changed(&overwritten, arg))).then_some((insts, args))
}

/// By local: how often some copies read it.
fn reads_of_copies(suffix: &[Inst]) -> FxHashMap<Local, u32> {
    let mut reads = FxHashMap::default();
    for (_, value) in copies(suffix) {
        if let Operand::Local(local) = value {
            *reads.entry(local).or_default() += 1;
        }
    }
    reads
}

fn copy(inst: &Inst, dest: Local, value: Operand) -> Inst {
    let op = match (value, &inst.op) {
        (Operand::Const(value), _) => Op::Const(value),
        (Operand::Local(local), Op::Move(_)) => Op::Move(local.into()),
        (Operand::Local(_), _) => Op::Copy(value),
    };
    Inst { dest: Some(Place::from(dest)), op, span: inst.span }
}
