//! What is still to be jumped to where a region ends.

use super::forest::Target;
use crate::entity::Block;
use crate::ir::Operand;
use rustc_hash::FxHashSet;

/// One or more targets.
pub(super) enum Targets {
    One(Target),
    Many(FxHashSet<Target>),
}

impl Targets {
    pub(super) fn single(&self) -> Option<Target> {
        match self {
            Targets::One(target) => Some(*target),
            Targets::Many(_) => None,
        }
    }

    pub(super) fn contains(&self, target: Target) -> bool {
        match self {
            Targets::One(one) => *one == target,
            Targets::Many(set) => set.contains(&target),
        }
    }

    /// All but one; `None` if nothing is left.
    pub(super) fn without(self, target: Target) -> Option<Targets> {
        match self {
            Targets::One(one) => (one != target).then_some(self),
            Targets::Many(mut set) => {
                set.remove(&target);
                match set.len() {
                    0 => None,
                    1 => set.iter().next().copied().map(Targets::One),
                    _ => Some(Targets::Many(set)),
                }
            }
        }
    }

    /// Both, the smaller merged into the larger.
    pub(super) fn union(self, other: Targets) -> Targets {
        let (mut large, small) = match (self, other) {
            (Targets::One(a), Targets::One(b)) if a == b => return Targets::One(a),
            (Targets::One(a), Targets::One(b)) => {
                return Targets::Many([a, b].into_iter().collect());
            }
            (Targets::Many(set), Targets::One(one)) | (Targets::One(one), Targets::Many(set)) => {
                let mut set = set;
                set.insert(one);
                return Targets::Many(set);
            }
            (Targets::Many(a), Targets::Many(b)) if a.len() < b.len() => (b, a),
            (Targets::Many(a), Targets::Many(b)) => (a, b),
        };
        large.extend(small);
        Targets::Many(large)
    }
}

/// One jump, whose arguments have not been read.
#[derive(Copy, Clone, Debug)]
pub(super) struct Jump {
    pub(super) target: Target,
    pub(super) from: From,
}

/// What a jump was.
#[derive(Copy, Clone, Debug)]
pub(super) enum From {
    /// The edge in a slot of a block.
    Edge(Block, usize),
    /// A `return` of this, or a `resume`.
    Leave(Option<Operand>),
}

/// What is to be done where a region ends, so far.
pub(super) enum State {
    /// The end is not reached.
    Dead,
    /// A single jump.
    Direct(Jump),
    /// One target, which has its inputs or gets them from its only edge.
    Held(Target),
    /// Several targets; the tag says which.
    Tagged(Targets),
    /// In a loop, at its end: the operand says whether to go on.
    Decided(Targets, Operand),
}

impl State {
    /// What is jumped to.
    pub(super) fn targets(self) -> Option<Targets> {
        match self {
            State::Dead => None,
            State::Direct(jump) => Some(Targets::One(jump.target)),
            State::Held(target) => Some(Targets::One(target)),
            State::Tagged(targets) | State::Decided(targets, _) => Some(targets),
        }
    }

    /// The only thing jumped to.
    pub(super) fn single(&self) -> Option<Target> {
        match self {
            State::Dead => None,
            State::Direct(jump) => Some(jump.target),
            State::Held(target) => Some(*target),
            State::Tagged(targets) | State::Decided(targets, _) => targets.single(),
        }
    }
}
