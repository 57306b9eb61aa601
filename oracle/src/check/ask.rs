//! Asks a subject about one function after the other, and survives what it does.

use super::report::Report;
use super::{Case, Verdict};
use crate::subject::{NoAnswer, Subject};
use backedge_core::ir::Function;
use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind};
use std::sync::Once;

/// Judges every function of a case by `judge`, which gets the function that the subject is to be
/// asked about. It stops when the subject panics, dies or hangs.
pub(super) fn judge_functions(
    case: &Case,
    subject: &mut dyn Subject,
    check: &'static str,
    kinds: &'static [&'static str],
    judge: impl Fn(&mut Report<'_>, &mut dyn Subject) -> Result<Judged, NoAnswer>,
) -> Verdict {
    let mut total: Option<Verdict> = None;
    for function in &case.program.functions {
        let (verdict, lost) = judge_function(function, subject, check, kinds, &judge);
        total = Some(match total {
            Some(total) => total.and(verdict),
            None => verdict,
        });
        if lost {
            break;
        }
    }
    total.unwrap_or_else(|| Verdict::Skip("the program has no function".into()))
}

/// That a function was judged, or why that can't be done.
pub(super) enum Judged {
    /// The report holds what is wrong.
    Done,
    /// The reference can't answer.
    Skip(String),
    /// Two references disagree.
    Broken(String),
}

/// The verdict on one function, and whether the subject is lost.
fn judge_function(
    function: &Function,
    subject: &mut dyn Subject,
    check: &'static str,
    kinds: &'static [&'static str],
    judge: &impl Fn(&mut Report<'_>, &mut dyn Subject) -> Result<Judged, NoAnswer>,
) -> (Verdict, bool) {
    if function.blocks.is_empty() {
        return (Verdict::Skip(format!("@{} has no block", function.name)), false);
    }
    let prepared = catch(|| Ok(subject.prepare(function)));
    let asked = prepared.as_ref().ok().and_then(|prepared| prepared.as_ref()).unwrap_or(function);
    let mut report = Report::new(check, kinds, asked);
    let judged = match &prepared {
        Ok(_) => judge(&mut report, subject),
        Err(why) => Err(why.clone()),
    };
    match judged {
        Ok(Judged::Done) => (report.verdict(), false),
        Ok(Judged::Skip(why)) => (Verdict::Skip(why), false),
        Ok(Judged::Broken(why)) => (Verdict::Broken(format!("@{}: {why}", asked.name)), false),
        Err(why) => report.no_answer(why),
    }
}

/// What the subject answers. A panic is caught, and nothing is printed of it.
pub(crate) fn ask<T>(
    subject: &mut dyn Subject,
    question: impl FnOnce(&mut dyn Subject) -> Option<Result<T, NoAnswer>>,
) -> Result<T, NoAnswer> {
    catch(|| {
        let missing = || Err(NoAnswer::Skip("the subject has no such analysis".into()));
        question(subject).unwrap_or_else(missing)
    })
}

thread_local! {
    /// Whether a panic of this thread is to be kept instead of printed.
    static QUIET: Cell<bool> = const { Cell::new(false) };
    /// What the last such panic said.
    static MESSAGE: RefCell<Option<String>> = const { RefCell::new(None) };
}

fn catch<T>(run: impl FnOnce() -> Result<T, NoAnswer>) -> Result<T, NoAnswer> {
    // The closure reaches nothing but the subject, which the caller discards after a panic.
    quietly(run).unwrap_or_else(|panic| Err(NoAnswer::Panic(panic)))
}

/// Runs something that may panic; if so, what the panic says. Nothing is printed of it. What the
/// closure changes must not be used after a panic.
pub(crate) fn quietly<T>(run: impl FnOnce() -> T) -> Result<T, String> {
    install_hook();
    let before = QUIET.replace(true);
    let result = catch_unwind(AssertUnwindSafe(run));
    QUIET.set(before);
    result.map_err(|_| MESSAGE.take().unwrap_or_else(|| "without a message".into()))
}

/// Puts a panic hook in front of the one that is there: it keeps what is quiet and passes on the
/// rest.
fn install_hook() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let next = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if QUIET.get() {
                MESSAGE.set(Some(describe(info)));
            } else {
                next(info);
            }
        }));
    });
}

fn describe(info: &PanicHookInfo<'_>) -> String {
    let text = info.payload_as_str().unwrap_or("a value that is no text");
    match info.location() {
        Some(place) => format!("{text} ({}:{})", place.file(), place.line()),
        None => text.to_owned(),
    }
}
