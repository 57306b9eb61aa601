//! Each feature occurs when it is switched on, and but a few when none is.

use crate::generate::features::apply;
use crate::generate::*;
use backedge_oracle::reference::graph::GraphKind;

/// A function with a graph of the shape and this feature alone.
///
/// Blocks of a case that owns something and can be run may have to make what they pass on, and are not
/// empty then: such cases are left out.
fn with(feature: Option<Feature>, shape: Shape, seed: u64) -> (Graph, Graph, Features) {
    let bytes = seed::SplitMix::new(seed).bytes(4000);
    let mut draw = Draw::new(&bytes);
    let mut swarm = Swarm::draw(&mut draw, false);
    swarm.runnable &= !swarm.owns();
    let bare = shapes::draw(shape, &mut draw, 8);
    let mut graph = bare.clone();
    let on = Features::filter(|other| Some(other) == feature);
    apply(&mut graph, on, shape, &mut draw, 32);
    let graphs = [graph.clone()];
    let function = contents::fill(&graphs, &swarm, &mut draw).functions.remove(0);
    let observed = stats::observe(&function, GraphKind::of(&function));
    (bare, graph, observed)
}

fn shapes_for(feature: Feature) -> impl Iterator<Item = Shape> {
    Shape::ALL.into_iter().filter(move |&shape| feature.fits(shape))
}

#[test]
fn each_occurs_when_it_is_on() {
    for feature in Feature::ALL.into_iter().filter(|&feature| feature != Feature::CrossEdges) {
        for shape in shapes_for(feature) {
            for seed in 0..60 {
                let (bare, _, observed) = with(Some(feature), shape, seed);
                // A bare graph without an edge has nothing to double or to split.
                let possible = bare.edge_count() > 0;
                assert!(observed.contains(feature) || !possible, "{feature:?} {shape} {seed}");
            }
        }
    }
}

#[test]
fn cross_edges_make_graphs_irreducible() {
    for shape in [Shape::Goto, Shape::Mesh] {
        let irreducible = |feature| {
            let seeds = 0..200;
            let observed = seeds.map(|seed| with(feature, shape, seed).2);
            observed.filter(|observed| observed.contains(Feature::CrossEdges)).count()
        };
        let (bare, crossed) = (irreducible(None), irreducible(Some(Feature::CrossEdges)));
        assert!(crossed > bare + 20, "{shape}: {bare} without, {crossed} with cross edges");
    }
}

#[test]
fn shapes_are_left_alone_when_none_is_on() {
    let never = [
        Feature::UnreachableBlocks,
        Feature::UnreachablePreds,
        Feature::MultiEdges,
        Feature::EntryLoop,
    ];
    for shape in Shape::ALL.into_iter().filter(|&shape| shape != Shape::Tiny) {
        for seed in 0..60 {
            let (bare, graph, observed) = with(None, shape, seed);
            assert_eq!(bare, graph);
            let wrong = |feature: &Feature| match (feature, shape) {
                // Cases of a switch may share a target; rungs may lead back to the first block.
                (Feature::MultiEdges, Shape::Wide) => false,
                (Feature::EntryLoop, Shape::LoopsOnly) => {
                    bare.len() > 1 && observed.contains(*feature)
                }
                (feature, _) => observed.contains(*feature),
            };
            assert_eq!(never.iter().find(|feature| wrong(feature)), None, "{shape} {seed}");
        }
    }
}

#[test]
fn no_feature_takes_a_graph_past_its_limit() {
    for shape in Shape::ALL {
        for seed in 0..60 {
            for most in [1, 2, 3, 5, 9] {
                let case = from_seed_shape(seed, shape, most).case;
                assert!(case.program.functions.iter().all(|f| f.blocks.len() <= most));
            }
        }
    }
}

#[test]
fn every_feature_is_drawn_wherever_it_fits() {
    for feature in Feature::ALL {
        for shape in shapes_for(feature) {
            let drawn = |&seed: &u64| from_seed_shape(seed, shape, 4).features.contains(feature);
            assert!((0..2000).any(|seed| drawn(&seed)), "{feature:?} {shape}");
        }
    }
}
