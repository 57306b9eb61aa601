//! Makes the tapes of a case short and their answers plain.

use super::Pick;
use backedge_core::ir::Program;
use backedge_oracle::tape::{Answer, TAPE, Tape};

/// Sites: answers.
pub(super) fn drop_answers(program: &mut Program, pick: &mut Pick) {
    answers_mut(program, |answers| answers.retain(|_| !pick.site()));
}

/// Sites: answers that are not 0.
pub(super) fn to_zero(program: &mut Program, pick: &mut Pick) {
    answers_mut(program, |answers| {
        for answer in answers.iter_mut().filter(|answer| **answer != Answer::Value(0)) {
            if pick.site() {
                *answer = Answer::Value(0);
            }
        }
    });
}

/// Sites: numbers that are not 0, which are halved.
pub(super) fn halve(program: &mut Program, pick: &mut Pick) {
    answers_mut(program, |answers| {
        for answer in answers.iter_mut() {
            if let Answer::Value(value) = answer
                && *value != 0
                && pick.site()
            {
                *value /= 2;
            }
        }
    });
}

/// Tapes that can't be read are left alone.
fn answers_mut(program: &mut Program, mut edit: impl FnMut(&mut Vec<Answer>)) {
    for directive in program.directives.iter_mut().filter(|directive| directive.key == TAPE) {
        if let Ok(mut tape) = Tape::parse(&directive.value) {
            edit(&mut tape.0);
            directive.value = tape.to_string();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use backedge_core::ir::text::parse;

    fn edited(edit: fn(&mut Program, &mut Pick), sites: std::ops::Range<usize>) -> String {
        let text = ";; tape: 6, unwind, 0, -9\n;; seed: 6\nfn @f() {\nb:\n  return\n}\n";
        let mut program = parse(text).expect("the text is right");
        edit(&mut program, &mut Pick::of(sites));
        assert_eq!(program.directives[1].value, "6", "other directives stay");
        program.directives[0].value.clone()
    }

    #[test]
    fn answers_go_or_get_plainer() {
        assert_eq!(edited(drop_answers, 1..3), "6, -9");
        assert_eq!(edited(to_zero, 1..3), "6, 0, 0, 0");
        assert_eq!(edited(halve, 0..2), "3, unwind, 0, -4");
    }
}
