//! The `backedge` command.

fn main() {}
