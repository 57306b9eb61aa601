//! One step: an instruction, or a terminator.

use super::arithmetic::evaluate;
use super::frame::ill_typed;
use super::value::{Cell, Thunk};
use super::{Callee, Machine, Observer, Stop};
use crate::run::{Ending, Event};
use crate::tape::Answer;
use backedge_core::ir::{Block, Extern, Inst, Name, Op, Operand, Place, Target, TerminatorKind};
use smallvec::SmallVec;

impl<'p, O: Observer> Machine<'_, 'p, O> {
    /// Carries out what comes next.
    pub(super) fn step(&mut self) -> Result<(), Stop> {
        if self.steps >= self.limits.steps {
            return Err(Ending::OutOfFuel);
        }
        self.steps += 1;
        let frame = self.frame();
        let (function, at) = (frame.function, frame.at);
        let data = &function.blocks[at.block];
        if O::OBSERVES {
            self.observed(|observer, view| observer.before(view, at.block, at.inst));
        }
        match data.insts.get(at.inst) {
            Some(inst) => {
                let depth = self.frames.len();
                self.inst(inst)?;
                // A call goes on in its callee; it is done when that returns.
                if self.frames.len() == depth {
                    self.done();
                }
                Ok(())
            }
            None => self.terminator(&data.term.kind),
        }
    }

    /// Goes on behind an instruction.
    fn done(&mut self) {
        let at = self.frame().at;
        if O::OBSERVES {
            self.observed(|observer, view| observer.after(view, at.block, at.inst));
        }
        self.frame_mut().at.inst += 1;
    }

    pub(super) fn inst(&mut self, inst: &'p Inst) -> Result<(), Stop> {
        let value = match &inst.op {
            Op::Const(value) => Cell::Int(*value),
            Op::Copy(operand) => self.value(*operand)?,
            Op::Select(cond, a, b) => {
                let cond = self.int(*cond)?;
                self.select(cond, *a, *b)?
            }
            Op::Binary(op, a, b) => {
                let (a, b) = (self.int(*a)?, self.int(*b)?);
                Cell::Int(evaluate(*op, a, b))
            }
            Op::Load(addr) => {
                let addr = self.int(*addr)?;
                Cell::Int(self.memory.load(addr).ok_or_else(no_memory)?)
            }
            Op::Store { addr, value } => {
                let (addr, value) = (self.int(*addr)?, self.int(*value)?);
                return self.memory.store(addr, value).ok_or_else(no_memory);
            }
            Op::Call { callee, args } => return self.call(callee, args, inst.dest.as_ref()),
            Op::Bind(to) => {
                let args = self.values(&to.args)?;
                Cell::Thunk(Box::new(Thunk { block: to.block, args }))
            }
            Op::New => {
                let Some(dest) = &inst.dest else { return Err(ill_typed()) };
                let ty = self.frame().function.locals[dest.local].ty.at(&dest.path);
                self.fresh(ty.ok_or_else(ill_typed)?, 0)
            }
            Op::Move(place) => Cell::owned(self.take_place(place)?),
            Op::Drop(place) => return self.drop_place(place).map(|_| ()),
            Op::Destroy(place) => {
                let tokens = self.take_place(place)?;
                self.trace.extend(tokens.into_iter().flatten().map(Event::Drop));
                return Ok(());
            }
            Op::Opaque(opaque) => {
                return Err(Ending::Undefined(format!("opaque \"{}\"", opaque.text)));
            }
        };
        match &inst.dest {
            Some(dest) => self.assign(dest, value),
            None => {
                value.tokens(&mut self.leaks);
                Ok(())
            }
        }
    }

    /// Both are read; of thunks, the one that is not chosen stays.
    fn select(&mut self, cond: i64, a: Operand, b: Operand) -> Result<Cell, Stop> {
        let (chosen, other) = if cond != 0 { (a, b) } else { (b, a) };
        let is_thunk = |cell: &Cell| matches!(cell, Cell::Thunk(_));
        match other {
            Operand::Local(local) if is_thunk(self.cell(local)) => {}
            _ => drop(self.int(other)?),
        }
        self.value(chosen)
    }

    /// Drops what of a place is initialized; whether anything was.
    pub(super) fn drop_place(&mut self, place: &Place) -> Result<bool, Stop> {
        let before = self.trace.len();
        let tokens = self.take_leaves(place)?;
        self.trace.extend(tokens.into_iter().flatten().map(Event::Drop));
        Ok(self.trace.len() > before)
    }

    /// A call that does not catch an unwind.
    fn call(
        &mut self,
        callee: &Name,
        args: &[Operand],
        dest: Option<&'p Place>,
    ) -> Result<(), Stop> {
        let args = self.values(args)?;
        match self.callee(callee)? {
            Callee::Function(index) => self.call_function(index, args),
            Callee::Extern(of) => match self.call_extern(of, args)? {
                Some(value) => self.result(dest, value),
                None => Err(Ending::Unwound),
            },
        }
    }

    /// Calls into the environment: the result, or `None` if that unwinds.
    pub(super) fn call_extern(
        &mut self,
        of: &Extern,
        args: Vec<Cell>,
    ) -> Result<Option<Cell>, Stop> {
        let mut words: SmallVec<[i64; 4]> = SmallVec::new();
        for arg in args {
            match arg {
                Cell::Int(value) => words.push(value),
                other => {
                    let mut tokens = Vec::new();
                    other.tokens(&mut tokens);
                    words.extend(tokens.into_iter().map(|token| token as i64));
                }
            }
        }
        self.trace.push(Event::Call { callee: of.name.clone(), args: words });
        Ok(match (self.answer()?, &of.ret) {
            (Answer::Unwind, _) => None,
            (Answer::Value(value), Some(ty)) => Some(self.fresh(ty, value)),
            (Answer::Value(_), None) => Some(Cell::Nothing),
        })
    }

    /// Assigns the result of a call; one that nobody wants leaks.
    pub(super) fn result(&mut self, dest: Option<&Place>, value: Cell) -> Result<(), Stop> {
        match dest {
            Some(dest) => self.assign(dest, value),
            None => {
                value.tokens(&mut self.leaks);
                Ok(())
            }
        }
    }

    fn terminator(&mut self, term: &'p TerminatorKind) -> Result<(), Stop> {
        match term {
            TerminatorKind::Jump(to) => self.go(to, 0),
            TerminatorKind::Branch { cond, then_to, else_to } => match self.int(*cond)? {
                0 => self.go(else_to, 1),
                _ => self.go(then_to, 0),
            },
            TerminatorKind::Switch { value, default, cases } => {
                let value = self.int(*value)?;
                match cases.iter().position(|(key, _)| *key == value) {
                    Some(case) => self.go(&cases[case].1, case + 1),
                    None => self.go(default, 0),
                }
            }
            TerminatorKind::TryCall { callee, args, .. } => {
                let args = self.values(args)?;
                match self.callee(callee)? {
                    Callee::Function(index) => self.call_function(index, args),
                    Callee::Extern(of) => match self.call_extern(of, args)? {
                        Some(value) => self.returned(value),
                        None => self.unwind(),
                    },
                }
            }
            TerminatorKind::TryDrop { place, normal, unwind } => {
                match self.drop_place(place)? && self.answer()? == Answer::Unwind {
                    true => self.go(unwind, 1),
                    false => self.go(normal, 0),
                }
            }
            TerminatorKind::Enter(thunk) => match self.value(*thunk)? {
                Cell::Thunk(mut thunk) => {
                    let args = std::mem::take(&mut thunk.args);
                    self.bind(thunk.block, args)
                }
                _ => Err(ill_typed()),
            },
            TerminatorKind::Return(value) => {
                let value = match value {
                    Some(value) => self.value(*value)?,
                    None => Cell::Nothing,
                };
                self.leave();
                self.returned(value)
            }
            TerminatorKind::Unreachable => Err(Ending::Unreachable),
            TerminatorKind::Resume => {
                self.leave();
                self.unwind()
            }
        }
    }

    /// Takes an edge.
    fn go(&mut self, to: &Target, slot: usize) -> Result<(), Stop> {
        let from = self.frame().at.block;
        if O::OBSERVES {
            self.observed(|observer, view| observer.edge(view, from, slot));
        }
        // All arguments are read before any parameter is assigned.
        let args = self.values(&to.args)?;
        self.bind(to.block, args)
    }

    fn bind(&mut self, block: Block, args: Vec<Cell>) -> Result<(), Stop> {
        let params = &self.frame().function.blocks[block].params;
        for (&param, arg) in params.iter().zip(args) {
            self.assign_local(param, arg)?;
        }
        self.enter(block);
        Ok(())
    }

    /// Goes on in the caller with a result: behind the call, or on the normal edge of the `try_call`.
    fn returned(&mut self, value: Cell) -> Result<(), Stop> {
        let Some(frame) = self.frames.last() else {
            return Err(Ending::Returned(match value {
                Cell::Int(value) => Some(value),
                _ => None,
            }));
        };
        let data = &frame.function.blocks[frame.at.block];
        match data.insts.get(frame.at.inst) {
            Some(inst) => {
                self.result(inst.dest.as_ref(), value)?;
                self.done();
                Ok(())
            }
            None => match &data.term.kind {
                TerminatorKind::TryCall { dest, normal, .. } => {
                    self.result(dest.as_ref(), value)?;
                    self.go(normal, 0)
                }
                _ => Err(ill_typed()),
            },
        }
    }

    /// Unwinds into the function at work: to where its `try_call` says; a plain call ends the run.
    fn unwind(&mut self) -> Result<(), Stop> {
        let Some(frame) = self.frames.last() else { return Err(Ending::Unwound) };
        let data = &frame.function.blocks[frame.at.block];
        match &data.term.kind {
            TerminatorKind::TryCall { unwind, .. } if frame.at.inst == data.insts.len() => {
                self.go(unwind, 1)
            }
            _ => Err(Ending::Unwound),
        }
    }
}

fn no_memory() -> Stop {
    Ending::Undefined("an access to memory that the program does not have".to_owned())
}
