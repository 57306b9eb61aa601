//! Merges, names and live ranges of one function, ours and rustc's.

use crate::dumps::{Dumps, Set, locals};
use crate::read;
use backedge_core::cfg::{Cfg, Values};
use backedge_core::dataflow::Liveness;
use backedge_core::destprop::{Method, Options, Overlap, Propagation, propagate};
use backedge_core::ir::{Block, Function, Op};
use cranelift_entity::EntityRef;
use std::collections::{BTreeMap, BTreeSet};

/// How much was compared.
#[derive(Default)]
pub(crate) struct Outcome {
    pub(crate) copies: usize,
    pub(crate) merged: usize,
    pub(crate) points: usize,
}

impl Outcome {
    pub(crate) fn add(&mut self, other: &Outcome) {
        self.copies += other.copies;
        self.merged += other.merged;
        self.points += other.points;
    }
}

pub(crate) fn compare(dumps: &Dumps) -> Result<Outcome, String> {
    let function = &read::function(&dumps.before, dumps.locals, dumps.params);
    let options = Options { method: Method::LiveRanges, overlap: Overlap::Every };
    let ours = propagate(function, options);
    let theirs = Renamed::read(dumps)?;
    let mut classes: BTreeMap<usize, Set> = BTreeMap::new();
    for (from, into) in &ours.merges {
        let [from, into] = [from, into].map(|local| local.index());
        classes.entry(into).or_default().extend([from, into]);
    }
    let by_us: BTreeSet<Set> = classes.values().cloned().collect();
    if by_us != theirs.classes {
        return Err(format!("we merge {by_us:?}, rustc {:?}", theirs.classes));
    }
    let expected = names_by_source(&ours, dumps.params);
    for (from, into) in &theirs.names {
        let name = expected.get(from).unwrap_or(from);
        if name != into {
            return Err(format!("by its rule _{from} is called _{name}, rustc calls it _{into}"));
        }
    }
    let points = match &dumps.ranges {
        Some(ranges) => same_ranges(function, &ours, ranges)?,
        None => 0,
    };
    Ok(Outcome { copies: ours.copies.len(), merged: ours.merges.len(), points })
}

/// What members of classes are called by the rule of rustc: as the source, where ours takes the destination;
/// in both, a parameter of the function keeps its name.
fn names_by_source(ours: &Propagation, params: usize) -> BTreeMap<usize, usize> {
    let class: BTreeMap<usize, usize> =
        ours.merges.iter().map(|(from, into)| (from.index(), into.index())).collect();
    let class = |local: usize| class.get(&local).copied().unwrap_or(local);
    let mut names: BTreeMap<usize, usize> = BTreeMap::new();
    for copy in &ours.copies {
        let [dest, source] = [copy.dest.index(), copy.source.index()];
        if class(dest) != class(source) {
            continue;
        }
        let name = |local: usize| names.get(&local).copied().unwrap_or(local);
        let [dest_name, source_name] = [name(dest), name(source)];
        let is_param = (1..=params).contains(&dest_name);
        let [from, into] = match is_param {
            true => [source_name, dest_name],
            false => [dest_name, source_name],
        };
        names.values_mut().filter(|name| **name == from).for_each(|name| *name = into);
        names.extend([(from, into), (into, into)]);
    }
    names
}

/// What rustc merged.
struct Renamed {
    classes: BTreeSet<Set>,
    /// What locals that still occur are called.
    names: BTreeMap<usize, usize>,
}

impl Renamed {
    /// A statement that went was a copy within a class; in the others, each local stands where it stood.
    fn read(dumps: &Dumps) -> Result<Renamed, String> {
        let mut near: BTreeMap<usize, Set> = BTreeMap::new();
        let mut names = BTreeMap::new();
        if dumps.before.is_empty() || dumps.before.len() != dumps.after.len() {
            return Err("there are no dumps".into());
        }
        for (before, after) in dumps.before.iter().flatten().zip(dumps.after.iter().flatten()) {
            let (old, new) = (locals(before), locals(after));
            let pairs: Vec<(usize, usize)> = if after == "nop;" && before != "nop;" {
                vec![(old[0], old[1])]
            } else {
                names.extend(old.iter().copied().zip(new.iter().copied()));
                old.into_iter().zip(new).collect()
            };
            for (a, b) in pairs {
                near.entry(a).or_default().insert(b);
                near.entry(b).or_default().insert(a);
            }
        }
        let mut classes = BTreeSet::new();
        for &start in near.keys() {
            let (mut class, mut stack) = (Set::from([start]), vec![start]);
            while let Some(local) = stack.pop() {
                stack.extend(near[&local].iter().filter(|&&next| class.insert(next)));
            }
            if class.len() > 1 {
                classes.insert(class);
            }
        }
        Ok(Renamed { classes, names })
    }
}

/// What is live, with each write, and each read of what is no copy, at a point of its own.
fn same_ranges(
    function: &Function,
    ours: &Propagation,
    theirs: &[Vec<[Set; 2]>],
) -> Result<usize, String> {
    let cfg = Cfg::build(function);
    let live = Liveness::solve(function, &cfg).at_points();
    // rustc looks at what is copied to itself as well.
    let relevant: Set =
        ours.copies.iter().flat_map(|copy| [copy.dest.index(), copy.source.index()]).collect();
    let mut points = 0;
    for (block, data) in &function.blocks {
        let is_call = |inst: usize| data.insts.get(inst).is_some_and(|inst| inst.is_call());
        // A call ends its block there; the jump behind it is none.
        let count = data.insts.len() + usize::from(!is_call(data.insts.len().wrapping_sub(1)));
        let rustcs = &theirs[block.index()];
        if rustcs.is_empty() {
            continue;
        }
        if rustcs.len() != count {
            return Err(format!("{block:?} has {} statements, not {count}", rustcs.len()));
        }
        for (inst, rustc) in rustcs.iter().enumerate() {
            let mut before: Set = live.before(block, inst).iter().map(|v| v.index()).collect();
            let mut after: Set = live.after(block, inst).iter().map(|v| v.index()).collect();
            touch(function, block, inst, |local| _ = after.insert(local));
            for (set, rustc, half) in
                [(&mut before, &rustc[0], "before"), (&mut after, &rustc[1], "after")]
            {
                set.retain(|local| relevant.contains(local));
                if set != rustc {
                    return Err(format!(
                        "{half} {block:?} {inst}: we say {set:?}, rustc {rustc:?}"
                    ));
                }
                points += 1;
            }
        }
    }
    Ok(points)
}

/// What an instruction writes, and what it reads unless it is a copy.
fn touch(function: &Function, block: Block, inst: usize, mut visit: impl FnMut(usize)) {
    let is_copy =
        function.blocks[block].insts.get(inst).is_some_and(|inst| matches!(inst.op, Op::Copy(_)));
    function.defs(block, inst, |value| visit(value.index()));
    if !is_copy {
        function.uses(block, inst, |value| visit(value.index()));
    }
}
