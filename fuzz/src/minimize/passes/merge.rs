//! Joins a block with one that it leads to, where nothing else leads there.

use super::Pick;
use super::blocks::cut_one;
use super::edges::MOST_BLOCKS;
use super::reads::{copy_to_itself, integers};
use crate::minimize::visit;
use backedge_core::diagnostic::Span;
use backedge_core::ir::{
    Block, BlockData, Function, Inst, Op, Operand, Program, Target, TerminatorKind,
};
use cranelift_entity::{EntityRef, SecondaryMap};

/// Sites: such jumps. Arguments become copies, one after another; the difference to copies at once
/// is left to the judge.
pub(super) fn merge(program: &mut Program, pick: &mut Pick) {
    for function in &mut program.functions {
        let picked = picked(function, pick);
        if picked.values().any(Option::is_some) {
            join(function, &picked);
        }
    }
}

/// By block, the block to append to it.
fn picked(function: &mut Function, pick: &mut Pick) -> SecondaryMap<Block, Option<Block>> {
    let entries = entries(function);
    let mut picked = SecondaryMap::new();
    for (block, data) in &function.blocks {
        if let TerminatorKind::Jump(to) = &data.term.kind
            && to.block != block
            && to.block != function.entry()
            && entries[to.block.index()] == 1
            && pick.site()
        {
            picked[block] = Some(to.block);
        }
    }
    picked
}

fn join(function: &mut Function, picked: &SecondaryMap<Block, Option<Block>>) {
    let mut has_head = vec![true; function.blocks.len()];
    picked.values().flatten().for_each(|block| has_head[block.index()] = false);
    let mut kept = vec![true; function.blocks.len()];
    // A ring of jumps has no head, and stays.
    for head in function.blocks.keys().filter(|head| has_head[head.index()]) {
        let mut last = head;
        while let Some(next) = picked[last] {
            append(function, head, next);
            kept[next.index()] = false;
            last = next;
        }
    }
    super::blocks::retain(function, &kept);
}

fn append(function: &mut Function, head: Block, next: Block) {
    if let TerminatorKind::Jump(target) = &function.blocks[head].term.kind {
        let insts = as_seen_from(function, &target.clone());
        let term = function.blocks[next].term.clone();
        let data = &mut function.blocks[head];
        data.insts.extend(insts);
        data.term = term;
    }
}

/// What an edge to `target` leads to: copies for its arguments, and the block's instructions.
fn as_seen_from(function: &Function, target: &Target) -> Vec<Inst> {
    let BlockData { params, insts, .. } = &function.blocks[target.block];
    let copies = params.iter().zip(&target.args).map(|(&param, &arg)| {
        let owned = function.locals[param].ty.is_owned();
        let op = match arg {
            Operand::Local(local) if owned => Op::Move(local.into()),
            Operand::Local(_) => Op::Copy(arg),
            Operand::Const(number) => Op::Const(number),
        };
        Inst { dest: Some(param.into()), op, span: Span::NONE }
    });
    copies.chain(insts.iter().cloned()).collect()
}

/// Sites: a block that only one edge leads to, from a terminator that has others. Its instructions move to
/// where the edge starts, with a copy for what its terminator reads, and the edge goes.
pub(super) fn absorb(program: &mut Program, pick: &mut Pick) {
    for function in program.functions.iter_mut().filter(|f| f.blocks.len() <= MOST_BLOCKS) {
        let entries = entries(function);
        let mut picked = None;
        for (from, data) in &function.blocks {
            let targets = data.term.kind.targets();
            let others = targets.len() > 1;
            for target in targets.into_iter().filter(|target| target.block != from && others) {
                let is_entry = target.block == function.entry();
                if entries[target.block.index()] == 1 && !is_entry && pick.site() {
                    picked = Some((from, target.clone()));
                }
            }
        }
        if let Some((from, target)) = picked {
            let mut insts = as_seen_from(function, &target);
            let term = &function.blocks[target.block].term.kind;
            let reads = integers(function, |visit| term.for_each_use(visit));
            insts.extend(reads.into_iter().map(copy_to_itself));
            function.blocks[from].insts.extend(insts);
            cut_one(function, target.block);
        }
    }
}

/// By block, how many edges and thunks lead to it.
fn entries(function: &mut Function) -> Vec<u32> {
    let mut entries = vec![0; function.blocks.len()];
    visit::targets_mut(function, &mut |target| entries[target.block.index()] += 1);
    entries
}
