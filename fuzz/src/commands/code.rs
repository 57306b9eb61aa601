//! Machine code of a program, for commands that run or write it: by core's lowering and one of its
//! allocators.

use super::Failure;
use backedge_core::ir::Program;
use backedge_core::machine::MFunction;
use backedge_core::machine::reg::{FEWEST_REGISTERS, MOST_REGISTERS};
use backedge_core::regalloc::Registers;
use backedge_oracle::compile::{allocate_program, lower_program};
use backedge_oracle::core_subject::Core;
use backedge_oracle::subject::{NoAnswer, Subject};
use backedge_oracle::tape::{self, Tape};

/// How registers are given away.
#[derive(Clone, Debug, clap::Args)]
pub(super) struct Code {
    /// Allocate registers by this: `linear-scan` or `graph-coloring`.
    #[arg(long, value_name = "NAME", default_value = "linear-scan")]
    allocator: String,
    /// Allocate with this many registers, 3 to 24 [default: what the file's `;; registers:` says, or
    /// all].
    #[arg(long, value_name = "N", value_parser = registers)]
    registers: Option<usize>,
}

/// # Errors
/// When no function can be allocated with so many.
fn registers(text: &str) -> Result<usize, String> {
    let count = text.parse().ok().filter(|n| (FEWEST_REGISTERS..=MOST_REGISTERS).contains(n));
    count.ok_or_else(|| format!("must be a number from {FEWEST_REGISTERS} to {MOST_REGISTERS}"))
}

impl Code {
    /// The program's functions, allocated.
    ///
    /// # Errors
    /// When there is no such allocator, or the program is none that Machine IR can say.
    pub(super) fn functions(&self, program: &Program) -> Result<Vec<MFunction>, Failure> {
        let mut core = Core::default();
        let names: Vec<String> =
            core.allocators().iter().map(|allocator| allocator.name().to_owned()).collect();
        let Some(number) = names.iter().position(|name| *name == self.allocator) else {
            let (unknown, known) = (&self.allocator, names.join(", "));
            let message = format!("unknown allocator `{unknown}`; there are {known}");
            return Err(Failure::Usage(message));
        };
        let of_file = tape::registers(program).map_err(bad_directive)?;
        let count = self.registers.or(of_file).unwrap_or(MOST_REGISTERS);
        let lowered = lower_program(program, &mut core).map_err(no_code)?;
        allocate_program(&lowered, &mut core, number, &Registers::new(count)).map_err(no_code)
    }
}

/// A program without code is bad input; anything else is our own fault.
fn no_code(why: NoAnswer) -> Failure {
    match why {
        NoAnswer::Skip(why) => Failure::Usage(format!("there is no machine code: {why}")),
        other => Failure::Harness(format!("core {other}")),
    }
}

pub(super) fn bad_directive(diagnostic: backedge_core::diagnostic::Diagnostic) -> Failure {
    Failure::Usage(diagnostic.message)
}

/// The tape that `--tape` gives, else the file's first one, else an empty one.
///
/// # Errors
/// When the file's can't be read.
pub(super) fn tape_of(given: Option<&Tape>, program: &Program) -> Result<Tape, Failure> {
    match given {
        Some(tape) => Ok(tape.clone()),
        None => {
            let tapes = tape::tapes(program).map_err(bad_directive)?;
            Ok(tapes.into_iter().next().unwrap_or_default())
        }
    }
}

/// For `value_parser`: `3,unwind,0`.
///
/// # Errors
/// Names the first entry that is none.
pub(super) fn parse_tape(text: &str) -> Result<Tape, String> {
    Tape::parse(text)
        .map_err(|entry| format!("`{entry}` is neither an integer of 64 bits nor `unwind`"))
}
