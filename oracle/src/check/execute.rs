//! The check `execute`: what the machine does with the code of a program, against what the interpreter does
//! with the program, on every tape.

mod compare;
#[cfg(test)]
mod tests;

use super::report::Report;
use super::{At, Case, Check, Verdict};
use crate::compile::{allocate_program, lower_program};
use crate::emulator;
use crate::measures::{self, Count, Measures};
use crate::reference::graph::Graph;
use crate::reference::interpreter::{Coverage, Interpreter};
use crate::run::{self, Ending, Limits, Run};
use crate::subject::{NoAnswer, Subject};
use crate::tape::{self, Tape};
use backedge_core::ir::{Block, Program};
use backedge_core::machine::{MFunction, reg};
use backedge_core::regalloc::Registers;
use backedge_core::riscv::{self, AssembleError};
use compare::difference;
use cranelift_entity::EntityRef;

/// The check `execute`.
pub struct ExecuteCheck;

const KINDS: &[&str] = &[
    "trace-differs",
    "result-differs",
    "ending-differs",
    "memory-differs",
    "callee-saved-lost",
    "bad-access",
    "panic",
    "crash",
    "timeout",
    "nonsense",
    "error",
];

impl Check for ExecuteCheck {
    fn name(&self) -> &'static str {
        "execute"
    }

    fn kinds(&self) -> &'static [&'static str] {
        KINDS
    }

    fn judges_whole_programs(&self) -> bool {
        true
    }

    fn judge(&self, case: &Case, subject: &mut dyn Subject) -> Verdict {
        self.judge_and_measure(case, subject, &mut Measures::default())
    }

    fn judge_and_measure(
        &self,
        case: &Case,
        subject: &mut dyn Subject,
        measures: &mut Measures,
    ) -> Verdict {
        let program = &case.program;
        let Some(start) = run::start(program) else {
            return Verdict::Skip("the program has no function".into());
        };
        let mut report = Report::new(self.name(), KINDS, start);
        match judge(program, subject, measures, &mut report) {
            Ok(()) => report.verdict(),
            Err(Stop::NoAnswer(why)) => report.no_answer(why).0,
            Err(Stop::Broken(why)) => Verdict::Broken(why),
        }
    }
}

/// Why nothing more is judged.
enum Stop {
    NoAnswer(NoAnswer),
    Broken(String),
}

impl From<NoAnswer> for Stop {
    fn from(why: NoAnswer) -> Stop {
        Stop::NoAnswer(why)
    }
}

/// A program in Machine IR, with what it does.
struct Expected<'p> {
    program: &'p Program,
    functions: Vec<MFunction>,
    runs: Vec<(Tape, Run)>,
}

fn judge(
    program: &Program,
    subject: &mut dyn Subject,
    measures: &mut Measures,
    report: &mut Report<'_>,
) -> Result<(), Stop> {
    let names: Vec<String> =
        subject.allocators().iter().map(|allocator| allocator.name().to_owned()).collect();
    if names.is_empty() {
        return Err(NoAnswer::Skip("the subject has no such analysis".into()).into());
    }
    let bad =
        |diagnostic: backedge_core::diagnostic::Diagnostic| NoAnswer::Skip(diagnostic.message);
    let mut tapes = tape::tapes(program).map_err(bad)?;
    let has_tapes = !tapes.is_empty();
    if !has_tapes {
        tapes.push(Tape::default());
    }
    let counts = match tape::registers(program).map_err(bad)? {
        Some(count) => vec![count],
        None => vec![reg::MOST_REGISTERS, reg::FEWEST_REGISTERS],
    };
    let functions = lower_program(program, subject)?;
    let interpreter = Interpreter::new(program);
    let mut coverage = Coverage::new(program);
    let of_tape = |tape: Tape| {
        let run = interpreter.run_observed(&tape, Limits::default(), &mut coverage);
        (tape, run)
    };
    let runs = tapes.into_iter().map(of_tape).collect();
    if has_tapes {
        measure_coverage(program, &coverage, measures);
    }
    let expected = Expected { program, functions, runs };
    for (number, name) in names.iter().enumerate() {
        for &count in &counts {
            let allocator = Allocator { number, name, count };
            judge_allocator(&expected, &allocator, subject, measures, report)?;
        }
    }
    Ok(())
}

/// Counts what the tapes cover of the function that is run.
fn measure_coverage(program: &Program, coverage: &Coverage, measures: &mut Measures) {
    let Some(start) = run::start(program) else { return };
    let index = program.functions.iter().take_while(|of| of.name != start.name).count();
    let graph = Graph::new(start);
    let reachable = graph.reachable();
    let is_reached = |block: Block| reachable[block.index()];
    let edges = graph.edges().iter().filter(|edge| is_reached(edge.from)).count();
    let (blocks_covered, edges_covered) = coverage.of_function(index);
    for (count, amount) in [
        (Count::Blocks, reachable.iter().filter(|&&reached| reached).count()),
        (Count::BlocksCovered, blocks_covered),
        (Count::Edges, edges),
        (Count::EdgesCovered, edges_covered),
    ] {
        measures.add("", count, amount as u64);
    }
}

/// One of the subject's, with so many registers.
struct Allocator<'n> {
    number: usize,
    name: &'n str,
    count: usize,
}

/// Runs the code of one allocation on every tape, up to the first difference.
fn judge_allocator(
    expected: &Expected<'_>,
    allocator: &Allocator<'_>,
    subject: &mut dyn Subject,
    measures: &mut Measures,
    report: &mut Report<'_>,
) -> Result<(), Stop> {
    let registers = Registers::new(allocator.count);
    let functions = allocate_program(&expected.functions, subject, allocator.number, &registers)?;
    let image = riscv::assemble(expected.program, &functions).map_err(not_assembled)?;
    let mut emulator = emulator::lend().map_err(|why| Stop::Broken(why.to_string()))?;
    let name = &measures::configuration(allocator.name, allocator.count);
    measures.add(name, Count::CodeBytes, image.code.len() as u64);
    for (tape, run) in &expected.runs {
        let budget = budget(run, &expected.functions);
        let outcome = emulator.run(&image, tape, budget);
        if let Some(found) = difference(run, &outcome) {
            let expected = format!("{} on the tape `{tape}`", found.expected);
            let answered = format!("{} by {name}", found.answered);
            report.add(found.kind, At::Function, expected, answered);
            return Ok(());
        }
        measures.add(name, Count::Runs, 1);
        measures.add(name, Count::Steps, run.steps);
        measures.add(name, Count::MachineSteps, outcome.run.steps);
    }
    Ok(())
}

/// Code that can't be encoded is no code; too much of it is nobody's fault.
fn not_assembled(error: AssembleError) -> NoAnswer {
    match error {
        AssembleError::TooMuchCode | AssembleError::TooMuchMemory(_) => {
            NoAnswer::Skip(error.to_string())
        }
        _ => NoAnswer::Nonsense(error.to_string()),
    }
}

/// Instructions that the machine may take. Where the program does not come to an end, a start of the
/// trace is all that is compared.
fn budget(run: &Run, functions: &[MFunction]) -> u64 {
    match run.ending {
        Ending::OutOfFuel => 2 * run.steps,
        _ => emulator::ample_budget(run.steps, functions),
    }
}
