//! Structurize: any graph becomes selections and loops, without a block copied.
//!
//! # How
//!
//! **Loops** ([`forest`]). Every cycle is put into a loop. A loop with one entry has the entry's
//! parameters as its loop-carried values. A loop with several, as an irreducible graph has, begins with a
//! switch over its entries on a selector that every edge to one of them has set: the choice between
//! thunks as a value. With the edges back to entries taken out, and inner loops as single items, every
//! body is acyclic.
//!
//! **Items** ([`plan`]). In a body, an item with one edge into it stands in the arm of that edge, or right
//! after a `jump`. Any other stands after the item that dominates it, in topological order. So each block
//! and loop stands at one place, and each edge is an arm or a part of one.
//!
//! **Edges** ([`join`], [`emit`]). An edge whose target stands elsewhere is *pending*: it is passed on from
//! the end of the arm to that place. Where only one target is pending, its inputs are the outputs of the
//! selection that leads to it. Where several are, each path has assigned its target's inputs and set the
//! tag to the target's number, and what stands next is guarded by a switch on the tag. The arguments of a
//! target's only edge are read where the target is: nothing but tags and other targets' inputs is
//! assigned in between.
//!
//! **Ends.** At the end of a loop's body each path yields whether to go on, and if not, the tag tells
//! where to, should the loop have several exits. At the end of the function each path returns. Blocks
//! that the entry does not reach are left out.
//!
//! # Bounds
//!
//! Let a graph have `b` blocks, `e` edges with `a` arguments in all, and `i` instructions. The result has at
//! most [`Bound::nodes`] nodes and [`Bound::regions`] regions: each block gives its instructions, one
//! selection, and one guard; each edge one region, at most one tag and one selector, and two copies an
//! argument; each loop a node, a body, a switch over entries, and a question to the tag. Time is
//! `O(n log n)` in that size, times the depth of irreducible loops directly within one another. It
//! terminates since every item is started once, and every frame of the stack is popped once for each arm
//! that it started.

mod emit;
mod forest;
#[cfg(test)]
mod gallery;
mod join;
mod loops;
mod pending;
mod plan;
mod scc;
#[cfg(test)]
mod tests;

use super::form::RegionFunction;
use super::reify::{Refusal, refuse_thunks, unreify};
use crate::ir::Function;

/// Structured form of a function in thunk form. What is structured stays as it is.
///
/// # Errors
/// [`Refusal::OtherThunks`] if it is neither structured nor as [`reify`](super::reify) makes it.
pub fn structurize(thunks: &RegionFunction) -> Result<RegionFunction, Refusal> {
    if thunks.is_body() {
        return Ok(thunks.clone());
    }
    structurize_blocks(&unreify(thunks).ok_or(Refusal::OtherThunks)?)
}

/// Structured form of a function of blocks.
///
/// # Errors
/// [`Refusal::KeptThunks`] if it has a `bind` or an `enter`.
pub fn structurize_blocks(function: &Function) -> Result<RegionFunction, Refusal> {
    refuse_thunks(function)?;
    Ok(emit::Emitter::new(function).run())
}

/// How large the structured form of a function may be.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Bound {
    /// The most nodes, instructions among them.
    pub nodes: usize,
    /// The most regions.
    pub regions: usize,
}

impl Bound {
    /// The bound for a function.
    pub fn of(function: &Function) -> Bound {
        let (mut edges, mut args) = (0, 0);
        for block in function.blocks.values() {
            block.term.kind.for_each_target(|target| {
                edges += 1;
                args += target.args.len();
            });
        }
        let blocks = function.blocks.len();
        Bound {
            nodes: function.inst_count() + 5 * blocks + 3 * edges + 2 * args + 1,
            regions: 7 * blocks + 2 * edges + 3,
        }
    }
}
