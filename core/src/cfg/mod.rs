//! The only control-flow graph.
//!
//! Code reaches it through the traits of [`code`]; [`graph`] builds it.

pub mod code;
pub mod graph;
pub mod validate;

pub use code::{Code, Values};
pub use graph::{Cfg, EdgeData};
