//! The points of a function, numbered by block and statement.
//!
//! Each statement has a point before it and a point after it, its [halves](Half). The terminator is a
//! block's last statement, and behind it each edge out of the block counts as one more: before an edge
//! binds the target's parameters, and after. So what is live through a stretch of code is live at a
//! range of numbers, and what a statement writes has a point of its own, right after it, even if nobody
//! reads it. Number 0 and 1 are before and after the parameters of the function are bound.

use crate::cfg::{Cfg, Code};
use crate::entity::{Block, Edge};
use cranelift_entity::{EntityRef, entity_impl};

/// A point of one function.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Point(u32);
entity_impl!(Point, "point");

/// Before or after a statement.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Half {
    /// What is there when the statement is reached: what it reads.
    Before,
    /// What is there when it is done: what it has written.
    After,
}

/// What a point belongs to.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// Where the function's parameters are bound.
    Params,
    /// A statement; the terminator is the last of its block.
    Statement(Block, usize),
    /// An edge.
    Edge(Edge),
}

/// How the points of one function are numbered.
#[derive(Clone, Debug)]
pub struct Points {
    /// By block: the position of its first statement; one more for the end.
    starts: Vec<u32>,
    /// By block: the position of its first edge.
    edges: Vec<u32>,
    /// By edge, which are numbered by block: its position.
    of_edge: Vec<u32>,
    /// By block: the number of its first edge.
    first_edges: Vec<u32>,
}

impl Points {
    /// Numbers the points of code that the graph was built from.
    pub fn new(code: &impl Code, cfg: &Cfg<'_>) -> Points {
        let count = cfg.block_count();
        let mut points = Points {
            starts: Vec::with_capacity(count + 1),
            edges: Vec::with_capacity(count),
            of_edge: Vec::with_capacity(cfg.edge_count()),
            first_edges: Vec::with_capacity(count),
        };
        // Position 0 is the function's parameters.
        let mut next = 1;
        for block in cfg.blocks() {
            points.starts.push(next);
            next += code.inst_count(block) as u32;
            points.edges.push(next);
            points.first_edges.push(points.of_edge.len() as u32);
            for edge in cfg.succs(block) {
                debug_assert_eq!(edge.index(), points.of_edge.len(), "edges are in order");
                points.of_edge.push(next);
                next += 1;
            }
        }
        points.starts.push(next);
        points
    }

    /// How many points there are.
    pub fn count(&self) -> usize {
        2 * self.starts[self.starts.len() - 1] as usize
    }

    /// Where the function's parameters are bound.
    pub fn params(&self, half: Half) -> Point {
        point(0, half)
    }

    /// At a statement; the terminator is the last.
    pub fn statement(&self, block: Block, inst: usize, half: Half) -> Point {
        point(self.starts[block.index()] + inst as u32, half)
    }

    /// At the terminator of a block.
    pub fn terminator(&self, block: Block, half: Half) -> Point {
        point(self.edges[block.index()] - 1, half)
    }

    /// On an edge: before and after the target's parameters are bound.
    pub fn edge(&self, edge: Edge, half: Half) -> Point {
        point(self.of_edge[edge.index()], half)
    }

    /// What a point belongs to.
    pub fn place(&self, point: Point) -> (Place, Half) {
        let position = point.as_u32() / 2;
        let half = if point.as_u32().is_multiple_of(2) { Half::Before } else { Half::After };
        let Some(block) = self.starts.partition_point(|&start| start <= position).checked_sub(1)
        else {
            return (Place::Params, half);
        };
        let place = match position.checked_sub(self.edges[block]) {
            None => {
                let inst = position - self.starts[block];
                Place::Statement(Block::new(block), inst as usize)
            }
            Some(slot) => Place::Edge(Edge::from_u32(self.first_edges[block] + slot)),
        };
        (place, half)
    }
}

fn point(position: u32, half: Half) -> Point {
    Point(2 * position + half as u32)
}
