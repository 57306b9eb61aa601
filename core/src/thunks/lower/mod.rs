//! Lower: regions become blocks and branches again.
//!
//! 1. [`blocks`]: every selection, loop and match becomes blocks in the plainest way; outputs and
//!    loop-carried values become block parameters, and a thunk becomes a jump to where it leads.
//! 2. [`thread`]: an edge to a block that does nothing but ask what is known on the edge (a tag, a
//!    selector, whether to go on) goes straight to the answer. What is left of a tag that nobody asks any
//!    more is taken out ([`dead`]).
//! 3. Copies before a jump become arguments again: in an SSA function by constructing SSA form for what
//!    is assigned at several places ([`ssa`]), in others where all edges to a block assign it; and moves
//!    of resources in both ([`hoist`]).
//! 4. Once more [`thread`], for the blocks that this left empty; then blocks in a row are merged
//!    ([`merge`]), and blocks that do the same ([`twins`]).
//!
//! What came from an SSA function is one again, but for one case: a resource that is passed into a loop
//! with several entries has no value on the paths to the others.
//!
//! So a structured program that was reified, structurized and lowered has no more conditional branches than
//! before, and no more blocks, but for blocks of copies that stood on edges. The switch over the entries of a loop with several stays where its
//! selector is not known, so what comes out is reducible, whatever went in.
//!
//! No step is repeated. Most are linear in the size of the function; constructing SSA form and hoisting can be
//! quadratic, where many locals meet in many blocks.

mod blocks;
mod chains;
mod dead;
mod facts;
mod hoist;
mod merge;
mod ssa;
#[cfg(test)]
mod tests;
mod thread;
mod twins;

use super::form::RegionFunction;
use crate::ir::{Function, Local};
use cranelift_entity::EntitySet;

/// The function of blocks that a valid function in region form is.
pub fn lower(regions: &RegionFunction) -> Function {
    let (mut function, made) = blocks::blocks(regions);
    let asked = dead::asked(&function);
    thread::thread(&mut function, false);
    dead::remove(&mut function, &asked);
    function.ssa = regions.ssa && ssa::construct(&mut function);
    hoist::hoist(&mut function);
    thread::thread(&mut function, true);
    merge::merge(&mut function);
    twins::merge_twins(&mut function);
    blocks::name(&mut function, made);
    drop_unused(&mut function, regions);
    function
}

/// Leaves out the locals that only the regions needed.
fn drop_unused(function: &mut Function, regions: &RegionFunction) {
    let mut left: EntitySet<Local> = EntitySet::with_capacity(regions.locals.len());
    left.extend(regions.locals.keys());
    // What occurs in neither was declared for its own sake.
    regions.clone().for_each_local_mut(|local, _| {
        left.remove(*local);
    });
    let mut occur = |local: &mut Local| {
        left.insert(*local);
    };
    function.params.iter_mut().for_each(&mut occur);
    for data in function.blocks.values_mut() {
        data.params.iter_mut().for_each(&mut occur);
        data.insts.iter_mut().for_each(|inst| inst.for_each_local_mut(&mut occur));
        data.term.kind.for_each_local_mut(&mut occur);
    }
    super::reify::keep_locals(function, |local| left.contains(local));
}
