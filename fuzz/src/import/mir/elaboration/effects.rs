//! What a line of MIR does to move paths.
//!
//! These are the rules by which rustc gathers moves: an operand that is moved and storage that ends leave
//! nothing behind; what is assigned is there; and what is borrowed so that it can be changed may be anything,
//! as far as enums go.

use super::path::{MovePath, path};
use crate::import::mir::scan::Cursor;

/// What happens to a path.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Effect {
    Init,
    /// It may be assigned through a reference.
    Perhaps,
    Uninit,
}

/// What a statement does, in order.
pub(super) fn statement(text: &str) -> Vec<(MovePath, Effect)> {
    if let Some(dead) = text.strip_prefix("StorageDead(") {
        return path(&mut Cursor::new(dead))
            .map(|path| (path, Effect::Uninit))
            .into_iter()
            .collect();
    }
    let mut cursor = Cursor::new(text);
    let dest = path(&mut cursor).filter(|_| cursor.eat(" = "));
    let Some(dest) = dest else { return moves(text) };
    let value = cursor.rest();
    let mut effects = moves(value);
    effects.push((dest, Effect::Init));
    for borrow in ["&mut ", "&raw mut ", "&raw const ", "&two_phase mut "] {
        if let Some(place) = value.strip_prefix(borrow) {
            effects.extend(path(&mut Cursor::new(place)).map(|path| (path, Effect::Perhaps)));
        }
    }
    effects
}

/// The paths that are moved out of, wherever in the text they stand.
pub(super) fn moves(text: &str) -> Vec<(MovePath, Effect)> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        if bytes[at] == b'"' {
            at += string(&bytes[at..]);
            continue;
        }
        let starts = at == 0 || matches!(bytes[at - 1], b' ' | b'(' | b'[' | b'{' | b'!');
        if starts && let Some(rest) = text.get(at..).and_then(|rest| rest.strip_prefix("move ")) {
            found.extend(path(&mut Cursor::new(rest)).map(|path| (path, Effect::Uninit)));
        }
        at += 1;
    }
    found
}

/// The length of a string literal.
fn string(bytes: &[u8]) -> usize {
    let mut at = 1;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'"' => return at + 1,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use Effect::{Init, Perhaps, Uninit};

    fn shown(text: &str) -> Vec<(u32, usize, Effect)> {
        statement(text).into_iter().map(|(p, effect)| (p.local, p.steps.len(), effect)).collect()
    }

    #[test]
    fn effects_are_read() {
        assert_eq!(shown("StorageDead(_3)"), [(3, 0, Uninit)]);
        assert_eq!(shown("(_5.0: usize) = const 3_usize"), [(5, 1, Init)]);
        assert_eq!(shown("_4 = (move _1, copy _2)"), [(1, 0, Uninit), (4, 0, Init)]);
        assert_eq!(shown("_4 = &mut (_1.0: R)"), [(4, 0, Init), (1, 1, Perhaps)]);
        assert_eq!(shown("_4 = const \"move _9, \\\" move _8\""), [(4, 0, Init)]);
        assert_eq!(shown("PlaceMention(_4)"), []);
        assert_eq!(shown("_4 = S { a: move (_1.0: R), b: move _2 }").len(), 3);
    }
}
