//! Makes a function read nothing that may not be assigned.
//!
//! Definite assignment, forward: a local is assigned at a point if it is so on every path there. The
//! state of a block is a set of locals that only shrinks, so the iteration ends. What may be read
//! before it is assigned gets a constant at the start of the entry. The generator must not trust the
//! analyses that its cases test, so it has these few lines of its own.

use super::body::constant;
use backedge_core::diagnostic::Span;
use backedge_core::ir::{Block, Function, Inst, Local, Op, Operand, Type};
use cranelift_entity::EntityRef;
use fixedbitset::FixedBitSet;

/// Adds the constants. Other locals than integers are left alone.
pub(super) fn assign(function: &mut Function) {
    let states = solve(function);
    let mut early = FixedBitSet::with_capacity(function.locals.len());
    for (block, state) in function.blocks.keys().zip(states) {
        if let Some(mut state) = state {
            walk(function, block, &mut state, |local, assigned| {
                early.set(local.index(), !assigned || early[local.index()]);
            });
        }
    }
    let is_int = |&index: &usize| function.locals[Local::new(index)].ty == Type::Int;
    let inits = early.ones().filter(is_int).map(|index| {
        let value = match constant((7 * index) as u8) {
            Operand::Const(value) => value,
            Operand::Local(_) => 0,
        };
        Inst { dest: Some(Local::new(index).into()), op: Op::Const(value), span: Span::NONE }
    });
    let inits: Vec<Inst> = inits.collect();
    let entry = function.entry();
    function.blocks[entry].insts.splice(0..0, inits);
}

/// What is assigned where each block starts, its parameters included; `None` for blocks that can't be
/// reached.
fn solve(function: &Function) -> Vec<Option<FixedBitSet>> {
    let count = function.locals.len();
    let mut states: Vec<Option<FixedBitSet>> = vec![None; function.blocks.len()];
    let mut start = FixedBitSet::with_capacity(count);
    function.params.iter().for_each(|local| start.insert(local.index()));
    states[0] = Some(start);
    let mut stack = vec![function.entry()];
    while let Some(block) = stack.pop() {
        let Some(mut state) = states[block.index()].clone() else { continue };
        walk(function, block, &mut state, |_, _| {});
        let term = &function.blocks[block].term.kind;
        for (slot, target) in term.targets().into_iter().enumerate() {
            let mut next = state.clone();
            let params = &function.blocks[target.block].params;
            let defined = term.edge_def(slot).into_iter().chain(params.iter().copied());
            defined.for_each(|local| next.insert(local.index()));
            if meet(&mut states[target.block.index()], next) {
                stack.push(target.block);
            }
        }
    }
    states
}

/// Intersects a state with another; whether it changed.
fn meet(state: &mut Option<FixedBitSet>, other: FixedBitSet) -> bool {
    match state {
        None => {
            *state = Some(other);
            true
        }
        Some(state) => {
            let before = state.count_ones(..);
            state.intersect_with(&other);
            state.count_ones(..) < before
        }
    }
}

/// Goes through a block. `read` is told of each read, and whether the local is assigned by then; what an
/// edge defines counts as assigned where the edge's arguments are read.
fn walk(
    function: &Function,
    block: Block,
    state: &mut FixedBitSet,
    mut read: impl FnMut(Local, bool),
) {
    let data = &function.blocks[block];
    for inst in &data.insts {
        inst.for_each_use(|local| read(local, state[local.index()]));
        inst.for_each_def(|local| state.insert(local.index()));
    }
    let term = &data.term.kind;
    term.for_each_use(|local| read(local, state[local.index()]));
    for (slot, target) in term.targets().into_iter().enumerate() {
        let own = term.edge_def(slot);
        for local in target.args.iter().filter_map(|arg| arg.local()) {
            read(local, state[local.index()] || own == Some(local));
        }
    }
}
