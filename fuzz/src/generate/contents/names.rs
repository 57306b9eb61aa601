//! Short names, made once: `b3` is a block, `v17` a local.

use backedge_core::ir::Name;
use std::sync::LazyLock;

const CACHED: usize = 256;

static BLOCKS: LazyLock<Vec<Name>> = LazyLock::new(|| cache('b'));
static LOCALS: LazyLock<Vec<Name>> = LazyLock::new(|| cache('v'));

/// The name of a block.
pub(super) fn block(index: usize) -> Name {
    BLOCKS.get(index).cloned().unwrap_or_else(|| make('b', index))
}

/// The name of a local.
pub(super) fn local(index: usize) -> Name {
    LOCALS.get(index).cloned().unwrap_or_else(|| make('v', index))
}

/// The name of a function.
pub(super) fn function(index: usize) -> Name {
    if index == 0 { Name::new_static("main") } else { make('f', index) }
}

fn cache(letter: char) -> Vec<Name> {
    (0..CACHED).map(|index| make(letter, index)).collect()
}

fn make(letter: char, index: usize) -> Name {
    Name::from(format!("{letter}{index}"))
}
