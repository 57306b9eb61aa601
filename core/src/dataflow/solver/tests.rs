use super::*;
use crate::cfg::testing::{
    Graph, any_graph, block, chain, graph, ladder, nest, on_small_stack, reach,
};
use proptest::prelude::*;
use std::collections::BTreeSet;

/// Forward: the blocks, as bits, that some path from the entry has passed. Backward: the blocks that
/// some path to an exit will pass.
struct Passed<const FORWARD: bool>;

impl<const FORWARD: bool> Analysis for Passed<FORWARD> {
    const DIRECTION: Direction = if FORWARD { Direction::Forward } else { Direction::Backward };
    type State = u64;

    fn bottom(&mut self) -> u64 {
        0
    }

    fn boundary(&mut self, _: Block, state: &mut u64) {
        *state |= 1 << 63;
    }

    fn join(&mut self, into: &mut u64, from: &u64) -> bool {
        let before = *into;
        *into |= from;
        *into != before
    }

    fn transfer_block(&mut self, block: Block, state: &mut u64) {
        if *state != 0 {
            *state |= 1 << block.index();
        }
    }
}

/// The lengths of paths from the entry, up to 63, as bits; each edge counts one.
struct Lengths;

impl Analysis for Lengths {
    const DIRECTION: Direction = Direction::Forward;
    type State = u64;

    fn bottom(&mut self) -> u64 {
        0
    }

    fn boundary(&mut self, _: Block, state: &mut u64) {
        *state |= 1;
    }

    fn join(&mut self, into: &mut u64, from: &u64) -> bool {
        let before = *into;
        *into |= from;
        *into != before
    }

    fn transfer_block(&mut self, _: Block, _: &mut u64) {}

    fn transfer_edge(&mut self, _: Edge, _: EdgeData, state: &mut u64) {
        *state <<= 1;
    }
}

#[test]
fn forward_with_edges() {
    let graph = graph(&[&[1, 2], &[2], &[], &[2]]);
    let cfg = Cfg::build(&graph);
    let solution = solve(&mut Lengths, &cfg);
    let states = cfg.blocks().map(|block| *solution.incoming(block));
    assert_eq!(states.collect::<Vec<_>>(), [0b1, 0b10, 0b110, 0]);
}

#[test]
fn one_visit_a_block_without_cycles() {
    let graph = chain(100);
    assert_eq!(solve(&mut Lengths, &Cfg::build(&graph)).visits(), 100);
}

#[test]
fn the_same_result_twice() {
    let graph = ladder(50);
    let cfg = Cfg::build(&graph);
    let [first, second] = [(), ()].map(|()| solve(&mut Passed::<true>, &cfg));
    assert_eq!(first.visits(), second.visits());
    assert!(cfg.blocks().all(|block| first.outgoing(block) == second.outgoing(block)));
}

/// A join that drops what it had, and one that says nothing changed.
struct Lying {
    forgets: bool,
}

impl Analysis for Lying {
    const DIRECTION: Direction = Direction::Forward;
    type State = u64;

    fn bottom(&mut self) -> u64 {
        0
    }

    fn join(&mut self, into: &mut u64, from: &u64) -> bool {
        let before = *into;
        *into = if self.forgets { *from } else { *into | from };
        self.forgets && *into != before
    }

    fn transfer_block(&mut self, block: Block, state: &mut u64) {
        *state |= 1 << block.index();
    }
}

#[test]
#[cfg(debug_assertions)]
#[should_panic = "rightly whether it changed"]
fn a_join_that_hides_a_change_is_caught() {
    solve(&mut Lying { forgets: false }, &Cfg::build(&graph(&[&[1], &[]])));
}

#[test]
#[cfg(debug_assertions)]
#[should_panic = "upper bound"]
fn a_join_that_forgets_is_caught() {
    solve(&mut Lying { forgets: true }, &Cfg::build(&graph(&[&[1, 2], &[2], &[]])));
}

/// Which block heads pass a fact inward, and which outward: level `k` of a nest makes the facts `k`
/// (for what lies inside) and `k + 1000` (for what lies around).
struct Levels {
    depth: usize,
}

impl Analysis for Levels {
    const DIRECTION: Direction = Direction::Backward;
    type State = BTreeSet<usize>;

    fn bottom(&mut self) -> BTreeSet<usize> {
        BTreeSet::new()
    }

    fn join(&mut self, into: &mut BTreeSet<usize>, from: &BTreeSet<usize>) -> bool {
        let before = into.len();
        into.extend(from);
        into.len() > before
    }

    fn transfer_block(&mut self, block: Block, state: &mut BTreeSet<usize>) {
        let index = block.index();
        if index < self.depth {
            state.remove(&index);
            state.insert(index + 1000);
        } else {
            state.insert(2 * self.depth - 1 - index);
        }
    }
}

#[test]
fn deep_nests_take_few_sweeps() {
    let graph = nest(400);
    let solution = solve(&mut Levels { depth: 200 }, &Cfg::build(&graph));
    assert!(solution.visits() <= 5 * 400, "{} visits", solution.visits());
    assert_eq!(solution.outgoing(block(200)).len(), 400);
}

#[test]
fn large_graphs_on_a_small_stack() {
    on_small_stack(|| {
        for graph in [chain(100_000), ladder(100_000), nest(100_000)] {
            let cfg = Cfg::build(&graph);
            assert_eq!(*solve(&mut Never, &cfg).incoming(cfg.entry()), ());
            assert_eq!(solve(&mut Never, &cfg).visits(), 100_000);
        }
    });
}

/// Nothing to know.
struct Never;

impl Analysis for Never {
    const DIRECTION: Direction = Direction::Backward;
    type State = ();

    fn bottom(&mut self) {}

    fn join(&mut self, _: &mut (), _: &()) -> bool {
        false
    }

    fn transfer_block(&mut self, _: Block, _: &mut ()) {}
}

fn bits(blocks: impl IntoIterator<Item = Block>) -> u64 {
    blocks.into_iter().fold(0, |bits, block| bits | 1 << block.index())
}

fn between(cfg: &Cfg<'_>, from: Block, to: Block) -> bool {
    reach(cfg, from, None).contains(&to)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]
    #[test]
    fn both_directions_agree_with_paths(graph in any_graph()) {
        let cfg = Cfg::build(&graph);
        let forward = solve(&mut Passed::<true>, &cfg);
        let backward = solve(&mut Passed::<false>, &cfg);
        for block in cfg.blocks() {
            let from_entry = between(&cfg, cfg.entry(), block);
            let passed = cfg.blocks().filter(|&over| {
                between(&cfg, cfg.entry(), over) && between(&cfg, over, block)
            });
            let expected = if from_entry { bits(passed) | 1 << 63 } else { 0 };
            prop_assert_eq!(*forward.outgoing(block), expected);
            let to_exit = |from| cfg.exits().any(|exit| between(&cfg, from, exit));
            let passed = cfg.blocks().filter(|&over| between(&cfg, block, over) && to_exit(over));
            let expected = if to_exit(block) { bits(passed) | 1 << 63 } else { 0 };
            prop_assert_eq!(*backward.outgoing(block), expected);
        }
    }

    #[test]
    fn visits_are_bounded_by_the_height(Graph(successors) in any_graph()) {
        let graph = Graph(successors);
        let cfg = Cfg::build(&graph);
        let height = 1 + cfg.block_count();
        let solution = solve(&mut Passed::<true>, &cfg);
        prop_assert!(solution.visits() <= cfg.block_count() * (1 + height));
    }
}
