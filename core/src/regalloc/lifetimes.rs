//! Lifetimes of registers over a linear order of the code.
//!
//! Blocks are laid out in reverse postorder, unreachable ones last. Instruction `i` of that order reads
//! at position `2 i` and writes at `2 i + 1`; an early definition is written at `2 i`. A lifetime is the
//! ranges of positions in which a value may still be read, half-open, ascending, with holes between
//! them, and the uses. Both are in memory linear in the code and its live sets.

use crate::cfg::{Cfg, Code, Postorder, Values};
use crate::dataflow::PointLiveness;
use crate::entity::{Block, Value};
use crate::machine::{Access, MFunction, Reg, reg};
use cranelift_entity::{EntityRef, SecondaryMap};

/// A point in the linear order.
pub(super) type Position = u32;

/// Positions from `start` up to but not including `end`.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Range {
    pub(super) start: Position,
    pub(super) end: Position,
}

/// An operand that has to be in a register in this range.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct Use {
    pub(super) range: Range,
    pub(super) is_def: bool,
}

/// Of one virtual register.
#[derive(Clone, Debug, Default)]
pub(super) struct Lifetime {
    /// Ascending; they neither overlap nor touch.
    pub(super) ranges: Vec<Range>,
    /// Ascending by start.
    pub(super) uses: Vec<Use>,
}

impl Lifetime {
    /// The first use that starts at or behind a position.
    pub(super) fn next_use(&self, from: Position) -> Option<Use> {
        let index = self.uses.partition_point(|of| of.range.start < from);
        self.uses.get(index).copied()
    }

    /// The first use that is not over at a position.
    pub(super) fn pending_use(&self, at: Position) -> Option<Use> {
        let index = self.uses.partition_point(|of| of.range.end <= at);
        self.uses.get(index).copied()
    }

    /// Whether the value may still be read at a position.
    pub(super) fn is_alive(&self, at: Position) -> bool {
        self.within(Range { start: at, end: at + 1 }).next().is_some()
    }

    /// The ranges within a window, clipped to it.
    pub(super) fn within(&self, window: Range) -> impl Iterator<Item = Range> + '_ {
        let first = self.ranges.partition_point(|of| of.end <= window.start);
        let inside = self.ranges[first..].iter().take_while(move |of| of.start < window.end);
        inside
            .map(move |of| Range { start: of.start.max(window.start), end: of.end.min(window.end) })
    }
}

/// The lifetimes of a function.
pub(super) struct Lifetimes {
    /// The blocks in linear order.
    pub(super) order: Vec<Block>,
    /// By block.
    spans: SecondaryMap<Block, Range>,
    /// By place in the order: where the block starts.
    starts: Vec<Position>,
    /// By virtual register.
    pub(super) virtuals: Vec<Lifetime>,
    /// By physical register: where the code itself needs it. Clobbers are among them.
    pub(super) fixed: Vec<Vec<Range>>,
}

impl Lifetimes {
    /// Of the code that the liveness is of.
    pub(super) fn new(
        function: &MFunction,
        cfg: &Cfg<'_>,
        postorder: &Postorder<'_>,
        live: &PointLiveness<'_, MFunction>,
    ) -> Lifetimes {
        let reachable = postorder.reversed();
        let order: Vec<Block> = reachable.chain(postorder.unreachable()).collect();
        let mut spans = SecondaryMap::with_capacity(cfg.block_count());
        let mut starts = Vec::with_capacity(order.len());
        let mut start = 0;
        for &block in &order {
            let end = start + 2 * Code::inst_count(function, block) as Position;
            spans[block] = Range { start, end };
            starts.push(start);
            start = end;
        }
        let mut builder = Builder::new(function.value_count());
        for &block in order.iter().rev() {
            builder.block(function, live, block, spans[block]);
        }
        let mut all = builder.finish().into_iter();
        let physical = all.by_ref().take(reg::PHYSICAL as usize);
        let fixed = physical.map(|lifetime| lifetime.ranges).collect();
        Lifetimes { order, spans, starts, virtuals: all.collect(), fixed }
    }

    /// The positions of a block.
    pub(super) fn span(&self, block: Block) -> Range {
        self.spans[block]
    }

    /// The block that a position is in.
    pub(super) fn block_at(&self, position: Position) -> Block {
        self.order[self.starts.partition_point(|&start| start <= position) - 1]
    }

    /// Where an instruction reads.
    pub(super) fn position(&self, block: Block, inst: usize) -> Position {
        self.spans[block].start + 2 * inst as Position
    }

    /// The instruction at a position, and the block that it is in.
    pub(super) fn inst_at(&self, position: Position) -> (Block, u32) {
        let block = self.block_at(position);
        (block, (position - self.spans[block].start) / 2)
    }
}

/// Where an operand of instruction `at / 2` has to be in a register.
pub(super) fn range_of(access: Access, at: Position) -> Range {
    match access {
        Access::Use => Range { start: at, end: at + 1 },
        Access::Def => Range { start: at + 1, end: at + 2 },
        Access::EarlyDef => Range { start: at, end: at + 2 },
    }
}

/// Walks the order backward. Ranges and uses are gathered from the last to the first.
struct Builder {
    lifetimes: Vec<Lifetime>,
    /// By value: the end of the range that is open at the point of the walk.
    open: Vec<Option<Position>>,
}

impl Builder {
    fn new(values: usize) -> Builder {
        Builder { lifetimes: vec![Lifetime::default(); values], open: vec![None; values] }
    }

    fn block(
        &mut self,
        function: &MFunction,
        live: &PointLiveness<'_, MFunction>,
        block: Block,
        span: Range,
    ) {
        for value in live.at_end(block).iter() {
            self.open[value.index()] = Some(span.end);
        }
        for inst in (0..Code::inst_count(function, block)).rev() {
            let at = span.start + 2 * inst as Position;
            for reg in function.clobbers(block, inst).iter().filter(|reg| reg.is_tracked()) {
                self.push(reg.into(), Range { start: at + 1, end: at + 2 });
            }
            self.operands(function, block, inst, at);
        }
        for &param in &function.blocks[block].params {
            let end = self.open[Value::from(param).index()].take().unwrap_or(span.start + 1);
            self.push(param.into(), Range { start: span.start, end });
        }
        for value in live.live_in(block).iter() {
            if let Some(end) = self.open[value.index()].take() {
                self.push(value, Range { start: span.start, end });
            }
        }
    }

    /// Definitions close ranges, and then uses open them.
    fn operands(&mut self, function: &MFunction, block: Block, inst: usize, at: Position) {
        let operands = function.operands(block, inst);
        let tracked = || operands.iter().filter(|operand| operand.reg.is_tracked());
        for operand in tracked().filter(|operand| operand.is_def()) {
            let range = range_of(operand.access, at);
            let end = self.open[Value::from(operand.reg).index()].take().unwrap_or(range.end);
            self.push(operand.reg.into(), Range { start: range.start, end: end.max(range.end) });
            self.add_use(operand.reg, Use { range, is_def: true });
        }
        for operand in tracked().filter(|operand| !operand.is_def()) {
            let range = range_of(operand.access, at);
            self.open[Value::from(operand.reg).index()].get_or_insert(range.end);
            self.add_use(operand.reg, Use { range, is_def: false });
        }
    }

    fn add_use(&mut self, reg: Reg, of: Use) {
        self.lifetimes[Value::from(reg).index()].uses.push(of);
    }

    /// Adds a range in front of those that are there; one with those it touches.
    fn push(&mut self, value: Value, range: Range) {
        let ranges = &mut self.lifetimes[value.index()].ranges;
        match ranges.last_mut() {
            Some(next) if next.start <= range.end => {
                next.start = range.start;
                next.end = next.end.max(range.end);
            }
            _ => ranges.push(range),
        }
    }

    fn finish(mut self) -> Vec<Lifetime> {
        for lifetime in &mut self.lifetimes {
            lifetime.ranges.reverse();
            lifetime.uses.reverse();
            lifetime.uses.sort_by_key(|of| of.range.start);
        }
        self.lifetimes
    }
}
