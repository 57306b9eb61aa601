//! What can be checked: `core`, the deliberately wrong ones, and processes that speak the protocol.

pub mod process;

use backedge_oracle::subject::SubjectFactory;
use process::{CommandError, Process};
use std::sync::Arc;
use std::time::Duration;

/// A subject that the command line can name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// What `--subject` calls it.
    pub name: String,
    /// What it is, in one sentence.
    pub about: String,
}

/// Why a subject can't be had.
#[derive(Debug, thiserror::Error)]
pub enum Unknown {
    /// The name is empty.
    #[error("the name of a subject is empty")]
    Empty,
    /// There is no fault of this name.
    #[error("unknown subject `fault:{0}`; `backedge subjects` lists them")]
    Fault(String),
    /// It is no name and can't be run.
    #[error("can't run subject `{0}`: {1}")]
    Command(String, CommandError),
}

/// Every subject with a name; command lines are subjects besides.
pub fn list() -> Vec<Entry> {
    Vec::new()
}

/// The subject that `spec` names: `core`, `fault:NAME`, or a command line that speaks the subject
/// protocol. A process gets `timeout` for each answer; code of this process can't be interrupted.
///
/// # Errors
/// When there is no such subject.
pub fn resolve(spec: &str, timeout: Duration) -> Result<Arc<dyn SubjectFactory>, Unknown> {
    match spec.trim() {
        "" => Err(Unknown::Empty),
        name => match name.strip_prefix("fault:") {
            Some(fault) => Err(Unknown::Fault(fault.to_owned())),
            None => match Process::new(name, timeout) {
                Ok(process) => Ok(Arc::new(process)),
                Err(error) => Err(Unknown::Command(name.to_owned(), error)),
            },
        },
    }
}
