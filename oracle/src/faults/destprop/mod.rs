//! A plain pass that propagates destinations, with a switch per fault.
//!
//! It keeps every point where a local is live, and every point right after a write of it, in plain sets,
//! and goes through all copies until none can be merged. Each merge leaves one local less, so it ends.

mod facts;
mod list;
mod wrong;

pub(super) use list::LIST;

use crate::reference::destprop::Phi;
use crate::reference::destprop::transform::Transformed;
use crate::reference::graph::Graph;
use crate::subject::{
    DestinationPropagator, DestpropAnswer, MergeRule, NoAnswer, SavedAnswer, Subject,
};
use backedge_core::ir::{Function, Local};
use cranelift_entity::EntityRef;
use facts::{Facts, Point};
use std::collections::BTreeSet;

/// What can be wrong with the pass.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum DestpropFault {
    /// What is live of two merged locals is what was live of both at once.
    MirrorsByIntersection,
    /// What is live of two merged locals is what was live of the destination.
    MirrorForgotten,
    /// It does not look whether the destination is live where the source is written.
    OneWay,
    /// What is written and never read is not in the way.
    DeadWriteForgotten,
    /// An operation of another language may have what it reads where it writes.
    OperandsOverlap,
    /// Copies in dead code are merged, and nothing there is in the way.
    CopyInDeadCode,
    /// Parameters are written on the first edge into their block alone.
    EdgeForgotten,
    /// It keeps a union only if that says that it changed something, and a union with a set of more
    /// stretches says so of the other set.
    UnionLies,
    /// It keeps the hull of what is live of two merged locals.
    KeepsHull,
    /// It stops after the first merge.
    StopsAfterFirst,
    /// A local is not renamed in the last block.
    BlockNotRenamed,
    /// A constant stands for a local that is read.
    ReadLost,
    /// It says of two locals that each was merged into the other.
    MergedBothWays,
    /// Two locals are merged that no copy connects.
    MergesUnrelated,
    /// What copies a local to itself is left.
    SelfCopyLeft,
    /// The result of a call does not count as written where the call unwinds.
    UnwindForgotten,
}

use DestpropFault::*;

/// The pass as a subject.
#[derive(Clone, Debug)]
pub struct Naive {
    name: &'static str,
    fault: Option<DestpropFault>,
}

impl Naive {
    /// A pass with this fault; with none, it is right.
    pub fn new(name: &'static str, fault: Option<DestpropFault>) -> Naive {
        Naive { name, fault }
    }
}

impl Subject for Naive {
    fn name(&self) -> &str {
        self.name
    }

    fn propagators(&mut self) -> Vec<&mut dyn DestinationPropagator> {
        vec![self]
    }
}

impl DestinationPropagator for Naive {
    fn name(&self) -> &str {
        "naive"
    }

    fn rule(&self) -> MergeRule {
        MergeRule::WrittenWhereLive
    }

    fn propagate(&mut self, function: &Function) -> Result<DestpropAnswer, NoAnswer> {
        let graph = Graph::new(function);
        let mut pass = Pass {
            function,
            fault: self.fault,
            facts: Facts::new(function, &graph, self.fault),
            to: function.locals.keys().collect(),
        };
        pass.merge_all();
        let mut merges = pass.merges();
        wrong::spoil_merges(function, &mut merges, self.fault);
        let phi = Phi::new(function, &merges).unwrap_or_else(|_| Phi::identity(function));
        let transformed = Transformed::new(function, &graph, &phi).function;
        let transformed = wrong::spoil_function(function, transformed, &phi, self.fault);
        let saved = (self.fault != Some(MergesUnrelated)).then(|| pass.saved());
        Ok(DestpropAnswer { function: transformed, merges, refused: Vec::new(), saved })
    }
}

struct Pass<'p> {
    function: &'p Function,
    fault: Option<DestpropFault>,
    facts: Facts,
    /// By local: what it was merged into.
    to: Vec<Local>,
}

impl Pass<'_> {
    fn of(&self, local: Local) -> Local {
        self.to[local.index()]
    }

    fn merges(&self) -> Vec<(Local, Local)> {
        let all = self.function.locals.keys().map(|local| (local, self.of(local)));
        all.filter(|(from, into)| from != into).collect()
    }

    /// Goes through the copies until a round merges nothing.
    fn merge_all(&mut self) {
        let mut merged = true;
        while std::mem::take(&mut merged) {
            for [dest, source] in self.facts.copies.clone() {
                let (dest, source) = (self.of(dest), self.of(source));
                if dest != source && !self.conflict(dest, source) {
                    self.merge(dest, source);
                    merged = true;
                    if self.fault == Some(StopsAfterFirst) {
                        return;
                    }
                }
            }
        }
    }

    fn members(&self, class: Local) -> impl Iterator<Item = Local> {
        self.function.locals.keys().filter(move |&local| self.of(local) == class)
    }

    fn conflict(&self, dest: Local, source: Local) -> bool {
        let params = &self.function.params;
        if params.contains(&dest) && params.contains(&source) {
            return true;
        }
        let apart = self.facts.apart.iter().any(|&(a, b)| {
            let (a, b) = (self.of(a), self.of(b));
            (a, b) == (dest, source) || (b, a) == (dest, source)
        });
        let overwrites = |written, live| self.written_where_live(written, live);
        apart
            || overwrites(dest, source)
            || (self.fault != Some(OneWay) && overwrites(source, dest))
    }

    /// Whether one class is written where the other is live, other than by a copy from it.
    fn written_where_live(&self, written: Local, live: Local) -> bool {
        self.facts.writes.iter().any(|write| {
            let copies = write.source.map(|source| self.of(source));
            let is_copy = copies == Some(written) || copies == Some(live);
            self.of(write.local) == written
                && !is_copy
                && self.facts.live[live.index()].contains(&write.at)
        })
    }

    fn merge(&mut self, dest: Local, source: Local) {
        let (into, from) = match self.function.params.contains(&source) {
            true => (source, dest),
            false => (dest, source),
        };
        let members: Vec<Local> = self.members(from).collect();
        members.into_iter().for_each(|member| self.to[member.index()] = into);
        let other = self.facts.live[from.index()].clone();
        let set = &mut self.facts.live[into.index()];
        match self.fault {
            Some(MirrorForgotten) => {}
            Some(MirrorsByIntersection) => set.retain(|point| other.contains(point)),
            Some(UnionLies) => {
                let mut union = set.clone();
                if wrong::lying_union(&self.facts.order, &mut union, &other) {
                    *set = union;
                }
            }
            Some(KeepsHull) => {
                set.extend(other);
                wrong::fill(&self.facts.order, set);
            }
            _ => set.extend(other),
        }
    }

    /// What it holds for live, of the locals that copies are between.
    fn saved(&self) -> SavedAnswer {
        let tracked: BTreeSet<Local> = self.facts.copies.iter().flatten().copied().collect();
        let classes: BTreeSet<Local> = tracked.iter().map(|&local| self.of(local)).collect();
        let at = |point: Point| {
            let live = |class: &&Local| self.facts.live[class.index()].contains(&point);
            classes.iter().filter(live).copied().collect::<Vec<Local>>()
        };
        let mut saved =
            SavedAnswer { tracked: tracked.into_iter().collect(), ..Default::default() };
        for (block, data) in &self.function.blocks {
            let insts = || 0..=data.insts.len();
            saved.before.push(insts().map(|inst| at(Point::Before(block, inst))).collect());
            saved.after.push(insts().map(|inst| at(Point::After(block, inst))).collect());
        }
        saved
    }
}
