//! All graphs of up to 4 blocks in which a block has up to two successors.
//!
//! A block returns, jumps, or branches; a branch may name one block twice, and its arms have no
//! order. Blocks that the entry does not reach count as well. Two graphs are the same when a
//! renumbering that keeps the entry turns one into the other; of each class the table has the first
//! in the order of codes. There are 3 graphs of one block, 36 of two, 520 of three and 8,820 of four:
//! 9,379, of which 450 are irreducible.
//!
//! A block's code is its successors as a pair of digits up to n, where n stands for none; a graph's
//! code is its blocks' digits in a row.

use crate::generate::graph::{Graph, Node};
use std::sync::OnceLock;

/// Most blocks of a graph in the table.
pub(crate) const MAX_BLOCKS: usize = 4;

/// The successors of each block, as sorted pairs; the number of blocks stands for "none".
type Code = [[u8; 2]; MAX_BLOCKS];

/// The graphs, by number of blocks, and where each number starts.
struct Table {
    graphs: Vec<(u8, Code)>,
    ends: [usize; MAX_BLOCKS + 1],
}

/// How many graphs there are.
pub fn count() -> usize {
    count_up_to(MAX_BLOCKS)
}

/// How many graphs of at most `blocks` blocks there are. They come first.
pub(crate) fn count_up_to(blocks: usize) -> usize {
    table().ends[blocks.min(MAX_BLOCKS)]
}

/// The graph with this index, counted from 0 and modulo [`count`].
pub(crate) fn graph(index: usize) -> Graph {
    let (blocks, code) = table().graphs[index % count()];
    let blocks = blocks as usize;
    let mut graph = Graph::with_nodes(blocks);
    for (from, arms) in code[..blocks].iter().enumerate() {
        for &to in arms.iter().filter(|&&to| (to as usize) < blocks) {
            graph.edge(from, to as Node);
        }
    }
    graph
}

fn table() -> &'static Table {
    static TABLE: OnceLock<Table> = OnceLock::new();
    TABLE.get_or_init(|| {
        let mut table = Table { graphs: Vec::new(), ends: [0; MAX_BLOCKS + 1] };
        for blocks in 1..=MAX_BLOCKS {
            enumerate(blocks, &mut table.graphs);
            table.ends[blocks] = table.graphs.len();
        }
        table
    })
}

/// Adds the first graph of each class, by counting through all codes as an odometer does.
fn enumerate(blocks: usize, graphs: &mut Vec<(u8, Code)>) {
    let options = options(blocks);
    let renumberings = renumberings(blocks);
    let mut digits = [0; MAX_BLOCKS];
    loop {
        let code = digits.map(|digit| options[digit]);
        if renumberings.iter().all(|new| renumbered(&code, new, blocks) >= code) {
            graphs.push((blocks as u8, code));
        }
        let Some(place) = (0..blocks).rev().find(|&place| digits[place] + 1 < options.len()) else {
            return;
        };
        digits[place] += 1;
        digits[place + 1..].fill(0);
    }
}

/// What a block can do, in the order of codes.
fn options(blocks: usize) -> Vec<[u8; 2]> {
    let none = blocks as u8;
    let pairs = (0..none).flat_map(|a| (a..=none).map(move |b| [a, b]));
    pairs.chain([[none, none]]).collect()
}

/// All ways to renumber the blocks that leave the entry alone: `new[old]`.
fn renumberings(blocks: usize) -> Vec<[u8; MAX_BLOCKS + 1]> {
    let mut all = vec![[0, 1, 2, 3, 4]];
    for place in 1..blocks {
        for index in 0..all.len() {
            for other in place + 1..blocks {
                let mut new = all[index];
                new.swap(place, other);
                all.push(new);
            }
        }
    }
    all
}

fn renumbered(code: &Code, new: &[u8; MAX_BLOCKS + 1], blocks: usize) -> Code {
    let mut result = *code;
    for (old, arms) in code[..blocks].iter().enumerate() {
        let mut arms = arms.map(|to| new[to as usize]);
        arms.sort_unstable();
        result[new[old] as usize] = arms;
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn class_counts() -> [usize; MAX_BLOCKS] {
        let ends = table().ends;
        std::array::from_fn(|index| ends[index + 1] - ends[index])
    }

    /// Burnside: the mean number of codes that a renumbering fixes. A renumbering fixes as many as
    /// there are choices for one block of each of its cycles that the rest of the cycle can follow.
    #[test]
    fn counts_are_burnsides() {
        assert_eq!(class_counts(), [1, 2, 3, 4].map(burnside));
        assert_eq!(class_counts(), [3, 36, 520, 8820]);
        assert_eq!(count(), 9379);
    }

    fn burnside(blocks: usize) -> usize {
        let all = permutations(blocks);
        let fixed: usize = all.iter().map(|new| fixed_codes(new)).sum();
        fixed / all.len()
    }

    /// Permutations of `0..blocks` that fix 0.
    fn permutations(blocks: usize) -> Vec<Vec<usize>> {
        let mut all = vec![vec![0]];
        for value in 1..blocks {
            let insert = |shorter: &Vec<usize>| -> Vec<Vec<usize>> {
                (1..=shorter.len())
                    .map(|at| {
                        let mut longer = shorter.clone();
                        longer.insert(at, value);
                        longer
                    })
                    .collect()
            };
            all = all.iter().flat_map(insert).collect();
        }
        all
    }

    /// How many labelled graphs `new` maps to themselves, counted one by one.
    fn fixed_codes(new: &[usize]) -> usize {
        let blocks = new.len();
        let mut arms: Vec<Vec<usize>> = vec![vec![]];
        arms.extend((0..blocks).map(|a| vec![a]));
        arms.extend((0..blocks).flat_map(|a| (a..blocks).map(move |b| vec![a, b])));
        let total = arms.len().pow(blocks as u32);
        let choice =
            |code: usize, block: usize| &arms[code / arms.len().pow(block as u32) % arms.len()];
        let fixes = |code: &usize| {
            (0..blocks).all(|block| {
                let mut image: Vec<usize> =
                    choice(*code, block).iter().map(|&to| new[to]).collect();
                image.sort_unstable();
                &image == choice(*code, new[block])
            })
        };
        (0..total).filter(fixes).count()
    }

    #[test]
    fn classes_are_told_apart_by_brute_force() {
        for blocks in 1..=3 {
            let graphs: Vec<Graph> =
                (0..count()).map(graph).filter(|graph| graph.len() == blocks).collect();
            let orbits: BTreeSet<BTreeSet<Vec<Vec<Node>>>> = graphs.iter().map(orbit).collect();
            assert_eq!(orbits.len(), graphs.len(), "no two of {blocks} blocks are the same");
        }
    }

    /// All relabelled forms of a graph.
    fn orbit(graph: &Graph) -> BTreeSet<Vec<Vec<Node>>> {
        let relabel = |new: &Vec<usize>| {
            let mut form = vec![Vec::new(); graph.len()];
            for from in 0..graph.len() {
                let mut arms: Vec<Node> = graph.succs(from).iter().map(|&to| new[to]).collect();
                arms.sort_unstable();
                form[new[from]] = arms;
            }
            form
        };
        permutations(graph.len()).iter().map(relabel).collect()
    }

    #[test]
    fn smaller_graphs_come_first() {
        let sizes: Vec<usize> = (0..count()).map(|index| graph(index).len()).collect();
        assert!(sizes.is_sorted());
        assert_eq!(count_up_to(1), 3);
        assert_eq!(count_up_to(100), count());
        assert_eq!(graph(count() + 5), graph(5));
    }
}
