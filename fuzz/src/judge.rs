//! A check with a subject to judge, for many threads: each borrows a subject from a pool.

use backedge_oracle::check::{Case, Check, Verdict};
use backedge_oracle::subject::SubjectFactory;
use std::sync::Arc;

/// Judges cases with one check and one kind of subject.
pub struct Judge {
    /// The check.
    pub check: Arc<dyn Check>,
    /// Makes subjects.
    pub subject: Arc<dyn SubjectFactory>,
}

impl Judge {
    /// What the check says of the subject on this case.
    pub fn judge(&self, case: &Case) -> Verdict {
        let _ = case;
        unimplemented!()
    }
}
