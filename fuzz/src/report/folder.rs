//! The folder of a finding: the minimized case, the original, a page, and how to see it again.

use super::{Finding, page};
use backedge_core::diagnostic::Span;
use backedge_core::ir::{Directive, Program, text};
use backedge_oracle::check::Case;
use std::fs;
use std::io;
use std::path::Path;

/// The name of a finding's folder: `<check>-<kind>-<hash>`.
pub fn name(finding: &Finding) -> String {
    format!("{}-{}-{}", finding.check, finding.kind, finding.hash)
}

/// What [`Finding::hash`] holds: what is wrong, with whom, on which minimized shape. FNV-1a, since
/// it must be the same on every machine and in every version.
pub fn hash(finding: &Finding, shape: &str) -> String {
    let Finding { check, kind, subject, .. } = finding;
    let parts = [check.as_bytes(), kind.as_bytes(), subject.as_bytes(), shape.as_bytes()];
    let bytes = parts.iter().flat_map(|part| part.iter().chain(&[0]));
    let hash = bytes.fold(0xcbf2_9ce4_8422_2325_u64, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    format!("{hash:016x}")
}

/// The command that makes the case from its seed and judges it.
pub fn replay(finding: &Finding, max_blocks: usize) -> String {
    format!(
        "backedge sweep --seed {} --cases 1 --shape {} --max-blocks {max_blocks} --check {} \
         --subject {}",
        finding.seed,
        finding.shape,
        finding.check,
        quoted(&finding.subject),
    )
}

/// Writes the folder anew.
///
/// # Errors
/// When something in it can't be written.
pub fn write(path: &Path, finding: &Finding, original: &Case, minimized: &Case) -> io::Result<()> {
    fs::create_dir_all(path)?;
    let case = text::print(&with_directives(&minimized.program, finding));
    let original = text::print(&with_directives(&original.program, finding));
    replace(&path.join("original.cfg"), &original)?;
    replace(&path.join("report.html"), &page::html(finding, &minimized.program, &case, &original))?;
    replace(&path.join("replay.sh"), &script(finding))?;
    replace(&path.join("case.cfg"), &case)
}

/// Writes a file so that whoever reads it sees either all of the old text or all of the new.
///
/// # Errors
/// When it can't be written.
pub fn replace(path: &Path, text: &str) -> io::Result<()> {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".tmp");
    let temporary = path.with_file_name(name);
    fs::write(&temporary, text)?;
    fs::rename(&temporary, path)
}

/// The program with what `backedge check` needs to judge it in the same way.
fn with_directives(program: &Program, finding: &Finding) -> Program {
    let mut program = program.clone();
    let values = [
        ("check", finding.check.clone()),
        ("subject", finding.subject.clone()),
        ("kind", finding.kind.clone()),
        ("seed", finding.seed.to_string()),
        ("shape", finding.shape.clone()),
    ];
    let directives =
        values.map(|(key, value)| Directive { key: key.to_owned(), value, span: Span::NONE });
    program.directives.splice(0..0, directives);
    program
}

fn script(finding: &Finding) -> String {
    format!(
        "#!/bin/sh\n\
         # {}\n\
         # Judges the minimized case again. From its seed:\n\
         #   {}\n\
         exec \"${{BACKEDGE:-backedge}}\" check --check {} --subject {} \"$(dirname \"$0\")/case.cfg\"\n",
        one_line(&finding.message),
        one_line(&finding.replay),
        finding.check,
        quoted(&finding.subject),
    )
}

/// Without line breaks, which would end a comment.
fn one_line(text: &str) -> String {
    text.replace(['\n', '\r'], " ")
}

/// As one word of a POSIX shell.
fn quoted(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=,+@".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}
