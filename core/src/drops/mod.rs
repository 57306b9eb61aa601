//! Drops: which owned places may be initialized where, what follows for each drop, and the program
//! without a drop that has to find out.
//!
//! [`paths`] numbers what can be moved by itself, [`effects`] says what code does to it, and
//! [`initialized`] runs both on the one solver. [`DropClass`] is read off the stable states in one later pass
//! over the same effects. [`elaborate`] acts on the classes: what it can't decide it leaves to flags.
//!
//! **Unwinding out of a drop.** `try_drop` of what holds nothing drops nothing, and does not unwind. Whether
//! its unwind edge is there can be read in two ways. [`Unwinding::Always`]: it is, whatever is known of the
//! place. [`Unwinding::WhereInitialized`]: only where something of it may be initialized, so that the graph
//! depends on the states, as in rustc. The latter finds more, and is not a join over paths any more: what
//! one path brings may open an edge that another is then taken over.

pub mod effects;
pub mod elaborate;
pub mod initialized;
pub mod paths;
#[cfg(test)]
mod tests;

pub use elaborate::elaborate;
pub use initialized::{Initialized, State};

use crate::cfg::Cfg;
use crate::ir::{Block, Function, Op, Place, TerminatorKind};

/// When a `try_drop` may unwind.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Hash)]
pub enum Unwinding {
    /// Always, as far as the analysis knows.
    Always,
    /// Where something of the place may be initialized.
    #[default]
    WhereInitialized,
}

/// What has to be done at a drop.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum DropClass {
    /// All of the place is initialized, always.
    Static,
    /// None of it is, ever.
    Dead,
    /// It is or is not, as a whole.
    Conditional,
    /// Parts of it may be and parts may be not, because parts are moved or assigned by themselves.
    Open,
    /// Control never gets there.
    Unclassified,
}

impl DropClass {
    /// Every class.
    pub const ALL: [DropClass; 5] = [
        DropClass::Static,
        DropClass::Dead,
        DropClass::Conditional,
        DropClass::Open,
        DropClass::Unclassified,
    ];

    /// The name in texts and reports.
    pub fn name(self) -> &'static str {
        match self {
            DropClass::Static => "static",
            DropClass::Dead => "dead",
            DropClass::Conditional => "conditional",
            DropClass::Open => "open",
            DropClass::Unclassified => "unclassified",
        }
    }
}

/// A drop: an instruction, or the terminator of its block.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DropSite {
    /// The block.
    pub block: Block,
    /// Its position; a `try_drop` comes last.
    pub inst: usize,
}

/// The class of every drop of the function, by block and position.
pub fn classify(function: &Function, unwinding: Unwinding) -> Vec<(DropSite, DropClass)> {
    let cfg = Cfg::build(function);
    let initialized = Initialized::solve(function, &cfg, unwinding);
    let has_drops = |&block: &Block| {
        let count = function.blocks[block].insts.len();
        (0..=count).any(|inst| dropped(function, block, inst).is_some())
    };
    let mut classes = Vec::new();
    initialized.walk(function.blocks.keys().filter(has_drops), |block, inst, state| {
        if let Some(place) = dropped(function, block, inst) {
            classes.push((DropSite { block, inst }, initialized.class(place, state)));
        }
    });
    classes
}

/// The place that an instruction or a terminator drops as far as it is initialized.
pub fn dropped(function: &Function, block: Block, inst: usize) -> Option<&Place> {
    let data = &function.blocks[block];
    match data.insts.get(inst) {
        Some(inst) => match &inst.op {
            Op::Drop(place) => Some(place),
            _ => None,
        },
        None => match &data.term.kind {
            TerminatorKind::TryDrop { place, .. } => Some(place),
            _ => None,
        },
    }
}
