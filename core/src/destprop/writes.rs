//! Everything that writes a local.

use super::relevant::Narrowed;
use crate::cfg::{Cfg, Values};
use crate::dataflow::intervals::points::Place;
use crate::entity::Value;

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
