//! Real MIR, from `corpus/mir`.

use super::clean;
use backedge_core::ir::{Function, Program, text, validate::validate};
use backedge_oracle::reference::{graph::Graph, liveness::Liveness};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

fn file(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus/mir");
    fs::read_to_string(folder.join(name)).expect("the corpus can be read")
}

/// The program of a file, of which all can be read: one function a head, one block a label, and its
/// text form reads as the same program.
fn whole(name: &str) -> Program {
    let source = file(name);
    let program = clean(&source).program;
    let heads = |line: &&str| {
        line.ends_with('{') && !line.starts_with([' ', '/']) && !line.starts_with("alloc")
    };
    // The head of a coroutine has its brace in a line of its own.
    let braces = source.lines().filter(|line| *line == " {").count();
    assert_eq!(program.functions.len(), source.lines().filter(heads).count() + braces, "{name}");
    let labels = |line: &&str| line.starts_with("    bb") && line.ends_with(": {");
    let blocks: usize = program.functions.iter().map(|function| function.blocks.len()).sum();
    assert_eq!(blocks, source.lines().filter(labels).count(), "{name}");
    assert_eq!(validate(&program), [], "{name}");
    assert_eq!(text::parse(&text::print(&program)).as_ref(), Ok(&program), "{name}");
    program
}

#[test]
fn all_of_a_crate_can_be_read() {
    for (name, functions, blocks) in [("sink.debug.mir", 32, 219), ("sink.release.mir", 32, 185)] {
        let program = whole(name);
        let found: usize = program.functions.iter().map(|function| function.blocks.len()).sum();
        assert_eq!((program.functions.len(), found), (functions, blocks), "{name}");
    }
}

#[test]
fn mir_as_first_built_can_be_read() {
    assert_eq!(whole("built.mir").functions.len(), 1);
}

/// `bb1: _2 _3` for each block that can be reached; rustc says nothing of others.
fn live_in(function: &Function) -> Vec<String> {
    let graph = Graph::new(function);
    let liveness = Liveness::new(function, &graph);
    let reachable = graph.reachable();
    let line = |block| {
        let number = |name: &str| name[1..].parse::<u32>().expect("a number");
        let names = liveness.live_in(block).iter().map(|&local| &function.locals[local].name);
        let numbers: BTreeSet<u32> = names.map(|name| number(name)).collect();
        let names = numbers.iter().map(|number| format!(" _{number}"));
        format!("{}:{}", function.blocks[block].name, names.collect::<String>())
    };
    function.blocks.keys().filter(|block| reachable[block.as_u32() as usize]).map(line).collect()
}

#[test]
fn liveness_is_what_rustc_says() {
    let mut found = Vec::new();
    for function in &whole("live.mir").functions {
        found.push(format!("@{}", function.name));
        found.extend(live_in(function));
    }
    let expected = file("live.txt");
    assert_eq!(found, expected.lines().collect::<Vec<_>>());
}
