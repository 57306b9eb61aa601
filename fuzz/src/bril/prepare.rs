//! Rewrites what the JSON form can't say into what it can, with the same liveness in the blocks that
//! were there before.
//!
//! - A `phi` tells edges apart by the block they come from. Where two edges join the same blocks and
//!   carry different arguments, all but the first pass through a block of their own.
//! - An instruction defines for all of its successors. The result of a `try_call` is defined on its
//!   normal edge alone, so that edge passes through a block that defines it.
//!
//! One pass over the blocks; the new ones need none.

use backedge_core::diagnostic::Span;
use backedge_core::ir::{
    Block, BlockData, Function, Inst, Name, Op, Opaque, Operands, Target, TerminatorKind,
};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::{SmallVec, smallvec};

/// The function to write instead of `function`; `None` where it can be written as it is.
///
/// The blocks keep their numbers and names, and new ones follow.
pub fn prepare(function: &Function) -> Option<Function> {
    function.blocks.values().any(|data| needs_work(&data.term.kind)).then(|| rewrite(function))
}

fn needs_work(term: &TerminatorKind) -> bool {
    term.edge_def(0).is_some() || !edges_to_split(term).is_empty()
}

/// Slots whose edge needs a block of its own, each with the first slot that carries the same
/// arguments to the same block: both can share the new block.
fn edges_to_split(term: &TerminatorKind) -> Vec<(usize, usize)> {
    let mut seen: FxHashMap<Block, SmallVec<[(usize, &Operands); 2]>> = FxHashMap::default();
    let mut split = Vec::new();
    let targets = term.targets();
    if targets.len() < 2 {
        return split;
    }
    for (slot, target) in targets.iter().enumerate().filter(|(_, target)| !target.args.is_empty()) {
        let variants = seen.entry(target.block).or_default();
        match variants.iter().position(|(_, args)| **args == target.args) {
            Some(0) => {}
            Some(variant) => split.push((slot, variants[variant].0)),
            None => {
                if !variants.is_empty() {
                    split.push((slot, slot));
                }
                variants.push((slot, &target.args));
            }
        }
    }
    split
}

fn rewrite(function: &Function) -> Function {
    let mut function = function.clone();
    let mut names: FxHashSet<Name> =
        function.blocks.values().map(|data| data.name.clone()).collect();
    for block in function.blocks.keys().collect::<Vec<_>>() {
        split_result(&mut function, block, &mut names);
        let mut forwards: FxHashMap<usize, Block> = FxHashMap::default();
        for (slot, first) in edges_to_split(&function.blocks[block].term.kind) {
            let through = match forwards.get(&first) {
                Some(&through) => through,
                None => {
                    let name = format!("{}_edge{slot}", function.blocks[block].name);
                    forward(&mut function, block, slot, fresh(name, &mut names))
                }
            };
            forwards.insert(first, through);
            redirect(&mut function, block, slot, through);
        }
    }
    function
}

/// Moves the definition of a `try_call`'s result into a block on its normal edge.
fn split_result(function: &mut Function, block: Block, names: &mut FxHashSet<Name>) {
    let Some(result) = function.blocks[block].term.kind.edge_def(0) else { return };
    let name = fresh(format!("{}_normal", function.blocks[block].name), names);
    let through = forward(function, block, 0, name);
    let op = Op::Opaque(Box::new(Opaque {
        text: Name::new_static("result"),
        defs: smallvec![result],
        uses: SmallVec::new(),
        partial: SmallVec::new(),
    }));
    let span = function.blocks[block].term.span;
    function.blocks[through].insts.push(Inst { dest: None, op, span });
    redirect(function, block, 0, through);
    if let TerminatorKind::TryCall { dest, .. } = &mut function.blocks[block].term.kind {
        *dest = None;
    }
}

/// A new block that jumps to where the edge in `slot` goes, with its arguments.
fn forward(function: &mut Function, block: Block, slot: usize, name: Name) -> Block {
    let term = &function.blocks[block].term;
    let target = term.kind.target(slot).cloned().unwrap_or_else(|| Target::new(block));
    let span = term.span;
    let mut term: backedge_core::ir::Terminator = TerminatorKind::Jump(target).into();
    term.span = span;
    let (params, insts) = (Vec::new(), Vec::new());
    function.blocks.push(BlockData { name, params, insts, term, span: Span::NONE })
}

fn redirect(function: &mut Function, block: Block, slot: usize, to: Block) {
    let mut position = 0;
    function.blocks[block].term.kind.for_each_target_mut(|target| {
        if position == slot {
            *target = Target::new(to);
        }
        position += 1;
    });
}

/// `name`, with underscores appended until no block has it.
fn fresh(mut name: String, names: &mut FxHashSet<Name>) -> Name {
    while names.contains(name.as_str()) {
        name.push('_');
    }
    let name = Name::from(name);
    names.insert(name.clone());
    name
}
