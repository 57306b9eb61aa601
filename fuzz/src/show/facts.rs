//! The facts that a picture shows, by number of block, edge and instruction.
//!
//! They come from the solvers, or from the references where a solver is not to be believed: a page
//! that explains a bug must not repeat it.

use backedge_core::cfg::{Cfg, Dominators, Loops, Postorder};
use backedge_core::dataflow::{Liveness, ValueSet};
use backedge_core::destprop::{Method, Refused, propagate};
use backedge_core::ir::{Block, Function, Local};
use backedge_oracle::core_subject::Core;
use backedge_oracle::reference;
use backedge_oracle::subject::{
    ConstantSolver, DropClassifier, DropsAnswer, KnownLocals, Unwinding,
};
use rustc_hash::FxHashMap;

/// A family of facts.
#[derive(Copy, Clone, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Show {
    /// What is live into and out of blocks, after instructions, and on edges.
    Liveness,
    /// The immediate dominator of each block.
    Dominators,
    /// Loop headers, nesting and back edges.
    Loops,
    /// What integers hold at the start of each block, and where control never goes.
    Constants,
    /// What owned values may be initialized at the start of each block, and the class of each drop.
    Drops,
    /// Which copies between locals go, since their locals become one, and why the others stay.
    Destprop,
}

/// What is known of a function.
#[derive(Clone, Debug, Default)]
pub(super) struct Facts {
    /// By block.
    pub(super) reachable: Vec<bool>,
    /// By edge, in the order of sources and slots.
    pub(super) edges: Vec<EdgeFacts>,
    /// By block, where asked for.
    pub(super) idom: Option<Vec<Option<Block>>>,
    /// By block, where asked for: the innermost loop.
    pub(super) loops: Option<Vec<Option<LoopFact>>>,
    /// Where asked for.
    pub(super) live: Option<Live>,
    /// By block, where asked for: its copies and those on its edges.
    pub(super) copies: Option<Vec<Vec<CopyFact>>>,
    /// By block and local, where asked for; `None` where control never gets.
    pub(super) constants: Option<Vec<KnownLocals>>,
    /// Where asked for.
    pub(super) drops: Option<DropsAnswer>,
}

#[derive(Clone, Debug)]
pub(super) struct EdgeFacts {
    pub(super) from: Block,
    pub(super) to: Block,
    pub(super) slot: usize,
    /// Its target dominates its source.
    pub(super) back: bool,
    /// It leaves a block with several edges and enters a block with several.
    pub(super) critical: bool,
}

#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct LoopFact {
    pub(super) header: Block,
    /// 1 for an outermost loop.
    pub(super) depth: u32,
}

/// A copy between locals.
#[derive(Copy, Clone, Debug)]
pub(super) struct CopyFact {
    pub(super) dest: Local,
    pub(super) source: Local,
    /// What both become, or why the copy stays.
    pub(super) outcome: Result<Local, Refused>,
}

/// Sets of live locals, each sorted.
#[derive(Clone, Debug, Default)]
pub(super) struct Live {
    /// By block.
    pub(super) live_in: Vec<Vec<Local>>,
    /// By block.
    pub(super) live_out: Vec<Vec<Local>>,
    /// By block and instruction, terminator included.
    pub(super) after: Vec<Vec<Vec<Local>>>,
    /// By edge.
    pub(super) edges: Vec<Vec<Local>>,
}

impl Facts {
    /// What the solvers say.
    pub(super) fn solved(function: &Function, show: &[Show]) -> Facts {
        let cfg = Cfg::build(function);
        let postorder = Postorder::new(&cfg);
        let dominators = Dominators::new(&cfg);
        let loops = Loops::new(&cfg, &postorder, &dominators);
        let mut facts = Facts {
            reachable: cfg.blocks().map(|block| postorder.is_reachable(block)).collect(),
            ..Facts::default()
        };
        let mut back = vec![false; cfg.edge_count()];
        for edge in loops.iter().flat_map(|of| loops.back_edges(of)) {
            back[edge.as_u32() as usize] = true;
        }
        facts.edges = edges(function, |edge, _, _| back[edge]);
        facts.idom = show
            .contains(&Show::Dominators)
            .then(|| cfg.blocks().map(|block| dominators.idom(block)).collect());
        facts.loops = show.contains(&Show::Loops).then(|| {
            let fact = |block| {
                let of = loops.innermost(block)?;
                Some(LoopFact { header: loops.header(of), depth: loops.depth(of) })
            };
            cfg.blocks().map(fact).collect()
        });
        let constants = || Core::default().constants(function).map(|answer| answer.entry);
        facts.constants = show.contains(&Show::Constants).then(|| constants().unwrap_or_default());
        let drops =
            || Core::default().drops(function, Unwinding::WhereInitialized).unwrap_or_default();
        facts.drops = show.contains(&Show::Drops).then(drops);
        facts.copies = show.contains(&Show::Destprop).then(|| copies(function));
        facts.live = show.contains(&Show::Liveness).then(|| solved_liveness(function, &cfg));
        facts
    }

    /// What the references say. Their time grows with the square of the number of blocks. They merge no
    /// copies.
    pub(super) fn reference(function: &Function, show: &[Show]) -> Facts {
        let graph = reference::graph::Graph::new(function);
        let dominators = reference::dominators::Dominators::new(&graph);
        let loops = reference::loops::natural_loops(&graph, &dominators);
        let innermost = |block: Block| {
            let around = loops.iter().filter(|(_, blocks)| blocks[block.as_u32() as usize]);
            let depth = around.clone().count() as u32;
            let size = |blocks: &[bool]| blocks.iter().filter(|&&inside| inside).count();
            let (header, _) = around.min_by_key(|(_, blocks)| size(blocks))?;
            Some(LoopFact { header: *header, depth })
        };
        Facts {
            reachable: dominators.reachable().to_vec(),
            edges: edges(function, |_, from, to| {
                dominators.reachable()[from.as_u32() as usize] && dominators.dominates(to, from)
            }),
            idom: show
                .contains(&Show::Dominators)
                .then(|| graph.blocks().map(|block| dominators.idom(block)).collect()),
            loops: show.contains(&Show::Loops).then(|| graph.blocks().map(innermost).collect()),
            constants: show
                .contains(&Show::Constants)
                .then(|| reference::constants::constants(function).entry),
            drops: show
                .contains(&Show::Drops)
                .then(|| reference::initialized::drops(function, Unwinding::WhereInitialized)),
            copies: None,
            live: show.contains(&Show::Liveness).then(|| reference_liveness(function, &graph)),
        }
    }
}

/// All edges, `back` where it says so of a position, a source and a target.
fn edges(function: &Function, back: impl Fn(usize, Block, Block) -> bool) -> Vec<EdgeFacts> {
    let mut edges = Vec::new();
    let mut into = vec![0u32; function.blocks.len()];
    for (from, data) in &function.blocks {
        for (slot, target) in data.term.kind.targets().into_iter().enumerate() {
            let to = target.block;
            into[to.as_u32() as usize] += 1;
            let critical = data.term.kind.target(1).is_some();
            edges.push(EdgeFacts { from, to, slot, back: back(edges.len(), from, to), critical });
        }
    }
    for edge in &mut edges {
        edge.critical &= into[edge.to.as_u32() as usize] > 1;
    }
    edges
}

/// What saved liveness makes of each copy.
fn copies(function: &Function) -> Vec<Vec<CopyFact>> {
    let propagation = propagate(function, Method::Saved);
    let into: FxHashMap<Local, Local> = propagation.merges.into_iter().collect();
    let mut refused = propagation.refused.into_iter().peekable();
    let mut facts = vec![Vec::new(); function.blocks.len()];
    for (at, copy) in propagation.copies.iter().enumerate() {
        let outcome = match refused.next_if(|(refused, _)| *refused == at) {
            Some((_, why)) => Err(why),
            None => Ok(into.get(&copy.dest).copied().unwrap_or(copy.dest)),
        };
        let fact = CopyFact { dest: copy.dest, source: copy.source, outcome };
        facts[copy.site.block().as_u32() as usize].push(fact);
    }
    facts
}

fn solved_liveness(function: &Function, cfg: &Cfg) -> Live {
    let liveness = Liveness::solve(function, cfg).at_points();
    let list = |set: ValueSet| set.iter().map(Local::from).collect::<Vec<_>>();
    let after = |block| {
        (0..liveness.inst_count(block)).map(|inst| list(liveness.after(block, inst))).collect()
    };
    Live {
        live_in: cfg.blocks().map(|block| list(liveness.live_in(block))).collect(),
        live_out: cfg.blocks().map(|block| list(liveness.live_out(block))).collect(),
        after: cfg.blocks().map(after).collect(),
        edges: cfg.edges().map(|(edge, _)| list(liveness.edge_live(edge))).collect(),
    }
}

fn reference_liveness(function: &Function, graph: &reference::graph::Graph) -> Live {
    let liveness = reference::liveness::Liveness::new(function, graph);
    let after = |block: Block| {
        let count = function.blocks[block].insts.len() + 1;
        (0..count).map(|inst| liveness.after(block, inst).to_vec()).collect()
    };
    Live {
        live_in: graph.blocks().map(|block| liveness.live_in(block).to_vec()).collect(),
        live_out: graph.blocks().map(|block| liveness.live_out(block).to_vec()).collect(),
        after: graph.blocks().map(after).collect(),
        edges: (0..graph.edges().len()).map(|edge| liveness.edge(edge).to_vec()).collect(),
    }
}
