//! What is known of all locals at one point.
//!
//! Points mostly know the same of most locals, so a state is in chunks, and states share those that they
//! have in common: a copy costs a pointer a chunk, and a join skips what is shared.

use super::Lattice;
use crate::ir::Local;
use cranelift_entity::EntityRef;
use std::rc::Rc;

const CHUNK: usize = 32;

/// A chunk for each so many locals; `None` where control does not get to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct State {
    chunks: Option<Vec<Rc<[Lattice; CHUNK]>>>,
}

impl State {
    /// Reached, with everything undefined.
    pub(super) fn undefined(locals: usize) -> State {
        State::all(locals, Lattice::Undefined)
    }

    /// Reached, with the same known of every local.
    pub(super) fn all(locals: usize, known: Lattice) -> State {
        let chunk = Rc::new([known; CHUNK]);
        State { chunks: Some(vec![chunk; locals.div_ceil(CHUNK)]) }
    }

    pub(super) fn is_reached(&self) -> bool {
        self.chunks.is_some()
    }

    /// What is known of a local; `None` if the point is not reached.
    pub(super) fn get(&self, local: Local) -> Option<Lattice> {
        let chunks = self.chunks.as_ref()?;
        Some(chunks[local.index() / CHUNK][local.index() % CHUNK])
    }

    pub(super) fn set(&mut self, local: Local, known: Lattice) {
        if let Some(chunks) = &mut self.chunks {
            let chunk = &mut chunks[local.index() / CHUNK];
            if chunk[local.index() % CHUNK] != known {
                Rc::make_mut(chunk)[local.index() % CHUNK] = known;
            }
        }
    }

    /// Whether that changed anything.
    pub(super) fn join(&mut self, from: &State) -> bool {
        let Some(from) = &from.chunks else { return false };
        let Some(into) = &mut self.chunks else {
            self.chunks = Some(from.clone());
            return true;
        };
        let mut changed = false;
        for (into, from) in into.iter_mut().zip(from) {
            changed |= join_chunk(into, from);
        }
        changed
    }
}

fn join_chunk(into: &mut Rc<[Lattice; CHUNK]>, from: &Rc<[Lattice; CHUNK]>) -> bool {
    if Rc::ptr_eq(into, from) {
        return false;
    }
    let mut joined = **into;
    joined.iter_mut().zip(from.iter()).for_each(|(into, from)| *into = into.join(*from));
    let changed = joined != **into;
    if joined == **from {
        // From now on they share it.
        *into = Rc::clone(from);
    } else if changed {
        *into = Rc::new(joined);
    }
    changed
}
