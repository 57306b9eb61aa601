//! The types of what a body owns: an aggregate wherever rustc has move paths within one.
//!
//! A path with others in it has bits of its own in rustc, which stand for the rest of it. So its aggregate has
//! a last part for that rest, which no code names.
//!
//! `_9 = deref_copy (_1.3: Box<T>)` gives a part a second name: `(*_9)` is a part of `(_1.3: Box<T>)`, and rustc
//! tracks it there, although it prints the short name.

use super::path::{MovePath, Step, path};
use crate::import::mir::body::RawBody;
use crate::import::mir::scan::Cursor;
use backedge_core::ir::Type;
use std::collections::{BTreeMap, BTreeSet};

/// More steps than any type that people write has parts within parts.
const DEEPEST: usize = 32;

/// Where the move paths of a body are in our types.
#[derive(Clone, Debug, Default)]
pub(super) struct Places {
    /// By path: the parts that lead to it.
    parts: BTreeMap<MovePath, Vec<u32>>,
    /// How many paths lie right within each.
    children: BTreeMap<MovePath, u32>,
    /// By local: the place that it was copied from, to be dereferenced.
    aliases: BTreeMap<u32, MovePath>,
}

impl Places {
    /// For the paths that rustc tracks; those that are too deep are left out.
    pub(super) fn new(raw: &RawBody<'_>, tracked: &BTreeSet<MovePath>) -> Places {
        let mut places = Places { aliases: aliases(raw), ..Places::default() };
        let tracked: BTreeSet<MovePath> =
            tracked.iter().map(|path| places.resolved(path)).collect();
        // A path comes after those that it lies within.
        for path in tracked.iter().filter(|path| path.steps.len() <= DEEPEST) {
            let mut parts = Vec::new();
            if let Some((_, outer)) = path.steps.split_last() {
                let outer = MovePath { local: path.local, steps: outer.into() };
                let Some(leading) = places.parts.get(&outer) else { continue };
                parts.extend_from_slice(leading);
                let children = places.children.entry(outer).or_insert(0);
                parts.push(*children);
                *children += 1;
            }
            places.parts.insert(path.clone(), parts);
        }
        places
    }

    /// The locals that own something.
    pub(super) fn locals(&self) -> impl Iterator<Item = u32> {
        self.parts.keys().filter(|path| path.steps.is_empty()).map(|path| path.local)
    }

    /// The path by its long name.
    pub(super) fn resolved(&self, path: &MovePath) -> MovePath {
        resolved(&self.aliases, path)
    }

    /// The parts that lead to a path; `None` if it is not tracked.
    pub(super) fn of(&self, path: &MovePath) -> Option<&[u32]> {
        self.parts.get(path).map(Vec::as_slice)
    }

    /// Whether there are paths within this one.
    pub(super) fn has_parts(&self, path: &MovePath) -> bool {
        self.children.contains_key(path)
    }

    /// The paths right within one.
    pub(super) fn right_within(&self, outer: &MovePath) -> impl Iterator<Item = &MovePath> {
        let inside = self.parts.range(outer.clone()..).map(|(path, _)| path);
        let (outer, length) = (outer.clone(), outer.steps.len() + 1);
        inside
            .take_while(move |path| path.is_within(&outer))
            .filter(move |p| p.steps.len() == length)
    }

    /// `_2.0.1`: the resource that the bits of a path stand for.
    pub(super) fn resource(&self, path: &MovePath) -> Option<String> {
        let mut name = format!("_{}", path.local);
        let rest = self.children.get(path);
        self.of(path)?.iter().chain(rest).for_each(|part| name += &format!(".{part}"));
        Some(name)
    }

    /// The type of a local; nests as deep as [`DEEPEST`].
    pub(super) fn ty(&self, path: &MovePath) -> Type {
        let mut parts: Vec<Type> = self.right_within(path).map(|inner| self.ty(inner)).collect();
        if parts.is_empty() {
            return Type::Own;
        }
        parts.push(Type::Own);
        Type::Aggregate(parts.into())
    }
}

/// What is copied to be dereferenced, by the local that it is copied to.
fn aliases(raw: &RawBody<'_>) -> BTreeMap<u32, MovePath> {
    let mut aliases: BTreeMap<u32, MovePath> = BTreeMap::new();
    for line in raw.blocks.iter().flat_map(|block| &block.lines) {
        let Some((local, place)) = line.text.split_once(" = deref_copy ") else { continue };
        let (local, place) = (path(&mut Cursor::new(local)), path(&mut Cursor::new(place)));
        if let (Some(local), Some(place)) = (local, place) {
            let place = resolved(&aliases, &place);
            aliases.insert(local.local, place);
        }
    }
    aliases
}

fn resolved(aliases: &BTreeMap<u32, MovePath>, path: &MovePath) -> MovePath {
    match (path.steps.first(), aliases.get(&path.local)) {
        (Some(Step::Deref), Some(outer)) => {
            let mut outer = outer.clone();
            outer.steps.extend(path.steps.iter().cloned());
            outer
        }
        _ => path.clone(),
    }
}
