//! Reference semantics, and the checks that judge a solver.
//!
//! [`subject`] is what can be judged, [`check`] what judges, [`reference`] the slow answers that are
//! obviously right.

pub mod check;
pub mod reference;
pub mod subject;
#[cfg(test)]
mod testing;
