//! Reads the programs that a command line names: any format, from a file or stdin.
//!
//! A file can be read in part: of a `.mir` file with one unknown construct the other functions are
//! still there. So [`load`] gives what could be read *and* what is wrong with the rest.

use backedge_core::diagnostic::Diagnostic;
use backedge_core::ir::{Program, text};
use std::fs;
use std::io::{self, Read};
use std::path::Path;

/// A format of programs.
#[derive(Copy, Clone, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    /// The text form, `.cfg`.
    Cfg,
}

impl Format {
    /// The format that a file's name tells, `.cfg` where it tells none.
    pub fn of_path(_: &Path) -> Format {
        Format::Cfg
    }

    /// The format that a text looks like.
    pub fn sniff(_: &[u8]) -> Format {
        Format::Cfg
    }
}

/// What was read.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// What diagnostics call the file.
    pub name: String,
    /// The text, for diagnostics.
    pub text: String,
    /// All that could be read.
    pub program: Program,
    /// What is wrong with the rest; empty if all could be read.
    pub diagnostics: Vec<Diagnostic>,
}

/// Why nothing could be read.
#[derive(Debug, thiserror::Error)]
pub enum InputError {
    /// The file can't be read.
    #[error("{name}: {error}")]
    Read {
        /// The path.
        name: String,
        /// Why.
        error: io::Error,
    },
    /// It is a directory.
    #[error("{0}: is a directory; name the files in it")]
    Directory(String),
    /// There are mistakes in the text.
    #[error("{}", summary(name, diagnostics))]
    Mistakes {
        /// What diagnostics call the file.
        name: String,
        /// The text, broken characters replaced.
        text: String,
        /// The mistakes, in the order of the text.
        diagnostics: Vec<Diagnostic>,
    },
}

fn summary(name: &str, diagnostics: &[Diagnostic]) -> String {
    match diagnostics {
        [] => format!("{name}: can't be read"),
        [only] => format!("{name}: {}", only.message),
        [first, rest @ ..] => format!("{name}: {} (and {} more)", first.message, rest.len()),
    }
}

/// Reads the program at `path`, or on stdin if that is `-`. `format` goes before what the name says.
///
/// # Errors
/// When nothing of it can be read.
pub fn load(path: &str, format: Option<Format>) -> Result<Loaded, InputError> {
    let (name, bytes) = read(path)?;
    let format = format.unwrap_or_else(|| match path {
        "-" => Format::sniff(&bytes),
        _ => Format::of_path(Path::new(path)),
    });
    parse(name, &bytes, format)
}

/// Reads a program from bytes; `name` is what diagnostics call them.
///
/// # Errors
/// When nothing of it can be read.
pub fn parse(name: String, bytes: &[u8], format: Format) -> Result<Loaded, InputError> {
    let text = String::from_utf8_lossy(bytes).into_owned();
    let parsed = match format {
        Format::Cfg => text::parse(&text),
    };
    match parsed {
        Ok(program) => Ok(Loaded { name, text, program, diagnostics: Vec::new() }),
        Err(diagnostics) => Err(InputError::Mistakes { name, text, diagnostics }),
    }
}

fn read(path: &str) -> Result<(String, Vec<u8>), InputError> {
    if path == "-" {
        let name = "<stdin>".to_owned();
        let mut bytes = Vec::new();
        return match io::stdin().lock().read_to_end(&mut bytes) {
            Ok(_) => Ok((name, bytes)),
            Err(error) => Err(InputError::Read { name, error }),
        };
    }
    let name = path.to_owned();
    if Path::new(path).is_dir() {
        return Err(InputError::Directory(name));
    }
    match fs::read(path) {
        Ok(bytes) => Ok((name, bytes)),
        Err(error) => Err(InputError::Read { name, error }),
    }
}
