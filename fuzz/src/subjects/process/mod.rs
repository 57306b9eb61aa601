//! Subjects that are processes: one JSON object a line on stdin, one answer a line on stdout.
//!
//! [`connection`] owns a process and never waits longer than the timeout, whatever the process does;
//! [`answer`] turns a line into an answer about a function, or says why it is none. A process that
//! died, hung or answered nonsense is replaced at the next question.

mod answer;
#[cfg(unix)]
mod connection;
#[cfg(not(unix))]
#[path = "connection_elsewhere.rs"]
mod connection;
mod said;
#[cfg(all(test, unix))]
mod tests;

use crate::bril::{FunctionJson, prepare};
use answer::Asked;
use backedge_core::ir::Function;
use backedge_oracle::subject::{
    CfgAnswer, CfgSolver, ConstantSolver, ConstantsAnswer, DropClassifier, DropsAnswer,
    LivenessAnswer, LivenessSolver, NoAnswer, Subject, SubjectFactory, Unwinding,
};
use connection::Connection;
use said::Failure;
use std::io;
use std::sync::Arc;
use std::time::Duration;

/// Why a command line can't be a subject.
#[derive(Debug, thiserror::Error)]
pub enum CommandError {
    /// There is no command in it.
    #[error("the command is empty")]
    Empty,
    /// A quote is not closed, or a backslash ends it.
    #[error("a quote is not closed")]
    Quotes,
    /// The system can't start the program.
    #[error("can't start `{program}`: {error}")]
    Start {
        /// The program.
        program: String,
        /// What the system says.
        error: io::Error,
    },
}

/// A command line that speaks the subject protocol.
#[derive(Clone, Debug)]
pub struct Process {
    name: Arc<str>,
    argv: Arc<[String]>,
    timeout: Duration,
}

impl Process {
    /// Splits a command line as a POSIX shell splits words; nothing is expanded, and no shell runs.
    /// Starts the program once, to see that it can be started.
    ///
    /// # Errors
    /// When the line can't be split or the program can't be started.
    pub fn new(command_line: &str, timeout: Duration) -> Result<Process, CommandError> {
        let argv = shlex::split(command_line).ok_or(CommandError::Quotes)?;
        let program = argv.first().ok_or(CommandError::Empty)?.clone();
        let probe = Connection::start(&argv);
        probe.map_err(|error| CommandError::Start { program, error })?.kill();
        Ok(Process { name: command_line.into(), argv: argv.into(), timeout })
    }

    /// A subject whose process starts with the first question.
    pub fn subject(&self) -> ProcessSubject {
        ProcessSubject {
            process: self.clone(),
            connection: None,
            questions: 0,
            question: Vec::new(),
        }
    }
}

impl SubjectFactory for Process {
    fn name(&self) -> &str {
        &self.name
    }

    fn make(&self) -> Box<dyn Subject> {
        Box::new(self.subject())
    }
}

/// One process at a time, asked one question at a time.
#[derive(Debug)]
pub struct ProcessSubject {
    process: Process,
    connection: Option<Connection>,
    questions: u64,
    question: Vec<u8>,
}

#[derive(serde::Serialize)]
struct Question<'f> {
    id: u64,
    ask: &'static str,
    /// Of drops: when one may unwind.
    #[serde(skip_serializing_if = "Option::is_none")]
    unwinding: Option<&'static str>,
    function: FunctionJson<'f>,
}

impl ProcessSubject {
    /// Asks about `function` and has `read` understand the answer.
    fn ask<T>(
        &mut self,
        ask: &'static str,
        function: &Function,
        read: impl FnOnce(&[u8], &Asked) -> Result<T, NoAnswer>,
    ) -> Result<T, NoAnswer> {
        self.ask_in((ask, None), function, read)
    }

    /// The same for a question that has several readings. What leaves the process out of step ends it; the
    /// next question starts another.
    fn ask_in<T>(
        &mut self,
        (ask, unwinding): (&'static str, Option<&'static str>),
        function: &Function,
        read: impl FnOnce(&[u8], &Asked) -> Result<T, NoAnswer>,
    ) -> Result<T, NoAnswer> {
        let mut connection = match self.connection.take() {
            Some(connection) => connection,
            None => Connection::start(&self.process.argv)
                .map_err(|error| NoAnswer::Crash(format!("can't be started again: {error}")))?,
        };
        self.questions += 1;
        let id = self.questions;
        self.question.clear();
        let question = Question { id, ask, unwinding, function: FunctionJson::new(function) };
        serde_json::to_writer(&mut self.question, &question)
            .map_err(|error| NoAnswer::Skip(format!("the question can't be written: {error}")))?;
        self.question.push(b'\n');

        let answer = match connection.ask(&self.question, self.process.timeout) {
            Ok(line) => read(line, &Asked::new(id, function)),
            Err(failure) => Err(no_answer(failure, self.process.timeout)),
        };
        match answer {
            Ok(_) | Err(NoAnswer::Skip(_) | NoAnswer::Error(_)) => {
                self.connection = Some(connection)
            }
            Err(_) => connection.kill(),
        }
        answer
    }
}

fn no_answer(failure: Failure, timeout: Duration) -> NoAnswer {
    match failure {
        Failure::Died(how) => NoAnswer::Crash(how),
        Failure::Silent => NoAnswer::Timeout(timeout),
        Failure::Noise(what) => NoAnswer::Nonsense(what),
    }
}

impl LivenessSolver for ProcessSubject {
    fn liveness(&mut self, function: &Function) -> Result<LivenessAnswer, NoAnswer> {
        self.ask("liveness", function, answer::liveness)
    }
}

impl CfgSolver for ProcessSubject {
    fn cfg(&mut self, function: &Function) -> Result<CfgAnswer, NoAnswer> {
        self.ask("cfg", function, answer::cfg)
    }
}

impl ConstantSolver for ProcessSubject {
    fn constants(&mut self, function: &Function) -> Result<ConstantsAnswer, NoAnswer> {
        self.ask("constants", function, answer::constants)
    }
}

impl DropClassifier for ProcessSubject {
    fn drops(
        &mut self,
        function: &Function,
        unwinding: Unwinding,
    ) -> Result<DropsAnswer, NoAnswer> {
        let reading = match unwinding {
            Unwinding::Always => "always",
            Unwinding::WhereInitialized => "where-initialized",
        };
        self.ask_in(("drops", Some(reading)), function, answer::drops)
    }
}

impl Subject for ProcessSubject {
    fn name(&self) -> &str {
        &self.process.name
    }

    fn prepare(&self, function: &Function) -> Option<Function> {
        prepare(function)
    }

    fn liveness(&mut self) -> Option<&mut dyn LivenessSolver> {
        Some(self)
    }

    fn cfg(&mut self) -> Option<&mut dyn CfgSolver> {
        Some(self)
    }

    fn constants(&mut self) -> Option<&mut dyn ConstantSolver> {
        Some(self)
    }

    fn drops(&mut self) -> Option<&mut dyn DropClassifier> {
        Some(self)
    }
}
