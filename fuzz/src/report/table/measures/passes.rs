//! What passes that propagate destinations did: a line a pass, then why copies were refused, and where
//! less is live than before for which cause.

use super::{Counts, Style, align, shorten};
use crate::report::Report;
use backedge_oracle::measures::Count;
use std::fmt::Write;

/// The lines; none where no such pass was judged.
pub(super) fn table(report: &Report, style: Style) -> String {
    let head = ["pass", "subject", "copies", "merged", "refused", "points", "strict"];
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    let mut notes = String::new();
    for (subject, sums) in &report.measures {
        for (of, counts) in sums {
            let counts = Counts(counts);
            if !counts.has(Count::Copies) {
                continue;
            }
            rows.push(row(of, subject, &counts));
            let total = counts.get(Count::CopiesRefused);
            note(
                &mut notes,
                &format!("refused by {of}"),
                shares(report, subject, of, Count::CopiesRefused, total),
            );
            let points = counts.get(Count::Points);
            note(
                &mut notes,
                &format!("strict for {of}"),
                shares(report, subject, of, Count::StrictPoints, points),
            );
        }
    }
    if rows.len() == 1 {
        return notes;
    }
    align(&rows, 2, |row, line| if row == 0 { style.strong(&line) } else { line }) + &notes
}

fn row(of: &str, subject: &str, counts: &Counts<'_>) -> Vec<String> {
    vec![
        of.to_owned(),
        shorten(subject, 40),
        counts.get(Count::Copies).to_string(),
        counts.get(Count::CopiesMerged).to_string(),
        counts.get(Count::CopiesRefused).to_string(),
        counts.get(Count::Points).to_string(),
        counts.get(Count::StrictPoints).to_string(),
    ]
}

fn note(notes: &mut String, what: &str, shares: Vec<(String, u64, f64)>) {
    if shares.is_empty() {
        return;
    }
    let listed: Vec<String> =
        shares.iter().map(|(name, count, share)| format!("{name} {count} ({share:.2}%)")).collect();
    let _ = writeln!(notes, "{what}: {}", listed.join(", "));
}

/// The parts of a pass with this count, each with its share of the total, the greatest first.
fn shares(
    report: &Report,
    subject: &str,
    of: &str,
    count: Count,
    total: u64,
) -> Vec<(String, u64, f64)> {
    let Some(sums) = report.measures.get(subject) else { return Vec::new() };
    let prefix = format!("{of}: ");
    let parts = sums.iter().filter_map(|(name, counts)| {
        let amount = Counts(counts).get(count);
        let part = name.strip_prefix(&prefix)?;
        (amount > 0).then(|| (part.to_owned(), amount, 100.0 * amount as f64 / total.max(1) as f64))
    });
    let mut parts: Vec<_> = parts.collect();
    parts.sort_by(|a, b| (b.1, &a.0).cmp(&(a.1, &b.0)));
    parts
}
