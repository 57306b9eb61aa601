//! The drawing of a finding: what is wrong, where it is wrong, and the right facts around it.

use super::facts::{Facts, Show};
use super::html::drawing;
use super::picture::{Mark, Picture, Place};
use crate::bril::prepare;
use backedge_core::ir::{Function, Program};
use backedge_oracle::check::At;

/// The facts of larger functions come from the solvers: the references take time that grows with the
/// square of the blocks.
const REFERENCE_BLOCKS: usize = 400;

/// What a check found, as its drawing needs it.
#[derive(Copy, Clone, Debug)]
pub struct Wrong<'a> {
    /// Name of the check.
    pub check: &'a str,
    /// Name of the function.
    pub function: &'a str,
    /// Where in it.
    pub at: &'a At,
    /// What was expected, in words.
    pub expected: &'a str,
    /// What was answered, in words.
    pub answered: &'a str,
}

/// The function that a finding is in, as a part of an HTML page; empty where the program has no such
/// function.
pub fn finding_drawing(program: &Program, wrong: &Wrong) -> String {
    let function = program.functions.iter().find(|function| function.name == wrong.function);
    let Some(function) = function.filter(|function| !function.blocks.is_empty()) else {
        return String::new();
    };
    // A block that the program does not have belongs to what a foreign subject was asked about.
    let prepared = prepare(function).filter(|_| place(function, wrong.at).is_none());
    let drawn = prepared.as_ref().unwrap_or(function);
    let show = shown(wrong.check);
    let facts = if drawn.blocks.len() <= REFERENCE_BLOCKS {
        Facts::reference(drawn, &show)
    } else {
        Facts::solved(drawn, &show)
    };
    drawing(&[Picture::new(drawn, &facts, &marks(drawn, wrong))])
}

/// The facts that a check is about.
fn shown(check: &str) -> Vec<Show> {
    match check {
        "cfg" => vec![Show::Dominators, Show::Loops],
        "constants" => vec![Show::Constants],
        "drops" => vec![Show::Drops],
        _ => vec![Show::Liveness],
    }
}

fn marks(function: &Function, wrong: &Wrong) -> Vec<Mark> {
    let says = vec![format!("expected {}", wrong.expected), format!("answered {}", wrong.answered)];
    place(function, wrong.at).map(|at| Mark { at, says }).into_iter().collect()
}

/// The place in this function, if it is one and the function has it.
fn place(function: &Function, at: &At) -> Option<Place> {
    match at {
        At::Function => None,
        At::Block(block) => function.block_named(block).map(Place::Block),
        At::Inst { block, index } => {
            let block = function.block_named(block)?;
            (*index <= function.blocks[block].insts.len()).then_some(Place::Inst(block, *index))
        }
        At::Edge { from, to, slot } => {
            let (from, to) = (function.block_named(from)?, function.block_named(to)?);
            let before = function.blocks.values().take(from.as_u32() as usize);
            let first: usize = before.map(|data| data.term.kind.targets().len()).sum();
            let targets = function.blocks[from].term.kind.targets();
            let fits = |position: usize| slot.is_none_or(|slot| slot as usize == position);
            let slot = targets.iter().enumerate().position(|(n, t)| t.block == to && fits(n))?;
            Some(Place::Edge(first + slot))
        }
    }
}
