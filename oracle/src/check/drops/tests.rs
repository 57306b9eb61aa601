use super::*;
use crate::core_subject::Core;
use crate::faults::drops::{DropsFault, Naive};
use crate::subject::DropClassifier;
use backedge_core::ir::text::parse;

/// The kinds that a fault draws on a text.
fn drawn(fault: DropsFault, text: &str) -> Vec<&'static str> {
    let program = parse(text).expect("the text is right");
    let mut subject = Naive::new("wrong", Some(fault));
    let verdict = DropsCheck.judge(&Case { program }, &mut subject);
    verdict.findings().iter().map(|finding| finding.kind).collect()
}

/// A value of the second round that is never dropped: its flag is 0 from the first.
#[test]
fn a_flag_that_is_not_set_again_leaks() {
    let text = ";; tape: 0, 1, 1, 0\nextern @go() -> int\nfn @main() {\na:\n  jump b\nb:\n  %p = new\n  \
                %c = call @go()\n  branch %c, d, e\nd:\n  drop %p\n  jump e\ne:\n  drop %p\n  \
                %m = call @go()\n  branch %m, b, f\nf:\n  return\n}\n";
    assert_eq!(drawn(DropsFault::FlagNotSetAgain, text), ["elaborated-differs"]);
    assert_eq!(drawn(DropsFault::FlagNotCleared, text), ["elaborated-differs"]);
}

/// On a tape that does not get to the place nothing shows.
#[test]
fn what_no_run_gets_to_is_not_told() {
    let text = ";; tape: 0\nfn @main(%c: int) {\na:\n  %p = new\n  branch %c, b, d\nb:\n  drop %p\n  jump d\n\
                d:\n  drop %p\n  return\n}\n";
    assert_eq!(drawn(DropsFault::FlagNotCleared, text), [""; 0]);
    assert_eq!(
        drawn(DropsFault::FlagNotCleared, &text.replace("tape: 0", "tape: 1")),
        ["elaborated-differs"]
    );
}

#[test]
fn a_subject_may_know_one_reading() {
    struct Half(Core);
    impl Subject for Half {
        fn name(&self) -> &str {
            "half"
        }
        fn drops(&mut self) -> Option<&mut dyn DropClassifier> {
            Some(self)
        }
    }
    impl DropClassifier for Half {
        fn drops(&mut self, of: &Function, unwinding: Unwinding) -> Result<DropsAnswer, NoAnswer> {
            match unwinding {
                Unwinding::Always => DropClassifier::drops(&mut self.0, of, unwinding),
                Unwinding::WhereInitialized => Err(NoAnswer::Skip("not so".into())),
            }
        }
    }
    let text = "fn @main() {\na:\n  %p = new\n  drop %p\n  return\n}\n";
    let program = parse(text).expect("the text is right");
    let verdict = DropsCheck.judge(&Case { program }, &mut Half(Core::default()));
    assert_eq!(verdict, Verdict::Pass);
}
