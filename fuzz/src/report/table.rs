//! The table that ends a sweep or a check, for people.

mod measures;

use super::{Counts, Finding, Report};
use std::fmt::Write;

/// How a table is drawn.
#[derive(Copy, Clone, Debug, Default)]
pub struct Style {
    /// With escape sequences for color.
    pub color: bool,
}

impl Style {
    fn paint(self, code: &str, text: &str) -> String {
        if self.color { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }

    fn bad(self, text: &str) -> String {
        self.paint("1;31", text)
    }

    fn good(self, text: &str) -> String {
        self.paint("32", text)
    }

    fn strong(self, text: &str) -> String {
        self.paint("1", text)
    }
}

/// The whole table: by check, by shape, by allocator, by kind of graph, rates.
pub fn whole(report: &Report, style: Style) -> String {
    let mut text = checks(report, style);
    text.push('\n');
    text += &shapes(report, style);
    text.push('\n');
    if !report.measures.is_empty() {
        text += &measures::table(report, style);
        text.push('\n');
    }
    text += &sums(report);
    text += &kinds(report, style);
    text
}

/// One line a subject and check, with the reasons of skips below.
pub fn checks(report: &Report, style: Style) -> String {
    let head = ["check", "subject", "passed", "failed", "skipped"].map(str::to_owned).to_vec();
    let mut rows = vec![head];
    let mut reasons = String::new();
    for (subject, checks) in &report.subjects {
        for (check, counts) in checks {
            rows.push(check_row(check, subject, counts));
            for (why, count) in &counts.skipped {
                let _ = writeln!(reasons, "skipped by {check} on {subject}: {count} ({why})");
            }
        }
    }
    let rows_failed = report.subjects.values().flat_map(|checks| checks.values());
    let failed: Vec<bool> = rows_failed.map(|counts| counts.failed + counts.broken > 0).collect();
    let paint = |row: usize, line: String| match row {
        0 => style.strong(&line),
        row if failed[row - 1] => style.bad(&line),
        _ => line,
    };
    align(&rows, 2, paint) + &reasons
}

fn check_row(check: &str, subject: &str, counts: &Counts) -> Vec<String> {
    let mut row = vec![check.to_owned(), shorten(subject, 40)];
    row.extend([counts.passed, counts.failed, counts.skipped()].map(|count| count.to_string()));
    if counts.broken > 0 {
        row.push(format!("{} with the references in disagreement", counts.broken));
    }
    row
}

fn shapes(report: &Report, style: Style) -> String {
    let mut rows = vec![["shape", "cases", "failed"].map(str::to_owned).to_vec()];
    for (shape, count) in &report.shapes {
        let failed = report.failed_shapes.get(shape).copied().unwrap_or(0);
        rows.push(vec![shape.clone(), count.to_string(), failed.to_string()]);
    }
    align(&rows, 1, |row, line| if row == 0 { style.strong(&line) } else { line })
}

/// What was judged, and how fast.
fn sums(report: &Report) -> String {
    let graphs = &report.graphs;
    let mut text = format!(
        "graphs: {} reducible, {} irreducible; {} of them can get to where nothing returns\n",
        graphs.reducible, graphs.irreducible, graphs.never_returning,
    );
    if graphs.unclassified > 0 {
        let _ = writeln!(text, "{} more are too large to tell", graphs.unclassified);
    }
    let _ = writeln!(
        text,
        "{} cases in {:.1} s, {:.0} a second; mean {:.1} blocks and {:.1} instructions",
        report.cases,
        report.seconds,
        report.cases_per_second,
        report.mean_blocks,
        report.mean_instructions,
    );
    if !report.finished {
        text.push_str("ended early: the counts are those of the cases so far\n");
    }
    text
}

/// What is wrong: a line each finding, and how many were not minimized.
pub fn kinds(report: &Report, style: Style) -> String {
    let mut text = String::new();
    for broken in &report.broken {
        let line = format!(
            "references disagree: check {} on {}, seed {}: {}",
            broken.check, broken.subject, broken.seed, broken.message
        );
        let _ = writeln!(text, "{}", style.bad(&line));
    }
    if report.kinds.is_empty() && report.broken.is_empty() {
        return style.good("no findings") + "\n";
    }
    for kind in &report.kinds {
        let title = format!("{} {}: {} cases", kind.check, kind.kind, kind.failed);
        let _ = write!(text, "\n{} on {}", style.bad(&title), kind.subject);
        if kind.failed > kind.minimized {
            let _ = write!(text, " ({} of them minimized)", kind.minimized);
        }
        text.push('\n');
        report.findings.iter().filter(|finding| finding.is_of(kind)).for_each(|finding| {
            text += &finding_lines(finding);
        });
    }
    text
}

fn finding_lines(finding: &Finding) -> String {
    format!(
        "  {} x {} blocks, {} instructions, first by seed {}\n    {}\n    {}\n",
        finding.count,
        finding.blocks,
        finding.instructions,
        finding.seed,
        finding.message,
        finding.path,
    )
}

/// Columns of equal width, `names` of them to the left and the numbers after them to the right.
fn align(rows: &[Vec<String>], names: usize, paint: impl Fn(usize, String) -> String) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut text = String::new();
    for (number, row) in rows.iter().enumerate() {
        let mut line = String::new();
        for (column, cell) in row.iter().enumerate() {
            let width = widths[column];
            let _ = match column < names {
                true => write!(line, "{cell:width$}  "),
                false => write!(line, "{cell:>width$}  "),
            };
        }
        text += &paint(number, line.trim_end().to_owned());
        text.push('\n');
    }
    text
}

fn shorten(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    text.chars().take(most - 2).chain("..".chars()).collect()
}
