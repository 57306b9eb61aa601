//! What rustc's dumps of one function say.

use std::collections::BTreeSet;
use std::path::Path;

/// Numbers of locals of MIR.
pub(crate) type Set = BTreeSet<usize>;

/// The dumps of one function.
#[derive(Default)]
pub(crate) struct Dumps {
    /// By block: its lines before the pass, and after; what was removed is `nop;`.
    pub(crate) before: Vec<Vec<String>>,
    pub(crate) after: Vec<Vec<String>>,
    /// How many locals there are, the result among them, and how many of them are parameters.
    pub(crate) locals: usize,
    pub(crate) params: usize,
    /// By block, by statement: the live ranges before it and after it. None where the pass had nothing to do.
    pub(crate) ranges: Option<Vec<Vec<[Set; 2]>>>,
}

impl Dumps {
    pub(crate) fn read(folder: &Path, name: &str) -> Dumps {
        let mut dumps = Dumps::default();
        for entry in std::fs::read_dir(folder).expect("rustc left dumps") {
            let path = entry.expect("a file").path();
            let file = path.file_name().expect("a name").to_string_lossy().into_owned();
            let Some((_, rest)) = file.split_once(&format!(".{name}.")) else { continue };
            let text = std::fs::read_to_string(&path).expect("a dump is text");
            if rest.ends_with("DestinationPropagation.before.mir") {
                dumps.before = blocks(&text, |line| !line.starts_with("//"));
                let declared = text.lines().filter(|line| line.starts_with("    let ")).count();
                let head = text.lines().find(|line| line.starts_with("fn ")).unwrap_or_default();
                let list = head.split_once('(').map_or("", |(_, list)| list);
                dumps.params = locals(list).len();
                dumps.locals = declared + dumps.params;
            } else if rest.ends_with("DestinationPropagation.after.mir") {
                dumps.after = blocks(&text, |line| !line.starts_with("//"));
            } else if rest.contains("DestinationPropagation-dataflow") {
                let lines = blocks(&text, |line| line.starts_with("//"));
                let sets = |lines: &Vec<String>| {
                    lines.chunks(2).map(|pair| [locals_in(&pair[0]), locals_in(&pair[1])]).collect()
                };
                dumps.ranges = Some(lines.iter().map(sets).collect());
            }
        }
        dumps
    }
}

/// The lines of each block, in order.
fn blocks(text: &str, keep: impl Fn(&str) -> bool) -> Vec<Vec<String>> {
    let mut blocks: Vec<Vec<String>> = Vec::new();
    let mut inside = false;
    for line in text.lines().map(str::trim) {
        if line.starts_with("bb") && line.ends_with('{') {
            blocks.push(Vec::new());
            inside = true;
        } else if line == "}" {
            inside = false;
        } else if inside && keep(line) {
            blocks.last_mut().expect("a block").push(line.to_owned());
        }
    }
    blocks
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
        let is_start = !line[..at].ends_with(|letter: char| letter.is_alphanumeric());
        let digits: String = line[at + 1..].chars().take_while(char::is_ascii_digit).collect();
        found.extend(digits.parse::<usize>().ok().filter(|_| is_start));
    }
    found
}
