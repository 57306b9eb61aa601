//! Merges, names and live ranges of one function, ours and rustc's.

use crate::body::Body;
use crate::dumps::{Dumps, Set, copied, locals};
use crate::ranges::same_ranges;
use backedge_core::destprop::{Method, Options, Overlap, Propagation, propagate};
use cranelift_entity::EntityRef;
use std::collections::{BTreeMap, BTreeSet};

/// How much was compared.
#[derive(Default)]
pub(crate) struct Outcome {
    /// Functions, and those among them that have something to merge.
    pub(crate) functions: usize,
    pub(crate) with_candidates: usize,
    /// Copies of whole locals, and those of borrowed ones, which neither pass tries.
    pub(crate) copies: usize,
    pub(crate) borrowed: usize,
    /// Locals that were merged into others, by both, and by ours as it is used elsewhere.
    pub(crate) merged: usize,
    pub(crate) merged_by_saved: usize,
    /// Points whose live ranges are the same.
    pub(crate) points: usize,
}

impl Outcome {
    pub(crate) fn add(&mut self, other: &Outcome) {
        self.functions += other.functions;
        self.with_candidates += other.with_candidates;
        self.copies += other.copies;
        self.borrowed += other.borrowed;
        self.merged += other.merged;
        self.merged_by_saved += other.merged_by_saved;
        self.points += other.points;
    }
}

/// Compares one function.
pub(crate) fn compare(dumps: &Dumps) -> Result<Outcome, String> {
    let body = Body::read(dumps)?;
    let options = Options { method: Method::LiveRanges, overlap: Overlap::Every };
    let ours = Merges::of(&body, &propagate(&body.function, options));
    let theirs = Renamed::read(dumps)?;
    let by_us = ours.classes();
    if by_us != theirs.classes {
        return Err(format!("we merge {by_us:?}, rustc {:?}", theirs.classes));
    }
    let expected = ours.names_by_source(&body.required);
    for (from, into) in &theirs.names {
        let name = expected.get(from).unwrap_or(from);
        if name != into {
            return Err(format!("by its rule _{from} is called _{name}, rustc calls it _{into}"));
        }
    }
    let points = match &dumps.ranges {
        Some(ranges) => same_ranges(&body, dumps, &ours.copies, ranges)?,
        None => 0,
    };
    let copies = dumps.before.iter().flatten().filter(|line| copied(line).is_some()).count();
    Ok(Outcome {
        functions: 1,
        with_candidates: usize::from(dumps.ranges.is_some()),
        copies,
        borrowed: body.borrowed,
        merged: ours.merges.len(),
        merged_by_saved: propagate(&body.function, Method::Saved).merges.len(),
        points,
    })
}

/// What ours did, by the numbers of MIR.
struct Merges {
    merges: BTreeMap<usize, usize>,
    /// Destination and source of every copy.
    copies: Vec<[usize; 2]>,
}

impl Merges {
    fn of(body: &Body, ours: &Propagation) -> Merges {
        let number = |local: backedge_core::ir::Local| body.numbers[local.index()];
        let merges = ours.merges.iter();
        let copies = ours.copies.iter();
        Merges {
            merges: merges
                .filter_map(|&(from, into)| Some((number(from)?, number(into)?)))
                .collect(),
            copies: copies.filter_map(|c| Some([number(c.dest)?, number(c.source)?])).collect(),
        }
    }

    fn class(&self, local: usize) -> usize {
        self.merges.get(&local).copied().unwrap_or(local)
    }

    fn classes(&self) -> BTreeSet<Set> {
        let mut classes: BTreeMap<usize, Set> = BTreeMap::new();
        for (&from, &into) in &self.merges {
            classes.entry(into).or_default().extend([from, into]);
        }
        classes.into_values().collect()
    }

    /// What members of classes are called by the rule of rustc: as the source, where ours takes the
    /// destination; in both, what can't be renamed keeps its name.
    fn names_by_source(&self, required: &Set) -> BTreeMap<usize, usize> {
        let mut names: BTreeMap<usize, usize> = BTreeMap::new();
        for &[dest, source] in &self.copies {
            if self.class(dest) != self.class(source) {
                continue;
            }
            let name = |local: usize| names.get(&local).copied().unwrap_or(local);
            let [dest_name, source_name] = [name(dest), name(source)];
            let [from, into] = match required.contains(&dest_name) {
                true => [source_name, dest_name],
                false => [dest_name, source_name],
            };
            names.values_mut().filter(|name| **name == from).for_each(|name| *name = into);
            names.extend([(from, into), (into, into)]);
        }
        names
    }
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
            let pairs: Vec<(usize, usize)> = if after == "nop;" {
                // Of what is merged, rustc takes out where its storage begins and ends as well.
                copied(before).map(|[dest, source]| (dest, source)).into_iter().collect()
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
