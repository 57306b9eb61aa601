//! `backedge generate`: prints the program of a seed.

use super::generating::Generating;
use super::{Failure, Outcome, print};
use crate::generate::from_seed;
use backedge_core::diagnostic::Span;
use backedge_core::ir::{Directive, text};

/// Arguments of `backedge generate`.
#[derive(Clone, Debug, clap::Args)]
pub(super) struct Args {
    /// The seed.
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    #[command(flatten)]
    generating: Generating,
}

/// Runs it.
pub(super) fn run(args: &Args) -> Result<Outcome, Failure> {
    let config = args.generating.config();
    let generated = from_seed(args.seed, &config);
    let mut program = generated.case.program;
    let values = [
        ("seed", args.seed.to_string()),
        ("shape", generated.shape.name().to_owned()),
        ("max-blocks", config.max_blocks.to_string()),
    ];
    let directives =
        values.map(|(key, value)| Directive { key: key.to_owned(), value, span: Span::NONE });
    program.directives.splice(0..0, directives);
    print(&text::print(&program))?;
    Ok(Outcome::Clean)
}
