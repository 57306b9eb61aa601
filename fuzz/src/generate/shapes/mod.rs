//! The graph of each shape, before features are added. Every block is reachable.
//!
//! Each function takes how many blocks are wanted, at least 1, and makes at most that many: regular
//! shapes may leave a few out. All end, because each draw adds a block or spends one of a number of
//! draws fixed beforehand.

mod irreducible;
mod nest;
mod random;
mod reducible;
mod regular;
mod structured;
pub(super) mod tiny;
mod wide;

use super::draw::Draw;
use super::graph::Graph;
use super::shape::Shape;

/// Draws a graph of the shape with at most `blocks` blocks.
pub(super) fn draw(shape: Shape, draw: &mut Draw, blocks: usize) -> Graph {
    match shape {
        Shape::Structured => structured::structured(draw, blocks),
        Shape::Goto => random::goto(draw, blocks),
        Shape::Reducible => reducible::reducible(draw, blocks),
        Shape::Irreducible => irreducible::irreducible(draw, blocks),
        Shape::Ladder => regular::ladder(draw, blocks),
        Shape::Nest => nest::nest(draw, blocks),
        Shape::Wide => wide::wide(draw, blocks),
        Shape::Dense => random::dense(draw, blocks),
        Shape::Chain => Graph::path(blocks),
        Shape::Mesh => regular::mesh(draw, blocks),
        Shape::LoopsOnly => random::loops_only(draw, blocks),
        Shape::Tiny => tiny::graph(draw.below(tiny::count_up_to(blocks))),
    }
}
