//! `backedge run`: runs a program, by the interpreter or as machine code in the emulator.

mod trace;

use super::code::{Code, bad_directive, parse_tape};
use super::output::{note, print};
use super::{Color, Failure, Outcome};
use crate::input::{self, Format as InputFormat};
use backedge_core::ir::Program;
use backedge_core::riscv;
use backedge_oracle::emulator;
use backedge_oracle::reference::interpreter::{self, Interpreter};
use backedge_oracle::run::{Limits, Run};
use backedge_oracle::tape::{self, Tape};
use std::fmt::Write;
use trace::Trace;

/// Arguments of `backedge run`.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = ABOUT_TAPES)]
pub(super) struct Args {
    /// A program; `-` is stdin.
    #[arg(value_name = "FILE")]
    file: String,
    /// What is answered, in order [default: each `;; tape:` of the file in turn, or else nothing].
    #[arg(long, value_name = "3,unwind,0", value_parser = parse_tape, allow_hyphen_values = true)]
    tape: Option<Tape>,
    /// Who runs it.
    #[arg(long, value_name = "WHO", default_value = "interp")]
    on: On,
    /// Show each step with what it assigns; of the interpreter only.
    #[arg(long)]
    trace: bool,
    /// Give a run up after this many instructions; of the machine, if it runs there.
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    fuel: u64,
    #[command(flatten)]
    code: Code,
    /// The format of the file [default: what its name says].
    #[arg(long, value_name = "NAME")]
    input: Option<InputFormat>,
    /// When to color messages.
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    color: Color,
}

const ABOUT_TAPES: &str = "A run starts in @main, or in the first function where there is none. Its \
    parameters take the first entries of the tape, then each call of an extern takes one: its result, or \
    `unwind`. A run without an entry to take ends.";

/// Who runs a program.
#[derive(Copy, Clone, Debug, PartialEq, Eq, clap::ValueEnum)]
enum On {
    /// The interpreter, which says what the program means.
    Interp,
    /// Its machine code does, in an emulator.
    Rvemu,
}

/// How deep calls may nest.
const DEPTH: usize = 10_000;

/// Runs it. However a run ends, it is shown, and that is no failure.
pub(super) fn run(args: &Args) -> Result<Outcome, Failure> {
    if args.trace && args.on == On::Rvemu {
        let why = "--trace shows steps of the interpreter: leave out --on rvemu";
        return Err(Failure::Usage(why.to_owned()));
    }
    let loaded = match input::load(&args.file, args.input) {
        Ok(loaded) => loaded,
        Err(error) => {
            note(&error.render(args.color.on_stderr()));
            return Ok(Outcome::BadInput);
        }
    };
    if !loaded.diagnostics.is_empty() {
        note(&loaded.render(args.color.on_stderr()));
        return Ok(Outcome::BadInput);
    }
    let program = &loaded.program;
    if program.functions.is_empty() {
        return Err(Failure::Usage(format!("{}: there is no function to run", args.file)));
    }
    let tapes = match &args.tape {
        Some(tape) => vec![tape.clone()],
        None => tape::tapes(program).map_err(bad_directive)?,
    };
    let tapes = if tapes.is_empty() { vec![Tape::default()] } else { tapes };
    match args.on {
        On::Interp => interpret(args, program, &tapes)?,
        On::Rvemu => emulate(args, program, &tapes)?,
    }
    Ok(Outcome::Clean)
}

fn interpret(args: &Args, program: &Program, tapes: &[Tape]) -> Result<(), Failure> {
    let interpreter = Interpreter::new(program);
    let limits = Limits { steps: args.fuel, depth: DEPTH };
    for tape in tapes {
        print(&format!("tape: {tape}\n"))?;
        let run = if args.trace {
            let mut trace = Trace::new(program);
            let run = interpreter.run_observed(tape, limits, &mut trace);
            trace.finish()?;
            run
        } else {
            interpreter::run(program, tape, limits)
        };
        print(&describe(&run, "instructions"))?;
    }
    Ok(())
}

fn emulate(args: &Args, program: &Program, tapes: &[Tape]) -> Result<(), Failure> {
    let functions = args.code.functions(program)?;
    let image = riscv::assemble(program, &functions)
        .map_err(|error| Failure::Usage(format!("there is no machine code: {error}")))?;
    let mut emulator = emulator::lend().map_err(|error| Failure::Harness(error.to_string()))?;
    for tape in tapes {
        let outcome = emulator.run(&image, tape, args.fuel);
        let mut text = format!("tape: {tape}\n") + &describe(&outcome.run, "machine instructions");
        if let Some(fault) = outcome.fault {
            let _ = writeln!(text, "fault: {fault}");
        }
        print(&text)?;
    }
    Ok(())
}

/// The trace, what is in memory, what leaks, and the ending, a line each.
fn describe(run: &Run, steps: &str) -> String {
    let mut text = String::new();
    for event in &run.trace {
        let _ = writeln!(text, "  {event}");
    }
    let words = run.memory.iter().enumerate().filter(|(_, word)| **word != 0);
    let words: Vec<String> = words.map(|(place, word)| format!("[{place}] = {word}")).collect();
    if !words.is_empty() {
        let _ = writeln!(text, "memory: {}", words.join(", "));
    }
    if !run.leaks.is_empty() {
        let leaks: Vec<String> = run.leaks.iter().map(|token| format!("#{token}")).collect();
        let _ = writeln!(text, "leaks: {}", leaks.join(", "));
    }
    let _ = writeln!(text, "{} after {} {steps}", run.ending, run.steps);
    text
}
