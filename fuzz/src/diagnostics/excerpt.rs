//! The lines that diagnostics point at, with all others left blank.

use backedge_core::diagnostic::Span;
use std::ops::Range;

/// How many bytes of a line are shown before and after the start of a mistake.
const BEFORE: usize = 60;
const AFTER: usize = 100;

/// A text with the line numbers of the source, in which only lines with a mistake hold anything.
pub(super) struct Excerpt {
    text: String,
    /// In the order of the source.
    lines: Vec<Line>,
}

/// A line that is shown.
struct Line {
    /// Counted from 1.
    number: usize,
    /// Where it stands in the source, without the end of the line.
    source: Range<usize>,
    /// What of it is shown: bytes of the source.
    shown: Range<usize>,
    /// Where that stands in the text.
    text: Range<usize>,
}

/// Where a span is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Spot {
    /// Bytes of the excerpt's text; never empty, and within one line.
    pub(super) range: Range<usize>,
    /// Line, from 1.
    pub(super) line: usize,
    /// Column, from 1, in characters.
    pub(super) column: usize,
    /// The column in the excerpt.
    pub(super) shown_column: usize,
}

impl Excerpt {
    /// Cuts out the lines in which `spans` start, in one pass over the source.
    pub(super) fn new(source: &[u8], spans: impl Iterator<Item = Span>) -> Excerpt {
        let mut starts: Vec<usize> =
            spans.map(|span| (span.start as usize).min(source.len())).collect();
        starts.sort_unstable();
        let mut excerpt = Excerpt { text: String::new(), lines: Vec::new() };
        let mut at = 0;
        let mut number = 1;
        for start in starts {
            if start <= at && !excerpt.lines.is_empty() {
                continue;
            }
            let skipped = source[at..start].iter().filter(|&&byte| byte == b'\n').count();
            let line_start =
                source[..start].iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
            let rest = source[start..].iter().position(|&byte| byte == b'\n');
            let line_end = rest.map_or(source.len(), |length| start + length);
            let carriage = source[line_start..line_end].ends_with(b"\r");
            // One end of a line for each that the source has since the last line shown.
            excerpt.text.extend(std::iter::repeat_n('\n', skipped));
            number += skipped;
            excerpt.push(source, number, line_start..line_end - usize::from(carriage), start);
            at = line_end;
        }
        excerpt
    }

    /// Appends a line, of which what is near byte `start` of the source is shown.
    fn push(&mut self, source: &[u8], number: usize, line: Range<usize>, start: usize) {
        let from = if start - line.start > BEFORE + AFTER { start - BEFORE } else { line.start };
        let to = line.end.min(start.saturating_add(AFTER));
        let shown = char_start(source, from)..char_start(source, to);
        if shown.start > line.start {
            self.text.push('…');
        }
        let text_start = self.text.len();
        self.text.push_str(&printable(&source[shown.clone()]));
        let text = text_start..self.text.len();
        // The end of a line is a place too: it takes a blank to underline it.
        self.text.push(if shown.end < line.end { '…' } else { ' ' });
        self.lines.push(Line { number, source: line, shown, text });
    }

    /// The text.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Where a span that the excerpt was made for is shown. One that goes on past its line, or past
    /// what is shown of it, ends there.
    pub(super) fn find(&self, source: &[u8], span: Span) -> Spot {
        let start = (span.start as usize).min(source.len());
        let after = self.lines.partition_point(|line| line.source.start <= start);
        let Some(line) = after.checked_sub(1).and_then(|index| self.lines.get(index)) else {
            return Spot { range: 0..0, line: 1, column: 1, shown_column: 1 };
        };
        let from = line.text_offset(source, start);
        let to = line.text_offset(source, span.end as usize);
        let text_line = self.text[..from].rfind('\n').map_or(0, |at| at + 1);
        Spot {
            range: from..to.max(self.next_char(from)),
            line: line.number,
            column: printable(&source[line.source.start..start]).chars().count() + 1,
            shown_column: self.text[text_line..from].chars().count() + 1,
        }
    }

    fn next_char(&self, at: usize) -> usize {
        at + self.text[at..].chars().next().map_or(0, char::len_utf8)
    }
}

impl Line {
    /// Where byte `at` of the source stands in the text; what is not shown, at the end of the line.
    fn text_offset(&self, source: &[u8], at: usize) -> usize {
        if !self.shown.contains(&at) {
            return self.text.end;
        }
        let before = self.shown.start..char_start(source, at).max(self.shown.start);
        self.text.start + printable(&source[before]).len()
    }
}

/// The first byte of the character that byte `at` is part of.
fn char_start(source: &[u8], at: usize) -> usize {
    let is_first = |&at: &usize| source.get(at).is_none_or(|byte| byte & 0xc0 != 0x80);
    (at.saturating_sub(3)..=at).rev().find(is_first).unwrap_or(at)
}

/// Text of one line, with whatever could break it replaced.
fn printable(bytes: &[u8]) -> String {
    let breaks = |c: char| c != '\t' && c.is_control() || matches!(c, '\u{2028}' | '\u{2029}');
    let text = String::from_utf8_lossy(bytes);
    text.chars().map(|c| if breaks(c) { '\u{fffd}' } else { c }).collect()
}
