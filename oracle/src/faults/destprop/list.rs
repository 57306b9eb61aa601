//! The wrong passes, by name.

use super::DestpropFault;
use crate::faults::{Fault, Kind};

const fn on_destprop(fault: DestpropFault, name: &'static str, about: &'static str) -> Fault {
    Fault { name, about, check: "destprop", kind: Kind::Destprop(fault) }
}

pub(in crate::faults) const LIST: &[Fault] = &[
    on_destprop(
        DestpropFault::MirrorsByIntersection,
        "fault:mirrors-by-intersection",
        "holds for live of two merged locals what was live of both at once",
    ),
    on_destprop(
        DestpropFault::MirrorForgotten,
        "fault:mirror-forgotten",
        "holds for live of two merged locals what was live of the destination",
    ),
    on_destprop(
        DestpropFault::OneWay,
        "fault:conflict-one-way",
        "does not look whether the destination is live where the source is written",
    ),
    on_destprop(
        DestpropFault::DeadWriteForgotten,
        "fault:dead-write-forgotten",
        "merges over a write that nobody reads",
    ),
    on_destprop(
        DestpropFault::OperandsOverlap,
        "fault:operands-overlap",
        "puts what an unknown operation reads where it writes",
    ),
    on_destprop(
        DestpropFault::CopyInDeadCode,
        "fault:copy-in-dead-code",
        "merges copies in dead code, of which it knows nothing",
    ),
    on_destprop(
        DestpropFault::EdgeForgotten,
        "fault:edge-forgotten",
        "takes a block's parameters for written on the first edge into it alone",
    ),
    on_destprop(
        DestpropFault::UnionLies,
        "fault:union-lies",
        "believes a union that says wrongly that it changed nothing",
    ),
    on_destprop(
        DestpropFault::KeepsHull,
        "fault:keeps-hull",
        "holds a merged local for live everywhere between its first point and its last",
    ),
    on_destprop(
        DestpropFault::StopsAfterFirst,
        "fault:stops-after-first-merge",
        "stops after the first merge",
    ),
    on_destprop(
        DestpropFault::BlockNotRenamed,
        "fault:block-not-renamed",
        "does not rename in one of the blocks",
    ),
    on_destprop(
        DestpropFault::ReadLost,
        "fault:read-lost",
        "returns a constant instead of a local",
    ),
    on_destprop(
        DestpropFault::MergedBothWays,
        "fault:merged-both-ways",
        "says of two locals that each was merged into the other",
    ),
    on_destprop(
        DestpropFault::MergesUnrelated,
        "fault:merges-unrelated",
        "merges two locals that no copy connects",
    ),
    on_destprop(
        DestpropFault::SelfCopyLeft,
        "fault:self-copy-left",
        "leaves a copy of a local to itself",
    ),
    on_destprop(
        DestpropFault::UnwindForgotten,
        "fault:unwind-forgotten",
        "puts a call's result where something is that is read when the call unwinds",
    ),
];
