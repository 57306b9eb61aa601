//! A check with a subject to judge, for many threads: each borrows a subject from a pool, for one case or for
//! a turn of several.
//!
//! A subject goes back to the pool after use, so that a process is started once and a solver that
//! keeps state from one function to the next is caught. One that panicked, died, hung or answered
//! nonsense is thrown away, since nothing is known of the state it was left in.

use backedge_core::ir::Program;
use backedge_oracle::check::{Case, Check, Verdict};
use backedge_oracle::measures::Measures;
use backedge_oracle::subject::{Subject, SubjectFactory};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Kinds of findings after which a subject is not used again.
const FATAL: [&str; 4] = ["panic", "crash", "timeout", "nonsense"];

/// Judges cases with one check and one kind of subject, from any number of threads.
pub struct Judge {
    check: Arc<dyn Check>,
    subject: Arc<dyn SubjectFactory>,
    idle: Mutex<Vec<Box<dyn Subject>>>,
}

impl Judge {
    /// A judge with an empty pool.
    pub fn new(check: Arc<dyn Check>, subject: Arc<dyn SubjectFactory>) -> Judge {
        Judge { check, subject, idle: Mutex::default() }
    }

    /// The check.
    pub fn check(&self) -> &dyn Check {
        &*self.check
    }

    /// What makes the subjects.
    pub fn subject(&self) -> &dyn SubjectFactory {
        &*self.subject
    }

    /// What the check says of the subject on this case.
    pub fn judge(&self, case: &Case) -> Verdict {
        let mut turn = self.turn();
        let verdict = self.check.judge(case, turn.subject());
        turn.keep_unless_fatal(&verdict);
        verdict
    }

    /// Borrows a subject for several cases.
    pub fn turn(&self) -> Turn<'_> {
        Turn { judge: self, subject: None }
    }

    /// Whether the case draws a finding of this kind.
    pub fn fails_like(&self, case: &Case, kind: &str) -> bool {
        match self.judge(case) {
            Verdict::Findings(findings) => findings.iter().any(|finding| finding.kind == kind),
            Verdict::Pass | Verdict::Skip(_) | Verdict::Broken(_) => false,
        }
    }

    /// The idle subjects. A poisoned lock is no harm: no invariant spans a push or a pop.
    fn pool(&self) -> MutexGuard<'_, Vec<Box<dyn Subject>>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A subject that is borrowed for several cases. It goes back to the pool with the turn.
pub struct Turn<'j> {
    judge: &'j Judge,
    subject: Option<Box<dyn Subject>>,
}

impl Turn<'_> {
    /// Tells the subject of the cases of this turn.
    pub fn foresee(&mut self, programs: &[&Program]) {
        self.subject().foresee(programs);
    }

    /// What the check says of the subject on a case; `measures` is told how good the answers are.
    pub fn judge_and_measure(&mut self, case: &Case, measures: &mut Measures) -> Verdict {
        let check = Arc::clone(&self.judge.check);
        let verdict = check.judge_and_measure(case, self.subject(), measures);
        self.keep_unless_fatal(&verdict);
        verdict
    }

    fn subject(&mut self) -> &mut dyn Subject {
        let judge = self.judge;
        let idle = || judge.pool().pop().unwrap_or_else(|| judge.subject.make());
        &mut **self.subject.get_or_insert_with(idle)
    }

    fn keep_unless_fatal(&mut self, verdict: &Verdict) {
        if is_fatal(verdict) {
            self.subject = None;
        }
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        let subject = self.subject.take();
        self.judge.pool().extend(subject);
    }
}

fn is_fatal(verdict: &Verdict) -> bool {
    match verdict {
        Verdict::Findings(findings) => findings.iter().any(|finding| FATAL.contains(&finding.kind)),
        Verdict::Pass | Verdict::Skip(_) | Verdict::Broken(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use backedge_core::ir::Program;
    use backedge_oracle::check::{At, Finding};
    use rayon::prelude::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    struct Nothing;

    impl Subject for Nothing {
        fn name(&self) -> &str {
            "nothing"
        }
    }

    /// Counts what it made.
    #[derive(Default)]
    struct Factory {
        made: AtomicUsize,
    }

    impl SubjectFactory for Factory {
        fn name(&self) -> &str {
            "nothing"
        }

        fn make(&self) -> Box<dyn Subject> {
            self.made.fetch_add(1, Ordering::Relaxed);
            Box::new(Nothing)
        }
    }

    /// Always draws a finding of this kind.
    struct Always(&'static str);

    impl Check for Always {
        fn name(&self) -> &'static str {
            "always"
        }

        fn judge(&self, _: &Case, _: &mut dyn Subject) -> Verdict {
            Verdict::Findings(vec![Finding {
                check: "always",
                kind: self.0,
                function: String::new(),
                at: At::Function,
                expected: String::new(),
                answered: String::new(),
            }])
        }
    }

    fn made_for(kind: &'static str, cases: usize) -> usize {
        let factory = Arc::new(Factory::default());
        let judge = Judge::new(Arc::new(Always(kind)), factory.clone());
        let case = Case { program: Program::default() };
        for _ in 0..cases {
            assert!(judge.fails_like(&case, kind));
            assert!(!judge.fails_like(&case, "another"));
        }
        factory.made.load(Ordering::Relaxed)
    }

    #[test]
    fn a_subject_is_used_again() {
        assert_eq!(made_for("missing-live-in", 10), 1);
    }

    #[test]
    fn a_subject_that_failed_is_not_used_again() {
        for kind in FATAL {
            assert_eq!(made_for(kind, 3), 6, "{kind}");
        }
    }

    #[test]
    fn no_more_subjects_than_threads() {
        let factory = Arc::new(Factory::default());
        let judge = Judge::new(Arc::new(Always("wrong")), factory.clone());
        let case = Case { program: Program::default() };
        let pool = rayon::ThreadPoolBuilder::new().num_threads(4).build().expect("a pool");
        let all =
            pool.install(|| (0..1000).into_par_iter().all(|_| judge.fails_like(&case, "wrong")));
        assert!(all);
        assert!((1..=4).contains(&factory.made.load(Ordering::Relaxed)));
    }
}
