//! What holds of every case, whatever the bytes.

mod contents;
mod faults;
mod features;
mod shapes;
mod ssa;

use super::*;
use backedge_core::ir::validate::validate;
use backedge_core::ir::{Function, text};
use cranelift_entity::EntityRef;

/// The functions of a shape's first seeds.
fn functions(shape: Shape, seeds: u64) -> Vec<(u64, Function)> {
    let case = |seed| from_seed_shape(seed, shape, Config::default().max_blocks).case;
    let functions = |seed| case(seed).program.functions.into_iter().map(move |f| (seed, f));
    (0..seeds).flat_map(functions).collect()
}

/// The graph of a function.
fn graph_of(function: &Function) -> Graph {
    let mut graph = Graph::with_nodes(function.blocks.len());
    for (block, data) in &function.blocks {
        data.term.kind.for_each_target(|to| graph.edge(block.index(), to.block.index()));
    }
    graph
}

/// Byte strings of all lengths up to a few thousand, some with much of one value in them.
fn byte_strings(count: u64) -> impl Iterator<Item = Vec<u8>> {
    (0..count).map(|index| {
        let mut random = seed::SplitMix::new(index);
        let len = (random.next() % 12) as u32;
        let mut bytes = random.bytes((random.clone().next() % (1 << len)) as usize);
        if index % 3 == 0 {
            let fill = if index % 2 == 0 { 0 } else { 255 };
            bytes.iter_mut().filter(|byte| **byte < 100).for_each(|byte| *byte = fill);
        }
        bytes
    })
}

#[test]
fn every_byte_string_gives_a_valid_program() {
    let config = Config::default();
    for (index, bytes) in byte_strings(20_000).enumerate() {
        let Generated { case, shape, .. } = from_bytes(&bytes, &config);
        let mistakes = validate(&case.program);
        assert!(mistakes.is_empty(), "{shape} of {bytes:?}: {mistakes:?}");
        if index % 16 == 0 {
            let text = text::print(&case.program);
            assert_eq!(text::parse(&text).as_ref(), Ok(&case.program), "{shape} of {bytes:?}");
        }
        let mut functions = case.program.functions.iter();
        assert!(functions.all(|function| (1..=config.max_blocks).contains(&function.blocks.len())));
    }
}

#[test]
fn no_bytes_give_the_smallest_program() {
    let program = from_bytes(&[], &Config::default()).case.program;
    assert_eq!(program.functions.len(), 1);
    assert_eq!(program.functions[0].blocks.len(), 1);
    assert_eq!(program.functions[0].inst_count(), 0);
}

#[test]
fn a_seed_decides_the_case() {
    let config = Config::default();
    for seed in 0..200 {
        let first = from_seed(seed, &config);
        let again = from_seed_shape(seed, first.shape, config.max_blocks);
        assert_eq!(first.case, again.case);
    }
    let shapes: Vec<Shape> = (0..200).map(|seed| from_seed(seed, &config).shape).collect();
    assert!(Shape::ALL.iter().all(|shape| shapes.contains(shape)));
}

#[test]
fn functions_have_the_size_that_is_promised() {
    let config = Config::default();
    let cases = (0..2000).map(|seed| from_seed(seed, &config).case.program);
    let functions: Vec<_> = cases.flat_map(|program| program.functions).collect();
    let mean = |total: usize| total as f64 / functions.len() as f64;
    let blocks = mean(functions.iter().map(|function| function.blocks.len()).sum());
    let insts = mean(functions.iter().map(|function| function.inst_count()).sum());
    assert!((11.0..13.0).contains(&blocks), "{blocks} blocks in the mean");
    assert!((110.0..130.0).contains(&insts), "{insts} instructions in the mean");
}
