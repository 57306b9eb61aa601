//! A check takes a case and a subject, and returns pass, skip or findings.
//!
//! Every function of the case is judged. A check asks the subject, works out the right answer by the
//! [references](crate::reference), and compares: both ways, and every field that the answer gives.

mod ask;
pub mod cfg;
pub mod constants;
pub mod destprop;
pub mod drops;
pub mod execute;
pub mod liveness;
pub mod regalloc;
mod report;
pub mod structurize;
#[cfg(test)]
mod tests;

pub(crate) use ask::{ask, quietly};

use crate::measures::Measures;
use crate::subject::Subject;
use backedge_core::ir::Program;
use std::fmt;

/// A program, with the tapes to run it on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    /// The program, which is valid.
    pub program: Program,
}

/// One wrong answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Name of the check.
    pub check: &'static str,
    /// What kind of wrong answer, a stable name such as `missing-live-in`.
    pub kind: &'static str,
    /// The function.
    pub function: String,
    /// Where in it.
    pub at: At,
    /// What was expected, in words.
    pub expected: String,
    /// What was answered, in words.
    pub answered: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Finding { check, kind, function, at, expected, answered } = self;
        write!(f, "{check}: {kind} in @{function}{at}: expected {expected}; answered {answered}")
    }
}

/// A point in a function, by the names that its text uses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum At {
    /// The function as a whole.
    Function,
    /// A block.
    Block(String),
    /// An edge.
    Edge {
        /// From this block.
        from: String,
        /// To this one.
        to: String,
        /// By this successor slot, where known.
        slot: Option<u32>,
    },
    /// An instruction; the terminator is the last.
    Inst {
        /// In this block.
        block: String,
        /// At this position.
        index: usize,
    },
}

impl fmt::Display for At {
    /// Reads on from a function's name.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            At::Function => Ok(()),
            At::Block(block) => write!(f, " at `{block}`"),
            At::Edge { from, to, slot: None } => write!(f, " on `{from} -> {to}`"),
            At::Edge { from, to, slot: Some(slot) } => write!(f, " on `{from} -> {to} #{slot}`"),
            At::Inst { block, index } => write!(f, " at instruction {index} of `{block}`"),
        }
    }
}

/// What a check says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Everything that was judged is right.
    Pass,
    /// Nothing was judged, and why.
    Skip(String),
    /// What is wrong, at least one: of each function, the first finding of each kind, in the order
    /// of [`Check::kinds`].
    Findings(Vec<Finding>),
    /// The harness itself is wrong: two references disagree. Nothing can be said of the subject.
    Broken(String),
}

impl Verdict {
    /// The verdict on two parts of a case: broken if one is, else the findings of both, else pass if
    /// one passes, else the first reason to skip.
    #[must_use]
    pub fn and(self, other: Verdict) -> Verdict {
        use Verdict::*;
        match (self, other) {
            (Broken(why), _) | (_, Broken(why)) => Broken(why),
            (Findings(mut all), Findings(more)) => {
                all.extend(more);
                Findings(all)
            }
            (Findings(all), _) | (_, Findings(all)) => Findings(all),
            (Pass, _) | (_, Pass) => Pass,
            (Skip(why), Skip(_)) => Skip(why),
        }
    }

    /// The findings; none for any other verdict.
    pub fn findings(&self) -> &[Finding] {
        match self {
            Verdict::Findings(findings) => findings,
            Verdict::Pass | Verdict::Skip(_) | Verdict::Broken(_) => &[],
        }
    }
}

/// A judge.
pub trait Check: Send + Sync {
    /// What the command line calls it.
    fn name(&self) -> &'static str;

    /// Every kind of finding that it can make, in the order in which it lists them; empty where that
    /// is not known beforehand.
    fn kinds(&self) -> &'static [&'static str] {
        &[]
    }

    /// Whether the functions of a case are judged together, because one runs the others. Otherwise a
    /// program can be taken apart, and each function be judged beside declarations of what it calls.
    fn judges_whole_programs(&self) -> bool {
        false
    }

    /// Judges the subject on every function of the case.
    ///
    /// A panic of the subject is caught and becomes a finding of kind `panic`. The subject may then
    /// be in any state, and the caller discards it. A subject that panics, dies or hangs is asked
    /// nothing more of the case.
    fn judge(&self, case: &Case, subject: &mut dyn Subject) -> Verdict;

    /// Judges, and adds up how good the answers are, for a check that can tell.
    fn judge_and_measure(
        &self,
        case: &Case,
        subject: &mut dyn Subject,
        measures: &mut Measures,
    ) -> Verdict {
        let _ = measures;
        self.judge(case, subject)
    }
}

/// Every check, in the order of the manual.
pub fn all() -> Vec<Box<dyn Check>> {
    vec![
        Box::new(cfg::CfgCheck),
        Box::new(liveness::LivenessCheck),
        Box::new(constants::ConstantsCheck),
        Box::new(drops::DropsCheck),
        Box::new(destprop::DestpropCheck),
        Box::new(structurize::StructurizeCheck),
        Box::new(regalloc::RegallocCheck),
        Box::new(execute::ExecuteCheck),
    ]
}

/// The check that the command line calls `name`.
pub fn by_name(name: &str) -> Option<Box<dyn Check>> {
    all().into_iter().find(|check| check.name() == name)
}
