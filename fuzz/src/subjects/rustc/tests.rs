use super::*;
use crate::generate::{Config, Shape, from_seed_shape};
use backedge_core::ir::text::parse;
use backedge_oracle::check::drops::DropsCheck;
use backedge_oracle::check::{Case, Check, Verdict};

/// Whether there is a rustc whose dumps can be read; the tests pass without one.
fn is_there() -> bool {
    let text = "fn @f() {\na:\n  %p = new\n  drop %p\n  return\n}\n";
    let program = parse(text).expect("the text is right");
    let function = &program.functions[0];
    let answer = DropClassifier::drops(&mut Rustc::default(), function, Unwinding::Always);
    if let Err(why) = &answer {
        eprintln!("not tested with rustc: {why}");
    }
    answer.is_ok()
}

/// The judge passes what rustc says of the examples, and of some generated functions.
#[test]
fn rustc_passes() {
    if !is_there() {
        return;
    }
    let config = Config::default();
    let generated = (0..60).flat_map(|seed| {
        let shape = [Shape::Goto, Shape::Irreducible][seed as usize % 2];
        let program = from_seed_shape(seed, shape, config.max_blocks.min(12)).case.program;
        program.functions
    });
    let mut programs = Vec::new();
    for function in generated {
        let mut program = Program::default();
        program.functions.push(function);
        programs.push(program);
    }
    let mut rustc = Rustc::default();
    rustc.foresee(&programs.iter().collect::<Vec<_>>());
    assert!(rustc.known.len() > 40, "all are compiled at once");
    let (mut judged, mut unwinding) = (0, 0);
    for program in programs {
        let function = &program.functions[0];
        let text = backedge_core::ir::text::print_function(function);
        let cleanup = cleanup::Cleanup::new(function);
        unwinding += usize::from(function.blocks.keys().any(|block| cleanup.is_cleanup(block)));
        match DropsCheck.judge(&Case { program }, &mut rustc) {
            Verdict::Pass => judged += 1,
            Verdict::Skip(_) => {}
            other => panic!("{other:?}\n{text}"),
        }
    }
    assert!(judged > 5, "{judged} functions were judged");
    eprintln!("{unwinding} have cleanup blocks");
}
