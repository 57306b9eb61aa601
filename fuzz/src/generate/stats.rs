//! Measures what the generator makes: sizes, kinds of graphs, features, by shape.

use super::{Config, Feature, Features, Generated, Shape, from_seed};
use backedge_core::ir::Function;
use backedge_oracle::reference::graph::{Graph, GraphKind};
use std::fmt;
use std::ops::Range;

/// A path of so many blocks, each with one predecessor and one successor, counts as a deep chain.
const DEEP: usize = 8;

/// What was counted of one shape.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Functions.
    pub functions: u64,
    /// Their blocks.
    pub blocks: u64,
    /// Their instructions, terminators left out.
    pub insts: u64,
    /// Functions in SSA form.
    pub ssa: u64,
    /// Functions with a reducible graph.
    pub reducible: u64,
    /// Functions in which control can get to a block from which no path leaves.
    pub never_returning: u64,
    /// Functions that have each feature, in the order of [`Feature::ALL`], whether it was switched on
    /// or came with the shape.
    pub features: [u64; Feature::ALL.len()],
}

/// Counts by shape, in the order of [`Shape::ALL`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// One a shape.
    pub shapes: [Counts; Shape::ALL.len()],
}

impl Stats {
    /// Generates the cases of some seeds and counts them.
    pub fn measure(seeds: Range<u64>, config: &Config) -> Stats {
        let mut stats = Stats::default();
        seeds.for_each(|seed| stats.add(&from_seed(seed, config)));
        stats
    }

    /// Counts a case.
    pub fn add(&mut self, generated: &Generated) {
        let counts = &mut self.shapes[generated.shape as usize];
        generated.case.program.functions.iter().for_each(|function| counts.add(function));
    }

    /// The sum over all shapes.
    pub fn total(&self) -> Counts {
        self.shapes.iter().fold(Counts::default(), |mut sum, counts| {
            sum.functions += counts.functions;
            sum.blocks += counts.blocks;
            sum.insts += counts.insts;
            sum.ssa += counts.ssa;
            sum.reducible += counts.reducible;
            sum.never_returning += counts.never_returning;
            sum.features.iter_mut().zip(counts.features).for_each(|(sum, count)| *sum += count);
            sum
        })
    }
}

impl Counts {
    fn add(&mut self, function: &Function) {
        let kind = GraphKind::of(function);
        let observed = observe(function, kind);
        self.functions += 1;
        self.blocks += function.blocks.len() as u64;
        self.insts += function.inst_count() as u64;
        self.ssa += u64::from(function.ssa);
        self.reducible += u64::from(kind.reducible);
        self.never_returning += u64::from(kind.never_returns);
        for (count, feature) in self.features.iter_mut().zip(Feature::ALL) {
            *count += u64::from(observed.contains(feature));
        }
    }

    fn write_row(&self, f: &mut fmt::Formatter<'_>, name: &str) -> fmt::Result {
        let of = self.functions.max(1) as f64;
        let mean = |total: u64| total as f64 / of;
        let share = |part: u64| format!("{:.0}%", 100.0 * part as f64 / of);
        write!(f, "{name:12}{:9}", self.functions)?;
        write!(f, "{:8.1}{:8.1}", mean(self.blocks), mean(self.insts))?;
        let irreducible = self.functions - self.reducible;
        for part in [self.ssa, self.reducible, irreducible, self.never_returning] {
            write!(f, "{:>13}", share(part))?;
        }
        for part in self.features {
            write!(f, "{:>7}", share(part))?;
        }
        writeln!(f)
    }
}

impl fmt::Display for Stats {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:12}{:>9}{:>8}{:>8}", "shape", "functions", "blocks", "insts")?;
        for kind in ["ssa", "reducible", "irreducible", "never-returns"] {
            write!(f, "{kind:>13}")?;
        }
        for index in 0..Feature::ALL.len() {
            write!(f, "{:>7}", format!("f{}", index + 1))?;
        }
        writeln!(f)?;
        for (shape, counts) in Shape::ALL.into_iter().zip(&self.shapes) {
            counts.write_row(f, shape.name())?;
        }
        self.total().write_row(f, "all")?;
        for (index, feature) in Feature::ALL.into_iter().enumerate() {
            writeln!(f, "f{}: {}", index + 1, feature.name())?;
        }
        Ok(())
    }
}

/// The features that a function has. Cross edges show as an irreducible graph.
pub(super) fn observe(function: &Function, kind: GraphKind) -> Features {
    let graph = Graph::new(function);
    let reachable = graph.reachable();
    let reached = |block| reachable[cranelift_entity::EntityRef::index(block)];
    let ins = |block| graph.edges_in(block).count();
    let outs = |block| graph.edges_out(block).len();
    let any_edge = |holds: &dyn Fn(_, _) -> bool| graph.edges().iter().any(|e| holds(e.from, e.to));
    Features::filter(|feature| match feature {
        Feature::UnreachableBlocks => reachable.contains(&false),
        Feature::UnreachablePreds => any_edge(&|from, to| !reached(from) && reached(to)),
        Feature::EmptyBlocks => function.blocks.values().any(|block| block.insts.is_empty()),
        Feature::SelfLoops => any_edge(&|from, to| from == to),
        Feature::MultiEdges => graph.blocks().any(|block| {
            let outs = graph.edges_out(block);
            outs.iter().any(|e| outs[..e.slot].iter().any(|other| other.to == e.to))
        }),
        Feature::CriticalEdges => any_edge(&|from, to| outs(from) > 1 && ins(to) > 1),
        Feature::Exits => graph.blocks().filter(|&b| reached(b) && outs(b) == 0).count() > 1,
        Feature::EntryLoop => ins(function.entry()) > 0,
        Feature::EndlessLoops => kind.never_returns,
        Feature::DeepChain => longest_chain(&graph) >= DEEP,
        Feature::CrossEdges => !kind.reducible,
    })
}

/// The most blocks in a row that have one predecessor and one successor each.
fn longest_chain(graph: &Graph) -> usize {
    let link = |block| match (graph.edges_out(block), graph.edges_in(block).count()) {
        ([only], 1) => Some(only.to),
        _ => None,
    };
    let length = |start| {
        let links = std::iter::successors(link(start), |&block| link(block));
        // A cycle has no end to count from.
        1 + links.take(DEEP).take_while(|&block| block != start && link(block).is_some()).count()
    };
    let starts = graph.blocks().filter(|&block| link(block).is_some());
    starts.map(length).max().unwrap_or(0)
}
