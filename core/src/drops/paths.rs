//! Move paths: the places that code names, with the locals that they are parts of.
//!
//! A path stands for what of its place no longer path covers: `%p` for all of it where nothing names a
//! part, and for the rest of it where `%p.0` is moved somewhere. What a path stands for is initialized as
//! a whole or not at all, so that two bits tell what is known of it. Paths are sorted, so that those
//! within a place are neighbors.

use crate::ir::{Function, Local, Op, Place, TerminatorKind, Type};
use std::ops::Range;

/// The number of a move path.
pub type Path = u32;

/// The move paths of a function.
#[derive(Clone, Debug)]
pub struct Paths {
    /// By path, sorted.
    places: Vec<Place>,
}

impl Paths {
    /// Reads them off the code.
    pub fn new(function: &Function) -> Paths {
        let owned = function.locals.iter().filter(|(_, data)| data.ty.is_owned());
        let mut places: Vec<Place> = owned.map(|(local, _)| Place::from(local)).collect();
        let mut name = |place: &Place| {
            // A place between it and its local is one as well: it may have other parts.
            for length in 1..=place.path.len() {
                let path = place.path[..length].into();
                places.push(Place { local: place.local, path });
            }
        };
        for data in function.blocks.values() {
            for inst in &data.insts {
                inst.dest.iter().for_each(&mut name);
                if let Op::Move(place) | Op::Drop(place) | Op::Destroy(place) = &inst.op {
                    name(place);
                }
            }
            match &data.term.kind {
                TerminatorKind::TryCall { dest: Some(place), .. }
                | TerminatorKind::TryDrop { place, .. } => name(place),
                _ => {}
            }
        }
        places.sort_unstable_by(|a, b| key(a).cmp(&key(b)));
        places.dedup();
        Paths { places }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Whether the function owns nothing.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// The place of a path.
    pub fn place(&self, path: Path) -> &Place {
        &self.places[path as usize]
    }

    /// The paths within a place, its own first.
    pub fn within(&self, place: &Place) -> Range<Path> {
        let start = self.places.partition_point(|other| key(other) < key(place));
        let inside = self.places[start..].iter().take_while(|other| is_within(other, place));
        start as Path..(start + inside.count()) as Path
    }

    /// The paths of a local.
    pub fn of_local(&self, local: Local) -> Range<Path> {
        self.within(&Place::from(local))
    }

    /// The longest path that a place is within; `None` if its local owns nothing.
    pub fn of(&self, place: &Place) -> Option<Path> {
        let mut prefix = place.clone();
        loop {
            match self.places.binary_search_by(|other| key(other).cmp(&key(&prefix))) {
                Ok(path) => return Some(path as Path),
                Err(_) if prefix.path.is_empty() => return None,
                Err(_) => _ = prefix.path.pop(),
            }
        }
    }

    /// The largest places within one that are initialized as a whole or not at all, in the order of the
    /// type, each with its path. Nests no deeper than types do.
    pub fn wholes(&self, function: &Function, place: &Place) -> Vec<(Place, Path)> {
        let mut found = Vec::new();
        let mut open = vec![place.clone()];
        while let Some(place) = open.pop() {
            let ty = function.locals[place.local].ty.at(&place.path);
            match (self.within(&place).len(), ty) {
                (2.., Some(Type::Aggregate(parts))) => {
                    open.extend((0..parts.len() as u32).rev().map(|part| {
                        let mut inner = place.clone();
                        inner.path.push(part);
                        inner
                    }));
                }
                _ => {
                    let path = self.of(&place);
                    found.extend(path.map(|path| (place, path)));
                }
            }
        }
        found
    }
}

fn key(place: &Place) -> (Local, &[u32]) {
    (place.local, &place.path)
}

fn is_within(part: &Place, whole: &Place) -> bool {
    part.local == whole.local && part.path.starts_with(&whole.path)
}
