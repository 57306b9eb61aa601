use super::*;
use crate::cfg::testing::{block, on_small_stack};
use crate::dataflow::testing::{Toy, ToyEdge, ToyInst, any_toy, inst, to};
use proptest::prelude::*;
use std::collections::BTreeSet;

type Set = BTreeSet<u32>;

fn list(values: impl IntoIterator<Item = Value>) -> Vec<u32> {
    values.into_iter().map(Value::as_u32).collect()
}

/// Calls `look` with the liveness of the code, in either representation.
fn with_liveness(code: &Toy, look: impl Fn(&PointLiveness<'_, Toy>)) {
    let cfg = Cfg::build(code);
    for form in [Representation::Dense, Representation::Shared] {
        look(&Liveness::solve_with(code, &cfg, form).at_points());
    }
}

/// Live-in and live-out of each block.
fn ends(code: &Toy) -> Vec<(Vec<u32>, Vec<u32>)> {
    let cfg = Cfg::build(code);
    let liveness = Liveness::solve(code, &cfg);
    let ends = |block| (list(liveness.live_in(block)), list(liveness.live_out(block)));
    cfg.blocks().map(ends).collect()
}

#[test]
fn straight_line() {
    let insts = vec![inst(&[0], &[]), inst(&[1], &[0, 2]), inst(&[], &[1])];
    with_liveness(&Toy::new(3, [(&[], insts, vec![])]), |liveness| {
        let entry = block(0);
        assert_eq!(list(liveness.live_in(entry)), [2]);
        assert_eq!(list(liveness.exposed_uses(entry).to_vec()), [2]);
        assert_eq!(list(liveness.defs(entry).to_vec()), [0, 1]);
        let before = |inst| list(liveness.before(entry, inst));
        assert_eq!([before(0), before(1), before(2)], [vec![2], vec![0, 2], vec![1]]);
        assert_eq!(list(liveness.after(entry, 2)), []);
        assert_eq!(list(liveness.last_uses(entry, 1)), [0, 2]);
        assert_eq!(liveness.max_pressure(), 2);
    });
}

#[test]
fn an_instruction_reads_before_it_overwrites() {
    let code = Toy::new(1, [(&[], vec![inst(&[0], &[0]), inst(&[], &[0])], vec![])]);
    assert_eq!(ends(&code), [(vec![0], vec![])]);
    with_liveness(&code, |liveness| assert_eq!(list(liveness.last_uses(block(0), 0)), [0]));
}

#[test]
fn a_use_on_one_branch_does_not_reach_the_other() {
    let code = Toy::new(
        2,
        [
            (&[], vec![], vec![to(1, &[]), to(2, &[])]),
            (&[], vec![inst(&[], &[0])], vec![]),
            (&[], vec![inst(&[], &[1])], vec![]),
        ],
    );
    with_liveness(&code, |liveness| {
        let [left, right] = [Edge::new(0), Edge::new(1)];
        assert_eq!(list(liveness.edge_live(left)), [0]);
        assert_eq!(list(liveness.edge_live(right)), [1]);
        assert_eq!(list(liveness.live_out(block(0))), [0, 1]);
        assert_eq!(liveness.released_on(left), [Value::from_u32(1)]);
    });
}

#[test]
fn a_phi_operand_is_live_on_its_edge_only() {
    let code = Toy::new(
        3,
        [
            (&[], vec![], vec![to(1, &[]), to(2, &[])]),
            (&[], vec![inst(&[0], &[])], vec![to(3, &[0])]),
            (&[], vec![inst(&[1], &[])], vec![to(3, &[1])]),
            (&[2], vec![inst(&[], &[2])], vec![]),
        ],
    );
    assert_eq!(
        ends(&code),
        [(vec![], vec![]), (vec![], vec![0]), (vec![], vec![1]), (vec![2], vec![])]
    );
}

#[test]
fn phi_swap_on_a_back_edge() {
    let code = Toy::new(
        2,
        [
            (&[], vec![inst(&[0, 1], &[])], vec![to(1, &[0, 1])]),
            (&[0, 1], vec![], vec![to(1, &[1, 0]), to(2, &[])]),
            (&[], vec![inst(&[], &[0])], vec![]),
        ],
    );
    assert_eq!(ends(&code), [(vec![], vec![0, 1]), (vec![0, 1], vec![0, 1]), (vec![0], vec![])]);
}

#[test]
fn parallel_edges_carry_different_operands() {
    let code = Toy::new(
        3,
        [(&[], vec![], vec![to(1, &[0]), to(1, &[1])]), (&[2], vec![inst(&[], &[2])], vec![])],
    );
    with_liveness(&code, |liveness| {
        assert_eq!(list(liveness.edge_live(Edge::new(0))), [0]);
        assert_eq!(list(liveness.edge_live(Edge::new(1))), [1]);
        assert_eq!(list(liveness.live_out(block(0))), [0, 1]);
    });
}

/// `%0 = call(%0)`, which unwinds to a block that reads the old `%0`.
#[test]
fn a_result_on_one_edge_leaves_the_old_value_to_the_other() {
    let call = ToyInst { call: true, ..inst(&[], &[1]) };
    let returns = ToyEdge { to: 1, defs: vec![0], uses: vec![] };
    let mut code = Toy::new(
        2,
        [
            (&[], vec![call], vec![returns, to(2, &[])]),
            (&[], vec![inst(&[], &[0])], vec![]),
            (&[], vec![inst(&[], &[0])], vec![]),
        ],
    );
    with_liveness(&code, |liveness| {
        assert_eq!(list(liveness.live_in(block(0))), [0, 1]);
        assert_eq!(list(liveness.live_across(block(0), 0)), [0]);
    });
    code.blocks[2].insts.clear();
    with_liveness(&code, |liveness| {
        assert_eq!(list(liveness.live_in(block(0))), [1]);
        assert_eq!(list(liveness.at_end(block(0))), []);
        assert_eq!(list(liveness.live_out(block(0))), [0]);
        assert_eq!(list(liveness.edge_live(Edge::new(1))), []);
        assert_eq!(list(liveness.live_across(block(0), 0)), []);
        assert_eq!(liveness.calls(block(0)).collect::<Vec<_>>(), [0]);
    });
}

#[test]
fn what_is_defined_for_nobody_interferes_and_is_released() {
    let insts = vec![inst(&[1], &[]), inst(&[], &[0])];
    with_liveness(&Toy::new(4, [(&[2], insts, vec![])]), |liveness| {
        assert_eq!(list(liveness.dead_defs(block(0), 0)), [1]);
        assert_eq!(list(liveness.dead_phis(block(0))), [2]);
        let pairs: Vec<_> =
            liveness.interference().pairs().map(|(a, b)| (a.as_u32(), b.as_u32())).collect();
        assert_eq!(pairs, [(0, 1), (0, 2)]);
        assert_eq!(liveness.pressure(block(0)), 2);
    });
}

#[test]
fn unreachable_blocks_follow_the_same_equations() {
    let code = Toy::new(
        1,
        [
            (&[], vec![], vec![]),
            (&[], vec![], vec![to(2, &[])]),
            (&[], vec![inst(&[], &[0])], vec![to(1, &[])]),
        ],
    );
    assert_eq!(ends(&code), [(vec![], vec![]), (vec![0], vec![0]), (vec![0], vec![0])]);
}

#[test]
fn a_loop_without_exit() {
    let code = Toy::new(
        2,
        [(&[], vec![], vec![to(1, &[])]), (&[], vec![inst(&[1], &[0])], vec![to(1, &[])])],
    );
    assert_eq!(ends(&code), [(vec![0], vec![0]), (vec![0], vec![0])]);
}

#[test]
fn no_blocks_and_no_values() {
    assert_eq!(ends(&Toy::default()), []);
    assert_eq!(ends(&Toy::new(0, [(&[], vec![inst(&[], &[])], vec![])])), [(vec![], vec![])]);
}

/// Loops that each have a counter, live in all loops inside: the sets hold 300 million values in all.
#[test]
fn a_deep_nest_on_a_small_stack() {
    on_small_stack(|| {
        let depth = 50_000;
        let header = |level: usize| {
            let counter = level as u32;
            let insts = vec![inst(&[counter], &[])];
            let inner = if level + 1 < depth { level + 1 } else { depth };
            (insts, vec![to(inner, &[])])
        };
        let latch = |at: usize| {
            let level = depth - 1 - at;
            let counter = level as u32;
            let mut edges = vec![to(level, &[counter])];
            edges.extend((level > 0).then(|| to(depth + at + 1, &[])));
            (vec![inst(&[], &[counter])], edges)
        };
        let mut code = Toy { values: depth, blocks: vec![] };
        for (insts, edges) in (0..depth).map(header).chain((0..depth).map(latch)) {
            let phis = vec![];
            code.blocks.push(crate::dataflow::testing::ToyBlock { phis, insts, edges });
        }
        let cfg = Cfg::build(&code);
        let liveness = Liveness::solve(&code, &cfg);
        assert_eq!(liveness.live_in(block(depth)).len(), depth);
        assert!(liveness.live_in(block(0)).is_empty());
    });
}

/// Reads liveness off the definition: is there a path to a use without a definition before?
struct Naive<'t> {
    code: &'t Toy,
}

impl Naive<'_> {
    /// Whether `value` is live before instruction `inst`, or at the end of the block.
    fn live_at(&self, value: u32, block: usize, inst: usize) -> bool {
        let (mut seen, mut work) = (BTreeSet::new(), vec![(block, inst)]);
        while let Some((block, inst)) = work.pop() {
            if !seen.insert((block, inst)) {
                continue;
            }
            let data = &self.code.blocks[block];
            if let Some(next) = data.insts.get(inst) {
                if next.uses.contains(&value) {
                    return true;
                }
                if !next.defs.contains(&value) {
                    work.push((block, inst + 1));
                }
                continue;
            }
            for edge in data.edges.iter().filter(|edge| !edge.defs.contains(&value)) {
                if edge.uses.contains(&value) {
                    return true;
                }
                if !self.code.blocks[edge.to].phis.contains(&value) {
                    work.push((edge.to, 0));
                }
            }
        }
        false
    }

    fn at(&self, block: usize, inst: usize) -> Set {
        (0..self.code.values as u32).filter(|&value| self.live_at(value, block, inst)).collect()
    }

    fn on_edge(&self, edge: &ToyEdge) -> Set {
        let mut live = self.at(edge.to, 0);
        live.retain(|value| !self.code.blocks[edge.to].phis.contains(value));
        live.extend(&edge.uses);
        live
    }

    /// Every set that must be kept apart at one point: at each point, and at each definition.
    fn crowds(&self) -> Vec<Set> {
        let mut crowds = vec![];
        for (index, block) in self.code.blocks.iter().enumerate() {
            let mut entry = self.at(index, 0);
            entry.extend(&block.phis);
            crowds.push(entry);
            for (at, inst) in block.insts.iter().enumerate() {
                crowds.push(self.at(index, at));
                let mut after = self.at(index, at + 1);
                after.extend(&inst.defs);
                crowds.push(after);
            }
            crowds.push(self.at(index, block.insts.len()));
            for edge in &block.edges {
                let mut live = self.on_edge(edge);
                live.extend(&edge.defs);
                crowds.push(live);
            }
        }
        crowds
    }

    /// Pairs as [`Interference`] defines them. What is live at the entry's start, at a dead
    /// definition and the like is in [`Naive::crowds`]; two dead results that nothing defines
    /// together are not.
    fn interference(&self) -> BTreeSet<(u32, u32)> {
        let mut pairs = BTreeSet::new();
        let mut keep_apart = |defs: &Set, live: &Set| {
            for &def in defs {
                let others = live.iter().chain(defs).filter(|&&other| other != def);
                pairs.extend(others.map(|&other| (def.min(other), def.max(other))));
            }
        };
        for (index, block) in self.code.blocks.iter().enumerate() {
            let entry = self.at(index, 0);
            keep_apart(&entry, &entry);
            keep_apart(&block.phis.iter().copied().collect(), &entry);
            for (at, inst) in block.insts.iter().enumerate() {
                let after = self.at(index, at + 1);
                keep_apart(&after, &after);
                keep_apart(&inst.defs.iter().copied().collect(), &after);
            }
            for edge in &block.edges {
                let live = self.on_edge(edge);
                keep_apart(&live, &live);
                keep_apart(&edge.defs.iter().copied().collect(), &live);
            }
        }
        pairs
    }
}

fn set(values: ValueSet<'_>) -> Set {
    values.iter().map(Value::as_u32).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]
    #[test]
    fn agrees_with_the_definition(code in any_toy()) {
        let naive = Naive { code: &code };
        with_liveness(&code, |liveness| {
            for (index, data) in code.blocks.iter().enumerate() {
                let end = data.insts.len();
                assert_eq!(set(liveness.live_in(block(index))), naive.at(index, 0));
                assert_eq!(set(liveness.at_end(block(index))), naive.at(index, end));
                let mut out = Set::new();
                for (edge, edge_data) in liveness.cfg().succs(block(index)).zip(&data.edges) {
                    let live = naive.on_edge(edge_data);
                    assert_eq!(set(liveness.edge_live(edge)), live);
                    out.extend(live);
                }
                assert_eq!(set(liveness.live_out(block(index))), out);
                for (at, inst) in data.insts.iter().enumerate() {
                    assert_eq!(set(liveness.before(block(index), at)), naive.at(index, at));
                    let after = if at + 1 < end { naive.at(index, at + 1) } else { out.clone() };
                    assert_eq!(set(liveness.after(block(index), at)), after);
                    let mut across = naive.at(index, at + 1);
                    across.retain(|value| !inst.defs.contains(value));
                    assert_eq!(list(liveness.live_across(block(index), at)), Vec::from_iter(across));
                }
            }
            let pairs = liveness.interference();
            let pairs = pairs.pairs().map(|(a, b)| (a.as_u32(), b.as_u32()));
            assert_eq!(pairs.collect::<BTreeSet<_>>(), naive.interference());
            let most = naive.crowds().iter().map(BTreeSet::len).max();
            assert_eq!(Some(liveness.max_pressure()), most);
        });
    }
}
