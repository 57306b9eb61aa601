//! The bar on stderr: cases, rate, findings, time left.

use crate::report::Report;
use indicatif::{ProgressBar, ProgressStyle};
use std::io::{self, IsTerminal};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Shows how far a sweep is.
pub struct Progress {
    bar: ProgressBar,
    /// Cases of this run, for the rate.
    cases: AtomicU64,
    started: Instant,
    /// The bar follows the clock, not the cases.
    timed: bool,
}

impl Progress {
    /// Shows nothing.
    pub fn hidden() -> Progress {
        Progress::of(ProgressBar::hidden(), false)
    }

    /// A bar for `cases`, or for `time` where that is what ends the sweep. It is hidden where stderr
    /// is no terminal.
    pub fn new(cases: u64, time: Option<Duration>) -> Progress {
        if !io::stderr().is_terminal() {
            return Progress::hidden();
        }
        let bar = ProgressBar::new(time.map_or(cases, |time| time.as_millis() as u64));
        let template = match time {
            Some(_) => "{bar:32.cyan/dim} {msg}  {eta} left",
            None => "{bar:32.cyan/dim} {human_pos} of {human_len} cases{msg}  {eta} left",
        };
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_millis(200));
        Progress::of(bar, time.is_some())
    }

    fn of(bar: ProgressBar, timed: bool) -> Progress {
        Progress { bar, cases: AtomicU64::new(0), started: Instant::now(), timed }
    }

    /// So many more cases were judged.
    pub(super) fn add(&self, cases: u64) {
        if self.bar.is_hidden() {
            return;
        }
        self.cases.fetch_add(cases, Ordering::Relaxed);
        match self.timed {
            true => self.bar.set_position(self.started.elapsed().as_millis() as u64),
            false => self.bar.inc(cases),
        }
    }

    /// So many cases are judged for good.
    pub(super) fn judged(&self, cases: u64) {
        if !self.timed {
            self.bar.set_position(cases);
        }
    }

    /// Shows what was found so far.
    pub(super) fn found(&self, report: &Report) {
        let cases = self.cases.load(Ordering::Relaxed) as f64;
        let rate = cases / self.started.elapsed().as_secs_f64().max(0.001);
        let findings = report.findings.len();
        let counted = if self.timed { format!("{} cases", report.cases) } else { String::new() };
        self.bar.set_message(format!("{counted}  {rate:.0}/s  {findings} findings"));
    }

    /// Takes the bar away.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
