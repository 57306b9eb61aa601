//! What is live after merges is within phi of what was live before, and where it is less, why.
//!
//! The points of the original are the one before each instruction, the one after each terminator, and
//! one an edge. A point of the original is one of the function that was made: where an instruction was
//! removed, the points before and after it are the same there.
//!
//! **Why less is live.** A local was live for the sake of a read. If that read is still there, so is the
//! need. If it was a copy that was removed, what needs the local is whatever needed the copy's
//! destination; going backward, the need for the destination is one for the source from there on. So
//! walk backward from all reads that are still there: what no walk comes to was needed by removed copies
//! alone. From where that is so, each way forward ends at a copy whose destination nobody needed, dead,
//! or it never ends: copies that feed each other around a cycle.

use super::transform::Transformed;
use super::{Phi, Spot, args};
use crate::reference::graph::Graph;
use crate::reference::liveness::Liveness;
use backedge_core::ir::{Block, Function, Local, Op};
use rustc_hash::FxHashSet;

/// A point of the original.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum Where {
    /// Before an instruction; the terminator is the last.
    Before(Block, usize),
    /// After the terminator.
    End(Block),
    /// On the edge with this position in [`Graph::edges`].
    Edge(usize),
}

/// What came of the comparison.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cover {
    /// Something that is live now, and nothing that was merged into it was before.
    pub uncovered: Option<(Where, Local)>,
    /// Something that is no longer live, though a read that is still there needs it.
    pub unexplained: Option<(Where, Local)>,
    /// How many points there are before instructions.
    pub points: u64,
    /// At how many of them less is live.
    pub strict: u64,
    /// At how many of them for a copy whose destination nobody needed.
    pub dead_copies: u64,
    /// At how many of them for copies that only fed each other.
    pub cycles: u64,
}

/// The original and what was made of it, each with what is live.
pub struct Comparison<'c> {
    /// The original.
    pub original: &'c Function,
    /// Its edges; what was made has the same.
    pub graph: &'c Graph,
    /// What is live in the original.
    pub live: &'c Liveness,
    /// What each local was merged into.
    pub phi: &'c Phi,
    /// What was made.
    pub transformed: &'c Transformed,
    /// What is live in that.
    pub live_now: &'c Liveness,
}

/// A local at a point.
type Pair = (Where, Local);

/// What is needed where for the sake of reads that are still there.
#[derive(Clone, Debug)]
pub struct Needed(FxHashSet<Pair>);

impl Needed {
    /// Whether a local is needed right after what happens at a spot.
    pub fn after(&self, original: &Function, graph: &Graph, spot: Spot, local: Local) -> bool {
        let at = match spot {
            Spot::Params => Where::Before(original.entry(), 0),
            Spot::Inst(block, inst) if inst == original.blocks[block].insts.len() => {
                Where::End(block)
            }
            Spot::Inst(block, inst) => Where::Before(block, inst + 1),
            Spot::Edge(edge) => Where::Before(graph.edges()[edge].to, 0),
        };
        self.0.contains(&(at, local))
    }
}

impl Comparison<'_> {
    /// What is needed where, by removed copies only where their destinations are.
    pub fn needed(&self) -> Needed {
        Needed(self.walk_back(self.kept_reads()))
    }

    /// Compares point by point.
    pub fn cover(&self) -> Cover {
        let mut cover = Cover::default();
        let mut strict: Vec<(Where, Vec<Local>)> = Vec::new();
        for at in self.points() {
            let before = self.phi.of_set(self.live_at(at));
            let now = self.live_now_at(at);
            cover.points += u64::from(matches!(at, Where::Before(..)));
            let uncovered = now.iter().find(|local| before.binary_search(local).is_err());
            if let Some(&local) = uncovered {
                cover.uncovered.get_or_insert((at, local));
            }
            let gone: Vec<Local> =
                before.into_iter().filter(|local| now.binary_search(local).is_err()).collect();
            if !gone.is_empty() {
                strict.push((at, gone));
            }
        }
        if !strict.is_empty() {
            self.explain(&strict, &mut cover);
        }
        cover
    }

    fn points(&self) -> impl Iterator<Item = Where> {
        let blocks = self.original.blocks.iter().flat_map(|(block, data)| {
            let insts = (0..=data.insts.len()).map(move |inst| Where::Before(block, inst));
            insts.chain([Where::End(block)])
        });
        blocks.chain((0..self.graph.edges().len()).map(Where::Edge))
    }

    fn live_at(&self, at: Where) -> &[Local] {
        match at {
            Where::Before(block, inst) => self.live.before(block, inst),
            Where::End(block) => self.live.live_out(block),
            Where::Edge(edge) => self.live.edge(edge),
        }
    }

    fn live_now_at(&self, at: Where) -> &[Local] {
        match at {
            Where::Before(block, inst) => {
                self.live_now.before(block, self.transformed.position(block, inst))
            }
            Where::End(block) => self.live_now.live_out(block),
            Where::Edge(edge) => self.live_now.edge(edge),
        }
    }

    /// Says why less is live at these points, local by local.
    fn explain(&self, strict: &[(Where, Vec<Local>)], cover: &mut Cover) {
        let needed = self.needed().0;
        let fed_dead = self.walk_back(self.dead_copies());
        for (at, gone) in strict {
            let [mut dead, mut cycle] = [false, false];
            for &class in gone {
                let members = self.live_at(*at).iter().filter(|&&live| self.phi.of(live) == class);
                for &member in members {
                    if needed.contains(&(*at, member)) {
                        cover.unexplained.get_or_insert((*at, class));
                    } else if fed_dead.contains(&(*at, member)) {
                        dead = true;
                    } else {
                        cycle = true;
                    }
                }
            }
            if matches!(at, Where::Before(..)) {
                cover.strict += 1;
                cover.dead_copies += u64::from(dead);
                cover.cycles += u64::from(cycle);
            }
        }
    }

    /// Every local with every point from which the next thing to happen is a read that is still there.
    fn kept_reads(&self) -> Vec<Pair> {
        let mut reads = Vec::new();
        for (block, data) in &self.original.blocks {
            for (inst, data) in data.insts.iter().enumerate() {
                if !self.transformed.is_removed(block, inst) {
                    data.for_each_use(|local| reads.push((Where::Before(block, inst), local)));
                }
            }
            let at = Where::Before(block, data.insts.len());
            data.term.kind.for_each_use(|local| reads.push((at, local)));
        }
        for (number, edge) in self.graph.edges().iter().enumerate() {
            for (param, arg) in args(self.original, edge).into_iter().enumerate() {
                if !self.transformed.is_param_removed(edge.to, param) {
                    reads.extend(arg.map(|arg| (Where::Edge(number), arg)));
                }
            }
        }
        reads
    }

    /// Sources of removed copies, each before the copy, whose destination is not live after it.
    fn dead_copies(&self) -> Vec<Pair> {
        let mut dead = Vec::new();
        for (block, data) in &self.original.blocks {
            for (inst, data) in data.insts.iter().enumerate() {
                if let (true, Op::Copy(source), Some(dest)) =
                    (self.transformed.is_removed(block, inst), &data.op, &data.dest)
                    && self.live.after(block, inst).binary_search(&dest.local).is_err()
                {
                    dead.extend(source.local().map(|local| (Where::Before(block, inst), local)));
                }
            }
        }
        for (number, edge) in self.graph.edges().iter().enumerate() {
            let params = &self.original.blocks[edge.to].params;
            for (at, (param, arg)) in params.iter().zip(args(self.original, edge)).enumerate() {
                if self.transformed.is_param_removed(edge.to, at)
                    && self.live.live_in(edge.to).binary_search(param).is_err()
                {
                    dead.extend(arg.map(|arg| (Where::Edge(number), arg)));
                }
            }
        }
        dead
    }

    /// Everything that a need at one of these leads back to. Each pair is walked from once.
    fn walk_back(&self, starts: Vec<Pair>) -> FxHashSet<Pair> {
        let mut seen: FxHashSet<Pair> = starts.iter().copied().collect();
        let mut stack = starts;
        let mut before = Vec::new();
        while let Some((at, local)) = stack.pop() {
            self.step_back(at, local, &mut before);
            stack.extend(before.drain(..).filter(|&pair| seen.insert(pair)));
        }
        seen
    }

    /// What a need for a local at a point is, one step back, wherever control can come from.
    fn step_back(&self, at: Where, local: Local, before: &mut Vec<Pair>) {
        match at {
            Where::Before(block, 0) => {
                let params = &self.original.blocks[block].params;
                let param = params.iter().position(|&param| param == local);
                for number in self.graph.edges_in_numbered(block) {
                    let edge = &self.graph.edges()[number];
                    let from = match param {
                        None => Some(local),
                        Some(param) if self.transformed.is_param_removed(block, param) => {
                            args(self.original, edge)[param]
                        }
                        Some(_) => None,
                    };
                    before.extend(from.map(|from| (Where::Edge(number), from)));
                }
            }
            Where::Before(block, next) => {
                let inst = &self.original.blocks[block].insts[next - 1];
                let mut assigned = false;
                inst.for_each_def(|def| assigned |= def == local);
                let from = match &inst.op {
                    _ if !assigned => Some(local),
                    Op::Copy(source) if self.transformed.is_removed(block, next - 1) => {
                        source.local()
                    }
                    _ => None,
                };
                before.extend(from.map(|from| (Where::Before(block, next - 1), from)));
            }
            Where::Edge(number) => {
                let edge = &self.graph.edges()[number];
                before.push((Where::End(edge.from), local));
                let data = &self.original.blocks[edge.from];
                if data.term.kind.edge_def(edge.slot) != Some(local) {
                    before.push((Where::Before(edge.from, data.insts.len()), local));
                }
            }
            // What is live there is so for the sake of edges.
            Where::End(_) => {}
        }
    }
}
