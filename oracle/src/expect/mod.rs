//! What a file says of its own program, in directives.
//!
//! ```text
//! ;; live_in head: i, n               locals, after the block's parameters are bound
//! ;; live_out head:                   nothing is live
//! ;; edge head -> body: i             what is live on the edge
//! ;; edge head -> done #1: n          the same for the edge in slot 1
//! ;; before head 0: i, n              before instruction 0; the terminator is the last
//! ;; after head 1: i
//! ;; succs head: body, done           blocks, one for each edge, in any order
//! ;; preds head: entry, body
//! ;; idom body: head                  nothing for the entry and for unreachable blocks
//! ;; loop head: head, body            nothing where there is no loop with this header
//! ;; loops: head                      all headers
//! ;; reachable: entry, head, body     all of them
//! ;; unreachable: dead
//! ;; reducible: yes
//! ;; never_returns: no                whether control can get where no exit can be reached
//! ;; const_in head: n = overdefined, i = 3   every integer that is assigned on some way there
//! ;; const_in dead: never             control does not get there
//! ;; folds head: 0 = 7                instructions that compute a constant, with it
//! ;; executable head: body            where control may go, one for each edge
//! ;; drop done 0: conditional         the class of a drop, by block and position
//! ;; maybe_init done: p, q.1          what may be initialized where the block starts
//! ;; maybe_uninit done: q.0           what may be not; of an aggregate, its resources each
//! ;; critical: head -> done           all critical edges, one for each slot
//! ```
//!
//! Where a file has several functions, `@name` after the first word tells which one is meant:
//! `;; live_in @f head: i`. Without it, the first is. Sets are exact. The names of locals may have
//! their `%`.
//!
//! [`read`] finds the expectations and what is wrong with them, and [`judge`] holds them against the
//! references as well as against a subject: an expectation that only the subject meets is as wrong
//! as the other way round.

mod facts;
mod read;
#[cfg(test)]
mod tests;

pub use read::{Edge, Expectation, What, read};

use crate::reference::answer::Reference;
use crate::subject::{NoAnswer, Subject};
use backedge_core::diagnostic::Diagnostic;
use backedge_core::ir::{Function, Program};
use facts::Facts;

/// Every expectation that can't be read, or that the references or the subject do not meet.
///
/// A subject that asks about another function than the file's ([`Subject::prepare`]) is not held to
/// what the file says; the checks judge it.
pub fn judge(program: &Program, subject: &mut dyn Subject) -> Vec<Diagnostic> {
    let expectations = match read(program) {
        Ok(expectations) => expectations,
        Err(mistakes) => return mistakes,
    };
    let mut wrong = Vec::new();
    for of_function in expectations.chunk_by(|a, b| a.function == b.function) {
        let function = &program.functions[of_function[0].function];
        judge_function(function, of_function, &mut Reference, &mut wrong);
        if subject.prepare(function).is_none() {
            judge_function(function, of_function, subject, &mut wrong);
        }
    }
    wrong
}

/// Holds the expectations of one function against one subject.
fn judge_function(
    function: &Function,
    expectations: &[Expectation],
    subject: &mut dyn Subject,
    wrong: &mut Vec<Diagnostic>,
) {
    let facts = Facts::ask(function, subject);
    for expectation in expectations {
        match facts.of(&expectation.what) {
            Ok(answer) if answer != expectation.expected => {
                let [expected, answer] = [&expectation.expected, &answer].map(|set| braces(set));
                let text = format!("{} answers {answer}, not {expected}", subject.name());
                wrong.push(Diagnostic::new("unmet-expectation", expectation.span, text));
            }
            Ok(_) | Err(NoAnswer::Skip(_)) => {}
            Err(why) => {
                let text = format!("{} has no answer: it {why}", subject.name());
                wrong.push(Diagnostic::new("no-answer", expectation.span, text));
            }
        }
    }
}

fn braces(names: &[String]) -> String {
    format!("{{{}}}", names.join(", "))
}
