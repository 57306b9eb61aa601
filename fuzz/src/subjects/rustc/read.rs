//! What rustc's dumps say: which move paths may be initialized where, and what became of each drop.

use super::print::Mir;
use backedge_core::ir::{Function, Local, Type};
use backedge_oracle::subject::{DropClass, DropsAnswer, Maybe, Resources};
use cranelift_entity::EntityRef;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// The dumps of one function.
pub(super) struct Dumps {
    maybe_init: String,
    maybe_uninit: String,
    /// MIR after elaboration.
    after: String,
}

impl Dumps {
    /// Finds them in a folder.
    ///
    /// # Errors
    /// When one is missing.
    pub(super) fn find(folder: &Path) -> Result<Dumps, String> {
        let entries = fs::read_dir(folder).map_err(|error| format!("it left no dumps: {error}"))?;
        let paths: Vec<_> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
        let read = |what: &str| {
            let is_meant = |path: &&std::path::PathBuf| {
                let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
                name.is_some_and(|name| name.contains(".f.") && name.contains(what))
            };
            let path = paths.iter().find(is_meant).ok_or(format!("it left no dump of {what}"))?;
            fs::read_to_string(path).map_err(|error| error.to_string())
        };
        Ok(Dumps {
            maybe_init: read("maybe_init")?,
            maybe_uninit: read("maybe_uninit")?,
            after: read("ElaborateDrops.after")?,
        })
    }
}

/// A move path as rustc has it: a local by number, and fields.
type MovePath = (usize, Vec<u32>);

/// By block: the move paths in the state at its start. Blocks that can't be reached are left out.
fn states(dot: &str) -> BTreeMap<usize, BTreeSet<MovePath>> {
    let mut states = BTreeMap::new();
    for line in dot.lines() {
        let Some(rest) = line.trim_start().strip_prefix("bb_") else { continue };
        let number: String = rest.chars().take_while(char::is_ascii_digit).collect();
        let (Ok(number), Some(start)) = (number.parse(), rest.find("(on start)")) else { continue };
        let rest = &rest[start..];
        let set = rest.find('{').zip(rest.find('}'));
        states.insert(number, paths(set.map_or("", |(open, close)| &rest[open + 1..close])));
    }
    states
}

/// `_2, (_3.0: R), ((_4.1: (R, R)).0: R)`: fields follow their tuples, types a colon.
pub(super) fn paths(set: &str) -> BTreeSet<MovePath> {
    let mut found = BTreeSet::new();
    let mut depth = 0;
    let mut start = 0;
    for (at, letter) in set.char_indices().chain([(set.len(), ',')]) {
        match letter {
            '(' => depth += 1,
            ')' => depth -= 1,
            ',' if depth == 0 => {
                found.extend(path(&set[start..at]));
                start = at + 1;
            }
            _ => {}
        }
    }
    found
}

fn path(text: &str) -> Option<MovePath> {
    let at = text.find('_')?;
    let digits: String = text[at + 1..].chars().take_while(char::is_ascii_digit).collect();
    let mut rest = &text[at + 1 + digits.len()..];
    let mut fields = Vec::new();
    // Each tuple that is opened before the local is closed behind a field and its type.
    for _ in 0..text[..at].matches('(').count() {
        let dot = rest.find('.')?;
        let field: String = rest[dot + 1..].chars().take_while(char::is_ascii_digit).collect();
        rest = &rest[dot + 1 + field.len()..];
        fields.push(field.parse().ok()?);
        // The type is over where its own parentheses are.
        let mut depth = 0;
        let end = rest.find(|letter| {
            match letter {
                '(' => depth += 1,
                ')' => depth -= 1,
                _ => {}
            }
            depth < 0
        })?;
        rest = &rest[end + 1..];
    }
    Some((digits.parse().ok()?, fields))
}

/// The answer, by our names.
pub(super) fn answer(function: &Function, mir: &Mir, dumps: &Dumps) -> Result<DropsAnswer, String> {
    let (init, uninit) = (states(&dumps.maybe_init), states(&dumps.maybe_uninit));
    let known: BTreeSet<&MovePath> =
        init.get(&0).into_iter().chain(uninit.get(&0)).flatten().collect();
    let leaves = leaves(function, mir);
    let state = |block: usize| -> Resources {
        let (init, uninit) = (init.get(&block)?, uninit.get(&block)?);
        let maybe = |leaf: &MovePath| {
            let path = longest(leaf, &known);
            Maybe { initialized: init.contains(&path), uninitialized: uninit.contains(&path) }
        };
        Some(leaves.iter().map(maybe).collect())
    };
    let entry = mir.starts.iter().map(|&start| state(start)).collect();
    let mut answer = DropsAnswer { entry: Some(entry), ..DropsAnswer::default() };
    for &(at, alone, next) in &mir.drops {
        let reached = state(alone).is_some();
        let place = dropped(function, mir, at).ok_or("a drop of nothing")?;
        let has_parts = known.iter().any(|(local, path)| {
            *local == place.0 && path.len() > place.1.len() && path.starts_with(&place.1)
        });
        let class = match terminator(&dumps.after, alone) {
            _ if !reached => DropClass::Unclassified,
            Some(term) if term.starts_with("drop(") => DropClass::Static,
            Some(term) if term == format!("goto -> bb{next};") => DropClass::Dead,
            Some(term) if term.starts_with("goto") && has_parts => {
                open(&place, &leaves, &state(alone).unwrap_or_default())
            }
            Some(term) if term.starts_with("goto") => DropClass::Conditional,
            other => return Err(format!("bb{alone} ends in {other:?} after elaboration")),
        };
        answer.classes.insert(at, class);
    }
    Ok(answer)
}

/// What an open drop comes to. rustc also counts the bits of a path whose parts all have paths of their own,
/// although they stand for nothing: then it goes through the parts, each of which is sure.
fn open(place: &MovePath, leaves: &[MovePath], state: &[Maybe]) -> DropClass {
    let within = leaves
        .iter()
        .zip(state)
        .filter(|((local, path), _)| *local == place.0 && path.starts_with(&place.1));
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
fn dropped(
    function: &Function,
    mir: &Mir,
    (block, inst): (backedge_core::ir::Block, usize),
) -> Option<MovePath> {
    let place = backedge_core::drops::dropped(function, block, inst)?;
    Some((mir.locals[place.local.index()]?, place.path.to_vec()))
}

/// The last line of a block.
fn terminator(mir: &str, block: usize) -> Option<&str> {
    let head = format!("bb{block}: {{");
    let start = mir.lines().position(|line| line.trim_start().starts_with(&head))?;
    let body = mir.lines().skip(start + 1).take_while(|line| line.trim() != "}");
    body.last().map(str::trim)
}

/// By resource, in order: the path to it.
fn leaves(function: &Function, mir: &Mir) -> Vec<MovePath> {
    let mut found = Vec::new();
    let owned = |(local, _): &(Local, _)| mir.locals[local.index()].is_some();
    for (local, data) in function.locals.iter().filter(owned) {
        let mut open = vec![(&data.ty, Vec::new())];
        while let Some((ty, path)) = open.pop() {
            match ty {
                Type::Aggregate(parts) => {
                    open.extend(parts.iter().enumerate().rev().map(|(part, ty)| {
                        let mut inner = path.clone();
                        inner.push(part as u32);
                        (ty, inner)
                    }))
                }
                _ => found.extend(mir.locals[local.index()].map(|number| (number, path))),
            }
        }
    }
    found
}

/// The longest path that rustc has and that a resource lies in.
fn longest(leaf: &MovePath, known: &BTreeSet<&MovePath>) -> MovePath {
    let (local, path) = leaf;
    let prefixes = (0..=path.len()).rev().map(|length| (*local, path[..length].to_vec()));
    prefixes.into_iter().find(|prefix| known.contains(prefix)).unwrap_or((*local, Vec::new()))
}
