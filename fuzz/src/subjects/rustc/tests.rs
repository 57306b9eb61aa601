use super::read::paths;
use super::*;
use crate::generate::{Config, Shape, from_seed_shape};
use backedge_core::ir::text::parse;
use backedge_oracle::check::drops::DropsCheck;
use backedge_oracle::check::{Case, Check, Verdict};

#[test]
fn move_paths_are_read() {
    let found = paths("_2, (_3.0: R), ((_4.1: (R, R)).0: R), (_3.1: (R, (R,)))");
    let expected = [(2, vec![]), (3, vec![0]), (3, vec![1]), (4, vec![1, 0])];
    assert_eq!(found.into_iter().collect::<Vec<_>>(), expected);
    assert!(paths("").is_empty());
}

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
    let mut judged = 0;
    for function in generated {
        let text = backedge_core::ir::text::print_function(&function);
        let mut program = backedge_core::ir::Program::default();
        program.functions.push(function);
        match DropsCheck.judge(&Case { program }, &mut Rustc::default()) {
            Verdict::Pass => judged += 1,
            Verdict::Skip(_) => {}
            other => panic!("{other:?}\n{text}"),
        }
    }
    assert!(judged > 5, "{judged} functions were judged");
}
