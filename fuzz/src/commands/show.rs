//! `backedge show`: draws a program with its facts.

use super::output::{note, write_result};
use super::{Color, Failure, Outcome};
use crate::input::{self, Format as InputFormat};
use crate::show::{Format, Show, render};
use std::path::PathBuf;

/// Arguments of `backedge show`.
#[derive(Clone, Debug, clap::Args)]
pub(super) struct Args {
    /// A program; `-` is stdin.
    #[arg(value_name = "FILE")]
    file: String,
    /// What to draw.
    #[arg(long, value_name = "NAME", default_value = "text")]
    format: Format,
    /// Which facts to show, besides back edges, critical edges and unreachable blocks.
    #[arg(long, value_name = "FACTS", value_delimiter = ',')]
    with: Vec<Show>,
    /// Show only this function.
    #[arg(long, value_name = "NAME")]
    function: Option<String>,
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

/// Runs it.
pub(super) fn run(args: &Args) -> Result<Outcome, Failure> {
    let mut loaded = match input::load(&args.file, args.input) {
        Ok(loaded) => loaded,
        Err(error) => {
            note(&error.render(args.color.on_stderr()));
            return Ok(Outcome::BadInput);
        }
    };
    if let Some(name) = &args.function {
        let name = name.strip_prefix('@').unwrap_or(name);
        loaded.program.functions.retain(|function| function.name == name);
        if loaded.program.functions.is_empty() {
            return Err(Failure::Usage(format!("{}: there is no function @{name}", args.file)));
        }
    }
    let drawn = render(&loaded.program, args.format, &args.with).map_err(|error| {
        Failure::Usage(format!("{}: {error}; try --format dot, or --function", args.file))
    })?;
    write_result(args.out.as_deref(), &drawn)?;
    if loaded.diagnostics.is_empty() {
        return Ok(Outcome::Clean);
    }
    note(&loaded.render(args.color.on_stderr()));
    Ok(Outcome::BadInput)
}
