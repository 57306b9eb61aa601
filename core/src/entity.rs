//! Indices shared by every representation of code.
//!
//! Each is a plain `u32` in a type of its own, so that a block can't be passed for a value.

use cranelift_entity::entity_impl;

/// A basic block of one function. Block 0 is the entry unless an adapter says otherwise.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Block(u32);
entity_impl!(Block, "block");

/// An edge of one control-flow graph: one successor slot of one terminator. Two slots of a
/// terminator that name the same block are two edges.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Edge(u32);
entity_impl!(Edge, "edge");

/// Something an analysis tracks: a local of the IR, a virtual or physical register.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Value(u32);
entity_impl!(Value, "value");
