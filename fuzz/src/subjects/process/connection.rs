//! A process with its three pipes, which can't make us wait longer than the timeout.
//!
//! Our ends of the pipes never block: one loop polls them all, so that a process that reads nothing,
//! floods its output, stops in the middle of a line or writes megabytes to stderr costs at most its
//! time. Each turn of the loop moves a bounded number of bytes and then looks at the clock.
//!
//! The process leads a group of its own, and the whole group is killed before the leader is reaped,
//! while its number can't belong to anybody else.

use super::said::{Failure, Tail, excerpt};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{Errno, ioctl_fionbio};
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use smallvec::SmallVec;
use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// Longest answer, in bytes.
const MAX_ANSWER: usize = 64 << 20;
/// Most bytes taken from a pipe at once.
const CHUNK: usize = 64 << 10;
/// How long we wait without looking whether the process is still there. Its end usually closes its
/// pipes, which wakes us; a child that inherited them can keep them open.
const LOOK: Duration = Duration::from_millis(100);
/// How long a process that closed its stdout or was told to end may take to exit.
const GRACE: Duration = Duration::from_millis(500);

/// A running process.
#[derive(Debug)]
pub(super) struct Connection {
    child: Child,
    /// `None` once the process has closed it.
    stdin: Option<ChildStdin>,
    stdout: ChildStdout,
    /// `None` once the process has closed it.
    stderr: Option<ChildStderr>,
    /// What was read of stdout; `..line` is the last answer handed out.
    input: Vec<u8>,
    line: usize,
    stderr_tail: Tail,
    scratch: Box<[u8]>,
    reaped: bool,
}

/// What a read brought.
enum Got {
    /// Some bytes.
    Bytes,
    /// No byte yet.
    Nothing,
    /// No byte any more.
    End,
}

impl Connection {
    /// Starts a program.
    ///
    /// # Errors
    /// When the system can't start it.
    pub(super) fn start(argv: &[String]) -> io::Result<Connection> {
        let (program, arguments) = argv.split_first().ok_or(io::ErrorKind::InvalidInput)?;
        let mut child = Command::new(program)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0)
            .spawn()?;
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(stdin), Some(stdout), Some(stderr)) = pipes else {
            return Err(io::ErrorKind::BrokenPipe.into());
        };
        let connection = Connection {
            child,
            stdin: Some(stdin),
            stdout,
            stderr: Some(stderr),
            input: Vec::new(),
            line: 0,
            stderr_tail: Tail::default(),
            scratch: vec![0; CHUNK].into(),
            reaped: false,
        };
        connection.stop_blocking()?;
        Ok(connection)
    }

    fn stop_blocking(&self) -> io::Result<()> {
        ioctl_fionbio(&self.stdout, true)?;
        self.stdin.iter().try_for_each(|pipe| ioctl_fionbio(pipe, true))?;
        self.stderr.iter().try_for_each(|pipe| ioctl_fionbio(pipe, true))?;
        Ok(())
    }

    /// The number of the process, which is that of its group.
    #[cfg(test)]
    pub(super) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Writes a question, which ends in a newline, and returns the line that answers it.
    ///
    /// # Errors
    /// When there is none; the connection is of no further use then.
    pub(super) fn ask(&mut self, question: &[u8], timeout: Duration) -> Result<&[u8], Failure> {
        let deadline = Instant::now() + timeout;
        self.forget_last_answer()?;
        let mut unsent = question;
        let mut searched = 0;
        loop {
            self.send(&mut unsent);
            self.wait(!unsent.is_empty(), deadline);
            self.take_stderr();
            let got = self.take_stdout();
            if let Some(length) = newline(&self.input, searched) {
                return self.hand_out(length);
            }
            searched = self.input.len();
            if searched > MAX_ANSWER {
                return Err(Failure::Noise(format!("a line longer than {MAX_ANSWER} bytes")));
            }
            match got {
                Got::End => return Err(self.died("closed its stdout")),
                // An exited process has written all that it will, but not all of it may be read.
                Got::Nothing if self.has_exited() => match self.take_stdout() {
                    Got::Bytes => {}
                    Got::Nothing | Got::End => return Err(self.died("exited")),
                },
                Got::Nothing | Got::Bytes => {}
            }
            if newline(&self.input, searched).is_none() && Instant::now() >= deadline {
                return Err(Failure::Silent);
            }
        }
    }

    /// Drops the answer before; anything behind it answers no question.
    fn forget_last_answer(&mut self) -> Result<(), Failure> {
        self.input.clear();
        self.line = 0;
        self.take_stdout();
        self.unasked(0)
    }

    fn hand_out(&mut self, length: usize) -> Result<&[u8], Failure> {
        self.line = length;
        self.unasked(length + 1)?;
        Ok(&self.input[..length])
    }

    fn unasked(&self, from: usize) -> Result<(), Failure> {
        match self.input.get(from..) {
            None | Some([]) => Ok(()),
            Some(rest) => {
                Err(Failure::Noise(format!("output that answers no question: {}", excerpt(rest))))
            }
        }
    }

    /// Writes as much as fits.
    fn send(&mut self, unsent: &mut &[u8]) {
        while let Some(stdin) = &mut self.stdin
            && !unsent.is_empty()
        {
            match stdin.write(unsent) {
                Ok(written) => *unsent = &unsent[written..],
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                // It reads no more; it may still answer.
                Err(_) => self.stdin = None,
            }
        }
    }

    /// Waits until a pipe is ready, for at most [`LOOK`].
    fn wait(&self, sending: bool, deadline: Instant) {
        let left = deadline.saturating_duration_since(Instant::now()).min(LOOK);
        let mut pipes: SmallVec<[PollFd; 3]> = SmallVec::new();
        pipes.push(PollFd::new(&self.stdout, PollFlags::IN));
        if let Some(stderr) = &self.stderr {
            pipes.push(PollFd::new(stderr, PollFlags::IN));
        }
        if let Some(stdin) = self.stdin.as_ref().filter(|_| sending) {
            pipes.push(PollFd::from_borrowed_fd(stdin.as_fd(), PollFlags::OUT));
        }
        let timeout = Timespec { tv_sec: 0, tv_nsec: left.subsec_nanos().into() };
        // Interrupted or failed: the pipes don't block, so going on is safe.
        let _: Result<usize, Errno> = poll(&mut pipes, Some(&timeout));
    }

    fn take_stdout(&mut self) -> Got {
        let (got, bytes) = take(&mut self.stdout, &mut self.scratch);
        self.input.extend_from_slice(bytes);
        got
    }

    fn take_stderr(&mut self) {
        if let Some(stderr) = &mut self.stderr {
            let (got, bytes) = take(stderr, &mut self.scratch);
            self.stderr_tail.push(bytes);
            if let Got::End = got {
                self.stderr = None;
            }
        }
    }

    fn pid(&self) -> Option<Pid> {
        i32::try_from(self.child.id()).ok().and_then(Pid::from_raw)
    }

    /// Whether the process has exited; it stays unreaped.
    fn has_exited(&self) -> bool {
        let look = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        match self.pid().map(|pid| waitid(WaitId::Pid(pid), look)) {
            Some(Ok(status)) => status.is_some(),
            Some(Err(error)) => error != Errno::INTR,
            None => true,
        }
    }

    fn wait_for_exit(&self, longest: Duration) -> bool {
        let deadline = Instant::now() + longest;
        let mut pause = Duration::from_micros(100);
        while !self.has_exited() {
            if Instant::now() >= deadline {
                return false;
            }
            thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(20));
        }
        true
    }

    /// Tells how the process ended, with the last lines that it wrote to stderr.
    fn died(&mut self, seen: &str) -> Failure {
        let exited = self.wait_for_exit(GRACE);
        // A bounded look at what is left: another process may go on writing.
        for _ in 0..16 {
            self.take_stderr();
        }
        let status = self.end();
        let mut how = match status {
            Some(status) if exited => status.to_string(),
            _ => seen.to_owned(),
        };
        if !self.input.is_empty() {
            how.push_str(&format!(", in the middle of an answer: {}", excerpt(&self.input)));
        }
        if let Some(lines) = self.stderr_tail.text() {
            how.push_str(&format!("; stderr: {lines}"));
        }
        Failure::Died(how)
    }

    /// Ends the process and everything in its group, at once.
    pub(super) fn kill(mut self) {
        self.end();
    }

    fn end(&mut self) -> Option<ExitStatus> {
        if self.reaped {
            return None;
        }
        self.reaped = true;
        if let Some(pid) = self.pid() {
            let _ = kill_process_group(pid, Signal::KILL);
        }
        let _ = self.child.kill();
        self.child.wait().ok()
    }
}

impl Drop for Connection {
    /// Closes stdin, so that the process can end by itself, and then ends it.
    fn drop(&mut self) {
        if !self.reaped {
            self.stdin = None;
            self.wait_for_exit(GRACE);
            self.end();
        }
    }
}

/// The position of the first newline at or behind `from`.
fn newline(input: &[u8], from: usize) -> Option<usize> {
    input[from..].iter().position(|&byte| byte == b'\n').map(|position| from + position)
}

/// Reads what a pipe has, as far as it fits the buffer.
fn take<'b>(pipe: &mut impl Read, buffer: &'b mut [u8]) -> (Got, &'b [u8]) {
    loop {
        match pipe.read(buffer) {
            Ok(0) => return (Got::End, &[]),
            Ok(count) => return (Got::Bytes, &buffer[..count]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return (Got::Nothing, &[]),
            Err(_) => return (Got::End, &[]),
        }
    }
}
