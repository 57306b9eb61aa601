//! `backedge generate`: prints the program of a seed.

use super::{Failure, Outcome, print};
use crate::generate::{Config, Shape, from_seed};
use backedge_core::ir::text;

/// Arguments of `backedge generate`.
#[derive(Clone, Debug, clap::Args)]
pub(super) struct Args {
    /// The seed.
    #[arg(long, value_name = "N")]
    seed: u64,
    /// Most blocks a function may have.
    #[arg(long, value_name = "N", default_value_t = 24)]
    max_blocks: usize,
}

/// Runs it.
pub(super) fn run(args: &Args) -> Result<Outcome, Failure> {
    let config = Config { shapes: vec![Shape::Goto], max_blocks: args.max_blocks };
    let generated = from_seed(args.seed, &config);
    print(&text::print(&generated.case.program))?;
    Ok(Outcome::Clean)
}
