//! What rustc's dumps of one function say.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Numbers of locals of MIR.
pub(crate) type Set = BTreeSet<usize>;

/// The dumps of one function.
#[derive(Default)]
pub(crate) struct Dumps {
    /// The dump before the pass.
    pub(crate) text: String,
    /// By block: its lines before the pass, and after; what was removed is `nop;`.
    pub(crate) before: Vec<Vec<String>>,
    pub(crate) after: Vec<Vec<String>>,
    /// By block, by statement: the live ranges before it and after it. None where the pass had nothing to do.
    pub(crate) ranges: Option<Vec<Vec<[Set; 2]>>>,
}

/// All functions of a folder, by what the names of their files start with.
pub(crate) fn read(folder: &Path) -> BTreeMap<String, Dumps> {
    let mut all: BTreeMap<String, Dumps> = BTreeMap::new();
    for entry in std::fs::read_dir(folder).expect("rustc left dumps") {
        let path = entry.expect("a file").path();
        let file = path.file_name().expect("a name").to_string_lossy().into_owned();
        // What stands before it is the name, and when the pass ran.
        let Some((head, kind)) = file.split_once(".DestinationPropagation") else { continue };
        let name = head.rsplit_once('.').map_or(head, |(name, _)| name);
        // Constants are dumped as they are, whatever bytes they have.
        let text = String::from_utf8_lossy(&std::fs::read(&path).expect("a dump")).into_owned();
        let dumps = all.entry(name.to_owned()).or_default();
        match kind {
            ".before.mir" => {
                dumps.before = blocks(&text, |line| !line.starts_with("//"));
                dumps.text = text;
            }
            ".after.mir" => dumps.after = blocks(&text, |line| !line.starts_with("//")),
            _ => {
                let is_range =
                    |line: &str| line.starts_with("// before:") || line.starts_with("// after:");
                let lines = blocks(&text, is_range);
                let sets = |lines: &Vec<String>| {
                    lines.chunks(2).map(|pair| [locals_in(&pair[0]), locals_in(&pair[1])]).collect()
                };
                dumps.ranges = Some(lines.iter().map(sets).collect());
            }
        }
    }
    all
}

/// The lines of each block, in order.
fn blocks(text: &str, keep: impl Fn(&str) -> bool) -> Vec<Vec<String>> {
    let mut blocks: Vec<Vec<String>> = Vec::new();
    for_each_line(text, |block, _, line| {
        blocks.resize_with(block + 1, Vec::new);
        if keep(line) {
            blocks[block].push(line.to_owned());
        }
    });
    blocks
}

/// Calls `visit` on each line of each block: the number of the block, where the line starts, the line.
pub(crate) fn for_each_line<'t>(text: &'t str, mut visit: impl FnMut(usize, usize, &'t str)) {
    let (mut number, mut inside, mut start) = (0, false, 0);
    for whole in text.split_inclusive('\n') {
        let line = whole.trim();
        let at = start + (whole.len() - whole.trim_start().len());
        start += whole.len();
        if line.starts_with("bb") && line.ends_with('{') {
            inside = true;
        } else if line == "}" {
            number += usize::from(inside);
            inside = false;
        } else if inside && !line.is_empty() {
            visit(number, at, line);
        }
    }
}

/// The set in `// after: TwoStepIndex(18) => [_2]`.
fn locals_in(line: &str) -> Set {
    let list = line.split_once("=>").map_or("", |(_, list)| list);
    locals(list).into_iter().collect()
}

/// Every `_7` of a line, in order.
pub(crate) fn locals(line: &str) -> Vec<usize> {
    let mut found = Vec::new();
    for (at, _) in line.match_indices('_') {
        let is_start =
            !line[..at].ends_with(|letter: char| letter.is_alphanumeric() || letter == '_');
        found.extend(number(&line[at + 1..]).filter(|_| is_start));
    }
    found
}

/// The number that a text starts with.
pub(crate) fn number(text: &str) -> Option<usize> {
    let end = text.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(text.len());
    text[..end].parse().ok()
}

/// The two locals of `_2 = copy _3;` or `_2 = move _3;`.
pub(crate) fn copied(line: &str) -> Option<[usize; 2]> {
    let (dest, source) = line.strip_suffix(';')?.split_once(" = ")?;
    let source = source.strip_prefix("no_retag ").unwrap_or(source);
    let source = source.strip_prefix("copy ").or_else(|| source.strip_prefix("move "))?;
    let whole = |text: &str| {
        let digits = text.strip_prefix('_')?;
        digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| number(digits))?
    };
    Some([whole(dest)?, whole(source)?])
}
