//! Renders diagnostics: file, line, column, underlined source.
//!
//! Only the lines that are shown are ever decoded, and of a long one only what is near the mistake,
//! so that a huge file, one that is a single line, or one that is no text costs no more than another.

mod excerpt;
#[cfg(test)]
mod tests;

use ariadne::{Cache, Color, Config, IndexType, Label, Report, ReportKind, Source};
use backedge_core::diagnostic::{Diagnostic, Sink, Span};
use excerpt::{Excerpt, Spot};
use std::fmt;

/// Renders diagnostics of one file, in order: at most [`Sink::LIMIT`], then how many more there are.
///
/// `source` is what the spans count the bytes of; it need not be UTF-8.
pub fn render(file_name: &str, source: &[u8], diagnostics: &[Diagnostic], color: bool) -> String {
    let (shown, rest) = diagnostics.split_at(diagnostics.len().min(Sink::LIMIT));
    let excerpt = Excerpt::new(source, shown.iter().flat_map(spans));
    let mut file = File { name: file_name, source: Source::from(excerpt.text().to_owned()) };
    let mut out = String::new();
    for diagnostic in shown {
        out.push_str(&render_one(&mut file, (&excerpt, source), diagnostic, color));
        out.push('\n');
    }
    match rest {
        [] => {}
        // The parser has counted for us.
        [last] if last.code == "too-many-errors" => {
            out.push_str(&format!("{}\n", last.message));
        }
        rest => out.push_str(&format!("and {} more\n", rest.len())),
    }
    out
}

/// Every span that a diagnostic shows.
fn spans(diagnostic: &Diagnostic) -> impl Iterator<Item = Span> {
    std::iter::once(diagnostic.span).chain(diagnostic.notes.iter().map(|(span, _)| *span))
}

fn render_one(
    file: &mut File<'_>,
    (excerpt, source): (&Excerpt, &[u8]),
    diagnostic: &Diagnostic,
    color: bool,
) -> String {
    let at = excerpt.find(source, diagnostic.span);
    let message = one_line(&diagnostic.message);
    let primary = Label::new(((), at.range.clone())).with_color(Color::Red);
    let mut report = Report::build(ReportKind::Error, ((), at.range.clone()))
        .with_config(Config::default().with_color(color).with_index_type(IndexType::Byte))
        .with_code(diagnostic.code)
        .with_message(&message)
        .with_label(primary.with_message("here"));
    for (span, text) in &diagnostic.notes {
        let range = excerpt.find(source, *span).range;
        let label = Label::new(((), range)).with_message(one_line(text)).with_color(Color::Blue);
        report = report.with_label(label);
    }
    if let Some(help) = &diagnostic.help {
        report = report.with_help(one_line(help));
    }
    let mut bytes = Vec::new();
    // A vector takes every write.
    let _ = report.finish().write(&mut *file, &mut bytes);
    with_true_column(&String::from_utf8_lossy(&bytes), file.name, &at)
}

/// Where the start of a line was cut off, the column in the header counts from the cut.
fn with_true_column(rendered: &str, name: &str, at: &Spot) -> String {
    if at.column == at.shown_column {
        return rendered.to_owned();
    }
    let shown = format!("{name}:{}:{} ", at.line, at.shown_column);
    rendered.replacen(&shown, &format!("{name}:{}:{} ", at.line, at.column), 1)
}

/// Messages come from names of the text, which may hold anything.
fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}

/// The one file that reports are about.
struct File<'n> {
    name: &'n str,
    source: Source<String>,
}

impl Cache<()> for File<'_> {
    type Storage = String;

    fn fetch(&mut self, (): &()) -> Result<&Source<String>, impl fmt::Debug> {
        Ok::<_, fmt::Error>(&self.source)
    }

    fn display<'a>(&self, (): &'a ()) -> Option<impl fmt::Display + 'a> {
        Some(self.name.to_owned())
    }
}
