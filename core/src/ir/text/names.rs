//! How names and strings are written: bare where that is unambiguous, else in quotes.

use std::borrow::Cow;

/// Whether a byte may stand in a bare label or function name, a keyword or a number.
pub(super) const fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'.' | b'-')
}

/// Whether a byte may stand in the bare name of a local, where `.` starts a field number.
pub(super) const fn is_local_byte(byte: u8) -> bool {
    is_word_byte(byte) && byte != b'.'
}

/// Appends a name, in quotes if a byte of it is not `bare`.
pub(super) fn write_name(out: &mut String, name: &str, bare: fn(u8) -> bool) {
    if !name.is_empty() && name.bytes().all(bare) {
        out.push_str(name);
    } else {
        write_quoted(out, name);
    }
}

/// Appends a string in quotes, such that it stays on one line and every character can be seen.
pub(super) fn write_quoted(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if is_invisible(c) => out.push_str(&format!("\\u{{{:x}}}", u32::from(c))),
            c => out.push(c),
        }
    }
    out.push('"');
}

/// Controls, separators of lines, and marks that change how the text around them is shown.
fn is_invisible(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}')
        || c == '\u{feff}'
}

/// The first byte after the string whose opening quote is at `start`, or `None` where the line ends
/// first.
pub(super) fn quoted_end(bytes: &[u8], start: usize) -> Option<usize> {
    let mut at = start + 1;
    loop {
        match *bytes.get(at)? {
            b'"' => return Some(at + 1),
            b'\n' => return None,
            b'\\' if bytes.get(at + 1) != Some(&b'\n') => at += 2,
            _ => at += 1,
        }
    }
}

/// A malformed escape: its byte range within the string.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct BadEscape {
    /// First byte: the backslash.
    pub(super) start: usize,
    /// One past the last byte.
    pub(super) end: usize,
}

/// What stands between the quotes, with escapes replaced.
pub(super) fn unescape(inner: &str) -> Result<Cow<'_, str>, BadEscape> {
    let Some(first) = inner.find('\\') else { return Ok(Cow::Borrowed(inner)) };
    let mut out = String::with_capacity(inner.len());
    let mut at = 0;
    let mut next = Some(first);
    while let Some(backslash) = next {
        out.push_str(&inner[at..backslash]);
        let (c, len) = escape(&inner[backslash..])
            .map_err(|len| BadEscape { start: backslash, end: backslash + len })?;
        out.push(c);
        at = backslash + len;
        next = inner[at..].find('\\').map(|offset| at + offset);
    }
    out.push_str(&inner[at..]);
    Ok(Cow::Owned(out))
}

/// The character that the escape at the start of `text` stands for, and the escape's length. The
/// error is the length of what is malformed.
fn escape(text: &str) -> Result<(char, usize), usize> {
    let Some(c) = text[1..].chars().next() else { return Err(1) };
    match c {
        '"' | '\\' => Ok((c, 2)),
        'n' => Ok(('\n', 2)),
        'r' => Ok(('\r', 2)),
        't' => Ok(('\t', 2)),
        '0' => Ok(('\0', 2)),
        'u' => {
            let end = text.find('}').ok_or(2usize)?;
            let digits = text[2..end].strip_prefix('{').ok_or(2usize)?;
            let code = if digits.len() <= 6 && digits.bytes().all(|b| b.is_ascii_hexdigit()) {
                u32::from_str_radix(digits, 16).ok()
            } else {
                None
            };
            code.and_then(char::from_u32).map(|c| (c, end + 1)).ok_or(end + 1)
        }
        c => Err(1 + c.len_utf8()),
    }
}

/// The start of a text that may be long, with controls made visible.
pub(crate) fn shorten(text: &str) -> String {
    const MOST: usize = 40;
    let cut = text.chars().count() > MOST;
    let shown: String = text.chars().take(MOST).flat_map(printable).collect();
    if cut { shown + ".." } else { shown }
}

fn printable(c: char) -> impl Iterator<Item = char> {
    let escaped = c.is_control().then(|| c.escape_unicode());
    let plain = (!c.is_control()).then_some(c);
    escaped.into_iter().flatten().chain(plain)
}
