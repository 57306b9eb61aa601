//! Reads the programs that a command line names: any format, from a file or stdin.
//!
//! A file can be read in part: of a `.mir` file with one unknown construct the other functions are
//! still there. So [`load`] gives what could be read *and* what is wrong with the rest.

use crate::bril;
use crate::diagnostics;
use crate::import::mir::{self, elaboration::Elaboration};
use backedge_core::diagnostic::Diagnostic;
use backedge_core::ir::{Program, text};
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// A format of programs.
#[derive(Copy, Clone, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    /// The text form, `.cfg`.
    Cfg,
    /// What `rustc --emit=mir` prints, `.mir`.
    Mir,
    /// A Bril program, `.bril.json`.
    Bril,
}

impl Format {
    /// The format of a file: what its suffix says, or what the text looks like where there is no
    /// suffix. `None` for a suffix that no format has: a file of another kind would draw a
    /// diagnostic for nearly every line.
    pub fn of_file(path: &Path, bytes: &[u8]) -> Option<Format> {
        let Some(suffix) = path.extension() else { return Some(Format::sniff(bytes)) };
        match &*suffix.to_string_lossy() {
            "cfg" => Some(Format::Cfg),
            "mir" => Some(Format::Mir),
            "json" => Some(Format::Bril),
            _ => None,
        }
    }

    /// The format that a text looks like. The compiler says in the first line that what follows is
    /// MIR, and writes types of locals after a colon, which the text form never does. JSON starts with
    /// a brace, which the text form never does either.
    pub fn sniff(bytes: &[u8]) -> Format {
        let start = String::from_utf8_lossy(&bytes[..bytes.len().min(10_000)]);
        let is_mir = start.starts_with("// WARNING: This output format is intended")
            || start.lines().any(|line| line.trim_start().starts_with("let mut _0: "));
        if is_mir {
            Format::Mir
        } else if start.trim_start().starts_with('{') {
            Format::Bril
        } else {
            Format::Cfg
        }
    }
}

/// What was read.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// What diagnostics call the file.
    pub name: String,
    /// What the file holds, for diagnostics.
    pub text: Vec<u8>,
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
    /// It is one of several dumps of one body, and another is not there.
    #[error(
        "{name}: the dump {sibling} is read with it, which can't be: {error}; `--format mir` reads the one alone"
    )]
    Sibling {
        /// The path.
        name: String,
        /// The name of the other file.
        sibling: String,
        /// Why.
        error: io::Error,
    },
    /// It is a directory.
    #[error("{0}: is a directory; name the files in it")]
    Directory(String),
    /// Its name tells of no format that can be read.
    #[error("{0}: the suffix is none of .cfg, .mir and .bril.json; tell the format by --format")]
    UnknownFormat(String),
    /// It is larger than [`MOST_BYTES`], or has no end.
    #[error("{0}: is larger than 1 GiB")]
    TooLarge(String),
    /// There are mistakes in the text.
    #[error("{}", summary(name, diagnostics))]
    Mistakes {
        /// What diagnostics call the file.
        name: String,
        /// What the file holds.
        text: Vec<u8>,
        /// The mistakes, in the order of the text.
        diagnostics: Vec<Diagnostic>,
    },
}

/// The largest text that is read.
pub const MOST_BYTES: u64 = 1 << 30;

impl InputError {
    /// All that is wrong, with the source underlined.
    pub fn render(&self, color: bool) -> String {
        match self {
            InputError::Mistakes { name, text, diagnostics } => {
                diagnostics::render(name, text, diagnostics, color)
            }
            other => format!("backedge: {other}\n"),
        }
    }
}

impl Loaded {
    /// All that is wrong with what could not be read, with the source underlined.
    pub fn render(&self, color: bool) -> String {
        diagnostics::render(&self.name, &self.text, &self.diagnostics, color)
    }
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
    // What is told to be plain MIR is read as that.
    if format.is_none()
        && let Some(dumped) = elaboration(Path::new(path), &name, &bytes)?
    {
        return loaded(name, &bytes, mir::elaboration::read(&dumped));
    }
    let format = format.or_else(|| match path {
        "-" => Some(Format::sniff(&bytes)),
        _ => Format::of_file(Path::new(path), &bytes),
    });
    match format {
        Some(format) => parse(name, &bytes, format),
        None => Err(InputError::UnknownFormat(name)),
    }
}

/// What rustc dumped of the elaboration of a body whose MIR before the pass is at `path`: the other dumps are
/// beside it. `None` if the name is that of another file.
fn elaboration(path: &Path, name: &str, before: &[u8]) -> Result<Option<Elaboration>, InputError> {
    let file = path.file_name().and_then(|file| file.to_str()).unwrap_or_default();
    // The number of the pass comes last: `t.f.2-2-004`.
    let Some(whole) = file.strip_suffix(".ElaborateDrops.before.mir") else { return Ok(None) };
    let Some((body, _)) = whole.rsplit_once('.') else { return Ok(None) };
    let read = |sibling: String| {
        std::fs::read_to_string(path.with_file_name(&sibling))
            .map_err(|error| InputError::Sibling { name: name.to_owned(), sibling, error })
    };
    Ok(Some(Elaboration {
        before: before.to_vec(),
        after: read(format!("{whole}.ElaborateDrops.after.mir"))?,
        maybe_init: read(format!("{body}.-------.maybe_init.elaborate_drops.dot"))?,
        maybe_uninit: read(format!("{body}.-------.maybe_uninit.elaborate_drops.dot"))?,
    }))
}

/// Reads a program from bytes; `name` is what diagnostics call them.
///
/// # Errors
/// When nothing of it can be read.
pub fn parse(name: String, bytes: &[u8], format: Format) -> Result<Loaded, InputError> {
    let (program, diagnostics) = match format {
        Format::Cfg => match text::parse_bytes(bytes) {
            Ok(program) => (program, Vec::new()),
            Err(diagnostics) => (Program::default(), diagnostics),
        },
        Format::Bril => match bril::read_bytes(bytes) {
            Ok(program) => (program, Vec::new()),
            Err(diagnostics) => (Program::default(), diagnostics),
        },
        Format::Mir => return loaded(name, bytes, mir::read(bytes)),
    };
    loaded(name, bytes, mir::Imported { program, diagnostics })
}

/// What was read; an error if that is nothing.
fn loaded(name: String, bytes: &[u8], read: mir::Imported) -> Result<Loaded, InputError> {
    let mir::Imported { program, diagnostics } = read;
    let text = bytes.to_vec();
    if program.functions.is_empty() && !diagnostics.is_empty() {
        return Err(InputError::Mistakes { name, text, diagnostics });
    }
    Ok(Loaded { name, text, program, diagnostics })
}

fn read(path: &str) -> Result<(String, Vec<u8>), InputError> {
    if path == "-" {
        return read_all("<stdin>".to_owned(), io::stdin().lock());
    }
    if Path::new(path).is_dir() {
        return Err(InputError::Directory(path.to_owned()));
    }
    match File::open(path) {
        Ok(file) => read_all(path.to_owned(), file),
        Err(error) => Err(InputError::Read { name: path.to_owned(), error }),
    }
}

fn read_all(name: String, from: impl Read) -> Result<(String, Vec<u8>), InputError> {
    let mut bytes = Vec::new();
    match from.take(MOST_BYTES + 1).read_to_end(&mut bytes) {
        Ok(length) if length as u64 > MOST_BYTES => Err(InputError::TooLarge(name)),
        Ok(_) => Ok((name, bytes)),
        Err(error) => Err(InputError::Read { name, error }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_texts_tell_formats() {
        let of_file = |path, bytes: &[u8]| Format::of_file(Path::new(path), bytes);
        assert_eq!(of_file("a/b.mir", b""), Some(Format::Mir));
        assert_eq!(of_file("a/b.cfg", b"{"), Some(Format::Cfg));
        assert_eq!(of_file("a/b.bril.json", b""), Some(Format::Bril));
        assert_eq!(of_file("a/b", b""), Some(Format::Cfg));
        assert_eq!(of_file("a.d/crash-1", b"{}"), Some(Format::Bril));
        assert_eq!(of_file("a/b.lst", b""), None);
        assert_eq!(Format::sniff(b"\n {\"functions\": []}"), Format::Bril);
        assert_eq!(Format::sniff(b"fn f() -> () {\n    let mut _0: ();\n"), Format::Mir);
        assert_eq!(Format::sniff(b"fn @f() {\nentry:\n  return\n}\n"), Format::Cfg);
        assert_eq!(Format::sniff(b"\xff\xfe"), Format::Cfg);
    }

    #[test]
    fn what_can_be_read_of_a_file_is() {
        let text = b"fn f() -> () {\n    let mut _0: ();\n    bb0: {\n        return;\n    }\n}\n\
            fn g() -> () {\n    let mut _0: ();\n    bb0: {\n        frobnicate!!;\n    }\n}\n";
        let loaded = parse("x.mir".to_owned(), text, Format::Mir).expect("`f` can be read");
        assert_eq!(loaded.program.functions.len(), 1);
        assert_eq!(loaded.diagnostics.len(), 1);
    }
}
