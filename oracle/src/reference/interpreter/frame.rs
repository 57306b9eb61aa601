//! Functions under way: their locals, calls and returns.

use super::value::{Cell, leaves_at};
use super::{Machine, Observer, Position, Stop, View};
use crate::run::Ending;
use backedge_core::ir::{Block, Function, Local, Operand, Place};
use cranelift_entity::EntityRef;
use std::ops::Range;

/// A function under way.
pub(super) struct Frame<'p> {
    pub(super) function: &'p Function,
    /// Which of the program's functions it is.
    pub(super) index: usize,
    /// Where its locals start.
    base: usize,
    pub(super) at: Position,
}

impl<'p, O: Observer> Machine<'_, 'p, O> {
    /// The function at work.
    pub(super) fn frame(&self) -> &Frame<'p> {
        self.frames.last().expect("a run is in some function")
    }

    pub(super) fn frame_mut(&mut self) -> &mut Frame<'p> {
        self.frames.last_mut().expect("a run is in some function")
    }

    /// Shows the run to the observer.
    pub(super) fn observed(&mut self, tell: impl FnOnce(&mut O, &View<'_>)) {
        let frame = self.frames.last().expect("a run is in some function");
        let cells = &self.cells[frame.base..];
        tell(self.observer, &View { function: frame.index, depth: self.frames.len(), cells });
    }

    pub(super) fn cell(&mut self, local: Local) -> &mut Cell {
        let base = self.frame().base;
        &mut self.cells[base + local.index()]
    }

    /// Enters a function.
    pub(super) fn call_function(&mut self, index: usize, args: Vec<Cell>) -> Result<(), Stop> {
        if self.frames.len() >= self.limits.depth {
            return Err(Ending::OutOfFuel);
        }
        let function = &self.interpreter.program.functions[index];
        let base = self.cells.len();
        self.cells.resize(base + function.locals.len(), Cell::Nothing);
        let at = Position { block: function.entry(), inst: 0 };
        self.frames.push(Frame { function, index, base, at });
        for (&param, arg) in function.params.iter().zip(args) {
            *self.cell(param) = arg;
        }
        self.enter(function.entry());
        Ok(())
    }

    /// Leaves the function at work. What it still holds leaks.
    pub(super) fn leave(&mut self) {
        let base = self.frame().base;
        for cell in &self.cells[base..] {
            cell.tokens(&mut self.leaks);
        }
        self.cells.truncate(base);
        self.frames.pop();
    }

    /// Goes to the start of a block whose parameters are bound.
    pub(super) fn enter(&mut self, block: Block) {
        self.frame_mut().at = Position { block, inst: 0 };
        if O::OBSERVES {
            self.observed(|observer, view| observer.enter(view, block));
        }
    }

    /// The value of an integer operand.
    pub(super) fn int(&mut self, operand: Operand) -> Result<i64, Stop> {
        let local = match operand {
            Operand::Const(value) => return Ok(value),
            Operand::Local(local) => local,
        };
        match self.cell(local) {
            Cell::Int(value) => Ok(*value),
            _ => Err(self.not_assigned(local)),
        }
    }

    /// The value of an operand; anything but an integer is moved.
    pub(super) fn value(&mut self, operand: Operand) -> Result<Cell, Stop> {
        let local = match operand {
            Operand::Const(value) => return Ok(Cell::Int(value)),
            Operand::Local(local) => local,
        };
        let is_whole = match self.cell(local) {
            Cell::Int(value) => return Ok(Cell::Int(*value)),
            Cell::Nothing => false,
            Cell::Owned(leaves) => leaves.iter().all(Option::is_some),
            Cell::Thunk(_) => true,
        };
        if is_whole { Ok(std::mem::take(self.cell(local))) } else { Err(self.not_assigned(local)) }
    }

    pub(super) fn values(&mut self, operands: &[Operand]) -> Result<Vec<Cell>, Stop> {
        operands.iter().map(|&operand| self.value(operand)).collect()
    }

    /// Assigns to a place; what was there leaks.
    pub(super) fn assign(&mut self, place: &Place, value: Cell) -> Result<(), Stop> {
        if place.is_whole() {
            return self.assign_local(place.local, value);
        }
        let range = self.leaves_of(place)?;
        let Cell::Owned(parts) = value else { return Err(ill_typed()) };
        let mut lost = Vec::new();
        let leaves = self.owned(place.local)?;
        for (leaf, part) in leaves[range].iter_mut().zip(parts) {
            lost.extend(std::mem::replace(leaf, part));
        }
        self.leaks.extend(lost);
        Ok(())
    }

    pub(super) fn assign_local(&mut self, local: Local, value: Cell) -> Result<(), Stop> {
        let old = std::mem::replace(self.cell(local), value);
        old.tokens(&mut self.leaks);
        Ok(())
    }

    /// Moves all leaves of a place out, and leaves those behind that are not initialized.
    pub(super) fn take_leaves(&mut self, place: &Place) -> Result<Vec<Option<u64>>, Stop> {
        let range = self.leaves_of(place)?;
        Ok(self.owned(place.local)?[range].iter_mut().map(Option::take).collect())
    }

    /// Moves a place out, all of which has to be initialized.
    pub(super) fn take_place(&mut self, place: &Place) -> Result<Vec<Option<u64>>, Stop> {
        let range = self.leaves_of(place)?;
        let is_whole = self.owned(place.local)?[range].iter().all(Option::is_some);
        if is_whole { self.take_leaves(place) } else { Err(self.not_assigned(place.local)) }
    }

    /// The leaves of a local of an owned type.
    fn owned(&mut self, local: Local) -> Result<&mut [Option<u64>], Stop> {
        let count = super::leaves(&self.frame().function.locals[local].ty);
        let cell = self.cell(local);
        if *cell == Cell::Nothing {
            *cell = Cell::owned(vec![None; count]);
        }
        match cell {
            Cell::Owned(leaves) => Ok(leaves),
            _ => Err(ill_typed()),
        }
    }

    fn leaves_of(&self, place: &Place) -> Result<Range<usize>, Stop> {
        let ty = &self.frame().function.locals[place.local].ty;
        leaves_at(ty, &place.path).ok_or_else(ill_typed)
    }

    fn not_assigned(&self, local: Local) -> Stop {
        let data = &self.frame().function.locals[local];
        let what = if data.ty.is_owned() { "is not initialized" } else { "is not assigned" };
        Ending::Undefined(format!("%{} {what}", data.name))
    }
}

/// A program that passed validation never does this.
pub(super) fn ill_typed() -> Stop {
    Ending::Undefined("an operation on a value of another type".to_owned())
}
