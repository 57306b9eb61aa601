//! Subjects that do not answer at all, or answer nonsense. They take part in liveness alone.

use super::liveness::Naive;
use crate::subject::{LivenessAnswer, LivenessSolver, NoAnswer, Subject};
use backedge_core::ir::Function;

/// What it does on a function of more than one block.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Misbehavior {
    /// Panics.
    Panics,
    /// Reports an error.
    Fails,
    /// Answers for all blocks but the last.
    WrongLength,
}

/// Right on one block, and misbehaves on more.
pub(super) struct Misbehaves {
    right: Naive,
    how: Misbehavior,
}

impl Misbehaves {
    pub(super) fn new(name: &'static str, how: Misbehavior) -> Misbehaves {
        Misbehaves { right: Naive::new(name, None), how }
    }
}

impl Subject for Misbehaves {
    fn name(&self) -> &str {
        self.right.name()
    }

    fn liveness(&mut self) -> Option<&mut dyn LivenessSolver> {
        Some(self)
    }
}

impl LivenessSolver for Misbehaves {
    fn liveness(&mut self, function: &Function) -> Result<LivenessAnswer, NoAnswer> {
        let mut answer = LivenessSolver::liveness(&mut self.right, function)?;
        if function.blocks.len() > 1 {
            match self.how {
                Misbehavior::Panics => panic!("more than one block"),
                Misbehavior::Fails => return Err(NoAnswer::Error("more than one block".into())),
                Misbehavior::WrongLength => {
                    answer.blocks.pop();
                }
            }
        }
        Ok(answer)
    }
}
