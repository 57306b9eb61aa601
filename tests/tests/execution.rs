//! Programs whose results are known beforehand, run by the interpreter and as machine code: with few and
//! with all registers, by the simplest allocator and by those of `core`.

use backedge_core::ir::text::parse;
use backedge_core::ir::{Directive, Program};
use backedge_core::machine::reg::MOST_REGISTERS;
use backedge_oracle::check::{Case, Check, Verdict, execute::ExecuteCheck};
use backedge_oracle::core_subject::Core;
use backedge_oracle::measures::{Count, Measures, configuration};
use backedge_oracle::reference::interpreter;
use backedge_oracle::run::Limits;
use backedge_oracle::subject::Subject;
use backedge_oracle::tape::{self, Tape};
use backedge_tests::filetest::{files, render};
use backedge_tests::spill::Spilled;
use std::fmt::Write;

/// How many registers each program is allocated with.
const REGISTERS: [usize; 4] = [3, 4, 6, MOST_REGISTERS];

fn parsed(text: &str) -> Program {
    parse(text).unwrap_or_else(|wrong| panic!("{}", render(text, &wrong)))
}

/// Holds the machine code of a program to the interpreter: with every value spilled first, which is
/// nothing to go wrong in an allocator.
fn runs_on_the_machine(name: &str, program: &Program) {
    let subjects: [&mut dyn Subject; 2] = [&mut Spilled, &mut Core::default()];
    for subject in subjects {
        for count in REGISTERS {
            let case = Case { program: with_registers(program, count) };
            let mut measures = Measures::default();
            let verdict = ExecuteCheck.judge_and_measure(&case, subject, &mut measures);
            let who = format!("{} with {count} registers", subject.name());
            assert_eq!(verdict, Verdict::Pass, "{name}: {who}");
            let tapes = tape::tapes(program).expect("they can be read").len() as u64;
            for allocator in subject.allocators() {
                let of = configuration(allocator.name(), count);
                assert_eq!(measures.get(&of, Count::Runs), tapes, "{name}: {of}");
            }
        }
    }
}

fn with_registers(program: &Program, count: usize) -> Program {
    let mut program = program.clone();
    program.directives.retain(|directive| directive.key != tape::REGISTERS);
    let [key, value] = [tape::REGISTERS.to_owned(), count.to_string()];
    program.directives.push(Directive { key, value, span: Default::default() });
    program
}

/// Where a tape is followed by what comes of it: `;; ending: returned 3` and, if it says so, the calls
/// of externs in order, without `@`.
#[test]
fn programs_do_what_their_files_say() {
    let all = ["execute", "regalloc"].into_iter().flat_map(|folder| files(folder, "cfg"));
    for (path, text) in all {
        let name = path.display().to_string();
        let program = parsed(&text);
        let mut tapes = 0;
        let mut run = None;
        for directive in &program.directives {
            match &*directive.key {
                tape::TAPE => {
                    let tape = Tape::parse(&directive.value).expect("a tape");
                    run = Some(interpreter::run(&program, &tape, Limits::default()));
                    tapes += 1;
                }
                "ending" => {
                    let run = run.as_ref().expect("a tape before");
                    assert_eq!(run.ending.to_string(), directive.value, "{name}, tape {tapes}");
                }
                "trace" => {
                    let trace = &run.as_ref().expect("a tape before").trace;
                    let calls: Vec<String> = trace.iter().map(ToString::to_string).collect();
                    let calls = calls.join(", ").replace('@', "");
                    assert_eq!(calls, directive.value, "{name}, tape {tapes}");
                }
                "check" => {}
                other => panic!("{name}: what is `{other}`?"),
            }
        }
        let endings = program.directives("ending").count();
        assert_eq!((tapes, tapes > 0), (endings, true), "{name}: an ending for every tape");
        runs_on_the_machine(&name, &program);
    }
}

/// 300 values that are all live at once, and a frame of more than 2 KiB.
#[test]
fn a_large_frame() {
    let mut text = String::from("extern @next() -> int\nfn @main() -> int {\nentry:\n");
    let mut tape = String::from(";; tape: ");
    let mut expected = 0_i64;
    for index in 0..300_i64 {
        let _ = writeln!(text, "  %v{index} = call @next()");
        let _ = write!(tape, "{}{}", if index > 0 { ", " } else { "" }, index * index - 7);
    }
    text += "  %s0 = const 0\n";
    // The oldest last, each sum three times the one before, so that the order counts.
    for (index, value) in (0..300_i64).rev().enumerate() {
        let _ = writeln!(text, "  %t{index} = mul %s{index}, 3");
        let _ = writeln!(text, "  %s{} = add %t{index}, %v{value}", index + 1);
        expected = expected.wrapping_mul(3).wrapping_add(value * value - 7);
    }
    text += "  return %s300\n}\n";
    let program = parsed(&format!("{tape}\n{text}"));
    let tapes = tape::tapes(&program).expect("they can be read");
    let run = interpreter::run(&program, &tapes[0], Limits::default());
    assert_eq!(run.ending.to_string(), format!("returned {expected}"));
    runs_on_the_machine("a large frame", &program);
}

/// A loop around arms of 2000 instructions each: no conditional branch reaches across one.
#[test]
fn branches_out_of_range() {
    let mut text = String::from(
        "extern @way() -> int\nfn @main() -> int {\nentry:\n  jump head(1)\nhead(%x: int):\n  \
         try_call %w = @way(), choose, unwind done\nchoose:\n  branch %w, left, right\n",
    );
    for (arm, factor) in [("left", 3), ("right", 5)] {
        let _ = writeln!(text, "{arm}:\n  %{arm}0 = copy %x");
        for index in 0..1000 {
            let _ = writeln!(text, "  %{arm}m{index} = mul %{arm}{index}, {factor}");
            let _ = writeln!(text, "  %{arm}{} = add %{arm}m{index}, 1", index + 1);
        }
        let _ = writeln!(text, "  jump head(%{arm}1000)");
    }
    text += "done:\n  return %x\n}\n";
    let tapes = ";; tape: 1, 0, unwind\n;; tape: unwind\n;; tape: 0, 0\n";
    let program = parsed(&format!("{tapes}{text}"));
    let mut expected = 1_i64;
    for factor in [3, 5] {
        for _ in 0..1000 {
            expected = expected.wrapping_mul(factor).wrapping_add(1);
        }
    }
    let tapes = tape::tapes(&program).expect("they can be read");
    let run = interpreter::run(&program, &tapes[0], Limits::default());
    assert_eq!(run.ending.to_string(), format!("returned {expected}"));
    runs_on_the_machine("branches out of range", &program);
}
