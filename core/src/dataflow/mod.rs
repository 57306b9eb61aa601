//! One worklist solver for both directions, and the analyses that run on it.
//!
//! [`solver`] iterates to a fixpoint, [`sets`] holds sets of values, [`liveness`] says which values
//! are needed where, [`constants`] which are the same in every run. [`intervals`] holds sets of points.

pub mod constants;
pub mod intervals;
pub mod liveness;
pub mod sets;
pub mod solver;
mod worklist;

pub use constants::Constants;
pub use liveness::{Liveness, PointLiveness};
pub use sets::ValueSet;
pub use solver::{Analysis, Solution, solve};

#[cfg(test)]
pub(crate) mod testing;
