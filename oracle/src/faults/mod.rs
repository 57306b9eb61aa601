//! Deliberately wrong subjects, to show that the checks can fail.
//!
//! Each fault is one that a solver of its kind has had or could have. [`liveness`], [`cfg`], [`constants`],
//! [`drops`] and [`destprop`] hold one small solver each, with a switch per fault: without a fault it is
//! right, and it shares nothing with the solvers of `core`. [`structurize`] spoils what goes into the structurizer of
//! `core` or comes out of it. The others misbehave instead of answering wrongly.

pub mod cfg;
pub mod constants;
pub mod destprop;
pub mod drops;
pub mod liveness;
mod lowering;
mod misbehavior;
pub mod regalloc;
pub mod structurize;
#[cfg(test)]
mod tests;

use crate::subject::{Subject, SubjectFactory};
use cfg::CfgFault;
use constants::ConstantsFault;
use destprop::DestpropFault;
use drops::DropsFault;
use liveness::LivenessFault;
use misbehavior::Misbehavior;
use regalloc::RegallocFault;
use std::sync::LazyLock;
use structurize::StructurizeFault;

/// A wrong subject, by name.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// What the command line calls it; starts with `fault:`.
    pub name: &'static str,
    /// What is wrong with it, in one sentence.
    pub about: &'static str,
    /// The check that it fails.
    pub check: &'static str,
    kind: Kind,
}

#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Kind {
    Liveness(LivenessFault),
    Cfg(CfgFault),
    Constants(ConstantsFault),
    Drops(DropsFault),
    Destprop(DestpropFault),
    Misbehaves(Misbehavior),
    FallsThrough,
    Regalloc(RegallocFault),
    Structurize(StructurizeFault),
}

impl SubjectFactory for Fault {
    fn name(&self) -> &str {
        self.name
    }

    fn make(&self) -> Box<dyn Subject> {
        match self.kind {
            Kind::Liveness(fault) => Box::new(liveness::Naive::new(self.name, Some(fault))),
            Kind::Cfg(fault) => Box::new(cfg::Naive::new(self.name, Some(fault))),
            Kind::Constants(fault) => Box::new(constants::Naive::new(self.name, Some(fault))),
            Kind::Drops(fault) => Box::new(drops::Naive::new(self.name, Some(fault))),
            Kind::Destprop(fault) => Box::new(destprop::Naive::new(self.name, Some(fault))),
            Kind::FallsThrough => Box::new(lowering::FallsThrough::default()),
            Kind::Regalloc(fault) => Box::new(regalloc::Plain::new(self.name, Some(fault))),
            Kind::Structurize(fault) => Box::new(structurize::Spoiled::new(self.name, fault)),
            Kind::Misbehaves(how) => Box::new(misbehavior::Misbehaves::new(self.name, how)),
        }
    }
}

/// Every wrong subject.
pub fn all() -> &'static [Fault] {
    static ALL: LazyLock<Vec<Fault>> =
        LazyLock::new(|| [LIST, destprop::LIST, structurize::LIST].concat());
    &ALL
}

/// The wrong subject that the command line calls `name`.
pub fn by_name(name: &str) -> Option<&'static Fault> {
    all().iter().find(|fault| fault.name == name)
}

const fn on_liveness(fault: LivenessFault, name: &'static str, about: &'static str) -> Fault {
    Fault { name, about, check: "liveness", kind: Kind::Liveness(fault) }
}

const fn on_cfg(fault: CfgFault, name: &'static str, about: &'static str) -> Fault {
    Fault { name, about, check: "cfg", kind: Kind::Cfg(fault) }
}

const fn on_constants(fault: ConstantsFault, name: &'static str, about: &'static str) -> Fault {
    Fault { name, about, check: "constants", kind: Kind::Constants(fault) }
}

const fn on_drops(fault: DropsFault, name: &'static str, about: &'static str) -> Fault {
    Fault { name, about, check: "drops", kind: Kind::Drops(fault) }
}

const fn on_regalloc(fault: RegallocFault, name: &'static str, about: &'static str) -> Fault {
    Fault { name, about, check: "regalloc", kind: Kind::Regalloc(fault) }
}

const fn misbehaves(how: Misbehavior, name: &'static str, about: &'static str) -> Fault {
    Fault { name, about, check: "liveness", kind: Kind::Misbehaves(how) }
}

const LIST: &[Fault] = &[
    on_liveness(
        LivenessFault::PhiAsSuccessorUse,
        "fault:phi-as-successor-use",
        "counts the operands of phis as read in the phi's block, for every predecessor",
    ),
    on_liveness(
        LivenessFault::PhiForgotten,
        "fault:phi-forgotten",
        "does not count the operands of phis as read anywhere",
    ),
    on_liveness(
        LivenessFault::PhiMissingFromLiveOut,
        "fault:phi-missing-from-live-out",
        "leaves the operand of a phi out of the live-out of the block that assigns it",
    ),
    on_liveness(
        LivenessFault::SinglePass,
        "fault:single-pass",
        "makes one pass in postorder, so that nothing flows over back edges",
    ),
    on_liveness(
        LivenessFault::PredecessorNotRequeued,
        "fault:predecessor-not-requeued",
        "queues only the first predecessor of a block that changed",
    ),
    on_liveness(
        LivenessFault::DefinitionDoesNotKill,
        "fault:definition-does-not-kill",
        "keeps a local live above its assignment",
    ),
    on_liveness(
        LivenessFault::KillBeforeUse,
        "fault:kill-before-use",
        "lets an instruction that reads and assigns a local kill its own read",
    ),
    on_liveness(
        LivenessFault::UnreachableWithoutFacts,
        "fault:unreachable-without-facts",
        "says nothing of blocks that the entry does not reach",
    ),
    on_liveness(
        LivenessFault::EdgeKeepsPhiDefinitions,
        "fault:edge-keeps-phi-definitions",
        "takes what is live on an edge from the target's live-in with its phis left in",
    ),
    on_liveness(
        LivenessFault::SeededFromExits,
        "fault:seeded-from-exits",
        "starts at the exits alone, so that what can't reach one is never visited",
    ),
    on_liveness(
        LivenessFault::SkipsInitialState,
        "fault:skips-initial-state",
        "skips a block's transfer while the state that comes in is the initial one",
    ),
    on_liveness(
        LivenessFault::StopsAtInitialState,
        "fault:stops-at-initial-state",
        "never visits what lies behind a block whose state stays the initial one",
    ),
    on_liveness(
        LivenessFault::ParallelEdgesMerged,
        "fault:parallel-edges-merged",
        "takes two edges from one block to another for one",
    ),
    on_liveness(
        LivenessFault::StoreValueNoUse,
        "fault:store-value-no-use",
        "does not count the value that a store writes as read",
    ),
    on_liveness(
        LivenessFault::UnwindKillsResult,
        "fault:unwind-kills-result",
        "takes the result of a call that unwinds for assigned on the unwind edge as well",
    ),
    on_cfg(
        CfgFault::DominanceSwapped,
        "fault:dominance-swapped",
        "asks whether the source of an edge dominates its target to tell a back edge",
    ),
    on_cfg(
        CfgFault::ParallelEdgesMerged,
        "fault:parallel-edges-counted-once",
        "lists two edges from one block to another as one",
    ),
    on_cfg(
        CfgFault::ReturnFallsThrough,
        "fault:return-falls-through",
        "has an edge from a block without successors to the block that follows it in the text",
    ),
    on_cfg(CfgFault::AllReachable, "fault:all-reachable", "takes every block for reachable"),
    on_cfg(
        CfgFault::BreadthFirst,
        "fault:breadth-first",
        "gives the reverse of a breadth-first order for a postorder",
    ),
    on_cfg(
        CfgFault::EntryDominatesAll,
        "fault:entry-dominates-all",
        "takes the entry for every block's immediate dominator",
    ),
    on_cfg(CfgFault::AlwaysReducible, "fault:always-reducible", "takes every graph for reducible"),
    on_constants(
        ConstantsFault::LastOneWins,
        "fault:last-one-wins",
        "takes at a join what came last",
    ),
    on_constants(
        ConstantsFault::BoundaryDropped,
        "fault:boundary-dropped",
        "forgets what the caller passes where the entry has predecessors",
    ),
    on_constants(
        ConstantsFault::UndefinedIsOverdefined,
        "fault:undefined-is-overdefined",
        "takes an operation on something undefined straight to overdefined",
    ),
    on_constants(
        ConstantsFault::UnreachedEdgeCounted,
        "fault:unreached-edge-counted",
        "joins over edges that are never taken",
    ),
    on_constants(
        ConstantsFault::NeverOverdefined,
        "fault:never-overdefined",
        "keeps the first of two different constants at a join",
    ),
    on_constants(
        ConstantsFault::DivisionOfItsOwn,
        "fault:division-of-its-own",
        "folds a division by zero to zero",
    ),
    on_constants(
        ConstantsFault::ParametersInSequence,
        "fault:constants-in-sequence",
        "binds arguments to parameters one after the other",
    ),
    on_constants(
        ConstantsFault::SecondWayForgotten,
        "fault:second-way-forgotten",
        "follows the first way out of an undecided branch alone",
    ),
    on_constants(
        ConstantsFault::LoopsNotIterated,
        "fault:loops-not-iterated",
        "leaves a block's first state as it is",
    ),
    on_constants(ConstantsFault::NothingFolded, "fault:nothing-folded", "finds nothing to fold"),
    on_constants(
        ConstantsFault::OtherWayDecided,
        "fault:other-way-decided",
        "says that a decided branch goes the other way",
    ),
    on_constants(
        ConstantsFault::NeighborFolded,
        "fault:neighbor-folded",
        "folds an instruction to another value than it has",
    ),
    on_constants(
        ConstantsFault::JumpsTheOtherWay,
        "fault:jumps-the-other-way",
        "turns a decided branch into a jump to the other target",
    ),
    on_constants(
        ConstantsFault::JumpsWithoutArguments,
        "fault:jumps-without-arguments",
        "forgets the arguments where it turns a branch into a jump",
    ),
    on_drops(
        DropsFault::JoinByIntersection,
        "fault:join-by-intersection",
        "joins paths by what holds on both where what holds on either is due",
    ),
    on_drops(
        DropsFault::MovedPartIgnored,
        "fault:moved-part-ignored",
        "takes a place for whole although a part of it was moved out",
    ),
    on_drops(
        DropsFault::ReinitializationForgotten,
        "fault:reinitialization-forgotten",
        "takes what is assigned again for perhaps uninitialized",
    ),
    on_drops(
        DropsFault::ResultOnUnwind,
        "fault:result-on-unwind",
        "takes the result of a call for initialized on its unwind edge as well",
    ),
    on_drops(
        DropsFault::FirstVisitFinal,
        "fault:first-visit-final",
        "takes the first state of a block for final",
    ),
    on_drops(
        DropsFault::ClassifiedTooEarly,
        "fault:classified-too-early",
        "decides the class of a drop before the states are stable",
    ),
    on_drops(
        DropsFault::DestinationForgotten,
        "fault:destination-forgotten",
        "does not see that a move initializes what it moves to",
    ),
    on_drops(DropsFault::AllReached, "fault:all-reached", "takes every block for reached"),
    on_drops(
        DropsFault::UnwindingForgotten,
        "fault:unwinding-forgotten",
        "does not follow the unwind edges of calls",
    ),
    on_drops(
        DropsFault::FlagNotSetAgain,
        "fault:flag-not-set-again",
        "does not set a flag again in a loop, so that the value leaks",
    ),
    on_drops(
        DropsFault::FlagNotCleared,
        "fault:flag-not-cleared",
        "does not clear a flag where its value is moved, so that it is dropped twice",
    ),
    on_drops(DropsFault::DropsLeft, "fault:drops-left", "leaves drops as they are"),
    on_drops(
        DropsFault::FlagForEachDrop,
        "fault:flag-for-each-drop",
        "makes a flag for every drop, also those that are static or dead",
    ),
    on_drops(DropsFault::FlagEntered, "fault:flag-entered", "enters a flag as if it were a thunk"),
    Fault {
        name: lowering::NAME,
        about: "lets the second way out of a branch fall through to the next block",
        check: "regalloc",
        kind: Kind::FallsThrough,
    },
    on_regalloc(
        RegallocFault::ReloadMissingOnOnePath,
        "fault:reload-missing-on-one-path",
        "leaves the reload out on one of the edges into a block",
    ),
    on_regalloc(
        RegallocFault::ParametersInSequence,
        "fault:parameters-in-sequence",
        "moves arguments to parameters one after the other, even where they trade places",
    ),
    on_regalloc(
        RegallocFault::DestinationNotReloaded,
        "fault:destination-not-reloaded",
        "does not reload a destination that is also a source",
    ),
    on_regalloc(
        RegallocFault::OperandsShareScratch,
        "fault:operands-share-scratch",
        "reloads two spilled operands of an instruction into one register",
    ),
    on_regalloc(
        RegallocFault::CriticalBackEdgeIgnored,
        "fault:critical-back-edge-ignored",
        "forgets that what is live on a critical back edge interferes",
    ),
    on_regalloc(
        RegallocFault::ClobbersForgotten,
        "fault:clobbers-forgotten",
        "leaves values in registers that a call clobbers",
    ),
    on_regalloc(
        RegallocFault::UnwindWithoutReload,
        "fault:unwind-without-reload",
        "reloads nothing on the edge that an unwind takes",
    ),
    on_regalloc(
        RegallocFault::SlotReusedWhileLive,
        "fault:slot-reused-while-live",
        "gives two values one slot, whether or not both are live",
    ),
    on_regalloc(
        RegallocFault::CalleeSavedNotRestored,
        "fault:callee-saved-not-restored",
        "does not restore one of the callee-saved registers",
    ),
    on_regalloc(
        RegallocFault::BranchReadsNothing,
        "fault:branch-reads-nothing",
        "does not see that a branch reads a register",
    ),
    on_regalloc(
        RegallocFault::ImplicitOperandsIgnored,
        "fault:implicit-operands-ignored",
        "does not see that a call reads its arguments and defines its result",
    ),
    on_regalloc(
        RegallocFault::MovesNeverWritten,
        "fault:moves-never-written",
        "moves a register that was never written onto a live one",
    ),
    on_regalloc(
        RegallocFault::MovesClobbered,
        "fault:moves-clobbered",
        "moves a register that a call clobbered onto a live one",
    ),
    on_regalloc(
        RegallocFault::EarlyDefinitionShares,
        "fault:early-definition-shares",
        "gives an early definition the register of a use",
    ),
    on_regalloc(
        RegallocFault::ResultsShare,
        "fault:results-share",
        "gives two results of an instruction one register",
    ),
    on_regalloc(
        RegallocFault::SlotsOverlap,
        "fault:slots-overlap",
        "lets a slot start in the middle of another",
    ),
    on_regalloc(
        RegallocFault::SlotOutsideFrame,
        "fault:slot-outside-frame",
        "makes the frame too small by a slot",
    ),
    on_regalloc(
        RegallocFault::RegisterNotGiven,
        "fault:register-not-given",
        "uses a register that it was not given",
    ),
    on_regalloc(
        RegallocFault::ReloadedBeforeCall,
        "fault:reloaded-before-call",
        "reloads before a call what is used behind it",
    ),
    on_regalloc(
        RegallocFault::FixedOperandMoved,
        "fault:fixed-operand-moved",
        "passes the first argument in the second register",
    ),
    on_regalloc(
        RegallocFault::BlockForgotten,
        "fault:block-forgotten",
        "answers for all blocks but the last",
    ),
    on_regalloc(
        RegallocFault::PanicsOnFewRegisters,
        "fault:panics-on-few-registers",
        "panics where there are few registers",
    ),
    misbehaves(Misbehavior::Panics, "fault:panics", "panics on more than one block"),
    misbehaves(Misbehavior::Fails, "fault:fails", "reports an error on more than one block"),
    misbehaves(
        Misbehavior::WrongLength,
        "fault:wrong-length",
        "forgets the last block of more than one",
    ),
];
