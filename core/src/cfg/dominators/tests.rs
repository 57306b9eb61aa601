use super::*;
use crate::cfg::testing::{Graph, reach};
use crate::cfg::testing::{any_graph, block, chain, graph, ladder, nest, numbers, on_small_stack};
use proptest::prelude::*;

fn idoms(graph: &Graph) -> Vec<Option<usize>> {
    let cfg = Cfg::build(graph);
    let dominators = Dominators::new(&cfg);
    cfg.blocks().map(|block| dominators.idom(block).map(|idom| idom.index())).collect()
}

#[test]
fn diamond() {
    let graph = graph(&[&[1, 2], &[3], &[3], &[]]);
    assert_eq!(idoms(&graph), [None, Some(0), Some(0), Some(0)]);
    let cfg = Cfg::build(&graph);
    let dominators = Dominators::new(&cfg);
    assert_eq!(numbers(dominators.children(block(0))), [2, 3, 1]);
    assert_eq!(numbers(dominators.children(block(3))), []);
    assert_eq!(numbers(dominators.ancestors(block(3))), [3, 0]);
}

#[test]
fn loop_with_exit_in_the_middle() {
    assert_eq!(
        idoms(&graph(&[&[1], &[2], &[3, 4], &[1], &[]])),
        [None, Some(0), Some(1), Some(2), Some(2)]
    );
}

#[test]
fn two_entries_into_a_cycle() {
    assert_eq!(idoms(&graph(&[&[1, 2], &[2], &[1]])), [None, Some(0), Some(0)]);
}

#[test]
fn entry_with_predecessors() {
    assert_eq!(idoms(&graph(&[&[1], &[0, 2], &[0]])), [None, Some(0), Some(1)]);
}

#[test]
fn unreachable_blocks_dominate_only_themselves() {
    let graph = graph(&[&[1], &[], &[1, 3], &[2]]);
    let cfg = Cfg::build(&graph);
    let dominators = Dominators::new(&cfg);
    assert_eq!(idoms(&graph), [None, Some(0), None, None]);
    assert!(dominators.dominates(block(2), block(2)));
    assert!(!dominators.dominates(block(2), block(3)));
    assert!(!dominators.dominates(block(0), block(2)));
    assert!(!dominators.dominates(block(2), block(1)));
    assert!(dominators.dominated(block(2)).is_empty());
    assert_eq!(dominators.children(block(2)).count(), 0);
}

#[test]
fn no_blocks() {
    let graph = graph(&[]);
    assert!(Dominators::new(&Cfg::build(&graph)).preorder().is_empty());
}

#[test]
fn large_graphs_on_a_small_stack() {
    on_small_stack(|| {
        for graph in [chain(100_000), ladder(100_000), nest(100_000)] {
            let cfg = Cfg::build(&graph);
            assert_eq!(Dominators::new(&cfg).preorder().len(), 100_000);
        }
    });
}

/// A long chain whose ends both branch to the same leaves: quadratic for schemes that climb the tree
/// block by block.
#[test]
fn leaves_far_below_their_dominator() {
    let (length, leaves) = (50_000, 50_000);
    let to_leaves = || length..length + leaves;
    let mut successors: Vec<Vec<usize>> = (0..length).map(|at| vec![at + 1]).collect();
    successors[0].extend(to_leaves());
    successors[length - 1] = to_leaves().collect();
    successors.resize(length + leaves, vec![]);
    let graph = Graph(successors);
    let cfg = Cfg::build(&graph);
    let dominators = Dominators::new(&cfg);
    assert!(to_leaves().all(|leaf| dominators.idom(block(leaf)) == Some(block(0))));
}

proptest! {
    /// `a` dominates `b` iff `b` can't be reached without `a`.
    #[test]
    fn agrees_with_the_definition(graph in any_graph()) {
        let cfg = Cfg::build(&graph);
        let dominators = Dominators::new(&cfg);
        let reachable = reach(&cfg, cfg.entry(), None);
        for above in cfg.blocks() {
            let cut = reach(&cfg, cfg.entry(), Some(above));
            let mut below: Vec<Block> = reachable.difference(&cut).copied().collect();
            for block in cfg.blocks() {
                let expected = above == block || below.contains(&block);
                prop_assert_eq!(dominators.dominates(above, block), expected);
            }
            let mut listed = dominators.dominated(above).to_vec();
            prop_assert_eq!(listed.first().copied(), Some(above).filter(|b| reachable.contains(b)));
            listed.sort();
            below.sort();
            prop_assert_eq!(listed, below);
            let children: Vec<Block> = dominators.children(above).collect();
            let expected: Vec<Block> =
                cfg.blocks().filter(|&block| dominators.idom(block) == Some(above)).collect();
            prop_assert_eq!(children.len(), expected.len());
            prop_assert!(expected.iter().all(|block| children.contains(block)));
        }
        for block in cfg.blocks() {
            let strict = |above: &Block| dominators.strictly_dominates(*above, block);
            let closest = cfg.blocks().filter(strict).max_by_key(|&above| {
                cfg.blocks().filter(|&other| dominators.dominates(other, above)).count()
            });
            prop_assert_eq!(dominators.idom(block), closest);
        }
    }
}
