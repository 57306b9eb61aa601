//! A check takes a case and a subject, and returns pass, skip or findings.

use crate::subject::Subject;
use backedge_core::ir::Program;

/// A program, with the tapes to run it on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    /// The program.
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

/// What a check says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Everything that was judged is right.
    Pass,
    /// Nothing was judged, and why.
    Skip(String),
    /// What is wrong, at least one; the first finding of each kind.
    Findings(Vec<Finding>),
    /// The harness itself is wrong: two references disagree. Nothing can be said of the subject.
    Broken(String),
}

/// A judge.
pub trait Check: Send + Sync {
    /// What the command line calls it.
    fn name(&self) -> &'static str;

    /// Judges the subject on every function of the case. Panics of the subject are caught here and
    /// become findings of kind `panic`.
    fn judge(&self, case: &Case, subject: &mut dyn Subject) -> Verdict;
}

/// Every check, in the order of the manual.
pub fn all() -> Vec<Box<dyn Check>> {
    Vec::new()
}
