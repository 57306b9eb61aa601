//! The references against definitions that are slower still, and against graphs known by heart.

use super::dominators::Dominators;
use super::graph::{Graph, GraphKind};
use super::liveness::Liveness;
use super::loops::natural_loops;
use super::postorder::why_no_postorder;
use super::reducible::is_reducible;
use super::second_opinion::SecondOpinion;
use crate::testing::{graph_function, random_function};
use backedge_core::ir::{Block, Function, Local};
use cranelift_entity::EntityRef;
use std::collections::BTreeSet;
use std::path::PathBuf;

/// Every source of the references, by its path, without tests.
fn sources() -> Vec<(String, String)> {
    let mut folders = vec![PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/src/reference"))];
    let mut sources = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            match path.file_name().unwrap().to_str().unwrap() {
                "tests" | "tests.rs" => {}
                _ if path.is_dir() => folders.push(path),
                _ => {
                    let text = std::fs::read_to_string(&path).unwrap();
                    let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
                    sources.push((path.display().to_string(), code.to_owned()));
                }
            }
        }
    }
    sources
}

/// What of `core` is data: of the IR, of Machine IR, and answers.
const DATA: [(&str, &[&str]); 4] = [
    (
        "::ir::",
        &[
            "BinaryOp",
            "Block",
            "BlockData",
            "Extern",
            "Function",
            "Inst",
            "Local",
            "LocalData",
            "Name",
            "Op",
            "Opaque",
            "Operand",
            "Operands",
            "Place",
            "Program",
            "Target",
            "Terminator",
            "TerminatorKind",
            "Type",
        ],
    ),
    (
        "::machine::",
        &[
            "Access",
            "Alu",
            "AluImm",
            "Cond",
            "FrameSlot",
            "MBlock",
            "MFunction",
            "MInst",
            "MOp",
            "MTarget",
            "MTerm",
            "MTermKind",
            "Reg",
            "RegOperand",
            "RegOperands",
            "RegSet",
            "reg::PHYSICAL",
        ],
    ),
    (
        "::thunks::form::",
        &[
            "Bind",
            "End",
            "Goal",
            "Loop",
            "Match",
            "Node",
            "On",
            "Region",
            "RegionData",
            "RegionFunction",
            "RegionProgram",
            "Select",
        ],
    ),
    ("::regalloc::", &["Allocation", "Edit", "Location", "Point", "Registers"]),
];

/// What of `core` a source names besides data.
fn forbidden(source: &str) -> Vec<String> {
    let code: String = source
        .lines()
        .map(|line| line.split("//").next().unwrap_or_default())
        .collect::<Vec<_>>()
        .join(" ");
    let uses = code.split("backedge_core").skip(1).map(|rest| rest.split(';').next());
    let mut bad: Vec<String> =
        uses.flatten().filter(|path| !is_data(path)).map(str::to_owned).collect();
    let sets = ["cranelift_bitset", "EntitySet", "BitSet", "fixedbitset", "crate::core_subject"];
    bad.extend(sets.into_iter().filter(|name| code.contains(name)).map(str::to_owned));
    bad
}

/// Whether a path into `core`, which may end in a list, names data alone.
fn is_data(path: &str) -> bool {
    DATA.iter().any(|(module, data)| {
        path.strip_prefix(module).is_some_and(|names| {
            let mut names = names.trim_matches(['{', '}', ' ', ',']).split(',');
            names.all(|name| data.contains(&name.trim()))
        })
    })
}

#[test]
fn references_use_nothing_of_core_but_data() {
    let sources = sources();
    assert!(sources.len() > 9);
    for (file, source) in sources {
        assert_eq!(forbidden(&source), Vec::<String>::new(), "in {file}");
    }
}

#[test]
fn the_scan_can_fail() {
    for source in [
        "use backedge_core::cfg::Cfg;",
        "use backedge_core::dataflow;",
        "use backedge_core::ir::{Block, adapter};",
        "use backedge_core::ir;",
        "use backedge_core::machine::{MFunction, lower};",
        "use backedge_core::regalloc::Interference;",
        "use backedge_core as core;",
        "let graph = backedge_core::cfg::Cfg::build(f);",
        "use cranelift_entity::EntitySet;",
    ] {
        assert_ne!(forbidden(source), Vec::<String>::new(), "{source}");
    }
    assert_eq!(forbidden("use backedge_core::ir::{Block, Function};"), Vec::<String>::new());
}

/// Every shape of up to `blocks` blocks, at random.
fn random_graphs(blocks: usize) -> impl Iterator<Item = (u64, Graph)> {
    (0..3000).map(move |seed| (seed, Graph::new(&random_function(seed, blocks))))
}

#[test]
fn petgraph_agrees() {
    for (seed, graph) in random_graphs(12) {
        let second = SecondOpinion::new(&graph);
        let dominators = Dominators::new(&graph);
        let loops = natural_loops(&graph, &dominators);
        assert_eq!(second.on_reachable(dominators.reachable()), None, "seed {seed}");
        assert_eq!(second.on_idom(&dominators), None, "seed {seed}");
        assert_eq!(second.on_loops(&loops), None, "seed {seed}");
        assert_eq!(second.on_reducible(is_reducible(&graph)), None, "seed {seed}");
    }
}

#[test]
fn petgraph_can_disagree() {
    let graph = Graph::new(&graph_function(&[&[1], &[1, 2], &[]]));
    let other = Graph::new(&graph_function(&[&[1, 2], &[2], &[1]]));
    let second = SecondOpinion::new(&other);
    let dominators = Dominators::new(&graph);
    assert!(second.on_reachable(&[true, true, false]).is_some());
    assert!(second.on_idom(&dominators).is_some());
    assert!(second.on_loops(&natural_loops(&graph, &dominators)).is_some());
    assert!(second.on_reducible(is_reducible(&graph)).is_some());
}

/// The postorders of all depth-first searches, by trying every successor at every step.
fn all_postorders(graph: &Graph) -> BTreeSet<Vec<Block>> {
    let mut found = BTreeSet::new();
    let mut open = vec![(vec![Block::new(0)], vec![Block::new(0)], Vec::new())];
    while let Some((mut path, seen, mut left)) = open.pop() {
        let Some(&last) = path.last() else {
            found.insert(left);
            continue;
        };
        let entered = |to: &Block| !seen.contains(to);
        let next: BTreeSet<Block> =
            graph.edges_out(last).iter().map(|edge| edge.to).filter(entered).collect();
        for &to in &next {
            let more = |list: &[Block]| [list, &[to]].concat();
            open.push((more(&path), more(&seen), left.clone()));
        }
        if next.is_empty() {
            left.push(last);
            path.pop();
            open.push((path, seen, left));
        }
    }
    found
}

fn permutations(count: usize) -> Vec<Vec<Block>> {
    let mut all = vec![Vec::new()];
    for block in (0..count).map(Block::new) {
        let insert = |list: &Vec<Block>, at: usize| {
            let mut list = list.clone();
            list.insert(at, block);
            list
        };
        all = all.iter().flat_map(|list| (0..=list.len()).map(|at| insert(list, at))).collect();
    }
    all
}

#[test]
fn a_postorder_is_accepted_iff_some_search_makes_it() {
    let (mut accepted, mut rejected) = (0, 0);
    for (seed, graph) in random_graphs(5).take(1000) {
        let legal = all_postorders(&graph);
        let reachable = graph.reachable().into_iter().filter(|&reached| reached).count();
        for list in permutations(graph.block_count()) {
            let list = &list[..reachable];
            let accepts = why_no_postorder(&graph, list).is_none();
            assert_eq!(accepts, legal.contains(list), "seed {seed}: {list:?}, {legal:?}");
            *(if accepts { &mut accepted } else { &mut rejected }) += 1;
        }
    }
    assert!(accepted > 1000 && rejected > 1000, "{accepted} accepted, {rejected} rejected");
}

#[test]
fn a_postorder_lists_each_reachable_block_once() {
    let graph = Graph::new(&graph_function(&[&[1], &[], &[1]]));
    let list = |blocks: &[usize]| blocks.iter().map(|&b| Block::new(b)).collect::<Vec<_>>();
    assert!(why_no_postorder(&graph, &list(&[1, 0])).is_none());
    for wrong in [&[0, 1][..], &[1], &[0], &[], &[1, 1, 0], &[1, 0, 0], &[1, 2, 0], &[2, 1, 0]] {
        assert!(why_no_postorder(&graph, &list(wrong)).is_some(), "{wrong:?}");
    }
}

/// Loops as header and members, by number.
fn loops_of(successors: &[&[usize]]) -> Vec<(usize, Vec<usize>)> {
    let graph = Graph::new(&graph_function(successors));
    let loops = natural_loops(&graph, &Dominators::new(&graph));
    let members = |inside: Vec<bool>| (0..inside.len()).filter(|&block| inside[block]).collect();
    loops.into_iter().map(|(header, inside)| (header.index(), members(inside))).collect()
}

#[test]
fn loops_known_by_heart() {
    assert_eq!(loops_of(&[&[1], &[2], &[]]), []);
    assert_eq!(loops_of(&[&[0]]), [(0, vec![0])]);
    assert_eq!(loops_of(&[&[1], &[2, 3], &[1], &[]]), [(1, vec![1, 2])]);
    assert_eq!(loops_of(&[&[1], &[2, 3, 4], &[1], &[1], &[]]), [(1, vec![1, 2, 3])]);
    let nested = [(1, vec![1, 2, 3]), (2, vec![2])];
    assert_eq!(loops_of(&[&[1], &[2, 4], &[2, 3], &[1], &[]]), nested);
    // Two ways into the cycle: no block dominates the other, so there is no natural loop.
    assert_eq!(loops_of(&[&[1, 2], &[2], &[1]]), []);
    // A block that the entry does not reach is in no loop.
    assert_eq!(loops_of(&[&[1], &[1], &[1]]), [(1, vec![1])]);
}

#[test]
fn kinds_known_by_heart() {
    let kind = |successors: &[&[usize]]| {
        let kind = GraphKind::of(&graph_function(successors));
        (kind.reducible, kind.never_returns)
    };
    assert_eq!(kind(&[&[]]), (true, false));
    assert_eq!(kind(&[&[0]]), (true, true));
    assert_eq!(kind(&[&[1, 2], &[2], &[1]]), (false, true));
    assert_eq!(kind(&[&[1, 2], &[2, 3], &[1], &[]]), (false, false));
    assert_eq!(kind(&[&[1, 2], &[1], &[]]), (true, true), "one way out is not enough");
    assert_eq!(kind(&[&[], &[1]]), (true, false), "what is unreachable does not count");
    assert_eq!(kind(&[&[], &[2, 3], &[3], &[2]]), (true, false), "nor here");
    assert!(!GraphKind::of(&Function::new("empty")).never_returns);
}

/// Whether a forward search for a read of `local` from before instruction `inst` succeeds.
fn live_forward(function: &Function, block: Block, inst: usize, local: Local) -> bool {
    let mut seen = BTreeSet::new();
    let mut open = vec![(block, inst)];
    while let Some((block, inst)) = open.pop() {
        if !seen.insert((block, inst)) {
            continue;
        }
        let data = &function.blocks[block];
        let (mut reads, mut writes) = (false, false);
        if let Some(data) = data.insts.get(inst) {
            data.for_each_use(|used| reads |= used == local);
            data.for_each_def(|def| writes |= def == local);
            if !reads && !writes {
                open.push((block, inst + 1));
            }
        } else {
            data.term.kind.for_each_use(|used| reads |= used == local);
            for slot in 0..data.term.kind.targets().len() {
                let assigned = data.term.kind.edge_def(slot) == Some(local);
                match edge_forward(function, block, slot, local) {
                    Edge::Read if !assigned => reads = true,
                    Edge::Goes(to) if !assigned => open.push((to, 0)),
                    _ => {}
                }
            }
        }
        if reads {
            return true;
        }
    }
    false
}

enum Edge {
    Read,
    Assigned,
    Goes(Block),
}

fn edge_forward(function: &Function, block: Block, slot: usize, local: Local) -> Edge {
    let target = function.blocks[block].term.kind.target(slot).unwrap();
    if target.args.iter().any(|argument| argument.local() == Some(local)) {
        Edge::Read
    } else if function.blocks[target.block].params.contains(&local) {
        Edge::Assigned
    } else {
        Edge::Goes(target.block)
    }
}

#[test]
fn liveness_agrees_with_a_search_forward() {
    for seed in 0..1500 {
        let function = random_function(seed, 7);
        let graph = Graph::new(&function);
        let liveness = Liveness::new(&function, &graph);
        let set = |is_live: &dyn Fn(Local) -> bool| -> Vec<Local> {
            function.locals.keys().filter(|&local| is_live(local)).collect()
        };
        let on_edge = |block, slot, local| match edge_forward(&function, block, slot, local) {
            Edge::Read => true,
            Edge::Assigned => false,
            Edge::Goes(to) => live_forward(&function, to, 0, local),
        };
        for (block, data) in &function.blocks {
            for inst in 0..=data.insts.len() {
                let expected = set(&|local| live_forward(&function, block, inst, local));
                assert_eq!(liveness.before(block, inst), expected, "seed {seed}");
            }
            for inst in 0..data.insts.len() {
                assert_eq!(liveness.after(block, inst), liveness.before(block, inst + 1));
            }
            let slots = data.term.kind.targets().len();
            for slot in 0..slots {
                let edge = graph.edge_number(block, slot).unwrap();
                let expected = set(&|local| on_edge(block, slot, local));
                assert_eq!(liveness.edge(edge), expected, "seed {seed}");
            }
            let out = set(&|local| (0..slots).any(|slot| on_edge(block, slot, local)));
            assert_eq!(liveness.live_out(block), out, "seed {seed}");
            assert_eq!(liveness.after(block, data.insts.len()), out, "seed {seed}");
            assert_eq!(liveness.live_in(block), liveness.before(block, 0), "seed {seed}");
            assert_eq!(graph.edge_number(block, slots), None);
        }
    }
}
