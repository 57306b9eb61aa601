//! Files under `corpus/filetests`, and the diagnostics that bad ones list.

use backedge_core::diagnostic::Diagnostic;
use std::path::{Path, PathBuf};

/// The files with this suffix in one folder of `corpus/filetests`, by name, with their texts.
///
/// # Panics
/// If there are none, or one can't be read.
pub fn files(folder: &str, suffix: &str) -> Vec<(PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus/filetests").join(folder);
    let entries = std::fs::read_dir(&root).expect("the folder is there");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("a file").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|other| other == suffix));
    paths.sort();
    assert!(!paths.is_empty(), "no .{suffix} files in {}", root.display());
    let read = |path: PathBuf| {
        let text = std::fs::read_to_string(&path).expect("a filetest is text");
        (path, text)
    };
    paths.into_iter().map(read).collect()
}

/// `12:3: code: message` a line.
pub fn render(text: &str, diagnostics: &[Diagnostic]) -> String {
    let line = |wrong: &Diagnostic| {
        let (line, column) = position(text, wrong.span.start as usize);
        format!("{line}:{column}: {}: {}\n", wrong.code, wrong.message)
    };
    diagnostics.iter().map(line).collect()
}

/// The diagnostics that a bad file lists: `;; error: code at line:column`.
pub fn listed(text: &str) -> Vec<String> {
    text.lines().filter_map(|line| line.strip_prefix(";; error: ")).map(str::to_owned).collect()
}

/// Diagnostics in the form in which files list them.
pub fn found(text: &str, diagnostics: &[Diagnostic]) -> Vec<String> {
    let line = |wrong: &Diagnostic| {
        let (line, column) = position(text, wrong.span.start as usize);
        format!("{} at {line}:{column}", wrong.code)
    };
    diagnostics.iter().map(line).collect()
}

/// Line and column of a byte, both from 1.
fn position(text: &str, offset: usize) -> (usize, usize) {
    let before = &text[..offset.min(text.len())];
    let line = before.matches('\n').count() + 1;
    let start = before.rfind('\n').map_or(0, |newline| newline + 1);
    (line, before[start..].chars().count() + 1)
}
