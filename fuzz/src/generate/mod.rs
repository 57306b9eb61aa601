//! Makes cases: a seed or a string of bytes becomes a valid program.
//!
//! A case is made in three steps, each with files of its own:
//! 1. [`shape`]s give a graph, a plain list of successors (`shapes/`);
//! 2. [`features`] are added to it, those that the case has switched on;
//! 3. contents are filled in: locals, instructions, terminators (`contents/`).
//!
//! Half of the cases can be run. They read nothing that may not be assigned, and are given tapes that
//! take them everywhere (`tapes`).
//!
//! All choices are drawn from bytes (`draw`): a fuzzer's, or those that a seed is expanded to. The
//! bytes are divided in two, a part for graphs and a part for contents, so that a change in one does
//! not shift the other. When they run out zeros follow, and zeros end whatever is being drawn. So
//! every string of bytes gives a valid program, also the empty one, and nothing is thrown away.

mod contents;
mod dominance;
mod draw;
pub mod features;
mod graph;
mod seed;
pub mod shape;
mod shapes;
pub mod stats;
mod tapes;
#[cfg(test)]
mod tests;
/// The table of all tiny graphs.
pub mod tiny {
    pub use super::shapes::tiny::count;
}

pub use features::{Feature, Features};
pub use shape::{Shape, UnknownShape};

use backedge_oracle::check::Case;
use contents::Swarm;
use draw::Draw;
use graph::Graph;

/// What to generate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// Shapes to draw from, without duplicates. Empty: all of them.
    pub shapes: Vec<Shape>,
    /// Most blocks a function may have. At least 1; the mean is about a quarter of it.
    pub max_blocks: usize,
}

impl Default for Config {
    /// All shapes. Functions have about 12 blocks and 120 instructions in the mean.
    fn default() -> Config {
        Config { shapes: Shape::ALL.to_vec(), max_blocks: 40 }
    }
}

/// A case and what it was made from.
#[derive(Clone, Debug)]
pub struct Generated {
    /// The case.
    pub case: Case,
    /// Its shape. `(seed, shape, max_blocks)` alone decide the case.
    pub shape: Shape,
    /// The features that its graphs were given.
    pub features: Features,
}

/// The case of a seed. The seed also picks the shape among `config.shapes`.
pub fn from_seed(seed: u64, config: &Config) -> Generated {
    // Mixed once more than the sequence of the seed, to have nothing in common with it.
    let pick = seed::mix(!seed) % shapes_of(config).len() as u64;
    from_seed_shape(seed, shapes_of(config)[pick as usize], config.max_blocks)
}

/// The case of a seed and a shape. For [`Shape::Tiny`] the seed is the index of the graph, modulo how
/// many there are with at most `max_blocks` blocks.
pub fn from_seed_shape(seed: u64, shape: Shape, max_blocks: usize) -> Generated {
    let most = max_blocks.max(1);
    let bytes = seed::SplitMix::new(seed).bytes(1024 + 128 * most);
    let tiny = (shape == Shape::Tiny).then(|| {
        let count = shapes::tiny::count_up_to(most);
        shapes::tiny::graph((seed % count as u64) as usize)
    });
    from_parts(&bytes, shape, most, tiny)
}

/// The case of a fuzzer's bytes; every string gives one. The first byte picks the shape.
pub fn from_bytes(bytes: &[u8], config: &Config) -> Generated {
    let (first, rest) = bytes.split_first().unwrap_or((&0, &[]));
    let shapes = shapes_of(config);
    from_parts(rest, shapes[draw::scale(*first, shapes.len())], config.max_blocks.max(1), None)
}

/// The bytes of a seed: what [`from_bytes`] can be tried on.
pub fn random_bytes(seed: u64, len: usize) -> Vec<u8> {
    seed::SplitMix::new(seed).bytes(len)
}

fn shapes_of(config: &Config) -> &[Shape] {
    if config.shapes.is_empty() { &Shape::ALL } else { &config.shapes }
}

/// The case of some bytes and a shape; `tiny` is its graph if that is known already.
fn from_parts(bytes: &[u8], shape: Shape, most: usize, tiny: Option<Graph>) -> Generated {
    let (for_graphs, for_contents) = bytes.split_at(bytes.len() / 4);
    let mut draw = Draw::new(for_graphs);
    let swarm = Swarm::draw(&mut draw, shape == Shape::Tiny);
    let features = Features::draw(&mut draw, shape);
    let count = if tiny.is_some() { 1 } else { function_count(draw.byte()) };
    let drawn = (0..count).map(|_| draw_graph(&mut draw, shape, features, most));
    let graphs: Vec<Graph> = match tiny {
        Some(graph) => vec![graph],
        None => drawn.collect(),
    };
    let mut draw = Draw::new(for_contents);
    let mut program = contents::fill(&graphs, &swarm, &mut draw);
    if swarm.runnable {
        tapes::add(&mut program, u64::from_le_bytes(draw.array()));
    }
    Generated { case: Case { program }, shape, features }
}

/// One function mostly, several in one case of eight.
fn function_count(byte: u8) -> usize {
    match byte {
        0..224 => 1,
        224..248 => 2,
        248.. => 3,
    }
}

fn draw_graph(draw: &mut Draw, shape: Shape, features: Features, most: usize) -> Graph {
    let blocks = draw.size(most).max(shape.min_blocks()).min(most);
    let mut graph = shapes::draw(shape, draw, blocks);
    features::apply(&mut graph, features, shape, draw, most);
    graph
}
