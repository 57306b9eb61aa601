//! Everything that writes a local, and what it then must not share a place with at any rate.

use super::relevant::Narrowed;
use super::{Overlap, Refused};
use crate::cfg::{Cfg, Values};
use crate::dataflow::intervals::points::Place;
use crate::entity::{Block, Value};
use crate::ir::Op;
use cranelift_entity::EntityRef;
use smallvec::SmallVec;

/// One write of one local.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct Write {
    /// What is written, whole or in part.
    pub(super) value: Value,
    /// What writes it. The result of a call that may unwind is written by the terminator, and so before
    /// any of its edges is taken.
    pub(super) at: Place,
    /// What is copied to it, if it is a copy.
    pub(super) source: Option<Value>,
}

/// Calls `visit` on every write, in the order of the points.
pub(super) fn for_each_write(code: &Narrowed<'_>, cfg: &Cfg<'_>, mut visit: impl FnMut(Write)) {
    for &param in &code.function.params {
        if let Some(value) = code.relevant.value(param) {
            visit(Write { value, at: Place::Params, source: None });
        }
    }
    for block in cfg.blocks() {
        let last = code.function.blocks[block].insts.len();
        for inst in 0..last {
            let at = Place::Statement(block, inst);
            let source = code.copied(block, inst);
            code.defs(block, inst, |value| visit(Write { value, at, source }));
            code.partial_defs(block, inst, |value| visit(Write { value, at, source: None }));
        }
        for edge in cfg.succs(block) {
            let slot = cfg.edge(edge).slot as usize;
            let at = Place::Statement(block, last);
            code.edge_defs(block, slot, |value| visit(Write { value, at, source: None }));
        }
        for edge in cfg.succs(block) {
            let data = cfg.edge(edge);
            for (argument, value) in code.params(data.to) {
                let source = code.argument(block, data.slot as usize, argument);
                visit(Write { value, at: Place::Edge(edge), source });
            }
        }
    }
}

/// What a local takes part in: all parameters of a block, or all operands of an instruction.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Part {
    /// The number of the block or instruction.
    pub(super) group: u32,
    /// Whether it is written there; otherwise read, while others are written.
    pub(super) written: bool,
}

/// By local: what it takes part in, in ascending order.
pub(super) type Parts = SmallVec<[Part; 2]>;

/// What every local takes part in, so that two locals that must not share can be told.
pub(super) fn parts(code: &Narrowed<'_>, cfg: &Cfg<'_>, overlap: Overlap) -> Vec<Parts> {
    let mut parts = vec![Parts::new(); code.value_count()];
    let mut group = 0;
    let mut members: Vec<(Value, bool)> = Vec::new();
    let mut close = |members: &mut Vec<(Value, bool)>| {
        if members.len() > 1 && members.iter().any(|&(_, written)| written) {
            for &(value, written) in &*members {
                let part = Part { group, written };
                let parts: &mut Parts = &mut parts[value.index()];
                if !parts.contains(&part) {
                    parts.push(part);
                }
            }
            group += 1;
        }
        members.clear();
    };
    for block in cfg.blocks() {
        members.extend(code.params(block).map(|(_, value)| (value, true)));
        close(&mut members);
        for inst in 0..code.function.blocks[block].insts.len() {
            code.defs(block, inst, |value| members.push((value, true)));
            code.partial_defs(block, inst, |value| members.push((value, true)));
            if interleaves(code, block, inst, overlap) {
                code.uses(block, inst, |value| members.push((value, false)));
            }
            close(&mut members);
        }
        if overlap == Overlap::Every {
            for edge in cfg.succs(block) {
                let slot = cfg.edge(edge).slot as usize;
                code.edge_defs(block, slot, |value| members.push((value, true)));
            }
            let last = code.function.blocks[block].insts.len();
            code.uses(block, last, |value| members.push((value, false)));
            close(&mut members);
        }
    }
    parts.iter_mut().for_each(|parts| parts.sort_unstable());
    parts
}

fn interleaves(code: &Narrowed<'_>, block: Block, inst: usize, overlap: Overlap) -> bool {
    match (&code.function.blocks[block].insts[inst].op, overlap) {
        (Op::Opaque(_), _) => true,
        (Op::Copy(_), _) | (_, Overlap::Opaque) => false,
        (_, Overlap::Every) => true,
    }
}

/// Why two locals that take part in this must not share, if so.
pub(super) fn clash(a: &[Part], b: &[Part]) -> Option<Refused> {
    let (few, many) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    few.iter().find_map(|part| {
        let has = |written| many.binary_search(&Part { written, ..*part }).is_ok();
        match part.written {
            true if has(true) => Some(Refused::WrittenTogether),
            true if has(false) => Some(Refused::Interleaved),
            false if has(true) => Some(Refused::Interleaved),
            _ => None,
        }
    })
}
