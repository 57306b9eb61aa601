//! `backedge import`: prints a program of another format as `.cfg`.
//!
//! What of a file can't be read is told on stderr and left out, and the exit code is then 2: what is
//! printed is a valid program in any case, or nothing.

use super::output::{Color, note, write_file};
use super::{Failure, Outcome, print};
use crate::input::{self, Format};
use backedge_core::ir::text;
use std::path::PathBuf;

/// Arguments of `backedge import`.
#[derive(Clone, Debug, clap::Args)]
pub(super) struct Args {
    /// The program; `-` is stdin.
    #[arg(value_name = "FILE")]
    file: String,
    /// Write it to a file instead of stdout.
    #[arg(short, long, value_name = "OUT.cfg")]
    out: Option<PathBuf>,
    /// The format of the file [default: what its name says].
    #[arg(long, value_name = "NAME")]
    format: Option<Format>,
    /// When to color diagnostics.
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    color: Color,
}

/// Runs it.
pub(super) fn run(args: &Args) -> Result<Outcome, Failure> {
    let loaded = match input::load(&args.file, args.format) {
        Ok(loaded) => loaded,
        Err(error) => {
            note(&error.render(args.color.on_stderr()));
            return Ok(Outcome::BadInput);
        }
    };
    if !loaded.diagnostics.is_empty() {
        note(&loaded.render(args.color.on_stderr()));
    }
    let program = text::print(&loaded.program);
    match &args.out {
        Some(path) => write_file(path, &program)?,
        None => print(&program)?,
    }
    Ok(if loaded.diagnostics.is_empty() { Outcome::Clean } else { Outcome::BadInput })
}
