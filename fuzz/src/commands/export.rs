//! `backedge export`: writes a program in another format.

use super::code::{Code, parse_tape, tape_of};
use super::output::{note, write_program, write_result};
use super::{Color, Failure, Outcome};
use crate::bril;
use crate::input::{self, Format as InputFormat};
use backedge_core::ir::Program;
use backedge_core::riscv::{self, AssembleError};
use backedge_oracle::tape::{Answer, Tape};
use std::path::PathBuf;

/// Arguments of `backedge export`.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = ABOUT_ELF)]
pub(super) struct Args {
    /// A program; `-` is stdin.
    #[arg(value_name = "FILE")]
    file: String,
    /// The format to write: `bril`, which is what subjects get, or `elf`, an executable for RV64 Linux.
    #[arg(long, value_name = "NAME", default_value = "bril", value_parser = format)]
    to: Format,
    /// Where to write to [default: stdout].
    #[arg(long, short, value_name = "FILE")]
    out: Option<PathBuf>,
    #[command(flatten)]
    code: Code,
    /// What an executable answers to extern calls [default: the file's first `;; tape:`].
    #[arg(long, value_name = "3,unwind,0", value_parser = parse_tape, allow_hyphen_values = true)]
    tape: Option<Tape>,
    /// The format of the file [default: what its name says].
    #[arg(long, value_name = "NAME")]
    input: Option<InputFormat>,
    /// When to color messages.
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    color: Color,
}

const ABOUT_ELF: &str = "An executable has nobody to ask: --tape is part of it. Parameters of the \
    first function take the first entries, then each extern call takes one. Its exit code is the low \
    byte of the result; 125 if the tape was exhausted, 126 if the run unwound, 127 if it reached \
    `unreachable`. --allocator and --registers are for executables, too.";

/// A format that can be written.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Format {
    /// Bril-shaped JSON, as subjects get it.
    Bril,
    /// An executable.
    Elf,
}

fn format(name: &str) -> Result<Format, String> {
    match name {
        "bril" => Ok(Format::Bril),
        "elf" => Ok(Format::Elf),
        "c" | "mir" => Err(format!("`{name}` is not available yet; there are `bril` and `elf`")),
        _ => Err("unknown format; there are `bril` and `elf`".to_owned()),
    }
}

/// Runs it. A program that can be read only in part is not written: what is missing would be
/// missed.
pub(super) fn run(args: &Args) -> Result<Outcome, Failure> {
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
    let out = args.out.as_deref();
    match args.to {
        Format::Bril => write_result(out, &bril::json(&loaded.program))?,
        Format::Elf => write_program(out, &executable(args, &loaded.program)?)?,
    }
    Ok(Outcome::Clean)
}

fn executable(args: &Args, program: &Program) -> Result<Vec<u8>, Failure> {
    let tape = tape_of(args.tape.as_ref(), program)?;
    let entry = |answer: &Answer| match answer {
        Answer::Value(value) => Some(*value),
        Answer::Unwind => None,
    };
    let answers: Vec<Option<i64>> = tape.0.iter().map(entry).collect();
    let functions = args.code.functions(program)?;
    riscv::elf(program, &functions, &answers).map_err(|error| match error {
        AssembleError::TooMuchMemory(_) | AssembleError::TooMuchCode => {
            Failure::Usage(error.to_string())
        }
        _ => Failure::Harness(format!("there is no machine code: {error}")),
    })
}
