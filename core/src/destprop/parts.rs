//! What must stay two whatever is live: locals that one instruction writes together, parameters of one block,
//! and what is written before all is read, with what is read.

use super::relevant::Narrowed;
use super::{Overlap, Refused};
use crate::cfg::{Cfg, Values};
use crate::entity::{Block, Value};
use crate::ir::Op;
use rustc_hash::FxHashMap;
use std::collections::hash_map::Entry;

/// How a class takes part: it is written, or read while others are written, or both.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
struct Part {
    written: bool,
    read: bool,
}

impl Part {
    fn with(self, other: Part) -> Part {
        Part { written: self.written || other.written, read: self.read || other.read }
    }
}

/// What each class takes part in, by root: blocks with several parameters and instructions with several
/// operands, by a number. Most classes take part in nothing.
pub(super) struct Parts {
    of: FxHashMap<Value, FxHashMap<u32, Part>>,
    /// How many blocks and instructions there are.
    groups: u32,
}

impl Parts {
    /// What every local takes part in.
    pub(super) fn new(code: &Narrowed<'_>, cfg: &Cfg<'_>, overlap: Overlap) -> Parts {
        let mut parts = Parts { of: FxHashMap::default(), groups: 0 };
        let mut members = Vec::new();
        for block in cfg.blocks() {
            members.extend(code.params(block).map(|(_, value)| (value, true)));
            parts.close(&mut members);
            for (inst, data) in code.function.blocks[block].insts.iter().enumerate() {
                let interleaves = match (&data.op, overlap) {
                    (Op::Opaque(_), _) => true,
                    // It writes one local, when all has been read.
                    (Op::Copy(_), _) | (_, Overlap::Opaque) => false,
                    (_, Overlap::Every) => true,
                };
                if interleaves {
                    code.defs(block, inst, |value| members.push((value, true)));
                    code.partial_defs(block, inst, |value| members.push((value, true)));
                    code.uses(block, inst, |value| members.push((value, false)));
                    parts.close(&mut members);
                }
            }
            if overlap == Overlap::Every {
                parts.terminator(code, cfg, block, &mut members);
            }
        }
        parts
    }

    /// A result of a terminator is written on its edges.
    fn terminator(
        &mut self,
        code: &Narrowed<'_>,
        cfg: &Cfg<'_>,
        block: Block,
        members: &mut Vec<(Value, bool)>,
    ) {
        for edge in cfg.succs(block) {
            let slot = cfg.edge(edge).slot as usize;
            code.edge_defs(block, slot, |value| members.push((value, true)));
        }
        let last = code.function.blocks[block].insts.len();
        code.uses(block, last, |value| members.push((value, false)));
        self.close(members);
    }

    /// Takes note of what takes part in one, each with whether it is written.
    fn close(&mut self, members: &mut Vec<(Value, bool)>) {
        if members.len() > 1 && members.iter().any(|&(_, written)| written) {
            for &(value, written) in &*members {
                let part = self.of.entry(value).or_default().entry(self.groups).or_default();
                *part = part.with(Part { written, read: !written });
            }
            self.groups += 1;
        }
        members.clear();
    }

    /// Why two classes must stay two, if so. Takes the time of what the one takes part in that takes part
    /// in less.
    pub(super) fn clash(&self, a: Value, b: Value) -> Option<Refused> {
        let (a, b) = (self.of.get(&a)?, self.of.get(&b)?);
        let (few, many) = if a.len() <= b.len() { (a, b) } else { (b, a) };
        let mut interleaved = None;
        for (group, one) in few {
            let Some(other) = many.get(group) else { continue };
            if one.written && other.written {
                return Some(Refused::WrittenTogether);
            }
            if one.written || other.written {
                interleaved = Some(Refused::Interleaved);
            }
        }
        interleaved
    }

    /// Puts what `other` takes part in to what `root` does, whichever is less.
    pub(super) fn merge(&mut self, root: Value, other: Value) {
        let Some(mut few) = self.of.remove(&other) else { return };
        match self.of.entry(root) {
            Entry::Vacant(entry) => _ = entry.insert(few),
            Entry::Occupied(mut entry) => {
                let many = entry.get_mut();
                if few.len() > many.len() {
                    std::mem::swap(&mut few, many);
                }
                for (group, part) in few {
                    let known = many.entry(group).or_default();
                    *known = known.with(part);
                }
            }
        }
    }
}
