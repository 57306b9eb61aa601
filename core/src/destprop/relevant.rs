//! The function as far as the pass looks at it: only the locals that a copy could merge.

use super::Assignment;
use crate::cfg::{Code, Values};
use crate::entity::{Block, Value};
use crate::ir::{Function, Local, Op};
use cranelift_entity::EntityRef;

/// The locals of copies that are tried, numbered from 0.
#[derive(Clone, Debug)]
pub(super) struct Relevant {
    locals: Vec<Local>,
    /// By local.
    values: Vec<Option<Value>>,
}

impl Relevant {
    /// The locals of these copies, in the order of their numbers.
    pub(super) fn new<'a>(
        function: &Function,
        copies: impl Iterator<Item = &'a Assignment>,
    ) -> Relevant {
        let mut is_relevant = vec![false; function.locals.len()];
        for copy in copies.filter(|copy| copy.dest != copy.source) {
            is_relevant[copy.dest.index()] = true;
            is_relevant[copy.source.index()] = true;
        }
        let mut relevant = Relevant { locals: Vec::new(), values: vec![None; is_relevant.len()] };
        for local in function.locals.keys().filter(|local| is_relevant[local.index()]) {
            relevant.values[local.index()] = Some(Value::new(relevant.locals.len()));
            relevant.locals.push(local);
        }
        relevant
    }

    /// All of them.
    pub(super) fn locals(&self) -> &[Local] {
        &self.locals
    }

    /// The number of a local, if it is one of them.
    pub(super) fn value(&self, local: Local) -> Option<Value> {
        self.values[local.index()]
    }

    /// The local of a number.
    pub(super) fn local(&self, value: Value) -> Local {
        self.locals[value.index()]
    }
}

/// A function of which only some locals are seen.
pub(super) struct Narrowed<'f> {
    pub(super) function: &'f Function,
    pub(super) relevant: &'f Relevant,
}

impl Narrowed<'_> {
    fn seen(&self, mut visit: impl FnMut(Value)) -> impl FnMut(Value) {
        move |value| {
            if let Some(value) = self.relevant.value(Local::from(value)) {
                visit(value);
            }
        }
    }

    /// Calls `visit` on each local of which the instruction assigns a part.
    pub(super) fn partial_defs(&self, block: Block, inst: usize, mut visit: impl FnMut(Value)) {
        if let Some(inst) = self.function.blocks[block].insts.get(inst) {
            inst.for_each_partial_def(|local| {
                self.relevant.value(local).into_iter().for_each(&mut visit);
            });
        }
    }

    /// What the instruction copies, if it is a copy.
    pub(super) fn copied(&self, block: Block, inst: usize) -> Option<Value> {
        match self.function.blocks[block].insts.get(inst)?.op {
            Op::Copy(source) => self.relevant.value(source.local()?),
            _ => None,
        }
    }

    /// What an edge copies to a parameter.
    pub(super) fn argument(&self, block: Block, slot: usize, argument: usize) -> Option<Value> {
        let target = self.function.blocks[block].term.kind.target(slot)?;
        self.relevant.value(target.args.get(argument)?.local()?)
    }

    /// The parameters of a block, with their positions.
    pub(super) fn params(&self, block: Block) -> impl Iterator<Item = (usize, Value)> {
        let params = self.function.blocks[block].params.iter().enumerate();
        params.filter_map(|(at, &param)| Some((at, self.relevant.value(param)?)))
    }
}

impl Code for Narrowed<'_> {
    fn block_count(&self) -> usize {
        self.function.block_count()
    }

    fn block_name(&self, block: Block) -> &str {
        self.function.block_name(block)
    }

    fn inst_count(&self, block: Block) -> usize {
        Code::inst_count(self.function, block)
    }

    fn successors(&self, block: Block, visit: impl FnMut(Block)) {
        self.function.successors(block, visit);
    }
}

impl Values for Narrowed<'_> {
    fn value_count(&self) -> usize {
        self.relevant.locals.len()
    }

    fn uses(&self, block: Block, inst: usize, visit: impl FnMut(Value)) {
        self.function.uses(block, inst, self.seen(visit));
    }

    fn defs(&self, block: Block, inst: usize, visit: impl FnMut(Value)) {
        self.function.defs(block, inst, self.seen(visit));
    }

    fn phi_defs(&self, block: Block, visit: impl FnMut(Value)) {
        self.function.phi_defs(block, self.seen(visit));
    }

    fn edge_uses(&self, block: Block, slot: usize, visit: impl FnMut(Value)) {
        self.function.edge_uses(block, slot, self.seen(visit));
    }

    fn edge_defs(&self, block: Block, slot: usize, visit: impl FnMut(Value)) {
        self.function.edge_defs(block, slot, self.seen(visit));
    }

    fn is_call(&self, block: Block, inst: usize) -> bool {
        self.function.is_call(block, inst)
    }
}
