//! Panics of subjects are findings, and must not fill stderr; a panic of the harness must be told.

use std::any::Any;
use std::panic;
use std::sync::{Mutex, PoisonError};

/// The last panic of any thread: its message and its place.
static LAST: Mutex<Option<(String, String)>> = Mutex::new(None);

/// From now on a panic prints nothing. Whoever catches it decides what it means.
pub(super) fn keep_quiet() {
    panic::set_hook(Box::new(|info| {
        let place = info.location().map(ToString::to_string).unwrap_or_default();
        let last = (message(info.payload()).to_owned(), place);
        *LAST.lock().unwrap_or_else(PoisonError::into_inner) = Some(last);
    }));
}

/// What happened, and where if that is known.
pub(super) fn describe(panic: &(dyn Any + Send)) -> String {
    let message = message(panic);
    let last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
    match &*last {
        Some((last, place)) if last == message => format!("{message} (at {place})"),
        _ => message.to_owned(),
    }
}

fn message(payload: &(dyn Any + Send)) -> &str {
    let text = payload.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| payload.downcast_ref::<&str>().copied()).unwrap_or("panic")
}
