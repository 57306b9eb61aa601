//! Code that is a flat list of labels and instructions, as the graph and the analyses see it.
//!
//! [`Listing`] is what a representation has to tell, item by item; [`Division`] divides it into
//! blocks; [`Blocks`] is the two together, as [`Code`] and [`Values`]. [`text`] is a listing that is
//! read from a file.
//!
//! # Division
//!
//! - A label opens a block and names it. A label right after another leaves the first with an empty
//!   block, which falls into the second's.
//! - What follows a terminator without a label opens a block too, and so does a first instruction
//!   without a label. Such a block is called `<N>` by its number.
//! - A block that does not end with an unconditional terminator falls into the next. Its edge comes
//!   after the one of its branch.
//! - Phis stand at the head of a block and are no instructions of it.
//! - Control must not run off the end of the listing, and an empty listing has no entry; nor may
//!   anything else be wrong that [`Outline::check`] finds. Each mistake comes with its item.

mod divide;
pub mod text;

pub use divide::{Division, ItemMistake};
pub use text::TextListing;

use super::validate::Outline;
use super::{Code, Values};
use crate::entity::{Block, Value};

/// Code as a list of items, each a label, a phi or an instruction.
pub trait Listing {
    /// How many items there are; they are numbered from 0.
    fn len(&self) -> usize;

    /// Whether there are no items.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What the item is.
    fn item(&self, item: usize) -> Item<'_>;

    /// How many values there are; they are numbered from 0.
    fn value_count(&self) -> usize;

    /// Calls `visit` on each value that an instruction reads, once an occurrence.
    fn uses(&self, item: usize, visit: impl FnMut(Value));

    /// Calls `visit` on each value that an instruction or a phi overwrites whole.
    fn defs(&self, item: usize, visit: impl FnMut(Value));

    /// Calls `visit` on each input of a phi: the label of the predecessor, and the value that is read
    /// on the way from there, if it reads one.
    fn phi_inputs(&self, item: usize, visit: impl FnMut(&str, Option<Value>)) {
        let _ = (item, visit);
    }
}

/// What an item is.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Item<'l> {
    /// A label.
    Label(&'l str),
    /// A phi of this name.
    Phi(&'l str),
    /// An instruction.
    Inst(Flow<'l>),
}

/// Where control goes after an instruction.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Flow<'l> {
    /// To the next instruction.
    Next,
    /// To the next instruction, when the call returns.
    Call,
    /// To the label, or to the next instruction.
    Branch(&'l str),
    /// To the label.
    Jump(&'l str),
    /// To an address that is not known.
    Indirect,
    /// Out of the code.
    Return,
}

/// A listing divided into blocks.
#[derive(Copy, Clone, Debug)]
pub struct Blocks<'l, L> {
    listing: &'l L,
    division: &'l Division,
}

impl<'l, L: Listing> Blocks<'l, L> {
    /// Puts a listing together with its division.
    pub fn new(listing: &'l L, division: &'l Division) -> Blocks<'l, L> {
        Blocks { listing, division }
    }

    /// The item of an instruction.
    pub fn item(&self, block: Block, inst: usize) -> usize {
        self.division.insts(block).start + inst
    }
}

impl<L: Listing> Code for Blocks<'_, L> {
    fn block_count(&self) -> usize {
        self.division.block_count()
    }

    fn block_name(&self, block: Block) -> &str {
        self.division.name(block)
    }

    fn inst_count(&self, block: Block) -> usize {
        self.division.insts(block).len()
    }

    fn successors(&self, block: Block, visit: impl FnMut(Block)) {
        self.division.successors(block).iter().copied().for_each(visit);
    }
}

impl<L: Listing> Values for Blocks<'_, L> {
    fn value_count(&self) -> usize {
        self.listing.value_count()
    }

    fn uses(&self, block: Block, inst: usize, visit: impl FnMut(Value)) {
        self.listing.uses(self.item(block, inst), visit);
    }

    fn defs(&self, block: Block, inst: usize, visit: impl FnMut(Value)) {
        self.listing.defs(self.item(block, inst), visit);
    }

    fn phi_defs(&self, block: Block, mut visit: impl FnMut(Value)) {
        for phi in self.division.phis(block) {
            self.listing.defs(phi, &mut visit);
        }
    }

    fn edge_uses(&self, block: Block, slot: usize, visit: impl FnMut(Value)) {
        self.division.edge_uses(block, slot).iter().copied().for_each(visit);
    }

    fn edge_defs(&self, _: Block, _: usize, _: impl FnMut(Value)) {}

    fn is_call(&self, block: Block, inst: usize) -> bool {
        let item = self.item(block, inst);
        matches!(self.listing.item(item), Item::Inst(Flow::Call))
    }
}

#[cfg(test)]
mod tests;
