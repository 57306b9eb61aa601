//! Each expectation holds where it is true, does not where it is not, and is an error where it can't
//! be read.

use super::{judge, read};
use crate::core_subject::Core;
use crate::faults;
use crate::subject::{Subject, SubjectFactory};
use backedge_core::ir::Program;
use backedge_core::ir::text::parse;

const PROGRAM: &str = "
extern @g(int) -> int

fn @f(%c: int, %n: int) -> int {
entry:
  jump head(0)
head(%i: int):
  %i2 = add %i, 1
  branch %c, head(%i2), exit(%i2)
exit(%r: int):
  return %r
dead:
  branch %n, exit(%n), exit(%c)
}

fn @g2(%a: int) {
entry:
  return
}
";

fn program(directives: &str) -> Program {
    parse(&format!("{directives}\n{PROGRAM}")).unwrap_or_else(|mistakes| panic!("{mistakes:?}"))
}

fn messages(directives: &str, subject: &mut dyn Subject) -> Vec<String> {
    let wrong = judge(&program(directives), subject);
    wrong.into_iter().map(|mistake| format!("{}: {}", mistake.code, mistake.message)).collect()
}

/// Each expectation, true and then false.
const EXPECTATIONS: [(&str, &str); 17] = [
    ("live_in head: c, i", "live_in head: c"),
    ("live_in @g2 entry:", "live_in @g2 entry: a"),
    ("live_out head: %c, %i2", "live_out head: c, i, i2"),
    ("edge head -> exit: i2", "edge head -> exit: c, i2"),
    ("edge dead -> exit #1: c", "edge dead -> exit #0: c"),
    ("before head 1: c, i2", "before head 0: c, i2"),
    ("after head 0: i2, c", "after head 1: c"),
    ("succs dead: exit, exit", "succs dead: exit"),
    ("preds head: head, entry", "preds head: entry"),
    ("idom exit: head", "idom head: head"),
    ("loop head: head", "loop exit: exit"),
    ("loops: head", "loops:"),
    ("reachable: entry, head, exit", "reachable: entry, head, exit, dead"),
    ("unreachable: dead", "unreachable:"),
    ("reducible: yes", "reducible: no"),
    ("never_returns: no", "never_returns: yes"),
    ("critical: head -> head, head -> exit, dead -> exit, dead -> exit", "critical: head -> head"),
];

#[test]
fn true_expectations_hold_and_false_ones_do_not() {
    for (right, wrong) in EXPECTATIONS {
        assert_eq!(
            messages(&format!(";; {right}"), &mut Core::default()),
            Vec::<String>::new(),
            "{right}"
        );
        let found = messages(&format!(";; {wrong}"), &mut Core::default());
        assert_eq!(found.len(), 2, "{wrong}: {found:?}");
        assert!(found[0].starts_with("unmet-expectation: reference answers {"), "{found:?}");
        assert!(found[1].starts_with("unmet-expectation: core answers {"), "{found:?}");
    }
}

#[test]
fn a_wrong_subject_does_not_meet_a_true_expectation() {
    let fault = faults::by_name("fault:phi-forgotten").unwrap();
    let found = messages(";; edge head -> exit: i2", &mut *fault.make());
    assert_eq!(found, ["unmet-expectation: fault:phi-forgotten answers {}, not {i2}"]);
}

#[test]
fn a_subject_that_panics_has_no_answer() {
    let fault = faults::by_name("fault:panics").unwrap();
    let found = messages(";; live_in head: c, i\n;; loops: head", &mut *fault.make());
    assert_eq!(found.len(), 1, "it has no analysis of graphs, which is no mistake");
    assert!(found[0].starts_with("no-answer: fault:panics has no answer: it panicked"));
}

#[test]
fn each_mistake_has_its_code() {
    for (directive, code) in [
        ("live_im head: c", "unknown-expectation"),
        ("livein head: c", "unknown-expectation"),
        ("reducable: yes", "unknown-expectation"),
        ("colour head: red", "unknown-expectation"),
        ("live_in: c", "malformed-expectation"),
        ("live_in head exit: c", "malformed-expectation"),
        ("edge head exit: c", "malformed-expectation"),
        ("edge head -> exit 1: c", "malformed-expectation"),
        ("after head first: c", "malformed-expectation"),
        ("reducible: maybe", "malformed-expectation"),
        ("critical: head", "malformed-expectation"),
        ("loops head: head", "malformed-expectation"),
        ("live_in @h head: c", "unknown-function"),
        ("live_in body: c", "unknown-block"),
        ("live_in @g2 head: c", "unknown-block"),
        ("reachable: body", "unknown-block"),
        ("live_in head: x", "unknown-local"),
        ("edge exit -> head: c", "unknown-edge"),
        ("edge dead -> exit #2: c", "unknown-edge"),
        ("edge dead -> exit: c", "ambiguous-edge"),
        ("after head 2: c", "no-such-instruction"),
    ] {
        let mistakes = read(&program(&format!(";; {directive}"))).unwrap_err();
        let codes: Vec<_> = mistakes.iter().map(|mistake| mistake.code).collect();
        assert_eq!(codes, [code], "{directive}");
        assert!(mistakes[0].span.end > mistakes[0].span.start);
    }
}

#[test]
fn other_directives_are_none_of_ours() {
    let program = program(";; check: liveness\n;; tape: 1, 2\n;; seed: 7\n;; live_in head: c, i");
    assert_eq!(read(&program).unwrap().len(), 1);
}

#[test]
fn all_mistakes_are_found_at_once() {
    let program = program(";; live_in body: c\n;; loops: head\n;; live_in head: x");
    assert_eq!(read(&program).unwrap_err().len(), 2);
}
