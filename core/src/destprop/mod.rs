//! Destination propagation: a copy `dest = src` is removed by making one local of the two.
//!
//! **What is a copy.** An instruction `dest = copy src`, and an argument of an edge, which is copied to
//! the target's parameter. [`assignments`](assignment) lists them in the order of the text, which is
//! the order in which they are tried: the first that can be merged are. That is not always the best
//! choice, but the same one every time.
//!
//! **What can't be merged.** [`Refused`] has a reason for each case, with what would go wrong.
//!
//! **What is kept.** A class is the locals that were merged into one, its representative: the
//! destination, unless the class has a parameter of the function, which can't be renamed. Every
//! occurrence is renamed. Then what copies a local to itself is removed: instructions, and parameters
//! of blocks that get themselves on every edge. A block's parameter that gets itself on some edges
//! alone stays, since it is assigned on the others. Results can be renamed: `return` names what it
//! returns.
//!
//! **How liveness gets to know of merges.** That is the [`Method`]. Let phi take each local to its
//! representative. Of what is live after the merges, the pass needs to know no more than that it is
//! within phi(what was live before): going backward, an instruction that stays reads phi of what it
//! read, and one that goes, `dest = src`, passes on what is live behind it, which is within phi of what
//! was live before it. So liveness that is computed once and mirrored through each merge,
//! live(dest) := live(dest) + live(src), is never too little. Where it is too much, a copy was removed
//! whose destination nobody read, or a cycle of copies that only fed each other.
//!
//! **Termination.** Each merge leaves one class less. The methods stop when a whole round merges
//! nothing.

mod apply;
pub mod assignment;
mod classes;
mod events;
mod parts;
mod ranges;
mod recompute;
mod refused;
mod relevant;
mod save;
mod saved;
mod spread;
#[cfg(test)]
mod tests;
mod writes;
mod written;

pub use assignment::{Assignment, Site};
pub use refused::Refused;
pub use save::SavedLiveness;

use crate::cfg::Cfg;
use crate::ir::{Function, Local};
use classes::Classes;
use relevant::Relevant;

/// How the pass knows what is live after merges.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Method {
    /// It solves liveness again after each round of merges, in which no local takes part twice.
    Recompute,
    /// It solves liveness once, keeps it as intervals, and mirrors it through each merge. Two locals
    /// conflict where one is live and the other is written.
    Saved,
    /// It solves liveness once and keeps the live ranges, each write a point of its own even if nobody
    /// reads it. Two locals conflict where their ranges meet.
    LiveRanges,
}

impl Method {
    /// Every method.
    pub const ALL: [Method; 3] = [Method::Recompute, Method::Saved, Method::LiveRanges];

    /// What reports call it.
    pub fn name(self) -> &'static str {
        match self {
            Method::Recompute => "recompute",
            Method::Saved => "saved",
            Method::LiveRanges => "live-ranges",
        }
    }
}

/// Which instructions may write before they have read everything, so that what they read must not be
/// merged with what they write.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Hash)]
pub enum Overlap {
    /// Operations of another language, of which nothing is known. All others read first.
    #[default]
    Opaque,
    /// All but copies: rustc has it so, since code is generated part by part.
    Every,
}

/// What the pass is asked to do.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct Options {
    /// How it knows what is live.
    pub method: Method,
    /// What may overlap.
    pub overlap: Overlap,
}

impl From<Method> for Options {
    fn from(method: Method) -> Options {
        Options { method, overlap: Overlap::default() }
    }
}

/// What the pass did.
#[derive(Clone, Debug)]
pub struct Propagation {
    /// The function after it: the same blocks, and the same numbers of locals, of which those that were
    /// merged into others occur no more.
    pub function: Function,
    /// Every copy between locals that the function had.
    pub copies: Vec<Assignment>,
    /// Each local that was merged into another, with that, by number.
    pub merges: Vec<(Local, Local)>,
    /// The copies that are left, by position in `copies`, and why.
    pub refused: Vec<(usize, Refused)>,
    /// What is live where, of classes, for [`Method::Saved`].
    pub liveness: Option<SavedLiveness>,
    /// How often the copies were gone through.
    pub rounds: usize,
}

/// Merges what can be merged.
pub fn propagate(function: &Function, options: impl Into<Options>) -> Propagation {
    let options = options.into();
    let cfg = Cfg::build(function);
    let copies = assignment::assignments(function);
    let has_thunks = refused::enters_thunks(function);
    let excluded = refused::excluded(function, &cfg, has_thunks, &copies);
    let eligible = copies.iter().zip(&excluded).filter(|(_, why)| why.is_none());
    let relevant = Relevant::new(function, eligible.map(|(copy, _)| copy));
    let mut work = Work {
        copies: &copies,
        outcomes: excluded,
        classes: Classes::new(function, &relevant),
        relevant,
        rounds: 0,
    };
    let overlap = options.overlap;
    let (mut liveness, mut transformed) = (None, None);
    match options.method {
        Method::Recompute => transformed = recompute::run(function, &mut work, overlap),
        Method::Saved => liveness = Some(saved::run(function, &cfg, &mut work, overlap)),
        Method::LiveRanges => ranges::run(function, &cfg, &mut work, overlap),
    }
    let Work { outcomes, classes, relevant, rounds, .. } = work;
    let representative = |local: Local| match relevant.value(local) {
        Some(value) => classes.representative(value),
        None => local,
    };
    let merges = relevant.locals().iter().map(|&local| (local, representative(local)));
    let merges: Vec<_> = merges.filter(|(local, into)| local != into).collect();
    let refused = outcomes.into_iter().enumerate().filter_map(|(at, why)| Some((at, why?)));
    let is_merged = |copy: &Assignment| representative(copy.dest) == representative(copy.source);
    let refused = refused.filter(|&(at, why)| why.forever() || !is_merged(&copies[at])).collect();
    let transformed = transformed.unwrap_or_else(|| {
        let mut transformed = function.clone();
        if !has_thunks {
            apply::apply(&mut transformed, &representative);
        }
        transformed
    });
    Propagation { function: transformed, merges, refused, liveness, rounds, copies }
}

/// What the methods share: what is tried, and what came of it.
struct Work<'w> {
    copies: &'w [Assignment],
    /// By copy: why it was not merged when it was last tried.
    outcomes: Vec<Option<Refused>>,
    relevant: Relevant,
    classes: Classes,
    rounds: usize,
}
