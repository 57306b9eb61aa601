//! Merges blocks that do the same and go on at the same place.
//!
//! Where several edges assigned the same to one target, and a guard kept it apart from others, threading leaves
//! a block of its own on each. Blocks are compared as values: equal code in equal order is one block. One pass,
//! from the ends of the function towards its entry, finds chains of such blocks as well. Only blocks of one loop
//! are merged: a block that leads back to a header and one that leads to it from outside would make another way into
//! the loop.

use super::thread::keep;
use crate::cfg::{Cfg, Dominators, Loop, Loops, Postorder};
use crate::entity::Block;
use crate::ir::{Function, Inst, Op, TerminatorKind};
use cranelift_entity::EntityRef;
use rustc_hash::FxHashMap;

/// Merges blocks of copies that end in equal jumps or returns.
pub(super) fn merge_twins(function: &mut Function) {
    let mut same: Vec<Block> = function.blocks.keys().collect();
    let mut known: FxHashMap<String, Block> = FxHashMap::default();
    let (order, loops) = order(function);
    for (block, innermost) in order.into_iter().zip(loops) {
        let data = &mut function.blocks[block];
        data.term.kind.for_each_target_mut(|target| target.block = same[target.block.index()]);
        if block.index() == 0 || !data.params.is_empty() || !data.insts.iter().all(is_copy) {
            continue;
        }
        if let TerminatorKind::Jump(_) | TerminatorKind::Return(_) = data.term.kind {
            let code = format!("{innermost:?} {:?} {:?}", ops(&data.insts), data.term.kind);
            same[block.index()] = *known.entry(code).or_insert(block);
        }
    }
    for data in function.blocks.values_mut() {
        data.term.kind.for_each_target_mut(|target| target.block = same[target.block.index()]);
    }
    let kept: Vec<bool> = same.iter().enumerate().map(|(at, same)| same.index() == at).collect();
    keep(function, &kept);
}

/// The blocks in postorder, each with its innermost loop.
fn order(function: &Function) -> (Vec<Block>, Vec<Option<Loop>>) {
    let cfg = Cfg::build(function);
    let postorder = Postorder::new(&cfg);
    let loops = Loops::new(&cfg, &postorder, &Dominators::new(&cfg));
    let innermost = postorder.blocks().iter().map(|&block| loops.innermost(block)).collect();
    (postorder.blocks().to_vec(), innermost)
}

fn is_copy(inst: &Inst) -> bool {
    matches!(inst.op, Op::Const(_) | Op::Copy(_) | Op::Move(_))
}

/// What the instructions do, wherever they stand.
fn ops(insts: &[Inst]) -> Vec<(&Option<crate::ir::Place>, &Op)> {
    insts.iter().map(|inst| (&inst.dest, &inst.op)).collect()
}
