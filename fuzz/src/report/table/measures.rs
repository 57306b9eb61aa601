//! How good the answers are: a line an allocator, and what the tapes covered.

mod passes;

use super::{Style, align, shorten};
use crate::report::Report;
use backedge_oracle::measures::Count;
use std::collections::BTreeMap;
use std::fmt::Write;

/// Spills, reloads and moves for 100 instructions of the IR; instructions of the machine that were
/// carried out for each of the IR's.
pub(super) fn table(report: &Report, style: Style) -> String {
    let head =
        ["allocator", "subject", "functions", "spills", "reloads", "moves", "saved", "run/IR"];
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    let mut covered = String::new();
    for (subject, sums) in &report.measures {
        for (of, counts) in sums {
            let counts = Counts(counts);
            if of.is_empty() {
                covered = coverage(&counts);
            } else if is_of_allocator(&counts) && is_shown(of) {
                rows.push(row(of, subject, &counts));
            }
        }
    }
    let mut text = String::new();
    if rows.len() > 1 {
        text += &align(&rows, 2, |row, line| if row == 0 { style.strong(&line) } else { line });
        text += "spills, reloads, moves: for 100 instructions of the IR; run/IR: instructions executed for one\n";
    }
    text + &passes::table(report, style) + &covered
}

/// Whether anything was counted that only allocators have.
fn is_of_allocator(counts: &Counts<'_>) -> bool {
    [Count::Functions, Count::Runs, Count::CodeBytes].into_iter().any(|count| counts.has(count))
}

/// With few registers and with all; the report has the others as well.
fn is_shown(of: &str) -> bool {
    let few = [3, 4, 6].map(|count| format!(", {count} registers"));
    !of.ends_with(" registers") || few.iter().any(|end| of.ends_with(end))
}

fn row(of: &str, subject: &str, counts: &Counts<'_>) -> Vec<String> {
    let each = |count: Count| counts.ratio(count, Count::Instructions, 100.0, 1);
    vec![
        of.to_owned(),
        shorten(subject, 40),
        counts.get(Count::Functions).to_string(),
        each(Count::Spills),
        each(Count::Reloads),
        each(Count::Moves),
        counts.ratio(Count::Saved, Count::Functions, 1.0, 1),
        counts.ratio(Count::MachineSteps, Count::Steps, 1.0, 2),
    ]
}

/// The same of every subject, since tapes are of the case.
fn coverage(counts: &Counts<'_>) -> String {
    let mut text = drops(counts);
    if counts.get(Count::Blocks) > 0 {
        let _ = writeln!(
            text,
            "tapes cover {}% of the reachable blocks and {}% of the reachable edges",
            counts.ratio(Count::BlocksCovered, Count::Blocks, 100.0, 1),
            counts.ratio(Count::EdgesCovered, Count::Edges, 100.0, 1),
        );
    }
    text
}

/// How many drops there are of each class.
fn drops(counts: &Counts<'_>) -> String {
    let classes = [
        ("static", Count::StaticDrops),
        ("dead", Count::DeadDrops),
        ("conditional", Count::ConditionalDrops),
        ("open", Count::OpenDrops),
        ("unclassified", Count::UnclassifiedDrops),
    ];
    let total: u64 = classes.iter().map(|&(_, count)| counts.get(count)).sum();
    if total == 0 {
        return String::new();
    }
    let share = |&(name, count): &(&str, Count)| {
        format!("{:.1}% {name}", 100.0 * counts.get(count) as f64 / total as f64)
    };
    let shares: Vec<String> = classes.iter().map(share).collect();
    format!("{total} drops: {}\n", shares.join(", "))
}

struct Counts<'r>(&'r BTreeMap<String, u64>);

impl Counts<'_> {
    fn get(&self, count: Count) -> u64 {
        self.0.get(count.name()).copied().unwrap_or(0)
    }

    fn has(&self, count: Count) -> bool {
        self.0.contains_key(count.name())
    }

    /// `of` for each `by`, times `scale`; a dash where there is nothing to divide by.
    fn ratio(&self, of: Count, by: Count, scale: f64, digits: usize) -> String {
        match self.get(by) {
            0 => "-".to_owned(),
            by => format!("{:.digits$}", scale * self.get(of) as f64 / by as f64),
        }
    }
}
