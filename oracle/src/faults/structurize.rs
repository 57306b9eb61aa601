//! The structurizer of `core`, spoiled: before, in the graph that it is given ([`graphs`]), or after, in what it
//! answers ([`regions`]). Where there is nothing to spoil, it is right.

mod graphs;
mod list;
mod regions;

pub(super) use list::LIST;

use crate::core_subject::Core;
use crate::subject::{NoAnswer, Structurizer, Subject};
use backedge_core::ir::{
    Block, BlockData, Function, Name, Operand, Target, Terminator, TerminatorKind,
};
use backedge_core::thunks::form::RegionFunction;

/// What can be wrong with a structurizer.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum StructurizeFault {
    /// A loop that only the false arm of its back edge leaves is endless.
    ExitOfBackEdgeLost,
    /// What an else arm computes is hoisted, though a third path comes to the join.
    HoistedIntoThirdPath,
    /// Out of two loops means out of one.
    LeavesOneLevelTooFew,
    /// An edge into the middle of a loop goes the other way.
    IrreducibleEdgeSwapped,
    /// A block of a loop with two entries does nothing.
    BlockLost,
    /// Loop-carried values are assigned one after the other.
    CarriedInSequence,
    /// The selector of a loop with several entries is set before the first iteration alone.
    SelectorNotSetAgain,
    /// A thunk is entered by two regions.
    EnteredTwice,
    /// Of two edges to one target, the second passes what the first does.
    ParallelEdgeDropped,
    /// A block that may repeat itself never does.
    SelfLoopLost,
    /// A loop goes on where it should stop.
    PredicateInverted,
    /// A loop-carried value is none.
    CarriedUndefined,
    /// Not every way to a tag sets it.
    TagUnset,
    /// Every third answer is another one.
    Unsteady,
    /// What thunks stand for is read with arms swapped.
    UnreifiedSwapped,
    /// Thunk form is given for structured.
    ThunksLeft,
    /// A block is copied into both arms that lead to it.
    BlockCopied,
    /// The function is one iteration of a loop.
    LoopAdded,
    /// Every region sets ten flags that nobody asks.
    FlagsEverywhere,
    /// What is lowered has lost its form.
    FormLost,
    /// What was irreducible is lowered to what it was.
    LeftIrreducible,
    /// What was lowered before is lowered with a branch on every edge.
    EdgesSplit,
    /// Branches are lowered with their arms swapped.
    LoweredSwapped,
}

use StructurizeFault::*;

/// The structurizer as a subject.
#[derive(Clone, Debug)]
pub struct Spoiled {
    name: &'static str,
    fault: StructurizeFault,
    core: Core,
    /// The function that was reified last.
    last: Option<Function>,
    answers: u64,
}

impl Spoiled {
    /// A structurizer with this fault.
    pub fn new(name: &'static str, fault: StructurizeFault) -> Spoiled {
        Spoiled { name, fault, core: Core::default(), last: None, answers: 0 }
    }
}

impl Subject for Spoiled {
    fn name(&self) -> &str {
        self.name
    }

    fn structurizer(&mut self) -> Option<&mut dyn Structurizer> {
        Some(self)
    }
}

impl Structurizer for Spoiled {
    fn reify(&mut self, function: &Function) -> Result<RegionFunction, NoAnswer> {
        self.last = Some(function.clone());
        let mut spoiled = function.clone();
        if self.fault == ParallelEdgeDropped {
            graphs::spoil(&mut spoiled, self.fault);
        }
        let mut thunks = self.core.reify(&spoiled)?;
        if self.fault == EnteredTwice {
            regions::enter_twice(&mut thunks);
        }
        Ok(thunks)
    }

    fn unreify(&mut self, thunks: &RegionFunction) -> Result<Option<Function>, NoAnswer> {
        let mut function = self.core.unreify(thunks)?;
        if self.fault == UnreifiedSwapped {
            function.iter_mut().for_each(swap_arms);
        }
        Ok(function)
    }

    fn structurize(&mut self, thunks: &RegionFunction) -> Result<RegionFunction, NoAnswer> {
        self.answers += 1;
        if self.fault == ThunksLeft {
            return Ok(thunks.clone());
        }
        let known = self.core.unreify(thunks)?.or_else(|| self.last.clone());
        let Some(mut function) = known else {
            return Err(NoAnswer::Skip("thunks of another kind".into()));
        };
        graphs::spoil(&mut function, self.fault);
        let reified = self.core.reify(&function)?;
        let mut structured = self.core.structurize(&reified)?;
        regions::spoil(&mut structured, self.fault, self.answers);
        Ok(structured)
    }

    fn lower(&mut self, structured: &RegionFunction) -> Result<Option<Function>, NoAnswer> {
        let mut lowered = self.core.lower(structured)?;
        if let Some(function) = &mut lowered {
            match self.fault {
                FormLost => function.ssa = !function.ssa,
                EdgesSplit if self.last.as_ref().is_some_and(was_lowered) => split_edges(function),
                LoweredSwapped => swap_arms(function),
                LeftIrreducible => {
                    *function = self.last.clone().unwrap_or_else(|| function.clone())
                }
                _ => {}
            }
        }
        Ok(lowered)
    }
}

/// What was lowered has an entry of this name.
fn was_lowered(function: &Function) -> bool {
    function.blocks.values().next().is_some_and(|entry| entry.name == "entry")
}

/// Swaps the arms of the first branch.
fn swap_arms(function: &mut Function) {
    for data in function.blocks.values_mut() {
        if let TerminatorKind::Branch { then_to, else_to, .. } = &mut data.term.kind {
            std::mem::swap(then_to, else_to);
            return;
        }
    }
}

/// Puts a block on every jump that asks where there is nothing to ask.
fn split_edges(function: &mut Function) {
    for block in function.blocks.keys().collect::<Vec<Block>>() {
        let count = function.blocks.len();
        let TerminatorKind::Jump(to) = &function.blocks[block].term.kind else { continue };
        let cond = Operand::Const(1);
        let (then_to, else_to) = (to.clone(), to.clone());
        let term = Terminator::from(TerminatorKind::Branch { cond, then_to, else_to });
        let name = Name::from(format!("{}_split", function.blocks[block].name));
        let span = term.span;
        let through = Target::new(Block::from_u32(count as u32));
        function.blocks[block].term.kind = TerminatorKind::Jump(through);
        function.blocks.push(BlockData { name, params: Vec::new(), insts: Vec::new(), term, span });
    }
}
