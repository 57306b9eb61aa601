//! Where one local is live, as intervals.
//!
//! From each read the local is live backward until it is written. The blocks on the way are walked to
//! against the edges, and none is entered twice for one local: that is why the walk ends. Then the
//! blocks and edges that were touched are put in order, and each block is gone through backward with the
//! end of the range that is open. So the time is that of the local's reads and writes, and of the blocks
//! and edges where it is live, whatever else the function has.

use super::events::{Event, What};
use super::save::Keep;
use crate::cfg::Cfg;
use crate::dataflow::intervals::{Half, IntervalSet, Point, Points};
use crate::entity::{Block, Edge};
use cranelift_entity::EntityRef;

/// What is marked for one local; the next has marks of its own at once.
struct Marks {
    of: Vec<u32>,
    now: u32,
}

impl Marks {
    fn new(count: usize) -> Marks {
        Marks { of: vec![0; count], now: 0 }
    }

    /// Marks; tells whether that is new.
    fn set(&mut self, entity: impl EntityRef) -> bool {
        std::mem::replace(&mut self.of[entity.index()], self.now) != self.now
    }

    fn has(&self, entity: impl EntityRef) -> bool {
        self.of[entity.index()] == self.now
    }
}

/// The walk, one local after the other.
pub(super) struct Spread<'s> {
    cfg: &'s Cfg<'s>,
    points: &'s Points,
    keeps_writes: bool,
    /// Blocks that it is live into.
    live_in: Marks,
    /// Blocks that write it.
    written: Marks,
    /// Blocks that it is a parameter of.
    bound: Marks,
    /// Edges that write it.
    results: Marks,
    /// Edges that read it.
    arguments: Marks,
    touched_blocks: Marks,
    touched_edges: Marks,
    blocks: Vec<Block>,
    edges: Vec<Edge>,
    /// Blocks that it is live into whose edges have not been gone back yet.
    waiting: Vec<Block>,
    /// Ranges in the block at hand, the last first.
    closed: Vec<(Point, Point)>,
    /// Ranges on its edges, the first first.
    crossing: Vec<(Point, Point)>,
}

impl<'s> Spread<'s> {
    /// For locals of code that the graph was built from.
    pub(super) fn new(cfg: &'s Cfg<'s>, points: &'s Points, keep: Keep) -> Spread<'s> {
        let by_block = || Marks::new(cfg.block_count());
        let by_edge = || Marks::new(cfg.edge_count());
        Spread {
            cfg,
            points,
            keeps_writes: keep == Keep::LiveAndWritten,
            live_in: by_block(),
            written: by_block(),
            bound: by_block(),
            results: by_edge(),
            arguments: by_edge(),
            touched_blocks: by_block(),
            touched_edges: by_edge(),
            blocks: Vec::new(),
            edges: Vec::new(),
            waiting: Vec::new(),
            closed: Vec::new(),
            crossing: Vec::new(),
        }
    }

    /// Where the local of these events is live, which may be a parameter of the function.
    pub(super) fn row(&mut self, events: &[Event], is_param: bool) -> IntervalSet {
        self.mark(events);
        self.walk(events);
        self.blocks.sort_unstable();
        self.edges.sort_unstable();
        let mut row = IntervalSet::new();
        if self.live_in.has(self.cfg.entry()) || is_param && self.keeps_writes {
            row.append(self.points.params(Half::After));
        }
        let (mut event, mut edge) = (0, 0);
        for at in 0..self.blocks.len() {
            let block = self.blocks[at];
            let [first_event, first_edge] = [event, edge];
            while events.get(event).is_some_and(|event| event.block == block) {
                event += 1;
            }
            while self.edges.get(edge).is_some_and(|&edge| self.cfg.edge(edge).from == block) {
                edge += 1;
            }
            self.block(block, &events[first_event..event], first_edge..edge, &mut row);
        }
        row
    }

    /// Starts anew, with what is known before the walk.
    fn mark(&mut self, events: &[Event]) {
        let marks = [
            &mut self.live_in,
            &mut self.written,
            &mut self.bound,
            &mut self.results,
            &mut self.arguments,
            &mut self.touched_blocks,
            &mut self.touched_edges,
        ];
        marks.into_iter().for_each(|marks| marks.now += 1);
        self.blocks.clear();
        self.edges.clear();
        for event in events {
            self.touch(event.block);
            match event.what {
                What::Bound => {
                    self.bound.set(event.block);
                    if self.keeps_writes {
                        let cfg = self.cfg;
                        cfg.preds(event.block).iter().for_each(|&edge| self.touch_edge(edge));
                    }
                }
                What::Written => _ = self.written.set(event.block),
                What::Result(edge) => {
                    self.results.set(edge);
                    self.touch_edge(edge);
                }
                What::Argument(edge) => {
                    self.arguments.set(edge);
                    self.touch_edge(edge);
                }
                What::Read | What::PartWritten => {}
            }
        }
    }

    fn touch(&mut self, block: Block) {
        if self.touched_blocks.set(block) {
            self.blocks.push(block);
        }
    }

    fn touch_edge(&mut self, edge: Edge) {
        if self.touched_edges.set(edge) {
            self.edges.push(edge);
            self.touch(self.cfg.edge(edge).from);
        }
    }

    /// Finds every block that the local is live into.
    fn walk(&mut self, events: &[Event]) {
        let mut decided = None;
        for event in events {
            match event.what {
                What::Read if decided != Some(event.block) => {
                    self.enter(event.block);
                    decided = Some(event.block);
                }
                What::Written => decided = Some(event.block),
                What::Argument(edge) => self.leave_by(edge),
                _ => {}
            }
        }
        while let Some(block) = self.waiting.pop() {
            let cfg = self.cfg;
            for &edge in cfg.preds(block) {
                self.touch_edge(edge);
                if !self.bound.has(block) {
                    self.leave_by(edge);
                }
            }
        }
    }

    /// It is live into the block.
    fn enter(&mut self, block: Block) {
        if self.live_in.set(block) {
            self.touch(block);
            self.waiting.push(block);
        }
    }

    /// It is live on the edge.
    fn leave_by(&mut self, edge: Edge) {
        let from = self.cfg.edge(edge).from;
        if !self.results.has(edge) && !self.written.has(from) {
            self.enter(from);
        }
    }

    /// Appends the ranges of one block and of its edges, those among the touched ones.
    fn block(
        &mut self,
        block: Block,
        events: &[Event],
        edges: std::ops::Range<usize>,
        row: &mut IntervalSet,
    ) {
        let after = self.points.terminator(block, Half::After);
        let mut open = self.cross(edges, after);
        for event in events.iter().rev() {
            match event.what {
                What::Written => match open.take() {
                    Some(end) => self.closed.push((event.at, end)),
                    None if self.keeps_writes => self.closed.push((event.at, event.at)),
                    None => {}
                },
                What::PartWritten if open.is_none() && self.keeps_writes => {
                    self.closed.push((event.at, event.at));
                }
                What::Read => _ = open.get_or_insert(event.at),
                _ => {}
            }
        }
        debug_assert_eq!(open.is_some(), self.live_in.has(block), "the walk and the ranges agree");
        if let Some(end) = open {
            self.closed.push((self.points.statement(block, 0, Half::Before), end));
        }
        while let Some((first, last)) = self.closed.pop() {
            row.append_range(first..=last);
        }
        self.crossing.drain(..).for_each(|(first, last)| row.append_range(first..=last));
    }

    /// The ranges on edges of one block, and after its terminator, if it is live there on an edge alone;
    /// otherwise the end of the range that is open there, if one is.
    fn cross(&mut self, edges: std::ops::Range<usize>, after: Point) -> Option<Point> {
        let (mut at_end, mut out) = (false, false);
        for &edge in &self.edges[edges] {
            let to = self.cfg.edge(edge).to;
            let [first, last] = [Half::Before, Half::After].map(|h| self.points.edge(edge, h));
            let (live_in, bound) = (self.live_in.has(to), self.bound.has(to));
            let crosses = live_in && !bound || self.arguments.has(edge);
            let result = self.results.has(edge);
            if crosses || result && self.keeps_writes {
                self.crossing.push((first, first));
                out = true;
            }
            if live_in || bound && self.keeps_writes {
                self.crossing.push((last, last));
            }
            at_end |= crosses && !result;
        }
        if out && !at_end {
            self.closed.push((after, after));
        }
        at_end.then_some(after)
    }
}
