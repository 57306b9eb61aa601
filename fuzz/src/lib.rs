//! Generator, minimizer, sweep and reports. The command line is `main.rs` and [`commands`].

pub mod bril;
pub mod commands;
pub mod diagnostics;
pub mod generate;
pub mod import;
pub mod input;
pub mod judge;
pub mod minimize;
pub mod report;
pub mod show;
pub mod subjects;
pub mod sweep;
pub mod targets;
