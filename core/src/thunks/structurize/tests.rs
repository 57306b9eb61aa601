use super::{Bound, structurize_blocks};
use crate::ir::{Program, text};
use crate::thunks::families;
use crate::thunks::testing::{Dice, agree, run, run_regions};
use crate::thunks::{RegionFunction, RegionProgram, text as regions, validate};

pub(super) fn parse(source: &str) -> Program {
    text::parse(source).unwrap_or_else(|mistakes| panic!("{mistakes:#?}\n{source}"))
}

/// The structured form of the first function: valid, within the bound, and read back.
pub(super) fn structured(program: &Program) -> RegionFunction {
    let function = &program.functions[0];
    let structured = structurize_blocks(function).unwrap();
    let bound = Bound::of(function);
    let nodes: usize = structured.regions.values().map(|data| data.nodes.len()).sum();
    assert!(nodes <= bound.nodes, "{nodes} nodes, {bound:?}");
    assert!(structured.regions.len() <= bound.regions, "{bound:?}");
    let out = RegionProgram {
        externs: program.externs.clone(),
        memory: program.memory,
        functions: vec![structured.clone()],
        ..RegionProgram::default()
    };
    assert_eq!(validate::validate(&out), [], "{}", regions::print(&out));
    structured
}

/// Structured forms of any graphs do as the graphs do, on any tape.
#[test]
fn any_graph_does_the_same() {
    for seed in 0..3_000 {
        let mut dice = Dice(seed);
        let program = dice.function(if seed % 4 == 0 { 12 } else { 6 });
        let structured = structured(&program);
        for _ in 0..6 {
            let tape = dice.tape();
            let [original, other] =
                [run(&program.functions[0], &tape), run_regions(&structured, &tape)];
            assert!(
                agree(&original, &other),
                "seed {seed}, {tape:?}: {original:?}\n{other:?}\n{}\n{}",
                text::print(&program),
                regions::print_function(&structured)
            );
        }
    }
}

/// The families at full size: within the bound, and within seconds all the way.
#[test]
fn hard_families_stay_linear() {
    let all = [
        families::chain(100_000),
        families::diamonds(33_000),
        families::ladder(50_000),
        families::nest(10_000),
        families::nest(50_000),
        families::irreducible_nest(3_000),
        families::complete(300),
        families::fallthrough(10_000),
        families::fallthrough(100_000),
        families::early_exits(100_000),
    ];
    for function in all {
        let external = crate::ir::Extern {
            name: "g".into(),
            params: vec![crate::ir::Type::Int],
            ret: Some(crate::ir::Type::Int),
            span: Default::default(),
        };
        let program =
            Program { externs: vec![external], functions: vec![function], ..Program::default() };
        let function = &program.functions[0];
        let start = std::time::Instant::now();
        let form = structurize_blocks(function).unwrap();
        let middle = std::time::Instant::now();
        let lowered = crate::thunks::lower(&form);
        eprintln!(
            "{}: {} blocks, {} regions, {} blocks, {:?}, {:?}",
            function.name,
            function.blocks.len(),
            form.regions.len(),
            lowered.blocks.len(),
            middle - start,
            middle.elapsed(),
        );
        structured(&program);
    }
}
