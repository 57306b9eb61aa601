//! `backedge show`: draws a program with its facts.

use super::output::{note, write_result};
use super::{Color, Failure, Outcome};
use crate::input::{self, Format as InputFormat};
use crate::show::{Format, Show, render};
use backedge_core::ir::{Function, Program};
use backedge_core::thunks::{self, Refusal};
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
    /// Show what becomes of it: its control flow as thunks, structured, or blocks again. Only blocks can be drawn
    /// as a picture.
    #[arg(long, value_name = "FORM")]
    form: Option<Form>,
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

/// A form of control flow.
#[derive(Copy, Clone, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Form {
    /// Branches as values.
    Thunk,
    /// Selections and loops.
    Structured,
    /// Blocks again, made of the structured form.
    Lowered,
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
    let drawn = drawn(args, &loaded.program)?;
    write_result(args.out.as_deref(), &drawn)?;
    if loaded.diagnostics.is_empty() {
        return Ok(Outcome::Clean);
    }
    note(&loaded.render(args.color.on_stderr()));
    Ok(Outcome::BadInput)
}

fn drawn(args: &Args, program: &Program) -> Result<String, Failure> {
    let usage = |why: String| Failure::Usage(format!("{}: {why}", args.file));
    let picture = |program: &Program| {
        let hint = |error| usage(format!("{error}; try --format dot, or --function"));
        render(program, args.format, &args.with).map_err(hint)
    };
    let Some(form) = args.form else { return picture(program) };
    let refused = |function: &Function, why: Refusal| usage(format!("@{}: {why}", function.name));
    let mut text = String::new();
    let mut lowered = Program { functions: Vec::new(), ..program.clone() };
    for function in &program.functions {
        let thunks = thunks::reify(function).map_err(|why| refused(function, why))?;
        if form == Form::Thunk {
            text += &thunks::text::print_function(&thunks);
            continue;
        }
        let structured = thunks::structurize(&thunks).map_err(|why| refused(function, why))?;
        if form == Form::Structured {
            text += &thunks::text::print_function(&structured);
        }
        lowered.functions.push(thunks::lower(&structured));
    }
    match form {
        Form::Lowered => picture(&lowered),
        _ if args.format != Format::Text => {
            Err(usage("this form has a text alone; `--form lowered` can be drawn".into()))
        }
        _ if !args.with.is_empty() => {
            Err(usage("`--with` says something of blocks, which this form has not".into()))
        }
        _ => Ok(text),
    }
}
