//! Why a copy stays.

use super::Assignment;
use crate::cfg::{Cfg, Postorder};
use crate::ir::{Function, Op, TerminatorKind, Type};

/// Why the two locals of a copy are not merged, and what would go wrong if they were.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Refused {
    /// It moves a resource. What is left behind is uninitialized, and a later `drop` of it drops nothing;
    /// of one local it would drop the resource.
    Owned,
    /// It moves an aggregate. Parts of it can be moved out and assigned apart, so that neither local is
    /// live or dead as a whole.
    Aggregate,
    /// It moves a thunk, which is used once, as a resource is.
    Thunk,
    /// Thunks are entered in the function: control then goes along no edge of the graph, so that
    /// liveness does not know what is read there.
    EntersThunks,
    /// The entry does not reach it: removing it serves nobody, and could stand in the way of a copy that
    /// is carried out.
    Unreachable,
    /// Both classes have a parameter of the function. The caller passes both, so that neither can be
    /// renamed.
    TwoParameters,
    /// One instruction writes both, or one block has both as parameters: one would get lost.
    WrittenTogether,
    /// An instruction that may write before it has read everything reads one and writes the other.
    Interleaved,
    /// One is the result of a call, and is written before the call is over; the other is read where the
    /// call unwinds.
    LiveOnUnwind,
    /// The source is live where the destination is written, and would be overwritten.
    SourceLive,
    /// The destination is live where the source is written.
    DestinationLive,
    /// The live ranges meet, and so may be more than is in the way.
    RangesMeet,
}

impl Refused {
    /// Every reason.
    pub const ALL: [Refused; 12] = {
        use Refused::*;
        [
            Owned,
            Aggregate,
            Thunk,
            EntersThunks,
            Unreachable,
            TwoParameters,
            WrittenTogether,
            Interleaved,
            LiveOnUnwind,
            SourceLive,
            DestinationLive,
            RangesMeet,
        ]
    };

    /// Whether the copy stays whatever else is merged.
    pub(super) fn forever(self) -> bool {
        use Refused::*;
        matches!(self, Owned | Aggregate | Thunk | EntersThunks)
    }

    /// Whether the copy is not even tried.
    pub(super) fn excludes(self) -> bool {
        self.forever() || self == Refused::Unreachable
    }

    /// What reports call it.
    pub fn name(self) -> &'static str {
        match self {
            Refused::Owned => "owned",
            Refused::Aggregate => "aggregate",
            Refused::Thunk => "thunk",
            Refused::EntersThunks => "enters-thunks",
            Refused::Unreachable => "unreachable",
            Refused::TwoParameters => "two-parameters",
            Refused::WrittenTogether => "written-together",
            Refused::Interleaved => "interleaved",
            Refused::LiveOnUnwind => "live-on-unwind",
            Refused::SourceLive => "source-live",
            Refused::DestinationLive => "destination-live",
            Refused::RangesMeet => "ranges-meet",
        }
    }
}

/// By copy: why it is not even tried.
pub(super) fn excluded(
    function: &Function,
    cfg: &Cfg<'_>,
    has_thunks: bool,
    copies: &[Assignment],
) -> Vec<Option<Refused>> {
    let reached = Postorder::new(cfg);
    let why = |copy: &Assignment| match &function.locals[copy.dest].ty {
        Type::Thunk => Some(Refused::Thunk),
        Type::Own => Some(Refused::Owned),
        Type::Aggregate(_) => Some(Refused::Aggregate),
        Type::Int if has_thunks => Some(Refused::EntersThunks),
        Type::Int if !reached.is_reachable(copy.site.block()) => Some(Refused::Unreachable),
        Type::Int => None,
    };
    copies.iter().map(why).collect()
}

/// Whether control can take a way that is not in the graph.
pub(super) fn enters_thunks(function: &Function) -> bool {
    function.blocks.values().any(|data| {
        matches!(data.term.kind, TerminatorKind::Enter(_))
            || data.insts.iter().any(|inst| matches!(inst.op, Op::Bind(_)))
    })
}
