//! The page of a finding: one file that needs nothing else, to open in a browser.

use super::Finding;
use crate::show::{Wrong, finding_drawing};
use backedge_core::ir::Program;
use backedge_oracle::check::At;

const STYLE: &str = "body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:70rem;\
padding:0 1rem;color:#222;background:#fff}h1{font-size:1.4rem}h2{font-size:1.1rem;margin-top:2rem}\
dl{display:grid;grid-template-columns:max-content 1fr;gap:.2rem 1rem}dt{color:#666}dd{margin:0}\
pre{background:#f5f5f5;padding:.8rem;overflow-x:auto}figure{margin:0;overflow-x:auto}\
.wrong{color:#b00020}.right{color:#006b2d}";

/// The page. `case` and `original` are the texts of the minimized and the original program.
pub(super) fn html(finding: &Finding, program: &Program, case: &str, original: &str) -> String {
    let title = format!("{}: {}", finding.check, finding.kind);
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n\
         <h1>{title}</h1>\n{facts}{drawings}\
         <h2>Minimized</h2>\n<pre>{case}</pre>\n\
         <h2>Original</h2>\n<details><summary>{blocks} blocks, {instructions} instructions</summary>\n\
         <pre>{original}</pre></details>\n</body>\n</html>\n",
        title = escaped(&title),
        facts = facts(finding),
        drawings = drawings(finding, program),
        case = escaped(case),
        blocks = finding.original_blocks,
        instructions = finding.original_instructions,
        original = escaped(original),
    )
}

fn facts(finding: &Finding) -> String {
    let one_minimal = if finding.one_minimal { "no single step makes it smaller" } else { "" };
    let rows = [
        ("Subject", "", finding.subject.clone()),
        ("Function", "", format!("@{}{}", finding.function, finding.at)),
        ("Expected", "right", finding.expected.clone()),
        ("Answered", "wrong", finding.answered.clone()),
        ("Seed", "", format!("{} ({})", finding.seed, finding.shape)),
        ("Minimized", "", format!("in {} tries {one_minimal}", finding.tries)),
        ("Again", "", finding.replay.clone()),
    ];
    let rows: String = rows
        .iter()
        .map(|(name, class, value)| {
            format!("<dt>{name}</dt><dd class=\"{class}\">{}</dd>\n", escaped(value))
        })
        .collect();
    format!("<dl>\n{rows}</dl>\n")
}

/// The function with the right facts, and the wrong one marked.
fn drawings(finding: &Finding, program: &Program) -> String {
    let wrong = Wrong {
        check: &finding.check,
        function: &finding.function,
        at: finding.point.0.as_ref().unwrap_or(&At::Function),
        expected: &finding.expected,
        answered: &finding.answered,
    };
    format!("<figure>{}</figure>\n", finding_drawing(program, &wrong))
}

/// As text of HTML.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
