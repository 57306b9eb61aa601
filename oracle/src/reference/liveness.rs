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
use backedge_core::ir::{Block, Function, Inst, Local};
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
    /// What is at each point.
    places: Vec<Place>,
}

#[derive(Copy, Clone, Debug)]
enum Place {
    Before { block: Block, inst: usize },
    AfterTerminator,
    Edge { from: Block, slot: usize },
}

impl Points {
    fn new(function: &Function, graph: &Graph) -> Points {
        let mut first = Vec::with_capacity(function.blocks.len() + 1);
        let mut places = Vec::new();
        for (block, data) in &function.blocks {
            first.push(places.len());
            places.extend((0..=data.insts.len()).map(|inst| Place::Before { block, inst }));
            places.push(Place::AfterTerminator);
        }
        first.push(places.len());
        places.extend(graph.edges().iter().map(|e| Place::Edge { from: e.from, slot: e.slot }));
        Points { first, places }
    }

    fn count(&self) -> usize {
        self.places.len()
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
}

/// Every local with every point that it is live at, by local.
fn live_pairs(function: &Function, graph: &Graph, points: &Points) -> Vec<(usize, Local)> {
    let mut live = Vec::new();
    let mut marked_for = vec![None; points.count()];
    let mut stack = Vec::new();
    let reads = reads(function, graph, points);
    for reads in reads.chunk_by(|a, b| a.0 == b.0) {
        let local = reads[0].0;
        let mut mark = |point: usize, stack: &mut Vec<usize>| {
            if marked_for[point].replace(local) != Some(local) {
                live.push((point, local));
                stack.push(point);
            }
        };
        reads.iter().for_each(|&(_, point)| mark(point, &mut stack));
        while let Some(point) = stack.pop() {
            step_back(function, graph, points, point, local, |before| mark(before, &mut stack));
        }
    }
    live
}

/// Every local with every point from which the very next thing to happen is a read of it, by local.
fn reads(function: &Function, graph: &Graph, points: &Points) -> Vec<(Local, usize)> {
    let mut reads = Vec::new();
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

/// Where `local` is live because it is live at `point`: the points just before, unless it is
/// assigned in between.
fn step_back(
    function: &Function,
    graph: &Graph,
    points: &Points,
    point: usize,
    local: Local,
    mut mark: impl FnMut(usize),
) {
    match points.places[point] {
        Place::Before { block, inst: 0 } => {
            if !function.blocks[block].params.contains(&local) {
                for edge in graph.edges_in_numbered(block) {
                    mark(points.edge(edge));
                }
            }
        }
        Place::Before { block, inst } => {
            if !assigns(&function.blocks[block].insts[inst - 1], local) {
                mark(point - 1);
            }
        }
        Place::Edge { from, slot } => {
            mark(points.after_terminator(from));
            if function.blocks[from].term.kind.edge_def(slot) != Some(local) {
                mark(points.before_terminator(from));
            }
        }
        Place::AfterTerminator => {}
    }
}

fn assigns(inst: &Inst, local: Local) -> bool {
    let mut found = false;
    inst.for_each_def(|def| found |= def == local);
    found
}
