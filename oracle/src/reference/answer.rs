//! The references as a subject: their answers in the form that every subject gives.

use super::constants::constants;
use super::dominators::Dominators;
use super::graph::Graph;
use super::initialized::drops;
use super::liveness::Liveness;
use super::loops::natural_loops;
use super::reducible::is_reducible;
use crate::subject::{
    BlockLiveness, CfgAnswer, CfgSolver, ConstantSolver, ConstantsAnswer, DropClassifier,
    DropsAnswer, EdgeLiveness, LivenessAnswer, LivenessSolver, Locals, LoopAnswer, NoAnswer,
    Subject, Unwinding,
};
use backedge_core::ir::{Block, Function};
use cranelift_entity::EntityRef;

/// Answers what the references say.
#[derive(Copy, Clone, Debug, Default)]
pub struct Reference;

impl Subject for Reference {
    fn name(&self) -> &str {
        "reference"
    }

    fn liveness(&mut self) -> Option<&mut dyn LivenessSolver> {
        Some(self)
    }

    fn cfg(&mut self) -> Option<&mut dyn CfgSolver> {
        Some(self)
    }

    fn constants(&mut self) -> Option<&mut dyn ConstantSolver> {
        Some(self)
    }

    fn drops(&mut self) -> Option<&mut dyn DropClassifier> {
        Some(self)
    }
}

impl DropClassifier for Reference {
    fn drops(
        &mut self,
        function: &Function,
        unwinding: Unwinding,
    ) -> Result<DropsAnswer, NoAnswer> {
        Ok(drops(function, unwinding))
    }
}

impl ConstantSolver for Reference {
    fn constants(&mut self, function: &Function) -> Result<ConstantsAnswer, NoAnswer> {
        Ok(constants(function))
    }
}

impl LivenessSolver for Reference {
    fn liveness(&mut self, function: &Function) -> Result<LivenessAnswer, NoAnswer> {
        Ok(liveness(function))
    }
}

impl CfgSolver for Reference {
    fn cfg(&mut self, function: &Function) -> Result<CfgAnswer, NoAnswer> {
        Ok(cfg(function))
    }
}

/// What is live where, with nothing left out.
pub fn liveness(function: &Function) -> LivenessAnswer {
    let graph = Graph::new(function);
    let right = Liveness::new(function, &graph);
    let blocks = function.blocks.keys().map(|block| {
        let live_out = Some(right.live_out(block).to_vec());
        Some(BlockLiveness { live_in: right.live_in(block).to_vec(), live_out })
    });
    let edges = graph.edges().iter().enumerate().map(|(number, edge)| EdgeLiveness {
        from: edge.from,
        to: edge.to,
        slot: Some(edge.slot as u32),
        live: right.edge(number).to_vec(),
    });
    LivenessAnswer {
        blocks: blocks.collect(),
        edges: Some(edges.collect()),
        after: Some(points(function, |block, inst| right.after(block, inst).to_vec())),
        before: Some(points(function, |block, inst| right.before(block, inst).to_vec())),
    }
}

/// A set for each instruction of each block, terminators included.
fn points(function: &Function, set: impl Fn(Block, usize) -> Locals) -> Vec<Vec<Locals>> {
    let insts = |block: Block| 0..=function.blocks[block].insts.len();
    let of_block = |block: Block| insts(block).map(|inst| set(block, inst)).collect();
    function.blocks.keys().map(of_block).collect()
}

/// The shape of the graph, with nothing left out.
pub fn cfg(function: &Function) -> CfgAnswer {
    let graph = Graph::new(function);
    let dominators = Dominators::new(&graph);
    let members = |inside: &[bool]| graph.blocks().filter(|b| inside[b.index()]).collect();
    let loops = natural_loops(&graph, &dominators).into_iter();
    let loops = loops.map(|(header, inside)| LoopAnswer { header, blocks: members(&inside) });
    CfgAnswer {
        edges: graph.edges().iter().map(|edge| (edge.from, edge.to)).collect(),
        reachable: Some(members(dominators.reachable())),
        postorder: Some(postorder(&graph)),
        idom: Some(graph.blocks().filter_map(|b| Some((b, dominators.idom(b)?))).collect()),
        loops: Some(loops.collect()),
        reducible: Some(is_reducible(&graph)),
    }
}

/// The blocks in the order in which a depth-first search leaves them. Each is entered once and each
/// of its edges looked at once, so it ends.
fn postorder(graph: &Graph) -> Vec<Block> {
    let mut entered = vec![false; graph.block_count()];
    let mut order = Vec::new();
    // The path of open blocks, each with the slot that is looked at next.
    let mut path: Vec<(Block, usize)> = Vec::new();
    let mut enter = |block: Block, path: &mut Vec<(Block, usize)>| {
        if !std::mem::replace(&mut entered[block.index()], true) {
            path.push((block, 0));
        }
    };
    graph.blocks().take(1).for_each(|entry| enter(entry, &mut path));
    while let Some((block, slot)) = path.last_mut() {
        match graph.edges_out(*block).get(*slot) {
            Some(edge) => {
                *slot += 1;
                enter(edge.to, &mut path);
            }
            None => {
                order.push(*block);
                path.pop();
            }
        }
    }
    order
}
