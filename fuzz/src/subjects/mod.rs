//! What can be checked: `core`, the deliberately wrong ones, the installed rustc, and processes that speak
//! the protocol.

pub mod process;
pub mod rustc;

use backedge_oracle::core_subject::CoreFactory;
use backedge_oracle::faults;
use backedge_oracle::subject::SubjectFactory;
use process::{CommandError, Process};
use rustc::RustcFactory;
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
    let core = (CORE, "the solvers of backedge-core");
    let faults = faults::all().iter().map(|fault| (fault.name, fault.about));
    let rustc = (RUSTC, "the installed rustc: its classes of drops, and what they rest on");
    let entries = [core, rustc].into_iter().chain(faults);
    entries.map(|(name, about)| Entry { name: name.to_owned(), about: about.to_owned() }).collect()
}

/// Whether `spec` names a subject of ours, so that using it runs no program that a stranger chose.
pub fn is_built_in(spec: &str) -> bool {
    [CORE, RUSTC].contains(&spec.trim()) || spec.trim().starts_with(FAULT)
}

const CORE: &str = "core";
const RUSTC: &str = "rustc";
const FAULT: &str = "fault:";

/// The subject that `spec` names: `core`, `rustc`, `fault:NAME`, or a command line that speaks the subject
/// protocol. A process gets `timeout` for each answer; code of this process can't be interrupted.
///
/// # Errors
/// When there is no such subject.
pub fn resolve(spec: &str, timeout: Duration) -> Result<Arc<dyn SubjectFactory>, Unknown> {
    match spec.trim() {
        "" => Err(Unknown::Empty),
        CORE => Ok(Arc::new(CoreFactory)),
        RUSTC => Ok(Arc::new(RustcFactory)),
        name => match name.strip_prefix(FAULT) {
            Some(fault) => match faults::by_name(name) {
                Some(fault) => Ok(Arc::new(*fault)),
                None => Err(Unknown::Fault(fault.to_owned())),
            },
            None => match Process::new(name, timeout) {
                Ok(process) => Ok(Arc::new(process)),
                Err(error) => Err(Unknown::Command(name.to_owned(), error)),
            },
        },
    }
}
