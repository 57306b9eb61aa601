//! Thunks: unstructured control flow as values, and back.

#[cfg(test)]
mod families;
pub mod form;
pub mod lower;
mod names;
pub mod reify;
mod renumber;
pub mod structurize;
#[cfg(test)]
mod testing;
pub mod text;
pub mod validate;
pub mod walk;

pub use form::{
    Bind, End, Goal, Loop, Match, Node, On, Region, RegionData, RegionFunction, RegionProgram,
    Select,
};
pub use lower::lower;
pub use reify::{Refusal, reify, unreify};
pub use structurize::{structurize, structurize_blocks};
pub use walk::{Step, Walk};
