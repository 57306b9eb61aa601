//! Reference semantics, and the checks that judge a solver.
//!
//! [`subject`] is what can be judged, [`check`] what judges, [`reference`] the slow answers that are
//! obviously right, [`faults`] the deliberately wrong subjects that show that a check can fail,
//! [`core_subject`] what is judged day by day, [`expect`] what a file says of its own program,
//! [`measures`] what is measured besides, [`run`] what a run of it does, and [`tape`] what the environment answers.

pub mod check;
pub mod compile;
pub mod core_subject;
pub mod emulator;
pub mod expect;
pub mod faults;
pub mod measures;
pub mod reference;
pub mod run;
pub mod subject;
pub mod tape;
#[cfg(test)]
mod testing;
