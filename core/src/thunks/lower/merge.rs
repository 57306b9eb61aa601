//! Merges blocks in a row: a block that only one jump leads to is appended to where that is.
//!
//! Its parameters are assigned there, in an SSA function by putting the arguments in their place.

use super::thread::keep;
use crate::entity::Block;
use crate::ir::{Function, Inst, Local, Op, Operand, Place, TerminatorKind, Type};
use crate::thunks::names::Fresh;
use cranelift_entity::EntityRef;
use rustc_hash::FxHashMap;

/// Merges them.
pub(super) fn merge(function: &mut Function) {
    let mut edges_in = vec![0u32; function.blocks.len()];
    edges_in[0] = 1;
    for data in function.blocks.values() {
        data.term.kind.for_each_target(|target| edges_in[target.block.index()] += 1);
    }
    let mut merger = Merger {
        ssa: function.ssa,
        fresh: Fresh::new(&function.locals),
        function,
        kept: vec![true; edges_in.len()],
        edges_in,
        values: FxHashMap::default(),
    };
    for block in merger.function.blocks.keys() {
        if merger.kept[block.index()] {
            merger.extend(block);
        }
    }
    let Merger { kept, values, .. } = merger;
    if !values.is_empty() {
        put_in(function, &values);
    }
    keep(function, &kept);
    enter_later(function);
}

/// If the entry only jumps to a block without parameters, that is the entry.
fn enter_later(function: &mut Function) {
    let entry = function.entry();
    let data = &function.blocks[entry];
    let TerminatorKind::Jump(to) = &data.term.kind else { return };
    let later = to.block;
    if later == entry || !data.insts.is_empty() || !function.blocks[later].params.is_empty() {
        return;
    }
    let name = data.name.clone();
    function.blocks[entry] = function.blocks[later].clone();
    function.blocks[entry].name = name;
    for data in function.blocks.values_mut() {
        data.term.kind.for_each_target_mut(|target| {
            if target.block == later {
                target.block = entry;
            }
        });
    }
    let kept: Vec<bool> = function.blocks.keys().map(|block| block != later).collect();
    keep(function, &kept);
}

/// Puts what a local is in its place, everywhere.
fn put_in(function: &mut Function, values: &FxHashMap<Local, Local>) {
    let mut ends: FxHashMap<Local, Local> = FxHashMap::default();
    for &start in values.keys() {
        let mut way = vec![start];
        let mut at = start;
        let end = loop {
            match (ends.get(&at), values.get(&at)) {
                (Some(&end), _) => break end,
                (None, Some(&next)) => {
                    at = next;
                    way.push(next);
                }
                (None, None) => break at,
            }
        };
        way.into_iter().for_each(|local| {
            ends.insert(local, end);
        });
    }
    let mut visit = |local: &mut Local| *local = ends.get(local).copied().unwrap_or(*local);
    for data in function.blocks.values_mut() {
        data.insts.iter_mut().for_each(|inst| inst.for_each_local_mut(&mut visit));
        data.term.kind.for_each_local_mut(&mut visit);
    }
}

struct Merger<'f> {
    ssa: bool,
    function: &'f mut Function,
    fresh: Fresh,
    kept: Vec<bool>,
    edges_in: Vec<u32>,
    /// In an SSA function: what locals are that were parameters.
    values: FxHashMap<Local, Local>,
}

impl Merger<'_> {
    /// Appends to a block all that follows it in a row.
    fn extend(&mut self, block: Block) {
        let mut insts = std::mem::take(&mut self.function.blocks[block].insts);
        while let TerminatorKind::Jump(to) = &self.function.blocks[block].term.kind {
            if to.block == block || self.edges_in[to.block.index()] != 1 {
                break;
            }
            let (next, args) = (to.block, to.args.clone());
            self.kept[next.index()] = false;
            let data = &mut self.function.blocks[next];
            let (params, rest) =
                (std::mem::take(&mut data.params), std::mem::take(&mut data.insts));
            let term = data.term.clone();
            self.assign(&mut insts, &params, &args);
            insts.extend(rest);
            self.function.blocks[block].term = term;
        }
        self.function.blocks[block].insts = insts;
    }

    /// Assigns to parameters all at once.
    fn assign(&mut self, insts: &mut Vec<Inst>, params: &[Local], args: &[Operand]) {
        if self.ssa {
            for (&param, &arg) in params.iter().zip(args) {
                match arg {
                    // A resource that is moved is no longer where it was.
                    Operand::Local(local) if !self.function.locals[local].ty.is_owned() => {
                        self.values.insert(param, local);
                    }
                    _ => insts.push(self.copy(param, arg)),
                }
            }
            return;
        }
        let mut values: Vec<Operand> = args.to_vec();
        for (index, value) in values.iter_mut().enumerate() {
            let Operand::Local(local) = *value else { continue };
            if params[..index].contains(&local) {
                let ty = self.function.locals[local].ty.clone();
                let kept = self.fresh.local(&mut self.function.locals, "kept", ty);
                insts.push(self.copy(kept, *value));
                *value = kept.into();
            }
        }
        for (&param, value) in params.iter().zip(values) {
            if value != Operand::Local(param) {
                insts.push(self.copy(param, value));
            }
        }
    }

    fn copy(&self, dest: Local, value: Operand) -> Inst {
        let op = match value {
            Operand::Const(value) => Op::Const(value),
            Operand::Local(local) => match self.function.locals[local].ty {
                Type::Own | Type::Aggregate(_) => Op::Move(local.into()),
                Type::Int | Type::Thunk => Op::Copy(value),
            },
        };
        Inst { dest: Some(Place::from(dest)), op, span: Default::default() }
    }
}
