//! Liveness: a local is live at a point iff some path from there reaches a read of it before an
//! assignment to the whole of it.
//!
//! So for each local: start at every point where it is read, and walk backward along every path
//! until something assigns it. A walk marks each point at most once, so it ends.
//!
//! The points of a block with `n` instructions, terminator included, are the one before each of
//! them and the one after the terminator. Besides, each edge has one. Control passes them so:
//!
//! ```text
//! before 0 -> .. -> before n-1 -> [terminator reads] -> [edge assigns] -> edge -> [arguments are
//! read] -> [parameters are assigned] -> before 0 of the target
//! ```
//!
//! What is live after the terminator is what is live on any edge out of it.

use super::graph::Graph;
use backedge_core::ir::{Block, Function, Local};
use cranelift_entity::EntityRef;

/// What is live where. Each set is sorted.
#[derive(Clone, Debug)]
pub struct Liveness {
    points: Points,
    /// The locals live at point `p` are `locals[starts[p]..starts[p + 1]]`.
    starts: Vec<usize>,
    locals: Vec<Local>,
}

impl Liveness {
    /// Walks backward from every read. Time and space follow the size of the answer.
    pub fn new(function: &Function, graph: &Graph) -> Liveness {
        let points = Points::new(function, graph);
        let live = live_pairs(function, graph, &points);
        let mut starts = vec![0; points.count() + 1];
        for &(point, _) in &live {
            starts[point + 1] += 1;
        }
        for point in 0..points.count() {
            starts[point + 1] += starts[point];
        }
        let mut next = starts.clone();
        let mut locals = vec![Local::new(0); live.len()];
        for (point, local) in live {
            locals[next[point]] = local;
            next[point] += 1;
        }
        Liveness { points, starts, locals }
    }

    /// After the parameters of `block` are bound.
    pub fn live_in(&self, block: Block) -> &[Local] {
        self.before(block, 0)
    }

    /// After the terminator of `block`: on any of its edges.
    pub fn live_out(&self, block: Block) -> &[Local] {
        self.at(self.points.after_terminator(block))
    }

    /// On the edge with this position in [`Graph::edges`].
    pub fn edge(&self, edge: usize) -> &[Local] {
        self.at(self.points.edge(edge))
    }

    /// Before an instruction of `block`; the terminator is the last.
    pub fn before(&self, block: Block, inst: usize) -> &[Local] {
        self.at(self.points.before(block, inst))
    }

    /// After an instruction of `block`; the terminator is the last.
    pub fn after(&self, block: Block, inst: usize) -> &[Local] {
        self.at(self.points.before(block, inst + 1))
    }

    fn at(&self, point: usize) -> &[Local] {
        &self.locals[self.starts[point]..self.starts[point + 1]]
    }
}

/// How points are numbered: block by block, then the edges.
#[derive(Clone, Debug)]
struct Points {
    /// The points of block `b` are numbered from `first[b]` to `first[b + 1]`; the last of them is
    /// the one after its terminator.
    first: Vec<usize>,
    /// What comes just before each point.
    previous: Vec<Previous>,
    /// What is assigned on the way to point `p` is `assigned[assigned_from[p]..assigned_from[p + 1]]`.
    assigned_from: Vec<usize>,
    assigned: Vec<Local>,
}

/// What comes just before a point.
#[derive(Copy, Clone, Debug)]
enum Previous {
    /// The point with the number before.
    Inst,
    /// The edges into this block.
    EdgesInto(Block),
    /// The terminator of this block.
    TerminatorOf(Block),
    /// Not asked: this is the point after a terminator.
    NotAsked,
}

impl Points {
    fn new(function: &Function, graph: &Graph) -> Points {
        let count = function.inst_count() + 2 * function.blocks.len() + graph.edges().len();
        let mut points = Points {
            first: Vec::with_capacity(function.blocks.len() + 1),
            previous: Vec::with_capacity(count),
            assigned_from: Vec::with_capacity(count + 1),
            assigned: Vec::with_capacity(count),
        };
        for (block, data) in &function.blocks {
            points.first.push(points.count());
            points.push(Previous::EdgesInto(block));
            points.assigned.extend(&data.params);
            for inst in &data.insts {
                points.push(Previous::Inst);
                inst.for_each_def(|local| points.assigned.push(local));
            }
            points.push(Previous::NotAsked);
        }
        points.first.push(points.count());
        for edge in graph.edges() {
            points.push(Previous::TerminatorOf(edge.from));
            points.assigned.extend(function.blocks[edge.from].term.kind.edge_def(edge.slot));
        }
        points.assigned_from.push(points.assigned.len());
        points
    }

    /// Adds a point; what is assigned on the way to it follows.
    fn push(&mut self, previous: Previous) {
        self.previous.push(previous);
        self.assigned_from.push(self.assigned.len());
    }

    fn count(&self) -> usize {
        self.previous.len()
    }

    fn before(&self, block: Block, inst: usize) -> usize {
        self.first[block.index()] + inst
    }

    fn before_terminator(&self, block: Block) -> usize {
        self.after_terminator(block) - 1
    }

    fn after_terminator(&self, block: Block) -> usize {
        self.first[block.index() + 1] - 1
    }

    fn edge(&self, edge: usize) -> usize {
        self.first[self.first.len() - 1] + edge
    }

    /// What is assigned on the way to `point` from what comes just before it.
    fn assigned(&self, point: usize) -> &[Local] {
        &self.assigned[self.assigned_from[point]..self.assigned_from[point + 1]]
    }
}

/// Every local with every point that it is live at, by local.
fn live_pairs(function: &Function, graph: &Graph, points: &Points) -> Vec<(usize, Local)> {
    let mut live = Vec::new();
    let mut marked_for = vec![None; points.count()];
    let mut stack = Vec::new();
    let reads = reads(function, graph, points);
    for reads in reads.chunk_by(|a, b| a.0 == b.0) {
        let local = reads[0].0;
        let mut mark = |point: usize| {
            let new = marked_for[point].replace(local) != Some(local);
            if new {
                live.push((point, local));
            }
            new
        };
        stack.extend(reads.iter().map(|read| read.1).filter(|&point| mark(point)));
        while let Some(point) = stack.pop() {
            walk_back(graph, points, point, local, &mut mark, &mut stack);
        }
    }
    live
}

/// Every local with every point from which the very next thing to happen is a read of it, by local.
fn reads(function: &Function, graph: &Graph, points: &Points) -> Vec<(Local, usize)> {
    let mut reads = Vec::with_capacity(points.count());
    for (block, data) in &function.blocks {
        for (inst, data) in data.insts.iter().enumerate() {
            data.for_each_use(|local| reads.push((local, points.before(block, inst))));
        }
        let terminator = points.before_terminator(block);
        data.term.kind.for_each_use(|local| reads.push((local, terminator)));
    }
    for (number, edge) in graph.edges().iter().enumerate() {
        let target = function.blocks[edge.from].term.kind.target(edge.slot);
        for argument in target.into_iter().flat_map(|target| &target.args) {
            reads.extend(argument.local().map(|local| (local, points.edge(number))));
        }
    }
    reads.sort_unstable();
    reads
}

/// `local` is live at `point`: walks back to where it is assigned, or to the start of the block, and
/// then stacks the edges into it. Stops at what is marked already; `mark` tells whether a point is new.
fn walk_back(
    graph: &Graph,
    points: &Points,
    mut point: usize,
    local: Local,
    mark: &mut impl FnMut(usize) -> bool,
    stack: &mut Vec<usize>,
) {
    loop {
        let previous = points.previous[point];
        if let Previous::TerminatorOf(block) = previous {
            mark(points.after_terminator(block));
        }
        if points.assigned(point).contains(&local) {
            return;
        }
        match previous {
            Previous::Inst => point -= 1,
            Previous::TerminatorOf(block) => point = points.before_terminator(block),
            Previous::EdgesInto(block) => {
                let edges = graph.edges_in_numbered(block).map(|edge| points.edge(edge));
                stack.extend(edges.filter(|&edge| mark(edge)));
                return;
            }
            Previous::NotAsked => return,
        }
        if !mark(point) {
            return;
        }
    }
}
