//! What a program is to be judged by: the command line says, or else the program's directives
//! `;; check:` and `;; subject:`.

use super::Failure;
use super::args::{Common, checks_named};
use crate::subjects;
use backedge_core::ir::Program;
use backedge_oracle::check::Check;
use backedge_oracle::subject::SubjectFactory;
use std::sync::Arc;

/// Checks, and subjects for each of them.
pub(super) struct Asked {
    /// The checks.
    pub(super) checks: Vec<Arc<dyn Check>>,
    /// The subjects.
    pub(super) subjects: Vec<Arc<dyn SubjectFactory>>,
}

impl Asked {
    /// What the command line asks for, or else the directives, or else all checks of `core`.
    ///
    /// # Errors
    /// When a name is unknown, or the program names a command.
    pub(super) fn of(common: &Common, program: &Program) -> Result<Asked, Failure> {
        let checks = match &common.checks[..] {
            [] => checks_named(&listed(program, "check"))?,
            names => checks_named(names)?,
        };
        let subjects = match (&common.subjects[..], &listed_whole(program, "subject")[..]) {
            ([], []) => common.subjects()?,
            ([], named) => {
                named.iter().try_for_each(|name| may_start(name))?;
                common.subjects_named(named)?
            }
            (named, _) => common.subjects_named(named)?,
        };
        Ok(Asked { checks, subjects })
    }
}

/// The values of all directives with this key.
fn listed_whole(program: &Program, key: &str) -> Vec<String> {
    program.directives(key).map(|directive| directive.value.clone()).collect()
}

/// Likewise, each a list with commas.
pub(super) fn listed(program: &Program, key: &str) -> Vec<String> {
    let values = listed_whole(program, key);
    let names = values.iter().flat_map(|value| value.split(','));
    names.map(|name| name.trim().to_owned()).collect()
}

/// A file may choose among the subjects of this program. It may not start others: whoever checks a
/// stranger's file does not mean to run a stranger's command.
fn may_start(subject: &str) -> Result<(), Failure> {
    if subjects::is_built_in(subject) {
        return Ok(());
    }
    Err(Failure::Usage(format!(
        "its subject is the command `{subject}`, which is only run if you say so: --subject '{subject}'"
    )))
}
