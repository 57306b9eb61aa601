use super::*;
use crate::faults::constants::{ConstantsFault, Naive};
use backedge_core::ir::text::parse;

/// The kinds that a fault draws on a text.
fn drawn(fault: ConstantsFault, text: &str) -> Vec<&'static str> {
    let program = parse(text).expect("the text is right");
    let mut subject = Naive::new("wrong", Some(fault));
    let verdict = ConstantsCheck.judge(&Case { program }, &mut subject);
    verdict.findings().iter().map(|finding| finding.kind).collect()
}

/// No value that is drawn shows it, but the one on the tape does.
#[test]
fn a_run_contradicts_a_claim() {
    let program = |tape: &str| {
        format!(
            ";; tape: {tape}\nfn @main(%a: int) -> int {{\nb0:\n  %x = eq %a, 77\n  return %x\n}}\n"
        )
    };
    assert_eq!(drawn(ConstantsFault::NeverEqual, &program("76")), [""; 0]);
    let of_both = drawn(ConstantsFault::NeverEqual, &program("77"));
    assert_eq!(of_both, ["contradicted-by-run", "fold-differs"]);
}

#[test]
fn a_folded_program_that_does_something_else_differs() {
    let text =
        "fn @main() -> int {\nb0:\n  branch 1, b1, b2\nb1:\n  return 1\nb2:\n  return 2\n}\n";
    assert_eq!(drawn(ConstantsFault::JumpsTheOtherWay, text), ["fold-differs"]);
}

#[test]
fn a_folded_program_that_is_none_is_invalid() {
    let text = "fn @main() -> int {\nb0:\n  branch 1, b1(5), b1(6)\nb1(%x: int):\n  return %x\n}\n";
    assert_eq!(drawn(ConstantsFault::JumpsWithoutArguments, text), ["fold-invalid"]);
}

/// A subject that knows more of arithmetic than the reference is not wrong.
#[test]
fn a_cleverer_answer_passes() {
    struct Clever;
    impl Subject for Clever {
        fn name(&self) -> &str {
            "clever"
        }
        fn constants(&mut self) -> Option<&mut dyn crate::subject::ConstantSolver> {
            Some(self)
        }
    }
    impl crate::subject::ConstantSolver for Clever {
        fn constants(&mut self, function: &Function) -> Result<ConstantsAnswer, NoAnswer> {
            let mut answer = reference::constants(function);
            // `sub %a, %a` is zero, whatever `%a` is.
            answer.entry[1].as_mut().expect("it is reached")[1] = Known::Constant(0);
            answer.exit = None;
            Ok(answer)
        }
    }
    let text =
        "fn @main(%a: int) -> int {\nb0:\n  %x = sub %a, %a\n  jump b1\nb1:\n  return %x\n}\n";
    let program = parse(text).expect("the text is right");
    assert_eq!(ConstantsCheck.judge(&Case { program }, &mut Clever), Verdict::Pass);
}
