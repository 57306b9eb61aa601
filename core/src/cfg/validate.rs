//! Says what is wrong with a graph that somebody else made, by name.
//!
//! An [`Outline`] is all that a representation claims about its control flow: names, terminators,
//! targets, and where it keeps them, its own lists of predecessors, successors and phi inputs. It can
//! say things that no graph can be built from, and [`Outline::check`] finds them all, each with its
//! place. Blocks that can't be reached are no mistake.

mod check;
mod mistake;

pub use mistake::{Mistake, MistakeKind, Site};

use super::Code;
use crate::entity::Block;
use cranelift_entity::EntityRef;
use smol_str::SmolStr;

/// What a representation claims.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outline {
    /// All blocks.
    pub blocks: Vec<OutlineBlock>,
}

/// What it claims about a block.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OutlineBlock {
    /// The name.
    pub name: SmolStr,
    /// Whether control enters here.
    pub is_entry: bool,
    /// The phis at the head.
    pub phis: Vec<OutlinePhi>,
    /// The instructions, the terminator included.
    pub insts: Vec<OutlineInst>,
    /// The block that control falls into at the end.
    pub falls_to: Option<SmolStr>,
    /// The predecessors, where the representation lists them; order and repetition don't count.
    pub preds: Option<Vec<SmolStr>>,
    /// The successors, where the representation lists them besides its terminators.
    pub succs: Option<Vec<SmolStr>>,
}

/// An instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutlineInst {
    /// What tells it from other instructions. An instruction is in one block only.
    pub id: u64,
    /// Where control goes after it.
    pub control: Control,
}

/// Where control goes after an instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Control {
    /// On: it is no terminator.
    Next,
    /// To one of these, or on into the block that this one falls into.
    MayGoTo(Vec<SmolStr>),
    /// To one of these, of which there may be none, and never on.
    GoesTo(Vec<SmolStr>),
}

/// A phi.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutlinePhi {
    /// What people call it.
    pub name: SmolStr,
    /// The predecessors that it has an input for. Parallel edges share one.
    pub inputs: Vec<SmolStr>,
}

impl Outline {
    /// What some code says about itself. A successor that is no block is a target without a block; a
    /// block without instructions falls into its only successor.
    pub fn of(code: &impl Code) -> Outline {
        let count = code.block_count();
        let name = |block: Block| {
            if block.index() < count {
                SmolStr::new(code.block_name(block))
            } else {
                smol_str::format_smolstr!("{block}")
            }
        };
        let mut next_id = 0;
        let blocks = (0..count).map(Block::new).map(|block| {
            let mut targets = Vec::new();
            code.successors(block, |to| targets.push(name(to)));
            let inst_count = code.inst_count(block);
            let falls_to = if inst_count == 0 { targets.pop() } else { None };
            let mut insts: Vec<OutlineInst> = (next_id..next_id + inst_count as u64)
                .map(|id| OutlineInst { id, control: Control::Next })
                .collect();
            next_id += inst_count as u64;
            if let Some(last) = insts.last_mut() {
                last.control = Control::GoesTo(targets);
            }
            let is_entry = block == code.entry();
            OutlineBlock { name: name(block), is_entry, insts, falls_to, ..OutlineBlock::default() }
        });
        Outline { blocks: blocks.collect() }
    }

    /// Everything that is wrong, block by block.
    pub fn check(&self) -> Vec<Mistake> {
        check::check(self)
    }
}

impl OutlineBlock {
    /// Where control may go from here.
    pub fn targets(&self) -> impl Iterator<Item = &SmolStr> {
        let last = self.insts.last().map(|inst| &inst.control);
        let named = match last {
            Some(Control::MayGoTo(targets) | Control::GoesTo(targets)) => targets.as_slice(),
            Some(Control::Next) | None => &[],
        };
        let falls = !matches!(last, Some(Control::GoesTo(_)));
        named.iter().chain(self.falls_to.iter().filter(move |_| falls))
    }
}

#[cfg(test)]
mod tests;
