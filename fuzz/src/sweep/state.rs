//! The folder of a sweep: its lock, its saved state, its findings.
//!
//! The state is the report so far. It is replaced as a whole, by renaming, and after the findings
//! that it counts were written: so whenever the power fails, the next `--resume` finds a state that
//! is true, and at worst writes some finding again, in the same place.

use crate::report::{Report, Seeds, folder};
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

/// Why a folder can't be used.
#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    /// Another sweep is using it.
    #[error("another sweep is using {0}; wait for it or choose another --out")]
    Locked(String),
    /// It can't be read or written.
    #[error("can't use {path}: {error}")]
    Io {
        /// What can't.
        path: String,
        /// Why.
        error: io::Error,
    },
    /// What is there is no state that can be resumed.
    #[error("can't resume from {path}: it {why}")]
    State {
        /// The file.
        path: String,
        /// What is wrong with it.
        why: String,
    },
}

/// The folder of a sweep, locked for as long as this lives.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    _lock: File,
}

impl Folder {
    /// Makes the folder if needed, and locks it. The lock goes away with the process, however that
    /// ends.
    ///
    /// # Errors
    /// When it can't be made or another sweep holds it.
    pub fn open(path: &Path) -> Result<Folder, FolderError> {
        fs::create_dir_all(path).map_err(|error| io_error(path, error))?;
        let lock_path = path.join("lock");
        let options = File::options().create(true).truncate(false).write(true).open(&lock_path);
        let lock = options.map_err(|error| io_error(&lock_path, error))?;
        match lock.try_lock() {
            Ok(()) => Ok(Folder { path: path.to_owned(), _lock: lock }),
            Err(TryLockError::WouldBlock) => Err(FolderError::Locked(path.display().to_string())),
            Err(TryLockError::Error(error)) => Err(io_error(&lock_path, error)),
        }
    }

    /// Saves the report so far.
    ///
    /// # Errors
    /// When it can't be written.
    pub fn save(&self, report: &Report) -> Result<(), FolderError> {
        let path = self.state();
        folder::replace(&path, &report.to_json()).map_err(|error| io_error(&path, error))
    }

    /// Reads the report that was saved last, if there is one. It must be of a sweep like `wanted`
    /// and must cover no more than `seeds`.
    ///
    /// # Errors
    /// When what is there is of another version or of other flags.
    pub fn resume(&self, wanted: &Report, seeds: &Seeds) -> Result<Option<Report>, FolderError> {
        let path = self.state();
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(io_error(&path, error)),
        };
        let state = Report::from_json(&text).and_then(|state| fits(state, wanted, seeds));
        match state {
            Ok(state) => Ok(Some(state)),
            Err(why) => Err(FolderError::State { path: path.display().to_string(), why }),
        }
    }

    /// Where findings go.
    pub(super) fn findings(&self) -> PathBuf {
        self.path.join("findings")
    }

    fn state(&self) -> PathBuf {
        self.path.join("state.json")
    }
}

/// The state, if it is one of the same sweep; else what differs.
fn fits(state: Report, wanted: &Report, seeds: &Seeds) -> Result<Report, String> {
    let differs = |what: &str, theirs: &str, ours: &str| {
        Err(format!("is of a sweep with {what} {theirs}, not {ours}"))
    };
    let (theirs, ours) = (&state.parameters, &wanted.parameters);
    let lists = [
        ("shapes", &theirs.shapes, &ours.shapes),
        ("checks", &theirs.checks, &ours.checks),
        ("subjects", &theirs.subjects, &ours.subjects),
    ];
    if let Some((what, theirs, ours)) = lists.into_iter().find(|(_, theirs, ours)| theirs != ours) {
        return differs(what, &theirs.join(","), &ours.join(","));
    }
    let values = [
        ("generator", state.generator.clone(), wanted.generator.clone()),
        ("--max-blocks", theirs.max_blocks.to_string(), ours.max_blocks.to_string()),
        ("--timeout", theirs.timeout_seconds.to_string(), ours.timeout_seconds.to_string()),
        ("--seed", state.seed.to_string(), wanted.seed.to_string()),
    ];
    if let Some((what, theirs, ours)) = values.iter().find(|(_, theirs, ours)| theirs != ours) {
        return differs(what, theirs, ours);
    }
    match state.seeds[..] {
        [] => Ok(state),
        [done] if (done.first, done.step) != (seeds.first, seeds.step) => {
            Err("is of another shard".to_owned())
        }
        [done] if done.count > seeds.count => {
            Err(format!("has judged {} cases already, more than are asked for", done.count))
        }
        [_] => Ok(state),
        _ => Err("is of several sweeps".to_owned()),
    }
}

fn io_error(path: &Path, error: io::Error) -> FolderError {
    FolderError::Io { path: path.display().to_string(), error }
}

/// For `map_err`: what can't be written.
pub(super) fn cannot_write(path: &Path) -> impl FnOnce(io::Error) -> FolderError {
    move |error| io_error(path, error)
}
