//! Makes cases: a seed or a string of bytes becomes a valid program.

use backedge_oracle::check::Case;

/// A family of graphs.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Shape {
    /// if, switch, while, for, break and continue.
    Structured,
    /// Random edges over a spine.
    Goto,
    /// Random, then made reducible.
    Reducible,
    /// Forced to be irreducible.
    Irreducible,
    /// Two rails with rungs between them.
    Ladder,
    /// Deep loops.
    Nest,
    /// Big switches.
    Wide,
    /// Many edges.
    Dense,
    /// One long path.
    Chain,
    /// A grid.
    Mesh,
    /// No exit.
    LoopsOnly,
    /// All graphs of up to 4 blocks, enumerated.
    Tiny,
}

/// What to generate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// Shapes to draw from, without duplicates.
    pub shapes: Vec<Shape>,
    /// Most blocks a function may have.
    pub max_blocks: usize,
}

/// A case and what it was made from.
#[derive(Clone, Debug)]
pub struct Generated {
    /// The case.
    pub case: Case,
    /// Its shape. `(seed, shape, max_blocks)` alone decide the case.
    pub shape: Shape,
}

/// The case of a seed. The seed also picks the shape among `config.shapes`.
pub fn from_seed(seed: u64, config: &Config) -> Generated {
    let _ = (seed, config);
    unimplemented!()
}

/// The case of a fuzzer's bytes; every string gives one.
pub fn from_bytes(bytes: &[u8], config: &Config) -> Generated {
    let _ = (bytes, config);
    unimplemented!()
}
