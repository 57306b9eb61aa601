//! What petgraph says of a graph, by other ways than ours. Where the two disagree, no answer of a
//! subject can be judged.

use super::dominators::Dominators;
use super::graph::Graph;
use backedge_core::ir::Block;
use cranelift_entity::EntityRef;
use petgraph::algo::dominators::{self, simple_fast};
use petgraph::algo::{is_cyclic_directed, kosaraju_scc};
use petgraph::graph::{DiGraph, NodeIndex};
use petgraph::visit::Dfs;

/// A graph in petgraph's form, with its dominators.
pub struct SecondOpinion {
    graph: DiGraph<(), ()>,
    dominators: dominators::Dominators<NodeIndex>,
    /// By node: the nodes whose immediate dominator it is.
    children: Vec<Vec<NodeIndex>>,
}

impl SecondOpinion {
    /// Asks petgraph for the dominators. The graph must have a block.
    pub fn new(ours: &Graph) -> SecondOpinion {
        let mut graph = DiGraph::with_capacity(ours.block_count(), ours.edges().len());
        ours.blocks().for_each(|_| {
            graph.add_node(());
        });
        for edge in ours.edges() {
            graph.add_edge(node(edge.from), node(edge.to), ());
        }
        let dominators = simple_fast(&graph, NodeIndex::new(0));
        let mut children = vec![Vec::new(); graph.node_count()];
        for node in graph.node_indices() {
            if let Some(above) = dominators.immediate_dominator(node) {
                children[above.index()].push(node);
            }
        }
        SecondOpinion { graph, dominators, children }
    }

    /// Where petgraph disagrees with our reachable blocks.
    pub fn on_reachable(&self, ours: &[bool]) -> Option<String> {
        let mut theirs = vec![false; ours.len()];
        let mut search = Dfs::new(&self.graph, NodeIndex::new(0));
        while let Some(node) = search.next(&self.graph) {
            theirs[node.index()] = true;
        }
        (theirs != ours).then(|| format!("reachable: {ours:?}, petgraph: {theirs:?}"))
    }

    /// Where petgraph disagrees with our immediate dominators.
    pub fn on_idom(&self, ours: &Dominators) -> Option<String> {
        self.graph.node_indices().find_map(|n| {
            let theirs = self.dominators.immediate_dominator(n).map(block);
            let ours = ours.idom(block(n));
            let text = || format!("idom of {:?}: {ours:?}, petgraph: {theirs:?}", block(n));
            (ours != theirs).then(text)
        })
    }

    /// Where petgraph disagrees with our natural loops: the loop of `h` is the strongly connected
    /// component of `h` among the blocks that `h` dominates.
    pub fn on_loops(&self, ours: &[(Block, Vec<bool>)]) -> Option<String> {
        let headers = self.graph.node_indices().filter(|&n| self.is_header(n));
        let theirs: Vec<_> =
            headers.map(|header| (block(header), self.component(header))).collect();
        (theirs != ours).then(|| format!("loops: {ours:?}, petgraph: {theirs:?}"))
    }

    /// Where petgraph disagrees on reducibility: without its back edges, a reducible graph has no
    /// cycle.
    pub fn on_reducible(&self, ours: bool) -> Option<String> {
        let forward = self.graph.filter_map(
            |node, ()| self.is_reachable(node).then_some(()),
            |edge, ()| {
                let (from, to) = self.graph.edge_endpoints(edge)?;
                (!self.dominates(to, from)).then_some(())
            },
        );
        let theirs = !is_cyclic_directed(&forward);
        (theirs != ours).then(|| format!("reducible: {ours}, petgraph: {theirs}"))
    }

    fn is_reachable(&self, n: NodeIndex) -> bool {
        self.dominators.dominators(n).is_some()
    }

    fn dominates(&self, d: NodeIndex, n: NodeIndex) -> bool {
        self.dominators.dominators(n).is_some_and(|mut all| all.any(|other| other == d))
    }

    /// By node: whether `header` dominates it. In time linear in the graph, for the sake of deep
    /// nests, in which asking node by node takes the cube of it.
    fn dominated_by(&self, header: NodeIndex) -> Vec<bool> {
        let mut inside = vec![false; self.graph.node_count()];
        let mut stack = vec![header];
        while let Some(node) = stack.pop() {
            inside[node.index()] = true;
            stack.extend(&self.children[node.index()]);
        }
        inside
    }

    fn is_header(&self, header: NodeIndex) -> bool {
        let mut sources = self.graph.neighbors_directed(header, petgraph::Incoming);
        sources.any(|source| self.dominates(header, source))
    }

    fn component(&self, header: NodeIndex) -> Vec<bool> {
        let inside = self.dominated_by(header);
        let below = self.graph.filter_map(|n, ()| inside[n.index()].then_some(n), |_, ()| Some(()));
        let mut members = vec![false; self.graph.node_count()];
        let components = kosaraju_scc(&below);
        let own = components.iter().find(|c| c.iter().any(|&n| below[n] == header));
        own.into_iter().flatten().for_each(|&n| members[below[n].index()] = true);
        members
    }
}

fn node(block: Block) -> NodeIndex {
    NodeIndex::new(block.index())
}

fn block(node: NodeIndex) -> Block {
    Block::new(node.index())
}
