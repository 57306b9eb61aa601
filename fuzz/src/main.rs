//! The `backedge` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    backedge::commands::main()
}
