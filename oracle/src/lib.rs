//! Reference semantics, and the checks that judge a solver.
//!
//! [`subject`] is what can be judged, [`check`] what judges, [`reference`] the slow answers that are
//! obviously right, [`faults`] the deliberately wrong subjects that show that a check can fail.

pub mod check;
pub mod faults;
pub mod reference;
pub mod subject;
#[cfg(test)]
mod testing;
