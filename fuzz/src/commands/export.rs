//! `backedge export`: writes a program in another format.

use super::output::{note, write_result};
use super::{Color, Failure, Outcome};
use crate::bril;
use crate::input::{self, Format as InputFormat};
use std::path::PathBuf;

/// Arguments of `backedge export`.
#[derive(Clone, Debug, clap::Args)]
pub(super) struct Args {
    /// A program; `-` is stdin.
    #[arg(value_name = "FILE")]
    file: String,
    /// The format to write: `bril`, which is what subjects get.
    #[arg(long, value_name = "NAME", default_value = "bril", value_parser = format)]
    to: Format,
    /// Where to write to [default: stdout].
    #[arg(long, short, value_name = "FILE")]
    out: Option<PathBuf>,
    /// The format of the file [default: what its name says].
    #[arg(long, value_name = "NAME")]
    input: Option<InputFormat>,
    /// When to color messages.
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    color: Color,
}

/// A format that can be written.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Format {
    /// Bril-shaped JSON, as subjects get it.
    Bril,
}

fn format(name: &str) -> Result<Format, String> {
    match name {
        "bril" => Ok(Format::Bril),
        "c" | "elf" | "mir" => Err(format!("`{name}` is not available yet; there is `bril`")),
        _ => Err("unknown format; there is `bril`".to_owned()),
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
    let Format::Bril = args.to;
    write_result(args.out.as_deref(), &bril::json(&loaded.program))?;
    Ok(Outcome::Clean)
}
