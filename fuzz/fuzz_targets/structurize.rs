//! `cargo fuzz run structurize`; built without a fuzzer, it replays the files that it is given.
#![cfg_attr(fuzzing, no_main)]

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| backedge::targets::structurize(bytes));

#[cfg(not(fuzzing))]
fn main() -> std::process::ExitCode {
    backedge::targets::replay(backedge::targets::structurize)
}
