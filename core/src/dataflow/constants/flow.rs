//! The analysis as the solver takes it: what instructions and edges do to a state.

use super::state::State;
use super::{Lattice, evaluate};
use crate::cfg::{Direction, EdgeData};
use crate::dataflow::solver::Analysis;
use crate::entity::{Block, Edge};
use crate::ir::{Function, Inst, Local, Op, Operand, TerminatorKind, Type};

pub(super) struct Flow<'f> {
    function: &'f Function,
    /// The blocks that control can enter by way of a thunk.
    bound: Vec<Block>,
}

impl<'f> Flow<'f> {
    pub(super) fn new(function: &'f Function) -> Flow<'f> {
        Flow { function, bound: bound(function) }
    }
}

/// The blocks that thunks are bound to, if the function enters thunks.
fn bound(function: &Function) -> Vec<Block> {
    let blocks = || function.blocks.values();
    if !blocks().any(|data| matches!(data.term.kind, TerminatorKind::Enter(_))) {
        return Vec::new();
    }
    let insts = blocks().flat_map(|data| &data.insts);
    let bound = insts.filter_map(|inst| match &inst.op {
        Op::Bind(target) => Some(target.block),
        _ => None,
    });
    bound.collect()
}

impl Analysis for Flow<'_> {
    const DIRECTION: Direction = Direction::Forward;
    type State = State;

    fn bottom(&mut self) -> State {
        State::default()
    }

    /// Where control enters: by way of a thunk, with anything; else what is assigned is assigned by the
    /// caller. The entry can be entered in both ways.
    fn boundary(&mut self, block: Block, state: &mut State) {
        let function = self.function;
        if self.bound.contains(&block) {
            state.join(&State::all(function.locals.len(), Lattice::Overdefined));
        }
        if block != function.entry() {
            return;
        }
        let mut start = State::undefined(function.locals.len());
        let given = function.locals.iter().filter(|(_, data)| data.ty != Type::Int);
        let given = given.map(|(local, _)| local).chain(function.params.iter().copied());
        given.for_each(|local| start.set(local, Lattice::Overdefined));
        state.join(&start);
    }

    fn other_entries(&self) -> Vec<Block> {
        self.bound.clone()
    }

    fn join(&mut self, into: &mut State, from: &State) -> bool {
        into.join(from)
    }

    fn transfer_block(&mut self, block: Block, state: &mut State) {
        if state.is_reached() {
            for inst in &self.function.blocks[block].insts {
                step(self.function, inst, state);
            }
        }
    }

    fn transfer_edge(&mut self, _: Edge, data: EdgeData, state: &mut State) {
        if !state.is_reached() || !takes(self.function, data.from, data.slot, state) {
            *state = State::default();
            return;
        }
        let term = &self.function.blocks[data.from].term.kind;
        let slot = data.slot as usize;
        if let Some(local) = term.edge_def(slot) {
            state.set(local, Lattice::Overdefined);
        }
        let args = term.target(slot).map(|target| &target.args[..]).unwrap_or_default();
        // All are read before any is bound.
        let values: Vec<Lattice> = args.iter().map(|&arg| value(arg, state)).collect();
        for (&param, known) in self.function.blocks[data.to].params.iter().zip(values) {
            set(self.function, param, known, state);
        }
    }
}

/// Takes a state that is reached through an instruction.
pub(super) fn step(function: &Function, inst: &Inst, state: &mut State) {
    if let Some(dest) = &inst.dest {
        let known = if dest.is_whole() { result(&inst.op, state) } else { Lattice::Overdefined };
        set(function, dest.local, known, state);
    }
    if let Op::Opaque(opaque) = &inst.op {
        let written = opaque.defs.iter().chain(&opaque.partial);
        written.for_each(|&local| state.set(local, Lattice::Overdefined));
    }
}

/// Of what is not an integer nothing is known.
fn set(function: &Function, local: Local, known: Lattice, state: &mut State) {
    let is_int = function.locals[local].ty == Type::Int;
    state.set(local, if is_int { known } else { Lattice::Overdefined });
}

fn value(operand: Operand, state: &State) -> Lattice {
    match operand {
        Operand::Const(value) => Lattice::Constant(value),
        Operand::Local(local) => state.get(local).unwrap_or_default(),
    }
}

/// What an operation gives in a state.
pub(super) fn result(op: &Op, state: &State) -> Lattice {
    use Lattice::{Constant, Overdefined, Undefined};
    match op {
        Op::Const(value) => Constant(*value),
        Op::Copy(a) => value(*a, state),
        Op::Select(cond, a, b) => match (value(*cond, state), value(*a, state), value(*b, state)) {
            (Undefined, ..) | (_, Undefined, _) | (_, _, Undefined) => Undefined,
            (Constant(cond), a, b) => {
                if cond != 0 {
                    a
                } else {
                    b
                }
            }
            (Overdefined, a, b) => a.join(b),
        },
        Op::Binary(op, a, b) => match (value(*a, state), value(*b, state)) {
            (Undefined, _) | (_, Undefined) => Undefined,
            (Constant(a), Constant(b)) => Constant(evaluate(*op, a, b)),
            _ => Overdefined,
        },
        _ => Overdefined,
    }
}

/// Whether control may leave a block by this slot, in a state at its end that is reached.
pub(super) fn takes(function: &Function, block: Block, slot: u32, state: &State) -> bool {
    let (condition, chosen): (Operand, &dyn Fn(i64) -> usize) =
        match &function.blocks[block].term.kind {
            TerminatorKind::Branch { cond, .. } => (*cond, &|cond| usize::from(cond == 0)),
            TerminatorKind::Switch { value, cases, .. } => (*value, &|value| {
                cases.iter().position(|(key, _)| *key == value).map_or(0, |case| case + 1)
            }),
            _ => return true,
        };
    match value(condition, state) {
        Lattice::Undefined => false,
        Lattice::Constant(value) => chosen(value) == slot as usize,
        Lattice::Overdefined => true,
    }
}
