//! Makes the tapes of a case short and their answers plain.

use super::Pick;
use backedge_core::ir::{Block, Inst, Op, Program, TerminatorKind};
use backedge_oracle::reference::interpreter::{Interpreter, Observer, View};
use backedge_oracle::run::{self, Limits};
use backedge_oracle::tape::{Answer, TAPE, Tape};
use rustc_hash::FxHashSet;

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

/// Sites: calls of externs, which go with the answers that they take.
pub(super) fn drop_calls(program: &mut Program, pick: &mut Pick) {
    let mut calls = FxHashSet::default();
    for (index, function) in program.functions.iter().enumerate() {
        for (block, data) in &function.blocks {
            let insts = data.insts.iter().enumerate();
            let picked = insts.filter(|(_, inst)| calls_extern(program, inst) && pick.site());
            calls.extend(picked.map(|(inst, _)| (index, block, inst)));
        }
    }
    if calls.is_empty() {
        return;
    }
    let original = program.clone();
    answers_mut(program, |answers| {
        let takers = takers(&original, answers);
        let mut takers = takers.into_iter();
        answers.retain(|_| takers.next().flatten().is_none_or(|taker| !calls.contains(&taker)));
    });
    for (index, function) in program.functions.iter_mut().enumerate() {
        for (block, data) in &mut function.blocks {
            let mut inst = 0..;
            data.insts
                .retain(|_| inst.next().is_none_or(|inst| !calls.contains(&(index, block, inst))));
        }
    }
}

fn calls_extern(program: &Program, inst: &Inst) -> bool {
    matches!(&inst.op, Op::Call { callee, .. } if program.function(callee).is_none())
}

/// Which instruction takes an answer: of which function, in which block, at which position.
type Taker = (usize, Block, usize);

/// By answer, who takes it in a run; nobody where a parameter does, or the run does not get that far. A
/// `try_drop` may take an answer or not, so that nothing is known behind one.
fn takers(program: &Program, answers: &[Answer]) -> Vec<Option<Taker>> {
    let params = run::start(program).map_or(0, |function| function.params.len());
    let mut watch = Watch { program, takers: vec![None; params], is_known: true };
    let tape = Tape(answers.to_vec());
    Interpreter::new(program).run_observed(&tape, Limits::default(), &mut watch);
    watch.takers
}

struct Watch<'p> {
    program: &'p Program,
    takers: Vec<Option<Taker>>,
    is_known: bool,
}

impl Observer for Watch<'_> {
    fn before(&mut self, view: &View<'_>, block: Block, inst: usize) {
        let data = &self.program.functions[view.function].blocks[block];
        let takes = match (data.insts.get(inst), &data.term.kind) {
            (Some(inst), _) => calls_extern(self.program, inst),
            (None, TerminatorKind::TryCall { callee, .. }) => {
                self.program.function(callee).is_none()
            }
            (None, TerminatorKind::TryDrop { .. }) => {
                self.is_known = false;
                false
            }
            _ => false,
        };
        if takes && self.is_known {
            self.takers.push(Some((view.function, block, inst)));
        }
    }
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
    fn calls_go_with_their_answers() {
        let text = ";; tape: 1, 2, 3, 4, 5, 6\nextern @e(int) -> int\nfn @main(%a: int, %b: int) -> int {\n\
                    b:\n  %x = call @e(%a)\n  %y = call @f(%b)\n  %z = call @e(%y)\n  return %z\n}\n\
                    fn @f(%a: int) -> int {\nb:\n  %x = call @e(%a)\n  return %a\n}\n";
        let edited = |sites| {
            let mut program = parse(text).expect("the text is right");
            drop_calls(&mut program, &mut Pick::of(sites));
            (program.directives[0].value.clone(), program.functions[0].inst_count())
        };
        assert_eq!(edited(0..1), ("1, 2, 4, 5, 6".to_owned(), 2));
        assert_eq!(edited(1..3), ("1, 2, 3, 6".to_owned(), 2));
        assert_eq!(edited(3..4), ("1, 2, 3, 4, 5, 6".to_owned(), 3));
    }

    #[test]
    fn answers_go_or_get_plainer() {
        assert_eq!(edited(drop_answers, 1..3), "6, -9");
        assert_eq!(edited(to_zero, 1..3), "6, 0, 0, 0");
        assert_eq!(edited(halve, 0..2), "3, unwind, 0, -4");
    }
}
