//! Liveness again for every round of merges: the slow original that the other methods are held to.
//!
//! Each round solves liveness of the whole function, as rustc's pass did when it worked so. In a round, conflicts are read off what is live in the function as it is then. What was merged in the
//! round is not merged again in it, since nothing is known of the two together. Then all is renamed.

use super::parts::Parts;
use super::relevant::{Narrowed, Relevant};
use super::writes::for_each_write;
use super::{Overlap, Refused, Work, apply};
use crate::cfg::Cfg;
use crate::dataflow::intervals::points::Place;
use crate::dataflow::{Liveness, PointLiveness, ValueSet};
use crate::entity::Value;
use crate::ir::{Function, Local, TerminatorKind};
use cranelift_entity::EntityRef;
use rustc_hash::FxHashMap;

/// Merges until nothing can be merged. No thunk is bound in a function that has something to merge.
/// The function after the last round, if there was one.
pub(super) fn run(function: &Function, work: &mut Work<'_>, overlap: Overlap) -> Option<Function> {
    if work.outcomes.iter().all(Option::is_some) {
        return None;
    }
    let mut function = function.clone();
    loop {
        work.rounds += 1;
        let representative = |local| match work.relevant.value(local) {
            Some(value) => work.classes.representative(value),
            None => local,
        };
        apply::apply(&mut function, &representative);
        let pairs = Pairs::new(work, &function);
        if pairs.list.is_empty() {
            return Some(function);
        }
        let conflicts = pairs.conflicts(&function, overlap);
        if !merge(work, &pairs, &conflicts) {
            return Some(function);
        }
    }
}

/// Merges pairs that share no local with one before. Whether there was one.
fn merge(work: &mut Work<'_>, pairs: &Pairs, conflicts: &[Option<Refused>]) -> bool {
    let mut taken = vec![false; work.relevant.locals().len()];
    let mut merged = false;
    for at in 0..work.copies.len() {
        let Some(&pair) = pairs.of_copy.get(&at) else { continue };
        work.outcomes[at] = conflicts[pair];
        let copy = work.copies[at];
        let root = |local| work.relevant.value(local).map(|value| work.classes.root(value));
        let (Some(dest), Some(source)) = (root(copy.dest), root(copy.source)) else { continue };
        let is_free = !taken[dest.index()] && !taken[source.index()] && dest != source;
        if conflicts[pair].is_none() && is_free {
            let root = work.classes.merge(dest, source);
            taken[root.index()] = true;
            merged = true;
        }
    }
    merged
}

/// The pairs of locals that copies of one round are between.
struct Pairs {
    relevant: Relevant,
    /// Destination and source of the first copy of each.
    list: Vec<[Value; 2]>,
    /// By position of a copy: its pair, if it is tried.
    of_copy: FxHashMap<usize, usize>,
    /// By local: what it is in a pair with, and which pair.
    partners: Vec<Vec<(Value, usize)>>,
}

impl Pairs {
    /// The pairs of the copies that are left, by the names of this round.
    fn new(work: &Work<'_>, function: &Function) -> Pairs {
        let name = |local: Local| {
            let value = work.relevant.value(local);
            value.map_or(local, |value| work.classes.representative(value))
        };
        let is_excluded = |at: usize| work.outcomes[at].is_some_and(Refused::excludes);
        let renamed = work.copies.iter().enumerate().filter(|&(at, _)| !is_excluded(at));
        let renamed = renamed.map(|(at, copy)| {
            let [dest, source] = [copy.dest, copy.source].map(name);
            (at, super::Assignment { dest, source, ..*copy })
        });
        let renamed: Vec<_> = renamed.filter(|(_, copy)| copy.dest != copy.source).collect();
        let relevant = Relevant::new(function, renamed.iter().map(|(_, copy)| copy));
        let count = relevant.locals().len();
        let mut pairs = Pairs {
            relevant,
            list: Vec::new(),
            of_copy: FxHashMap::default(),
            partners: vec![Vec::new(); count],
        };
        let mut known: FxHashMap<[Value; 2], usize> = FxHashMap::default();
        for (at, copy) in renamed {
            let [dest, source] = [copy.dest, copy.source]
                .map(|local| pairs.relevant.value(local).expect("what is copied is relevant"));
            let pair = *known.entry([dest.min(source), dest.max(source)]).or_insert_with(|| {
                pairs.partners[dest.index()].push((source, pairs.list.len()));
                pairs.partners[source.index()].push((dest, pairs.list.len()));
                pairs.list.push([dest, source]);
                pairs.list.len() - 1
            });
            pairs.of_copy.insert(at, pair);
        }
        pairs
    }

    /// By pair: why it can't be merged.
    fn conflicts(&self, function: &Function, overlap: Overlap) -> Vec<Option<Refused>> {
        let code = Narrowed { function, relevant: &self.relevant };
        let cfg = Cfg::build(&code);
        let parts = Parts::new(&code, &cfg, overlap);
        let is_param = |value| function.params.contains(&self.relevant.local(value));
        let static_conflict =
            |&[dest, source]: &[Value; 2]| match is_param(dest) && is_param(source) {
                true => Some(Refused::TwoParameters),
                false => parts.clash(dest, source),
            };
        let mut conflicts: Vec<_> = self.list.iter().map(static_conflict).collect();
        let live = Liveness::solve(function, &cfg).at_points();
        for_each_write(&code, &cfg, |write| {
            for &(partner, pair) in &self.partners[write.value.index()] {
                let is_copy = write.source.is_some_and(|s| s == partner || s == write.value);
                if !is_copy && conflicts[pair].is_none() {
                    let is_dest = self.list[pair][0] == write.value;
                    conflicts[pair] =
                        conflict(function, &live, write.at, self.relevant.local(partner), is_dest);
                }
            }
        });
        conflicts
    }
}

/// Whether a local is live right after a write of the other of its pair.
fn conflict(
    function: &Function,
    live: &PointLiveness<'_, Function>,
    at: Place,
    partner: Local,
    is_dest: bool,
) -> Option<Refused> {
    let (cfg, partner) = (live.cfg(), Value::from(partner));
    let after: ValueSet<'_> = match at {
        Place::Params => live.live_in(cfg.entry()),
        Place::Statement(block, inst) => live.after(block, inst),
        Place::Edge(edge) => live.live_in(cfg.edge(edge).to),
    };
    if !after.contains(partner) {
        return None;
    }
    if let Place::Statement(block, inst) = at
        && inst == function.blocks[block].insts.len()
        && matches!(function.blocks[block].term.kind, TerminatorKind::TryCall { .. })
        && let Some(normal) = cfg.succs(block).next()
        && !live.edge_live(normal).contains(partner)
    {
        return Some(Refused::LiveOnUnwind);
    }
    Some(if is_dest { Refused::SourceLive } else { Refused::DestinationLive })
}
