//! The wrong structurizers, by name.

use super::StructurizeFault;
use crate::faults::{Fault, Kind};

const fn wrong(fault: StructurizeFault, name: &'static str, about: &'static str) -> Fault {
    Fault { name, about, check: "structurize", kind: Kind::Structurize(fault) }
}

pub(in crate::faults) const LIST: &[Fault] = &[
    wrong(
        StructurizeFault::ExitOfBackEdgeLost,
        "fault:exit-of-back-edge-lost",
        "makes a loop endless that only the false arm of its back edge leaves",
    ),
    wrong(
        StructurizeFault::HoistedIntoThirdPath,
        "fault:hoisted-into-third-path",
        "hoists what an else arm computes, though a third path comes to the join",
    ),
    wrong(
        StructurizeFault::LeavesOneLevelTooFew,
        "fault:leaves-one-level-too-few",
        "leaves one loop where two are to be left",
    ),
    wrong(
        StructurizeFault::IrreducibleEdgeSwapped,
        "fault:irreducible-edge-swapped",
        "turns an edge round that leads into the middle of a loop",
    ),
    wrong(
        StructurizeFault::BlockLost,
        "fault:structurized-block-lost",
        "loses what a block does at which a loop is entered besides its head",
    ),
    wrong(
        StructurizeFault::CarriedInSequence,
        "fault:carried-in-sequence",
        "assigns loop-carried values one after the other",
    ),
    wrong(
        StructurizeFault::SelectorNotSetAgain,
        "fault:selector-not-set-again",
        "sets the selector of a loop with several entries before the first iteration alone",
    ),
    wrong(
        StructurizeFault::EnteredTwice,
        "fault:thunk-entered-twice",
        "enters a thunk from two regions",
    ),
    wrong(
        StructurizeFault::ParallelEdgeDropped,
        "fault:parallel-edge-dropped",
        "takes the second of two edges to one target for the first",
    ),
    wrong(
        StructurizeFault::SelfLoopLost,
        "fault:self-loop-lost",
        "never repeats a block that may repeat itself",
    ),
    wrong(
        StructurizeFault::PredicateInverted,
        "fault:predicate-inverted",
        "repeats a loop where it should be left",
    ),
    wrong(
        StructurizeFault::CarriedUndefined,
        "fault:carried-undefined",
        "carries nothing into the next iteration",
    ),
    wrong(
        StructurizeFault::TagUnset,
        "fault:tag-unset",
        "does not set a tag on one of the ways to where it is asked",
    ),
    wrong(StructurizeFault::Unsteady, "fault:unsteady", "answers otherwise every third time"),
    wrong(
        StructurizeFault::UnreifiedSwapped,
        "fault:unreified-swapped",
        "reads the first selection of thunks with its arms swapped",
    ),
    wrong(
        StructurizeFault::ThunksLeft,
        "fault:thunks-left",
        "gives thunk form for structured form",
    ),
    wrong(
        StructurizeFault::BlockCopied,
        "fault:instruction-copied",
        "does in an arm what is done behind the selection as well",
    ),
    wrong(
        StructurizeFault::LoopAdded,
        "fault:loop-added",
        "puts the function into a loop that is left at once",
    ),
    wrong(
        StructurizeFault::FlagsEverywhere,
        "fault:flags-everywhere",
        "sets ten flags in every region that nobody asks",
    ),
    wrong(
        StructurizeFault::FormLost,
        "fault:form-lost",
        "says of what it lowered that it is in SSA form where it is not, and the reverse",
    ),
    wrong(
        StructurizeFault::LeftIrreducible,
        "fault:left-irreducible",
        "lowers to the graph that was there at first",
    ),
    wrong(
        StructurizeFault::EdgesSplit,
        "fault:edges-split",
        "lowers what was lowered before with a branch on every jump",
    ),
    wrong(
        StructurizeFault::LoweredSwapped,
        "fault:lowered-swapped",
        "lowers the first branch with its arms swapped",
    ),
];
