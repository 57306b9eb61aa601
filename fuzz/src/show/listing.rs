//! The lines of a function's canonical text, by block and instruction.

use backedge_core::ir::text::print_function;
use backedge_core::ir::{Block, Function, Local, TerminatorKind};

/// The text of one function.
#[derive(Clone, Debug)]
pub(crate) struct Listing {
    /// What comes before the first block: `fn ..` and declarations.
    pub(crate) head: Vec<String>,
    /// By block.
    pub(crate) blocks: Vec<BlockLines>,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct BlockLines {
    /// The label with its parameters.
    pub(crate) label: String,
    /// Instructions, the terminator last; indented.
    pub(crate) insts: Vec<String>,
}

impl Listing {
    pub(crate) fn new(function: &Function) -> Listing {
        let text = print_function(function);
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        // Every label and every instruction is one line, and `}` the last.
        let body: usize = function.blocks.values().map(|data| data.insts.len() + 2).sum();
        let head = lines.len().saturating_sub(body + 1);
        let mut rest = lines[head..].iter().cloned();
        let blocks = function.blocks.values().map(|data| BlockLines {
            label: rest.next().unwrap_or_default(),
            insts: rest.by_ref().take(data.insts.len() + 1).collect(),
        });
        let blocks = blocks.collect();
        Listing { head: lines[..head].to_vec(), blocks }
    }
}

/// A name on one line, whatever is in it.
pub(super) fn plain(name: &str) -> String {
    if name.chars().any(|c| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}')) {
        name.escape_debug().to_string()
    } else {
        name.to_owned()
    }
}

pub(super) fn block_name(function: &Function, block: Block) -> String {
    function.blocks.get(block).map_or_else(|| block.to_string(), |data| plain(&data.name))
}

/// `%a, %b`; `none` where the set is empty.
pub(super) fn set(function: &Function, locals: &[Local]) -> String {
    if locals.is_empty() {
        return "none".to_owned();
    }
    let mut out = String::new();
    for (position, &local) in locals.iter().enumerate() {
        out.push_str(if position > 0 { ", %" } else { "%" });
        out.push_str(&plain(&function.locals[local].name));
    }
    out
}

/// What the slot means, where its block has several.
pub(super) fn slot_name(term: &TerminatorKind, slot: usize) -> Option<String> {
    match (term, slot) {
        (TerminatorKind::Branch { .. }, 0) => Some("then".to_owned()),
        (TerminatorKind::Branch { .. }, _) => Some("else".to_owned()),
        (TerminatorKind::Switch { .. }, 0) => Some("default".to_owned()),
        (TerminatorKind::Switch { cases, .. }, _) => {
            cases.get(slot - 1).map(|(key, _)| format!("case {key}"))
        }
        (TerminatorKind::TryCall { .. } | TerminatorKind::TryDrop { .. }, 1) => {
            Some("unwind".to_owned())
        }
        _ => None,
    }
}
