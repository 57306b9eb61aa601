//! `;; key: value` lines.
//!
//! They may stand anywhere, and strings don't cross lines, so that looking at how each line starts
//! finds them all.

use super::names::{quoted_end, unescape, write_quoted};
use crate::diagnostic::Span;
use crate::ir::Directive;
use std::borrow::Cow;

/// Every directive of a text, in order.
pub(super) fn collect(text: &str) -> Vec<Directive> {
    let mut directives = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let body = line.trim_start_matches([' ', '\t', '\r']);
        if let Some(content) = body.strip_prefix(";;")
            && !content.starts_with(';')
            && !content.trim().is_empty()
        {
            let from = start + line.len() - body.len();
            let span = Span::new(from, from + body.trim_end().len());
            directives.push(split(content.trim(), span));
        }
        start += line.len();
    }
    directives
}

fn split(content: &str, span: Span) -> Directive {
    let (key, value) = quoted_key(content)
        .or_else(|| content.split_once(':').map(|(key, value)| (key.trim().into(), value)))
        .unwrap_or((content.into(), ""));
    let value = value.trim();
    let value = whole_quoted(value).unwrap_or(Cow::Borrowed(value));
    Directive { key: key.into_owned(), value: value.into_owned(), span }
}

/// The key and the rest of `"key": rest`.
fn quoted_key(content: &str) -> Option<(Cow<'_, str>, &str)> {
    let end = content.starts_with('"').then(|| quoted_end(content.as_bytes(), 0)).flatten()?;
    let rest = content[end..].trim_start().strip_prefix(':')?;
    Some((unescape(&content[1..end - 1]).ok()?, rest))
}

/// The text of a value that is one quoted string and nothing else.
fn whole_quoted(value: &str) -> Option<Cow<'_, str>> {
    let end = value.starts_with('"').then(|| quoted_end(value.as_bytes(), 0)).flatten()?;
    if end == value.len() { unescape(&value[1..end - 1]).ok() } else { None }
}

/// Appends a directive's line.
pub(super) fn write(out: &mut String, directive: &Directive) {
    out.push_str(";; ");
    let plain = is_plain(&directive.key) && !directive.key.contains(':');
    write_plain_or_quoted(out, &directive.key, plain);
    out.push(':');
    if !directive.value.is_empty() {
        out.push(' ');
        write_plain_or_quoted(out, &directive.value, is_plain(&directive.value));
    }
    out.push('\n');
}

fn write_plain_or_quoted(out: &mut String, text: &str, plain: bool) {
    if plain {
        out.push_str(text);
    } else {
        write_quoted(out, text);
    }
}

fn is_plain(text: &str) -> bool {
    text.trim() == text && !text.starts_with('"') && !text.contains(char::is_control)
}
