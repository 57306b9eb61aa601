//! Joins a block with the one that it jumps to, where nothing else leads there.

use super::Pick;
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
    let mut entries = vec![0u32; function.blocks.len()];
    visit::targets_mut(function, &mut |target| entries[target.block.index()] += 1);
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
    let BlockData { params, insts, term, .. } = function.blocks[next].clone();
    let data = &mut function.blocks[head];
    let TerminatorKind::Jump(Target { args, .. }) = std::mem::replace(&mut data.term, term).kind
    else {
        return;
    };
    let copies = params.into_iter().zip(args).map(|(param, arg)| {
        let owned = function.locals[param].ty.is_owned();
        let op = match arg {
            Operand::Local(local) if owned => Op::Move(local.into()),
            Operand::Local(_) => Op::Copy(arg),
            Operand::Const(number) => Op::Const(number),
        };
        Inst { dest: Some(param.into()), op, span: Span::NONE }
    });
    data.insts.extend(copies);
    data.insts.extend(insts);
}
