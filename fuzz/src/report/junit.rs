//! JUnit XML, which CI systems show.
//!
//! A suite a check and subject; in it a test case a finding, or a single one that passed.

use super::{Counts, Report};
use quick_junit::{NonSuccessKind, Report as Junit, TestCase, TestCaseStatus, TestSuite};
use std::time::Duration;

/// The XML text of a report.
///
/// # Errors
/// When the XML can't be made; says why.
pub fn xml(report: &Report) -> Result<String, String> {
    let mut junit = Junit::new(format!("backedge {}", report.command));
    if let Ok(time) = Duration::try_from_secs_f64(report.seconds) {
        junit.set_time(time);
    }
    for (subject, checks) in &report.subjects {
        for (check, counts) in checks {
            junit.add_test_suite(suite(report, subject, check, counts));
        }
    }
    junit.to_string().map_err(|error| error.to_string())
}

fn suite(report: &Report, subject: &str, check: &str, counts: &Counts) -> TestSuite {
    let mut suite = TestSuite::new(clean(&format!("{check} on {subject}")));
    let sums =
        [("passed", counts.passed), ("failed", counts.failed), ("skipped", counts.skipped())];
    for (name, count) in sums {
        suite.add_property((name, &*count.to_string()));
    }
    for finding in &report.findings {
        if finding.check == check && finding.subject == subject {
            let name = format!("{} {} {}", finding.function, finding.kind, finding.hash);
            let details = format!("{}\n{}\n{}", finding.message, finding.path, finding.replay);
            suite.add_test_case(failed(&name, NonSuccessKind::Failure, &finding.kind, &details));
        }
    }
    for broken in &report.broken {
        if broken.check == check && broken.subject == subject {
            let name = format!("seed {}", broken.seed);
            let kind = NonSuccessKind::Error;
            suite.add_test_case(failed(&name, kind, "references disagree", &broken.message));
        }
    }
    if suite.test_cases.is_empty() {
        suite.add_test_case(without_finding(counts));
    }
    suite
}

fn failed(name: &str, kind: NonSuccessKind, message: &str, details: &str) -> TestCase {
    let mut status = TestCaseStatus::non_success(kind);
    status.set_message(clean(message)).set_description(clean(details));
    TestCase::new(clean(name.trim()), status)
}

fn without_finding(counts: &Counts) -> TestCase {
    if counts.passed > 0 || counts.skipped.is_empty() {
        return TestCase::new("all cases", TestCaseStatus::success());
    }
    let mut status = TestCaseStatus::skipped();
    let reasons: Vec<&str> = counts.skipped.keys().map(String::as_str).collect();
    status.set_message(clean(&reasons.join("; ")));
    TestCase::new("all cases", status)
}

/// Without the control characters that XML can't hold, which a subject's answer may.
fn clean(text: &str) -> String {
    let allowed = |c: char| !c.is_control() || matches!(c, '\n' | '\t');
    text.chars().map(|c| if allowed(c) { c } else { '\u{fffd}' }).collect()
}
