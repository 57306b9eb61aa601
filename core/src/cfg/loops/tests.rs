use super::*;
use crate::cfg::testing::{Graph, any_graph, block, chain, graph, ladder, nest, numbers};
use crate::cfg::testing::{on_small_stack, reach};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// Calls `look` with the loops of the graph.
fn with_loops<T>(graph: &Graph, look: impl FnOnce(&Cfg<'_>, &Loops<'_>) -> T) -> T {
    let cfg = Cfg::build(graph);
    let loops = Loops::new(&cfg, &Postorder::new(&cfg), &Dominators::new(&cfg));
    look(&cfg, &loops)
}

/// Header, depth and sorted body of each loop.
fn summary(loops: &Loops<'_>) -> Vec<(usize, u32, Vec<usize>)> {
    let body = |of| numbers(loops.blocks(of).iter().copied().collect::<BTreeSet<_>>());
    loops.iter().map(|of| (loops.header(of).index(), loops.depth(of), body(of))).collect()
}

#[test]
fn single_loop() {
    with_loops(&graph(&[&[1], &[2, 3], &[1], &[]]), |cfg, loops| {
        assert_eq!(summary(loops), [(1, 1, vec![1, 2])]);
        let only = loops.headed_by(block(1)).expect("a header");
        assert_eq!(loops.headed_by(block(2)), None);
        assert_eq!(loops.block_depth(block(3)), 0);
        let ends = |edge| (cfg.edge(edge).from.index(), cfg.edge(edge).to.index());
        assert_eq!(loops.exits(only).map(ends).collect::<Vec<_>>(), [(1, 3)]);
        assert_eq!(loops.back_edges(only).map(ends).collect::<Vec<_>>(), [(2, 1)]);
        assert!(loops.is_reducible());
    });
}

#[test]
fn several_back_edges_are_one_loop() {
    with_loops(&graph(&[&[1], &[2, 3], &[1], &[1, 4], &[]]), |_, loops| {
        assert_eq!(summary(loops), [(1, 1, vec![1, 2, 3])]);
        assert_eq!(loops.back_edges(Loop::new(0)).count(), 2);
    });
}

#[test]
fn nested_loops() {
    with_loops(&graph(&[&[1], &[2, 5], &[3, 4], &[2], &[1], &[]]), |_, loops| {
        assert_eq!(summary(loops), [(1, 1, vec![1, 2, 3, 4]), (2, 2, vec![2, 3])]);
        let [outer, inner] = [Loop::new(0), Loop::new(1)];
        assert_eq!(loops.parent(inner), Some(outer));
        assert_eq!(loops.innermost(block(4)), Some(outer));
        assert_eq!(loops.innermost(block(3)), Some(inner));
        assert!(loops.is_nested(outer, inner) && !loops.is_nested(inner, outer));
        assert_eq!(loops.blocks(inner)[0], block(2));
    });
}

#[test]
fn self_loop_on_the_entry() {
    with_loops(&graph(&[&[0, 1], &[1]]), |_, loops| {
        assert_eq!(summary(loops), [(0, 1, vec![0]), (1, 1, vec![1])]);
    });
}

#[test]
fn parallel_back_edges() {
    with_loops(&graph(&[&[1], &[1, 1]]), |_, loops| {
        assert_eq!(summary(loops), [(1, 1, vec![1])]);
        assert_eq!(loops.back_edges(Loop::new(0)).count(), 2);
    });
}

#[test]
fn unreachable_cycles_are_no_loops() {
    with_loops(&graph(&[&[1], &[1], &[3, 1], &[2]]), |_, loops| {
        assert_eq!(summary(loops), [(1, 1, vec![1])]);
        assert!(loops.is_reducible());
    });
}

#[test]
fn irreducible_cycle_inside_of_a_loop() {
    with_loops(&graph(&[&[1], &[2, 3], &[3], &[2, 4], &[1]]), |_, loops| {
        assert_eq!(summary(loops), [(1, 1, vec![1, 2, 3, 4])]);
        assert!(!loops.is_reducible());
        assert_eq!(loops.irreducible_edges().len(), 1);
    });
}

#[test]
fn large_graphs_on_a_small_stack() {
    on_small_stack(|| {
        let deepest = |graph: Graph| {
            with_loops(&graph, |cfg, loops| {
                let depths = cfg.blocks().map(|block| loops.block_depth(block));
                (loops.len(), depths.max(), loops.is_reducible())
            })
        };
        assert_eq!(deepest(chain(100_000)), (0, Some(0), true));
        assert_eq!(deepest(ladder(100_000)), (1, Some(1), false));
        assert_eq!(deepest(nest(100_000)), (50_000, Some(50_000), true));
    });
}

/// Collapses self-loops and blocks with one predecessor until nothing changes.
fn collapses(cfg: &Cfg<'_>) -> bool {
    let mut succs: BTreeMap<Block, BTreeSet<Block>> = reach(cfg, cfg.entry(), None)
        .into_iter()
        .map(|block| (block, cfg.succ_blocks(block).collect()))
        .collect();
    loop {
        for (block, to) in &mut succs {
            to.remove(block);
        }
        let merge = succs.keys().copied().filter(|&block| block != cfg.entry()).find_map(|block| {
            let mut preds = succs.iter().filter(|(_, to)| to.contains(&block));
            let only = *preds.next()?.0;
            preds.next().is_none().then_some((only, block))
        });
        let Some((into, block)) = merge else { break };
        let moved = succs.remove(&block).unwrap_or_default();
        let to = succs.entry(into).or_default();
        to.remove(&block);
        to.extend(moved);
    }
    succs.len() == 1
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]
    #[test]
    fn agrees_with_the_definition(graph in any_graph()) {
        let cfg = Cfg::build(&graph);
        let dominators = Dominators::new(&cfg);
        let loops = Loops::new(&cfg, &Postorder::new(&cfg), &dominators);
        prop_assert_eq!(loops.is_reducible(), collapses(&cfg));
        let mut expected: BTreeMap<Block, BTreeSet<Block>> = BTreeMap::new();
        for (_, edge) in cfg.edges() {
            if dominators.is_reachable(edge.from) && dominators.dominates(edge.to, edge.from) {
                let body = expected.entry(edge.to).or_insert_with(|| [edge.to].into());
                body.extend(cfg.blocks().filter(|&block| {
                    dominators.is_reachable(block)
                        && reach(&cfg, block, Some(edge.to)).contains(&edge.from)
                }));
            }
        }
        let found = loops.iter().map(|of| {
            (loops.header(of), loops.blocks(of).iter().copied().collect::<BTreeSet<_>>())
        });
        prop_assert_eq!(found.collect::<BTreeMap<_, _>>(), expected.clone());
        for block in cfg.blocks() {
            let around = expected.values().filter(|body| body.contains(&block));
            prop_assert_eq!(loops.block_depth(block) as usize, around.count());
            for of in loops.iter() {
                let inside = expected[&loops.header(of)].contains(&block);
                prop_assert_eq!(loops.contains(of, block), inside);
            }
        }
    }
}
