//! Finds bytes of a line of MIR that stand outside literals and brackets.
//!
//! Every function makes one pass over its text, with a stack instead of recursion, so time is linear
//! and no nesting is too deep.

use smallvec::SmallVec;

/// The first byte at or after `from` that `wanted` accepts, among those outside string and character
/// literals and outside `()`, `[]`, `{}` and `<>`. An opening bracket counts as outside itself, and
/// so does a closing one that nothing opened. The `>` of `->` and `=>` closes nothing.
pub(super) fn find(
    text: &str,
    from: usize,
    mut wanted: impl FnMut(usize, u8) -> bool,
) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut open: SmallVec<[u8; 16]> = SmallVec::new();
    let mut at = from;
    while let Some(&byte) = bytes.get(at) {
        if matches!(byte, b'"' | b'\'')
            && let Some(len) = literal(&bytes[at..])
        {
            at += len;
            continue;
        }
        let arrow = byte == b'>' && at > 0 && matches!(bytes[at - 1], b'-' | b'=');
        let closed = !arrow && close(&mut open, byte);
        if !closed && open.is_empty() && wanted(at, byte) {
            return Some(at);
        }
        if matches!(byte, b'(' | b'[' | b'{' | b'<') {
            open.push(byte);
        }
        at += 1;
    }
    None
}

/// Closes the bracket that `byte` ends, and any `<` left open inside it. Whether there was one.
fn close(open: &mut SmallVec<[u8; 16]>, byte: u8) -> bool {
    let opener = match byte {
        b'>' => return pop(open, b'<'),
        b')' => b'(',
        b']' => b'[',
        b'}' => b'{',
        _ => return false,
    };
    while pop(open, b'<') {}
    pop(open, opener)
}

fn pop(open: &mut SmallVec<[u8; 16]>, opener: u8) -> bool {
    let found = open.last() == Some(&opener);
    if found {
        open.pop();
    }
    found
}

/// The length of the literal that `bytes` starts with, which is a quote; `None` for a lifetime. An
/// unfinished string reaches to the end.
fn literal(bytes: &[u8]) -> Option<usize> {
    if bytes[0] == b'"' {
        return Some(string(bytes));
    }
    if bytes.get(1) == Some(&b'\\') {
        return bytes.get(3..)?.iter().position(|&b| b == b'\'').map(|end| end + 4);
    }
    // One character, of up to four bytes, and the closing quote.
    let end = bytes.iter().take(6).skip(2).position(|&b| b == b'\'')? + 2;
    let one = bytes[2..end].iter().all(|&b| b & 0xc0 == 0x80);
    one.then_some(end + 1)
}

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

/// Reads a text from left to right.
#[derive(Clone, Debug)]
pub(super) struct Cursor<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Cursor<'t> {
    pub(super) fn new(text: &'t str) -> Cursor<'t> {
        Cursor { text, at: 0 }
    }

    /// What has not been read.
    pub(super) fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    pub(super) fn is_done(&self) -> bool {
        self.at == self.text.len()
    }

    /// Reads `token` if it comes next.
    pub(super) fn eat(&mut self, token: &str) -> bool {
        let found = self.rest().starts_with(token);
        self.at += if found { token.len() } else { 0 };
        found
    }

    /// Reads `token`, or says that it is missing.
    pub(super) fn expect(&mut self, token: &str) -> Parse<()> {
        if self.eat(token) {
            Ok(())
        } else {
            Err(unknown(&format!("`{token}` missing"), self.rest()))
        }
    }

    /// Reads a decimal number.
    pub(super) fn number(&mut self) -> Option<u32> {
        let rest = self.rest();
        let len = rest.bytes().take_while(u8::is_ascii_digit).count();
        let number = rest[..len].parse().ok()?;
        self.at += len;
        Some(number)
    }

    /// Reads up to the first outside byte that `stop` accepts, or to the end.
    pub(super) fn until(&mut self, stop: impl Fn(u8) -> bool) -> &'t str {
        let start = self.at;
        self.at = find(self.text, start, |_, b| stop(b)).unwrap_or(self.text.len());
        &self.text[start..self.at]
    }

    /// Reads a constant of a list, up to the comma or the closing bracket; the space before the
    /// bracket of `{ a: const 1_u8 }` is not part of it.
    pub(super) fn constant(&mut self) -> &'t str {
        let text = self.until(|b| matches!(b, b',' | b')' | b']' | b'}'));
        let constant = text.trim_end_matches(' ');
        self.at -= text.len() - constant.len();
        constant
    }

    /// Says that nothing may follow.
    pub(super) fn finish(&self) -> Parse<()> {
        if self.is_done() { Ok(()) } else { Err(unknown("unexpected text", self.rest())) }
    }
}

/// What was read, or why it can't be.
pub(super) type Parse<T> = Result<T, String>;

/// A message that shows where it got stuck.
pub(super) fn unknown(what: &str, text: &str) -> String {
    let shown: String = text.chars().take(60).collect();
    let dots = if shown.len() < text.len() { ".." } else { "" };
    if shown.is_empty() {
        format!("{what} at the end of the line")
    } else {
        format!("{what} at `{shown}{dots}`")
    }
}

/// Whether `text` can be a path such as `<T as A<B>>::f::<{closure@a.rs:1:2: 3:4}>`: no space
/// outside brackets, and a start that no other construct has.
pub(super) fn is_path(text: &str) -> bool {
    let start = text
        .bytes()
        .next()
        .is_some_and(|b| b.is_ascii_alphabetic() || matches!(b, b'_' | b'<' | b'{') || b >= 0x80);
    start && find(text, 0, |_, b| matches!(b, b' ' | b',' | b';' | b')' | b']' | b'}')).is_none()
}
