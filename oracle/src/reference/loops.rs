//! Natural loops. An edge `u -> h` of the reachable part is a back edge iff `h` dominates `u`. The
//! loop of `h` is `h` with every block that reaches the source of one of its back edges without
//! passing `h`. A header has one loop, however many back edges it has.

use super::dominators::Dominators;
use super::graph::Graph;
use backedge_core::ir::Block;
use cranelift_entity::EntityRef;

/// The natural loops of the part that the entry reaches, by header: the header and, by block,
/// whether the block is inside.
pub fn natural_loops(graph: &Graph, dominators: &Dominators) -> Vec<(Block, Vec<bool>)> {
    graph
        .blocks()
        .filter(|&header| back_edge_sources(graph, dominators, header).next().is_some())
        .map(|header| (header, body(graph, dominators, header)))
        .collect()
}

/// The sources of the back edges to `header`.
fn back_edge_sources<'g>(
    graph: &'g Graph,
    dominators: &'g Dominators,
    header: Block,
) -> impl Iterator<Item = Block> + 'g {
    let sources = graph.edges_in(header).map(|edge| edge.from);
    sources.filter(move |&source| dominators.dominates(header, source))
}

/// The header, and what reaches a back edge's source when the search may not go on past the header.
fn body(graph: &Graph, dominators: &Dominators, header: Block) -> Vec<bool> {
    let starts = back_edge_sources(graph, dominators, header).chain([header]);
    graph.flood(starts, |block, visit| {
        let sources = graph.edges_in(block).map(|edge| edge.from);
        if block != header {
            sources.filter(|source| dominators.reachable()[source.index()]).for_each(visit);
        }
    })
}
