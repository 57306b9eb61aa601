//! A naive solver of constants with a switch per fault.
//!
//! Blocks whose state changed wait in a queue; each is taken through once more and its edges merged into
//! their targets. States rise in a lattice of finite height, so it ends; a fault may keep them from
//! rising, so that visits are limited as well.

use crate::reference::interpreter::evaluate;
use crate::subject::{ConstantSolver, ConstantsAnswer, Known, KnownLocals, NoAnswer, Subject};
use backedge_core::ir::{
    BinaryOp, Block, Function, Inst, Local, Op, Operand, TerminatorKind, Type,
};
use cranelift_entity::EntityRef;
use std::collections::{BTreeSet, VecDeque};

/// What can be wrong with the solver.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum ConstantsFault {
    /// A join takes what came last.
    LastOneWins,
    /// What the caller passes is forgotten where the entry has predecessors.
    BoundaryDropped,
    /// Operations on something undefined are overdefined.
    UndefinedIsOverdefined,
    /// Edges that are never taken count.
    UnreachedEdgeCounted,
    /// Two different constants join to the first of them.
    NeverOverdefined,
    /// Division by zero gives zero.
    DivisionOfItsOwn,
    /// Arguments are bound to parameters one after the other.
    ParametersInSequence,
    /// Only the first way of a branch is followed.
    SecondWayForgotten,
    /// The first state of a block is final.
    LoopsNotIterated,
    /// Nothing is said to be foldable or decided.
    NothingFolded,
    /// The other way is said to be taken.
    OtherWayDecided,
    /// The value of the instruction before is folded in.
    NeighborFolded,
    /// The folded program jumps the other way.
    JumpsTheOtherWay,
    /// The folded program passes nothing where it jumps.
    JumpsWithoutArguments,
    /// No number is taken for equal to one that is not known.
    NeverEqual,
}

use ConstantsFault::*;

/// The solver as a subject.
#[derive(Clone, Debug)]
pub struct Naive {
    name: &'static str,
    fault: Option<ConstantsFault>,
}

impl Naive {
    /// A solver with this fault; with none, it is right.
    pub fn new(name: &'static str, fault: Option<ConstantsFault>) -> Naive {
        Naive { name, fault }
    }
}

impl Subject for Naive {
    fn name(&self) -> &str {
        self.name
    }

    fn constants(&mut self) -> Option<&mut dyn ConstantSolver> {
        Some(self)
    }
}

impl ConstantSolver for Naive {
    fn constants(&mut self, function: &Function) -> Result<ConstantsAnswer, NoAnswer> {
        let mut solver = Solver::new(function, self.fault);
        solver.solve();
        Ok(solver.answer())
    }

    fn fold(&mut self, function: &Function) -> Result<Option<Function>, NoAnswer> {
        let mut solver = Solver::new(function, self.fault);
        solver.solve();
        Ok(Some(solver.fold()))
    }
}

struct Solver<'f> {
    function: &'f Function,
    fault: Option<ConstantsFault>,
    entry: Vec<KnownLocals>,
    queue: VecDeque<Block>,
}

impl<'f> Solver<'f> {
    fn new(function: &'f Function, fault: Option<ConstantsFault>) -> Solver<'f> {
        let entry = vec![None; function.blocks.len()];
        Solver { function, fault, entry, queue: VecDeque::new() }
    }

    fn is(&self, fault: ConstantsFault) -> bool {
        self.fault == Some(fault)
    }

    fn solve(&mut self) {
        self.start();
        let mut visits = 100 + 20 * self.function.blocks.len();
        while let Some(block) = self.queue.pop_front() {
            visits -= 1;
            if visits == 0 {
                return;
            }
            let Some(state) = self.entry[block.index()].clone() else { continue };
            let end = self.through(block, state);
            let term = &self.function.blocks[block].term.kind;
            for (slot, target) in term.targets().into_iter().enumerate() {
                if self.leads_to(term, slot, &end) {
                    let bound = self.over(block, slot, &end);
                    self.merge(target.block, bound);
                }
            }
        }
    }

    /// What the caller passes, and what thunks may do.
    fn start(&mut self) {
        let function = self.function;
        let has_predecessors = function.blocks.values().any(|data| {
            data.term.kind.targets().iter().any(|target| target.block == function.entry())
        });
        let dropped = self.is(BoundaryDropped) && has_predecessors;
        let of = |local: Local| {
            let given = function.params.contains(&local) && !dropped;
            let is_int = function.locals[local].ty == Type::Int;
            if given || !is_int { Known::Overdefined } else { Known::Undefined }
        };
        self.merge(function.entry(), function.locals.keys().map(of).collect());
        let enters = |term: &TerminatorKind| matches!(term, TerminatorKind::Enter(_));
        if function.blocks.values().any(|data| enters(&data.term.kind)) {
            for inst in function.blocks.values().flat_map(|data| &data.insts) {
                if let Op::Bind(target) = &inst.op {
                    self.merge(target.block, vec![Known::Overdefined; function.locals.len()]);
                }
            }
        }
    }

    fn join(&self, old: Known, new: Known) -> Known {
        match (old, new) {
            (Known::Undefined, other) | (other, Known::Undefined) => other,
            (_, new) if self.is(LastOneWins) => new,
            (old, new) if old == new => old,
            (Known::Constant(_), Known::Constant(_)) if self.is(NeverOverdefined) => old,
            _ => Known::Overdefined,
        }
    }

    fn merge(&mut self, block: Block, from: Vec<Known>) {
        let old = self.entry[block.index()].clone();
        let new: Vec<Known> = match &old {
            Some(_) if self.is(LoopsNotIterated) => return,
            Some(old) => old.iter().zip(from).map(|(&old, new)| self.join(old, new)).collect(),
            None => from,
        };
        if old.as_ref() != Some(&new) {
            self.entry[block.index()] = Some(new);
            self.queue.push_back(block);
        }
    }

    fn value(&self, operand: Operand, state: &[Known]) -> Known {
        match operand {
            Operand::Const(value) => Known::Constant(value),
            Operand::Local(local) => state[local.index()],
        }
    }

    fn result(&self, op: &Op, state: &[Known]) -> Known {
        let value = |operand: &Operand| self.value(*operand, state);
        let undefined =
            if self.is(UndefinedIsOverdefined) { Known::Overdefined } else { Known::Undefined };
        match op {
            Op::Const(value) => Known::Constant(*value),
            Op::Copy(a) => value(a),
            Op::Select(cond, a, b) => match (value(cond), value(a), value(b)) {
                (Known::Undefined, ..) | (_, Known::Undefined, _) | (.., Known::Undefined) => {
                    undefined
                }
                (Known::Constant(cond), a, b) => {
                    if cond != 0 {
                        a
                    } else {
                        b
                    }
                }
                (_, a, b) if a == b => a,
                _ => Known::Overdefined,
            },
            Op::Binary(op, a, b) => match (value(a), value(b)) {
                (Known::Undefined, _) | (_, Known::Undefined) => undefined,
                (Known::Constant(a), Known::Constant(b)) => {
                    Known::Constant(self.compute(*op, a, b))
                }
                (Known::Overdefined, Known::Constant(77)) if self.is(NeverEqual) => match op {
                    BinaryOp::Eq => Known::Constant(0),
                    _ => Known::Overdefined,
                },
                _ => Known::Overdefined,
            },
            _ => Known::Overdefined,
        }
    }

    fn compute(&self, op: BinaryOp, a: i64, b: i64) -> i64 {
        let divides =
            matches!(op, BinaryOp::Sdiv | BinaryOp::Udiv | BinaryOp::Srem | BinaryOp::Urem);
        if divides && b == 0 && self.is(DivisionOfItsOwn) {
            return 0;
        }
        evaluate(op, a, b)
    }

    fn set(&self, local: Local, to: Known, state: &mut [Known]) {
        let is_int = self.function.locals[local].ty == Type::Int;
        state[local.index()] = if is_int { to } else { Known::Overdefined };
    }

    fn step(&self, inst: &Inst, state: &mut [Known]) {
        if let Some(dest) = &inst.dest {
            self.set(dest.local, self.result(&inst.op, state), state);
        }
        if let Op::Opaque(opaque) = &inst.op {
            for &local in opaque.defs.iter().chain(&opaque.partial) {
                self.set(local, Known::Overdefined, state);
            }
        }
    }

    fn through(&self, block: Block, mut state: Vec<Known>) -> Vec<Known> {
        self.function.blocks[block].insts.iter().for_each(|inst| self.step(inst, &mut state));
        state
    }

    fn leads_to(&self, term: &TerminatorKind, slot: usize, state: &[Known]) -> bool {
        if self.is(UnreachedEdgeCounted) {
            return true;
        }
        let (known, chosen): (Known, &dyn Fn(i64) -> usize) = match term {
            TerminatorKind::Branch { cond, .. } => {
                (self.value(*cond, state), &|value| usize::from(value == 0))
            }
            TerminatorKind::Switch { value, cases, .. } => (self.value(*value, state), &|value| {
                cases.iter().position(|case| case.0 == value).map_or(0, |case| case + 1)
            }),
            _ => return true,
        };
        match known {
            Known::Undefined => false,
            Known::Constant(value) => chosen(value) == slot,
            Known::Overdefined => slot == 0 || !self.is(SecondWayForgotten),
        }
    }

    fn over(&self, block: Block, slot: usize, state: &[Known]) -> Vec<Known> {
        let term = &self.function.blocks[block].term.kind;
        let mut state = state.to_vec();
        if let Some(local) = term.edge_def(slot) {
            self.set(local, Known::Overdefined, &mut state);
        }
        let before = state.clone();
        for (&param, &arg) in term
            .target(slot)
            .into_iter()
            .flat_map(|target| self.function.blocks[target.block].params.iter().zip(&target.args))
        {
            let from = if self.is(ParametersInSequence) { state.clone() } else { before.clone() };
            self.set(param, self.value(arg, &from), &mut state);
        }
        state
    }

    fn answer(&self) -> ConstantsAnswer {
        let (mut edges, mut foldable, mut decided) =
            (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
        let mut exit = Vec::new();
        for (block, data) in &self.function.blocks {
            let Some(mut state) = self.entry[block.index()].clone() else {
                exit.push(None);
                continue;
            };
            for (index, inst) in data.insts.iter().enumerate() {
                let computes = matches!(inst.op, Op::Copy(_) | Op::Select(..) | Op::Binary(..));
                if let (Known::Constant(value), true) = (self.result(&inst.op, &state), computes)
                    && inst.dest.as_ref().is_some_and(|dest| dest.is_whole())
                {
                    let value = if self.is(NeighborFolded) { value ^ 1 } else { value };
                    foldable.insert((block, index, value));
                }
                self.step(inst, &mut state);
            }
            let term = &data.term.kind;
            let count = term.targets().len();
            let taken: Vec<usize> =
                (0..count).filter(|&slot| self.leads_to(term, slot, &state)).collect();
            edges.extend(taken.iter().map(|&slot| (block, slot as u32)));
            let chooses =
                matches!(term, TerminatorKind::Branch { .. } | TerminatorKind::Switch { .. });
            if chooses && count > 1 && taken.len() == 1 {
                let other = usize::from(self.is(OtherWayDecided));
                decided.insert((block, ((taken[0] + other) % count) as u32));
            }
            exit.push(Some(state));
        }
        if self.is(NothingFolded) {
            foldable.clear();
            decided.clear();
        }
        ConstantsAnswer {
            entry: self.entry.clone(),
            exit: Some(exit),
            edges: Some(edges),
            foldable: Some(foldable),
            decided: Some(decided),
        }
    }

    fn fold(&self) -> Function {
        let answer = self.answer();
        let mut folded = self.function.clone();
        for &(block, index, value) in answer.foldable.iter().flatten() {
            folded.blocks[block].insts[index].op = Op::Const(value);
        }
        for &(block, slot) in answer.decided.iter().flatten() {
            let term = &mut folded.blocks[block].term.kind;
            let count = term.targets().len();
            let other = usize::from(self.is(JumpsTheOtherWay));
            let Some(mut target) = term.target((slot as usize + other) % count).cloned() else {
                continue;
            };
            if self.is(JumpsWithoutArguments) {
                target.args.clear();
            }
            *term = TerminatorKind::Jump(target);
        }
        folded
    }
}
