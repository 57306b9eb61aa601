//! What rustc's dumps say: which move paths may be initialized where, and what became of each drop.

use super::print::Mir;
use crate::import::mir::elaboration::dumps::{States, class, states, terminators};
use crate::import::mir::elaboration::path::{MovePath, Step};
use backedge_core::ir::{Block, Function, Type};
use backedge_oracle::subject::{DropClass, DropsAnswer, Maybe, Resources};
use cranelift_entity::EntityRef;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// The files that rustc left.
pub(super) struct Dumps {
    /// By name.
    texts: BTreeMap<String, String>,
}

impl Dumps {
    /// Reads them all.
    ///
    /// # Errors
    /// When there are none, or one can't be read.
    pub(super) fn read(folder: &Path) -> Result<Dumps, String> {
        let entries = fs::read_dir(folder).map_err(|error| format!("it left no dumps: {error}"))?;
        let mut texts = BTreeMap::new();
        for path in entries.filter_map(|entry| Some(entry.ok()?.path())) {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            texts.insert(name, fs::read_to_string(path).map_err(|error| error.to_string())?);
        }
        Ok(Dumps { texts })
    }

    /// The dump of a function, by its number, whose name ends so.
    fn of(&self, number: usize, end: &str) -> Result<&str, String> {
        let start = format!("f.f{number}.");
        let mut known =
            self.texts.range(start.clone()..).take_while(|(name, _)| name.starts_with(&start));
        let found = known.find(|(name, _)| name.ends_with(end));
        found.map(|(_, text)| &**text).ok_or_else(|| format!("it left no dump of {end}"))
    }
}

/// The answer for function `number`, by our names.
///
/// # Errors
/// When a dump is missing, or says what can't be.
pub(super) fn answer(
    function: &Function,
    number: usize,
    mir: &Mir,
    dumps: &Dumps,
) -> Result<DropsAnswer, String> {
    let init = states(dumps.of(number, ".maybe_init.elaborate_drops.dot")?);
    let uninit = states(dumps.of(number, ".maybe_uninit.elaborate_drops.dot")?);
    let after = terminators(dumps.of(number, ".ElaborateDrops.after.mir")?);
    let start = init.get(&0).into_iter().chain(uninit.get(&0));
    let known: BTreeSet<&MovePath> = start.flatten().collect();
    let leaves = leaves(function, mir);
    let state = |block: usize| state(block as u32, (&init, &uninit), &leaves, &known);
    let entry = mir.starts.iter().map(|&start| state(start)).collect();
    let mut answer = DropsAnswer { entry: Some(entry), ..DropsAnswer::default() };
    for &(at, alone, next) in &mir.drops {
        let place = dropped(function, mir, at).ok_or("a drop of nothing")?;
        let has_parts =
            known.iter().any(|path| path.is_within(&place) && path.steps.len() > place.steps.len());
        let last = after.get(&(alone as u32)).copied().unwrap_or_default();
        let class = match (state(alone), class(last, next as u32, has_parts)) {
            (None, _) => DropClass::Unclassified,
            (Some(state), Some(DropClass::Open)) => open(&place, &leaves, &state),
            (Some(_), Some(class)) => class,
            (Some(_), None) => return Err(format!("bb{alone} ends in `{last}` after elaboration")),
        };
        answer.classes.insert(at, class);
    }
    Ok(answer)
}

/// What is known at the start of a block, by resource; `None` if it can't be reached.
fn state(
    block: u32,
    (init, uninit): (&States, &States),
    leaves: &[MovePath],
    known: &BTreeSet<&MovePath>,
) -> Resources {
    let (init, uninit) = (init.get(&block)?, uninit.get(&block)?);
    let maybe = |leaf: &MovePath| {
        let path = longest(leaf, known);
        Maybe { initialized: init.contains(&path), uninitialized: uninit.contains(&path) }
    };
    Some(leaves.iter().map(maybe).collect())
}

/// What an open drop comes to. rustc also counts the bits of a path whose parts all have paths of their own,
/// although they stand for nothing: then it goes through the parts, each of which is sure.
fn open(place: &MovePath, leaves: &[MovePath], state: &[Maybe]) -> DropClass {
    let within = leaves.iter().zip(state).filter(|(leaf, _)| leaf.is_within(place));
    let (mut init, mut uninit) = (false, false);
    for (_, maybe) in within {
        init |= maybe.initialized;
        uninit |= maybe.uninitialized;
    }
    match (init, uninit) {
        (true, true) => DropClass::Open,
        (true, false) => DropClass::Static,
        (false, _) => DropClass::Dead,
    }
}

/// The move path of the place that is dropped.
fn dropped(function: &Function, mir: &Mir, (block, inst): (Block, usize)) -> Option<MovePath> {
    let place = backedge_core::drops::dropped(function, block, inst)?;
    let local = mir.locals[place.local.index()]?;
    Some(path(local, &place.path))
}

fn path(local: usize, fields: &[u32]) -> MovePath {
    let steps = fields.iter().map(|&field| Step::Field(field)).collect();
    MovePath { local: local as u32, steps }
}

/// By resource, in order: the path to it.
fn leaves(function: &Function, mir: &Mir) -> Vec<MovePath> {
    let mut found = Vec::new();
    for (local, data) in &function.locals {
        let Some(number) = mir.locals[local.index()] else { continue };
        let mut open = vec![(&data.ty, Vec::new())];
        while let Some((ty, fields)) = open.pop() {
            let Type::Aggregate(parts) = ty else {
                found.push(path(number, &fields));
                continue;
            };
            open.extend(parts.iter().enumerate().rev().map(|(part, ty)| {
                let mut inner: Vec<u32> = fields.clone();
                inner.push(part as u32);
                (ty, inner)
            }));
        }
    }
    found
}

/// The longest path that rustc has and that a resource lies in.
fn longest(leaf: &MovePath, known: &BTreeSet<&MovePath>) -> MovePath {
    let mut prefix = leaf.clone();
    while !known.contains(&prefix) && !prefix.steps.is_empty() {
        prefix.steps.pop();
    }
    prefix
}
