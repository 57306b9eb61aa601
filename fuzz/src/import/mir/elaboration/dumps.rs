//! What rustc's dumps say of drops: which move paths may be initialized where each block starts, and what
//! became of each drop.

use super::path::{MovePath, paths};
use backedge_oracle::subject::DropClass;
use std::collections::{BTreeMap, BTreeSet};

/// By block: the move paths in the state at its start. Blocks that can't be reached are left out.
pub(crate) type States = BTreeMap<u32, BTreeSet<MovePath>>;

/// Reads the states off a drawn graph (`.dot`).
pub(crate) fn states(dot: &str) -> States {
    let mut states = States::new();
    for line in dot.lines() {
        let Some(rest) = line.trim_start().strip_prefix("bb_") else { continue };
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let (Ok(number), Some(start)) = (rest[..digits].parse(), rest.find("(on start)")) else {
            continue;
        };
        let cell = rest[start..].find("</tr>").map_or(&rest[start..], |end| &rest[start..][..end]);
        // Where it is no set, it is the word `unreachable`.
        let Some((open, close)) = cell.find('{').zip(cell.rfind('}')) else { continue };
        let set =
            cell[open + 1..close].replace("<br/>", "").replace("&lt;", "<").replace("&gt;", ">");
        states.insert(number, paths(&set.replace("&amp;", "&")).into_iter().collect());
    }
    states
}

/// The last line of each block of MIR.
pub(crate) fn terminators(mir: &str) -> BTreeMap<u32, &str> {
    let mut found = BTreeMap::new();
    let mut block = None;
    let mut last = "";
    for line in mir.lines().map(str::trim) {
        if let Some(rest) = line.strip_prefix("bb")
            && let Some(number) = rest.strip_suffix(": {")
        {
            block = number.trim_end_matches(" (cleanup)").parse().ok();
        } else if line == "}" {
            found.extend(block.take().map(|block: u32| (block, last)));
        }
        last = line;
    }
    found
}

/// What rustc made of a drop whose block ends so after elaboration, and went on at `next`. `has_parts`: there
/// are move paths within the one that is dropped.
pub(crate) fn class(after: &str, next: u32, has_parts: bool) -> Option<DropClass> {
    if after.starts_with("drop(") {
        return Some(DropClass::Static);
    }
    let to = after.strip_prefix("goto -> bb")?.strip_suffix(';')?;
    Some(match to.parse() == Ok(next) {
        true => DropClass::Dead,
        false if has_parts => DropClass::Open,
        false => DropClass::Conditional,
    })
}
