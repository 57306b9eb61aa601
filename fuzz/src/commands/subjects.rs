//! `backedge subjects`: lists what can be checked.

use super::{Failure, Outcome, print};
use crate::subjects;

/// Arguments of `backedge subjects`.
#[derive(Clone, Debug, clap::Args)]
pub(super) struct Args {}

/// Runs it.
pub(super) fn run(_: &Args) -> Result<Outcome, Failure> {
    let entries = subjects::list();
    let width = entries.iter().map(|entry| entry.name.len()).max().unwrap_or(0);
    let mut text = String::new();
    for entry in &entries {
        text += &format!("{:width$}  {}\n", entry.name, entry.about);
    }
    text += "Any other name is run as a command that speaks the subject protocol.\n";
    print(&text)?;
    Ok(Outcome::Clean)
}
