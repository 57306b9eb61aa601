//! Each shape has the property that it is named for, whatever features are added.

use super::{functions, graph_of};
use crate::generate::dominance::Dominance;
use crate::generate::graph::Graph;
use crate::generate::*;
use backedge_core::ir::Function;
use backedge_oracle::reference::dominators::Dominators;
use backedge_oracle::reference::graph::{Graph as RefGraph, GraphKind};
use backedge_oracle::reference::loops::natural_loops;
use cranelift_entity::EntityRef;

const SEEDS: u64 = 300;

fn every(shape: Shape, holds: impl Fn(&Function) -> bool) {
    for (seed, function) in functions(shape, SEEDS) {
        let text = || backedge_core::ir::text::print_function(&function);
        assert!(holds(&function), "seed {seed} of {shape}:\n{}", text());
    }
}

/// How many of the functions have a property, out of 100.
fn share(shape: Shape, holds: impl Fn(&Function) -> bool) -> usize {
    let functions = functions(shape, SEEDS);
    100 * functions.iter().filter(|(_, function)| holds(function)).count() / functions.len()
}

fn is_reducible(function: &Function) -> bool {
    GraphKind::of(function).reducible
}

fn count_blocks(function: &Function, holds: impl Fn(usize) -> bool) -> usize {
    let outs = |term: &backedge_core::ir::Terminator| term.kind.targets().len();
    function.blocks.values().filter(|block| holds(outs(&block.term))).count()
}

/// The most loops that one block is in.
fn loop_depth(function: &Function) -> usize {
    let graph = RefGraph::new(function);
    let loops = natural_loops(&graph, &Dominators::new(&graph));
    let depth = |block: usize| loops.iter().filter(|(_, inside)| inside[block]).count();
    (0..function.blocks.len()).map(depth).max().unwrap_or(0)
}

#[test]
fn some_shapes_are_always_reducible() {
    for shape in [Shape::Structured, Shape::Reducible, Shape::Nest, Shape::Chain] {
        every(shape, is_reducible);
    }
}

#[test]
fn irreducible_is_always_irreducible() {
    every(Shape::Irreducible, |function| !is_reducible(function));
}

#[test]
fn loops_only_has_no_exit() {
    every(Shape::LoopsOnly, |function| count_blocks(function, |outs| outs == 0) == 0);
}

#[test]
fn random_shapes_are_of_both_kinds() {
    for shape in [Shape::Goto, Shape::Dense, Shape::LoopsOnly] {
        let reducible = share(shape, is_reducible);
        assert!((5..=95).contains(&reducible), "{shape}: {reducible}% are reducible");
    }
    let loops = share(Shape::Reducible, |function| loop_depth(function) > 0);
    assert!(loops > 40, "{loops}% of the reducible graphs have loops");
    let deep = share(Shape::Structured, |function| loop_depth(function) > 1);
    assert!(deep > 15, "{deep}% of the structured graphs have nested loops");
}

#[test]
fn nests_are_deep() {
    every(Shape::Nest, |function| loop_depth(function) >= 2);
    let deep = share(Shape::Nest, |function| loop_depth(function) >= 5);
    assert!(deep > 30, "{deep}% are 5 deep");
}

#[test]
fn wide_has_big_switches() {
    every(Shape::Wide, |function| count_blocks(function, |outs| outs >= 3) >= 1);
    let big = share(Shape::Wide, |function| count_blocks(function, |outs| outs >= 8) >= 1);
    assert!(big > 30, "{big}% have a switch with 8 targets");
}

#[test]
fn dense_has_many_edges() {
    every(Shape::Dense, |function| {
        let edges = RefGraph::new(function).edges().len();
        let chain = stats::observe(function, GraphKind::of(function)).contains(Feature::DeepChain);
        // Added blocks have one edge or none; the shape's last block has none.
        chain || 2 * edges >= 3 * function.blocks.len().saturating_sub(8)
    });
    let dense = share(Shape::Dense, |function| {
        RefGraph::new(function).edges().len() >= 3 * function.blocks.len()
    });
    assert!(dense > 30, "{dense}% have three edges a block");
}

#[test]
fn ladders_and_meshes_have_joins() {
    for shape in [Shape::Ladder, Shape::Mesh] {
        every(shape, |function| {
            let graph = RefGraph::new(function);
            graph.blocks().any(|block| graph.edges_in(block).count() > 1)
                && graph.blocks().any(|block| graph.edges_out(block).len() > 1)
        });
    }
}

#[test]
fn chains_are_long() {
    let plain = share(Shape::Chain, |function| {
        count_blocks(function, |outs| outs == 1) + 5 > function.blocks.len()
    });
    assert!(plain > 50, "{plain}% are hardly more than a path");
}

#[test]
fn every_block_of_a_bare_shape_is_reached() {
    for shape in Shape::ALL.into_iter().filter(|&shape| shape != Shape::Tiny) {
        for seed in 0..SEEDS {
            let bytes = seed::SplitMix::new(seed).bytes(2000);
            for blocks in [1, 2, 3, 4, 5, 6, 7, 12, 33] {
                let graph = shapes::draw(shape, &mut Draw::new(&bytes), blocks);
                assert!((1..=blocks).contains(&graph.len()), "{shape} of {blocks}");
                assert_eq!(Dominance::of(&graph).order.len(), graph.len(), "{shape} of {blocks}");
            }
        }
    }
}

#[test]
fn dominators_are_those_of_the_reference() {
    for shape in [Shape::Goto, Shape::Dense, Shape::Mesh, Shape::Wide, Shape::Tiny] {
        for (seed, function) in functions(shape, 100) {
            let reference = Dominators::new(&RefGraph::new(&function));
            let ours = Dominance::of(&graph_of(&function));
            for block in function.blocks.keys() {
                let idom = ours.idom[block.index()];
                let reached = reference.reachable()[block.index()];
                assert_eq!(ours.is_reachable(block.index()), reached, "seed {seed} of {shape}");
                let expected = reference.idom(block).filter(|_| reached).map(EntityRef::index);
                assert_eq!(idom, expected, "{block} of seed {seed} of {shape}");
            }
        }
    }
}

#[test]
fn tiny_graphs_come_out_as_they_are_in_the_table() {
    let mut irreducible = 0;
    for index in 0..tiny::count() {
        let case = from_seed_shape(index as u64, Shape::Tiny, 4).case;
        irreducible += usize::from(!is_reducible(&case.program.functions[0]));
        let graph = graph_of(&case.program.functions[0]);
        let expected: Graph = shapes::tiny::graph(index);
        assert!(graph.nodes.iter().zip(&expected.nodes).all(|(a, b)| a.succs == b.succs));
        assert_eq!(graph.len(), expected.len());
    }
    assert_eq!(irreducible, 450);
}

/// Nothing recurses, and nothing takes more than about linear time: else this would not end.
#[test]
fn graphs_can_be_deep() {
    for shape in Shape::ALL {
        let functions = from_seed_shape(3, shape, 10_000).case.program.functions;
        let blocks = functions[0].blocks.len();
        assert!(blocks > 100 || matches!(shape, Shape::Tiny | Shape::Wide), "{shape}: {blocks}");
    }
    let bytes = random_bytes(7, 400_000);
    for shape in Shape::ALL.into_iter().filter(|&shape| shape != Shape::Tiny) {
        let graph = shapes::draw(shape, &mut Draw::new(&bytes), 10_000);
        assert_eq!(Dominance::of(&graph).order.len(), graph.len(), "{shape}");
    }
}
