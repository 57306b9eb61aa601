//! `backedge merge`: adds the reports of shards.

use super::output::write_file;
use super::{Color, Failure, Outcome, print};
use crate::report::{Report, merge, table};
use std::fs;
use std::path::PathBuf;

/// Arguments of `backedge merge`.
#[derive(Clone, Debug, clap::Args)]
pub(super) struct Args {
    /// Reports of sweeps that have no seed in common.
    #[arg(value_name = "REPORT", required = true)]
    reports: Vec<PathBuf>,
    /// Write the sum here, and print a table; without it, print the sum.
    #[arg(long, short, value_name = "FILE")]
    out: Option<PathBuf>,
    /// When to color.
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    color: Color,
}

/// Runs it.
pub(super) fn run(args: &Args) -> Result<Outcome, Failure> {
    let mut sum: Option<Report> = None;
    for path in &args.reports {
        let usage = |why: String| Failure::Usage(format!("{}: {why}", path.display()));
        let text = fs::read_to_string(path).map_err(|error| usage(error.to_string()))?;
        let report = Report::from_json(&text).map_err(usage)?;
        match &mut sum {
            None => sum = Some(report),
            Some(sum) => merge(sum, &report).map_err(|error| usage(error.to_string()))?,
        }
    }
    let sum = sum.ok_or_else(|| Failure::Usage("there is nothing to merge".to_owned()))?;
    match &args.out {
        None => print(&sum.to_json())?,
        Some(path) => {
            write_file(path, &sum.to_json())?;
            print(&table::whole(&sum, table::Style { color: args.color.on_stdout() }))?;
        }
    }
    Ok(Outcome::of(&sum))
}
