//! Hand-written machine code, run: the convention with the environment, expansions, frames, far jumps, and
//! code that goes wrong in every way that the emulator tells apart.

mod build;
mod conformance;
mod expansions;
mod wrong;

use super::*;
use crate::tape::Answer;
use backedge_core::machine::{AluImm, Cond, FrameSlot, MOp, MTermKind};
use build::*;

#[test]
fn parameters_come_from_the_tape_eight_in_registers_the_rest_on_the_stack() {
    let mut insts = vec![inst(MOp::LoadImm(0), &[def(T1)])];
    for index in 0..11 {
        // sum = 3 * sum + argument, so that the order counts.
        let argument = if index < 8 {
            a(index)
        } else {
            insts.push(inst(MOp::FrameLoad(FrameSlot::Incoming(index - 8)), &[def(T2)]));
            T2
        };
        insts.push(alu(Alu::Add, S1, T1, T1));
        insts.push(alu(Alu::Add, T1, S1, T1));
        insts.push(alu(Alu::Add, T1, T1, argument));
    }
    insts.push(inst(MOp::Move, &[def(A0), reads(T1)]));
    let mut main = function("main", vec![returning(insts)]);
    main.saved = RegSet::of([S1]);
    let program = program(
        "fn @main(%a: int, %b: int, %c: int, %d: int, %e: int, %f: int, %g: int, \
        %h: int, %i: int, %j: int, %k: int) -> int {\nentry:\n  return 0\n}\n",
    );
    let image = assemble(&program, &[main]);
    let tape = "1, -2, 3, unwind, 5, 6, -7, 8, 9, 10, 11";
    let values = [1, -2, 3, 0, 5, 6, -7, 8, 9, 10, 11];
    let expected = values.iter().fold(0, |sum, value| 3 * sum + value);
    assert_eq!(run(&image, tape).ending, Ending::Returned(Some(expected)));
    assert_eq!(run(&image, "1, 2").ending, Ending::TapeExhausted);
}

/// Calls an extern with twelve arguments, and catches.
fn twelve_arguments(catches: bool) -> (backedge_core::ir::Program, MFunction) {
    let program = program(
        "extern @probe(int, int, int, int, int, int, int, int, int, int, int, int) -> int\n\
         fn @main() -> int {\nentry:\n  return 0\n}\n",
    );
    let mut insts = Vec::new();
    for index in 0..4 {
        insts.push(inst(MOp::LoadImm(108 + i64::from(index)), &[def(T1)]));
        insts.push(inst(MOp::FrameStore(FrameSlot::Outgoing(index)), &[reads(T1)]));
    }
    for index in 0..8 {
        insts.push(inst(MOp::LoadImm(100 + i64::from(index)), &[def(a(index))]));
    }
    insts.push(call("probe", catches));
    let mut main = if catches {
        let caught = returning(vec![inst(MOp::LoadImm(-1), &[def(A0)])]);
        let branch = branch(Cond::Ne, A1, Reg::ZERO, 1, 2);
        function("main", vec![block(insts, branch), caught, returning(vec![])])
    } else {
        function("main", vec![returning(insts)])
    };
    main.outgoing_words = 4;
    (program, main)
}

#[test]
fn externs_get_their_arguments_and_answer_from_the_tape() {
    let (program, main) = twelve_arguments(true);
    let image = assemble(&program, &[main]);
    let event = Event::Call { callee: "probe".into(), args: (100..112).collect() };
    for (tape, ending) in [
        ("7", Ending::Returned(Some(7))),
        ("unwind", Ending::Returned(Some(-1))),
        ("", Ending::TapeExhausted),
    ] {
        let run = run(&image, tape);
        assert_eq!((run.ending, run.trace), (ending, vec![event.clone()]), "{tape}");
    }
}

#[test]
fn an_unwind_that_nobody_catches_ends_the_run() {
    let (program, main) = twelve_arguments(false);
    let image = assemble(&program, &[main]);
    assert_eq!(run(&image, "unwind").ending, Ending::Unwound);
    assert_eq!(run(&image, "7").ending, Ending::Returned(Some(7)));
}

#[test]
fn functions_resume_and_runs_end() {
    let program = program(
        "fn @main() -> int {\nentry:\n  return 0\n}\nfn @callee() {\nentry:\n  return\n}\n",
    );
    let resuming = function("callee", vec![block(vec![load(A1, 1)], term(MTermKind::Return, &[]))]);
    let plain = function("main", vec![returning(vec![call("callee", false), load(A0, 3)])]);
    let image = assemble(&program, &[plain.clone(), resuming.clone()]);
    assert_eq!(run(&image, "").ending, Ending::Unwound);
    let main = vec![call("callee", true), inst(MOp::Move, &[def(A0), reads(A1)]), load(A1, 0)];
    let catching = function("main", vec![block(main, term(MTermKind::Return, &[]))]);
    let image = assemble(&program, &[resuming.clone(), catching]);
    assert_eq!(run(&image, "").ending, Ending::Returned(Some(1)));
    let leaving = vec![call("callee", true)];
    let leaving = function("main", vec![block(leaving, term(MTermKind::Return, &[]))]);
    let image = assemble(&program, &[leaving, resuming]);
    assert_eq!(run(&image, "").ending, Ending::Unwound);
    let stuck = function("callee", vec![block(vec![], term(MTermKind::Unreachable, &[]))]);
    let image = assemble(&program, &[plain, stuck]);
    assert_eq!(run(&image, "").ending, Ending::Unreachable);
}

#[test]
fn a_run_leaves_nothing_behind() {
    let program = program("memory 4\nfn @main(%n: int) -> int {\nentry:\n  return 0\n}\n");
    // Adds the argument to the word that it names, and returns what the word is then.
    let insts = vec![
        inst(MOp::MemoryAddress { words: 4 }, &[RegOperand::writes_early(T1), reads(A0)]),
        inst(MOp::Load, &[def(T2), reads(T1)]),
        alu(Alu::Add, A0, T2, A0),
        inst(MOp::Store, &[reads(T1), reads(A0)]),
    ];
    let image = assemble(&program, &[function("main", vec![returning(insts)])]);
    for (tape, memory) in [("5", [0, 5, 0, 0]), ("3", [0, 0, 0, 3]), ("-4", [-4, 0, 0, 0])] {
        let run = run(&image, tape);
        assert_eq!(run.memory, memory);
        assert_eq!(run.ending, Ending::Returned(memory.iter().find(|word| **word != 0).copied()));
    }
}

#[test]
fn larger_code_leaves_nothing_in_the_memory_of_smaller_code() {
    let large = program("fn @main() -> int {\nentry:\n  return 0\n}\n");
    let insts = (0..3000).map(|_| load(A0, 1)).collect();
    let large = assemble(&large, &[function("main", vec![returning(insts)])]);
    let small = program("memory 512\nfn @main(%n: int) -> int {\nentry:\n  return 0\n}\n");
    let insts = vec![
        inst(MOp::MemoryAddress { words: 512 }, &[RegOperand::writes_early(T1), reads(A0)]),
        inst(MOp::Load, &[def(A0), reads(T1)]),
    ];
    let small = assemble(&small, &[function("main", vec![returning(insts)])]);
    let mut emulator = lend().expect("an emulator");
    assert!(large.code.len() as u64 > u64::from(small.data_offset) + small.data_bytes);
    assert_eq!(emulator.run(&large, &Tape::default(), 10_000).fault, None);
    for word in [0, 100, 511] {
        let tape = Tape(vec![Answer::Value(word)]);
        assert_eq!(emulator.run(&small, &tape, 100).run.ending, Ending::Returned(Some(0)));
    }
}

#[test]
fn a_run_that_does_not_end_is_given_up() {
    let program = program("fn @main() {\nentry:\n  return\n}\n");
    let endless = function("main", vec![block(vec![], jump(0))]);
    let run = run(&assemble(&program, &[endless]), "");
    assert_eq!((run.ending, run.steps), (Ending::OutOfFuel, BUDGET));
    let mut recursive = function("main", vec![returning(vec![call("main", false)])]);
    recursive.spill_bytes = 100_000;
    let image = assemble(&program, &[recursive]);
    let run = super::tests::run(&image, "");
    assert_eq!(run.ending, Ending::OutOfFuel);
    assert!(run.steps < BUDGET);
}

#[test]
fn making_an_emulator_leaves_no_file_and_no_other_directory() {
    let before = std::env::current_dir().expect("there is one");
    drop(lend().expect("an emulator"));
    assert_eq!(std::env::current_dir().expect("there is one"), before);
    assert!(!before.join("rvemu.dts").exists());
}
