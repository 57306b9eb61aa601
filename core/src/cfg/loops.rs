//! Natural loops, how they nest, and whether there are others.
//!
//! An edge whose target dominates its source is a back edge, and its target a header. The loop of a
//! header is the header with all blocks that reach one of its back edges without passing it. Two
//! loops with different headers are disjoint or nested, in irreducible graphs as well: where they
//! meet, one header dominates the other and has it, with its whole loop, in its own.
//!
//! Headers are taken inner first. The walk back from the back edges of one treats each loop found
//! before as a single block (a union-find forest), so that every edge is looked at once as an edge
//! into a block and once as an edge into a finished loop: near-linear, also where loops nest 100,000
//! deep. Bodies overlap, so they are not stored one by one: one order of the blocks has every loop
//! as a contiguous range.
//!
//! A graph is reducible if every retreating edge of a depth-first walk is a back edge. Which edges
//! are retreating depends on the walk where the graph is irreducible; whether they all are back edges
//! does not.

use super::{Cfg, Dominators, Postorder};
use crate::entity::{Block, Edge};
use cranelift_entity::packed_option::PackedOption;
use cranelift_entity::{EntityRef, PrimaryMap, entity_impl};

/// A natural loop. A loop has a lower number than the loops inside of it.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Loop(u32);
entity_impl!(Loop, "loop");

/// The loops of a graph.
///
/// ```compile_fail,E0502
/// use backedge_core::{cfg::{Cfg, Dominators, Loops, Postorder}, ir::builder};
/// let mut function = builder::diamond();
/// let cfg = Cfg::build(&function);
/// let loops = Loops::new(&cfg, &Postorder::new(&cfg), &Dominators::new(&cfg));
/// function.blocks.clear();
/// loops.is_reducible();
/// ```
#[derive(Clone, Debug)]
pub struct Loops<'c> {
    cfg: &'c Cfg<'c>,
    loops: PrimaryMap<Loop, LoopData>,
    innermost: Vec<PackedOption<Loop>>,
    /// The blocks inside of loops; each loop is a range, its header first.
    order: Vec<Block>,
    /// By block: its position in `order`.
    positions: Vec<u32>,
    irreducible: Vec<Edge>,
}

#[derive(Clone, Debug)]
struct LoopData {
    header: Block,
    parent: PackedOption<Loop>,
    depth: u32,
    start: u32,
    end: u32,
}

impl<'c> Loops<'c> {
    /// Finds the loops.
    pub fn new(
        cfg: &'c Cfg<'c>,
        postorder: &Postorder<'_>,
        dominators: &Dominators<'_>,
    ) -> Loops<'c> {
        let (headers, irreducible) = headers(cfg, postorder, dominators);
        let mut forest = Forest::new(cfg.block_count(), headers);
        for number in forest.loops.keys().rev() {
            forest.collapse(number, cfg, dominators);
        }
        let Forest { mut loops, innermost, .. } = forest;
        let (order, positions) = lay_out(&mut loops, &innermost);
        Loops { cfg, loops, innermost, order, positions, irreducible }
    }

    /// All loops, each before the loops inside of it.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = Loop> + ExactSizeIterator + use<> {
        self.loops.keys()
    }

    /// How many loops there are.
    pub fn len(&self) -> usize {
        self.loops.len()
    }

    /// Whether there is no loop.
    pub fn is_empty(&self) -> bool {
        self.loops.is_empty()
    }

    /// The block of the loop that dominates the others.
    pub fn header(&self, of: Loop) -> Block {
        self.loops[of].header
    }

    /// The loop whose header is `block`.
    pub fn headed_by(&self, block: Block) -> Option<Loop> {
        self.innermost(block).filter(|&inner| self.loops[inner].header == block)
    }

    /// The smallest loop around the loop.
    pub fn parent(&self, of: Loop) -> Option<Loop> {
        self.loops[of].parent.expand()
    }

    /// How many loops hold the loop, itself included: 1 for an outermost one.
    pub fn depth(&self, of: Loop) -> u32 {
        self.loops[of].depth
    }

    /// The smallest loop that holds the block.
    pub fn innermost(&self, block: Block) -> Option<Loop> {
        self.innermost[block.index()].expand()
    }

    /// How many loops hold the block.
    pub fn block_depth(&self, block: Block) -> u32 {
        self.innermost(block).map_or(0, |inner| self.depth(inner))
    }

    /// All blocks of the loop, those of inner loops included; the header is the first.
    pub fn blocks(&self, of: Loop) -> &[Block] {
        &self.order[self.loops[of].start as usize..self.loops[of].end as usize]
    }

    /// Whether the block is in the loop, in constant time.
    pub fn contains(&self, of: Loop, block: Block) -> bool {
        let position = self.positions[block.index()];
        (self.loops[of].start..self.loops[of].end).contains(&position)
    }

    /// Whether `inner` is `outer` or inside of it, in constant time.
    pub fn is_nested(&self, outer: Loop, inner: Loop) -> bool {
        self.contains(outer, self.loops[inner].header)
    }

    /// The edges from inside of the loop to its header.
    pub fn back_edges(&self, of: Loop) -> impl Iterator<Item = Edge> {
        let into = self.cfg.preds(self.loops[of].header).iter().copied();
        into.filter(move |&edge| self.contains(of, self.cfg.edge(edge).from))
    }

    /// The edges that lead out of the loop.
    pub fn exits(&self, of: Loop) -> impl Iterator<Item = Edge> {
        let out = self.blocks(of).iter().flat_map(|&block| self.cfg.succs(block));
        out.filter(move |&edge| !self.contains(of, self.cfg.edge(edge).to))
    }

    /// Whether every cycle that the entry reaches is entered through one block that dominates it.
    pub fn is_reducible(&self) -> bool {
        self.irreducible.is_empty()
    }

    /// The retreating edges whose target does not dominate their source, by number.
    pub fn irreducible_edges(&self) -> &[Edge] {
        &self.irreducible
    }
}

/// The targets of back edges in preorder of the dominator tree, and the other retreating edges.
fn headers(
    cfg: &Cfg<'_>,
    postorder: &Postorder<'_>,
    dominators: &Dominators<'_>,
) -> (Vec<Block>, Vec<Edge>) {
    let mut is_header = vec![false; cfg.block_count()];
    let mut irreducible = Vec::new();
    for (edge, data) in cfg.edges() {
        let Some(from) = postorder.position(data.from) else { continue };
        if postorder.position(data.to) < Some(from) {
            continue;
        }
        if dominators.dominates(data.to, data.from) {
            is_header[data.to.index()] = true;
        } else {
            irreducible.push(edge);
        }
    }
    let preorder = dominators.preorder().iter().copied();
    (preorder.filter(|block| is_header[block.index()]).collect(), irreducible)
}

/// The loops found so far, each shrunk to its header.
struct Forest {
    loops: PrimaryMap<Loop, LoopData>,
    innermost: Vec<PackedOption<Loop>>,
    /// By block: itself, or a block further out in the loops found so far.
    outward: Vec<Block>,
    work: Vec<Block>,
}

impl Forest {
    fn new(count: usize, headers: Vec<Block>) -> Forest {
        let mut innermost = vec![PackedOption::default(); count];
        let mut loops: PrimaryMap<Loop, LoopData> = PrimaryMap::with_capacity(headers.len());
        for header in headers {
            let data = LoopData { header, parent: None.into(), depth: 1, start: 0, end: 0 };
            innermost[header.index()] = loops.push(data).into();
        }
        let outward = (0..count).map(Block::new).collect();
        Forest { loops, innermost, outward, work: Vec::new() }
    }

    /// Gathers one loop; the loops inside of it have been gathered.
    fn collapse(&mut self, number: Loop, cfg: &Cfg<'_>, dominators: &Dominators<'_>) {
        let header = self.loops[number].header;
        let back = cfg.pred_blocks(header).filter(|&from| dominators.dominates(header, from));
        self.work.extend(back);
        while let Some(block) = self.work.pop() {
            let block = self.outermost(block);
            if block == header {
                continue;
            }
            self.outward[block.index()] = header;
            match self.innermost[block.index()].expand() {
                Some(inner) => self.loops[inner].parent = number.into(),
                None => self.innermost[block.index()] = number.into(),
            }
            self.work.extend(cfg.pred_blocks(block).filter(|&from| dominators.is_reachable(from)));
        }
    }

    /// The header of the outermost loop found so far around the block, or the block. Halves paths.
    fn outermost(&mut self, mut block: Block) -> Block {
        while self.outward[block.index()] != block {
            let next = self.outward[block.index()];
            self.outward[block.index()] = self.outward[next.index()];
            block = next;
        }
        block
    }
}

/// Depths, and an order in which every loop is a range.
fn lay_out(
    loops: &mut PrimaryMap<Loop, LoopData>,
    innermost: &[PackedOption<Loop>],
) -> (Vec<Block>, Vec<u32>) {
    let mut sizes = vec![0u32; loops.len()];
    innermost.iter().filter_map(|inner| inner.expand()).for_each(|inner| sizes[inner.index()] += 1);
    for inner in loops.keys().rev() {
        if let Some(parent) = loops[inner].parent.expand() {
            sizes[parent.index()] += sizes[inner.index()];
        }
    }
    let mut free = Vec::with_capacity(loops.len());
    let mut total = 0;
    for inner in loops.keys() {
        let size = sizes[inner.index()];
        let parent = loops[inner].parent.expand();
        let room = parent.map_or(&mut total, |parent| &mut free[parent.index()]);
        let start = *room;
        *room += size;
        free.push(start + 1);
        let depth = parent.map_or(1, |parent| loops[parent].depth + 1);
        let data = &mut loops[inner];
        (data.depth, data.start, data.end) = (depth, start, start + size);
    }
    let mut order = vec![Block::new(0); total as usize];
    let mut positions = vec![u32::MAX; innermost.len()];
    for block in (0..innermost.len()).map(Block::new) {
        let Some(inner) = innermost[block.index()].expand() else { continue };
        let data = &loops[inner];
        let room = &mut free[inner.index()];
        let place = if data.header == block { data.start } else { *room };
        *room += u32::from(data.header != block);
        order[place as usize] = block;
        positions[block.index()] = place;
    }
    (order, positions)
}

#[cfg(test)]
mod tests;
