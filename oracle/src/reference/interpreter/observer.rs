//! Watching a run.

use super::value::Cell;
use crate::tape::Answer;
use backedge_core::ir::{Block, Local};
use cranelift_entity::EntityRef;

/// What can be seen of a run between two steps.
#[derive(Copy, Clone, Debug)]
pub struct View<'m> {
    /// Which of the program's functions is at work.
    pub function: usize,
    /// How many calls are under way, this one included.
    pub depth: usize,
    /// Its locals.
    pub(super) cells: &'m [Cell],
}

impl<'m> View<'m> {
    /// What a local holds.
    pub fn cell(&self, local: Local) -> &'m Cell {
        &self.cells[local.index()]
    }

    /// The integer that a local holds, if it was assigned one.
    pub fn int(&self, local: Local) -> Option<i64> {
        match self.cell(local) {
            Cell::Int(value) => Some(*value),
            _ => None,
        }
    }
}

/// Is told of every step. What it does not care for costs nothing.
pub trait Observer {
    /// Whether it cares for anything.
    const OBSERVES: bool = true;

    /// A block is entered, its parameters bound.
    fn enter(&mut self, view: &View<'_>, block: Block) {
        let _ = (view, block);
    }

    /// An instruction comes next; the terminator is the last.
    fn before(&mut self, view: &View<'_>, block: Block, inst: usize) {
        let _ = (view, block, inst);
    }

    /// An instruction is done; a call, when its callee has returned. Terminators are not told of.
    fn after(&mut self, view: &View<'_>, block: Block, inst: usize) {
        let _ = (view, block, inst);
    }

    /// An answer of the environment is needed, and the tape is at its end: for an extern call that
    /// [`Observer::before`] told of last, or for a parameter of the first function.
    fn answer(&mut self) -> Option<Answer> {
        None
    }

    /// An edge is taken. What is defined on it is, its arguments are not yet bound.
    fn edge(&mut self, view: &View<'_>, block: Block, slot: usize) {
        let _ = (view, block, slot);
    }
}

/// Cares for nothing.
pub struct Silent;

impl Observer for Silent {
    const OBSERVES: bool = false;
}
