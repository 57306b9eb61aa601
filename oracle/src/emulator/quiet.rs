//! Makes a processor of rvemu without anybody noticing.
//!
//! Making one writes `rvemu.dts` to the working directory, tries to run a compiler on it, prints that it
//! has failed, and starts a thread that reads stdin for good. So it is made in a folder of its own that
//! is removed, stdout leads nowhere meanwhile, and stdin is given up for good: whoever wants it has
//! to read it before. What takes an environment of the whole process happens under a lock, once for
//! each emulator; afterwards emulators are reused and nothing of this happens again.

use rvemu::cpu::Cpu;
use std::io::{self, Write};
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};
use std::{fs, process, thread};

static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// # Errors
/// When there is no folder for it, or no thread.
pub(super) fn processor() -> io::Result<Box<Cpu>> {
    let _one = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    let folder = std::env::temp_dir().join(format!("backedge-{}-{number}", process::id()));
    fs::create_dir_all(&folder)?;
    // A thread of its own, because on Linux it can have a working directory of its own.
    let make = || thread::Builder::new().spawn(in_folder(folder.clone()))?.join().map_err(died)?;
    let made = make();
    // It is empty but for one file, and of no use: if it can't be removed, so be it.
    let _ = fs::remove_dir_all(&folder);
    made
}

fn died<T>(_: T) -> io::Error {
    io::Error::other("the emulator can't be made")
}

fn in_folder(folder: std::path::PathBuf) -> impl FnOnce() -> io::Result<Box<Cpu>> {
    move || {
        let apart = own_working_directory();
        let before = std::env::current_dir();
        std::env::set_current_dir(&folder)?;
        let made = streams::silently(|| Box::new(Cpu::new()));
        if !apart {
            std::env::set_current_dir(before.as_deref().unwrap_or(Path::new("/")))?;
        }
        made
    }
}

/// Gives this thread a working directory that other threads do not share, and says whether it could.
#[cfg(target_os = "linux")]
#[expect(
    deprecated,
    reason = "unsound only where file descriptors are unshared, which they are not"
)]
fn own_working_directory() -> bool {
    rustix::thread::unshare(rustix::thread::UnshareFlags::FS).is_ok()
}

#[cfg(not(target_os = "linux"))]
fn own_working_directory() -> bool {
    false
}

#[cfg(unix)]
mod streams {
    use super::*;
    use std::fs::File;
    use std::os::fd::AsFd;

    /// Runs `make` while stdout leads nowhere; stdin leads nowhere from now on. Nobody else prints
    /// meanwhile: the lock of stdout is held.
    pub(super) fn silently<T>(make: impl FnOnce() -> T) -> io::Result<T> {
        let nowhere = File::options().read(true).write(true).open("/dev/null")?;
        rustix::stdio::dup2_stdin(&nowhere)?;
        let mut stdout = io::stdout().lock();
        stdout.flush()?;
        let real = stdout.as_fd().try_clone_to_owned()?;
        rustix::stdio::dup2_stdout(nowhere.as_fd())?;
        let made = make();
        stdout.flush()?;
        rustix::stdio::dup2_stdout(&real)?;
        Ok(made)
    }
}

#[cfg(not(unix))]
mod streams {
    use super::*;

    /// Runs `make`, which prints a warning here.
    pub(super) fn silently<T>(make: impl FnOnce() -> T) -> io::Result<T> {
        io::stdout().flush()?;
        Ok(make())
    }
}
