//! The drawing for Graphviz.

use super::picture::{Line, Link, Picture, Role};
use std::fmt::Write;

/// One graph with a cluster for each function.
pub(super) fn render(pictures: &[Picture]) -> String {
    let mut out = "digraph {\n  node [shape=box, style=filled, fillcolor=white, \
        fontname=monospace, fontsize=11];\n  edge [fontname=monospace, fontsize=9];\n"
        .to_owned();
    for (number, picture) in pictures.iter().enumerate() {
        let _ = writeln!(out, "  subgraph cluster_{number} {{");
        let _ =
            writeln!(out, "    label={}; labeljust=l; fontname=monospace;", quoted(&picture.title));
        function(&mut out, number, picture);
        out.push_str("  }\n");
    }
    out.push_str("}\n");
    out
}

fn function(out: &mut String, number: usize, picture: &Picture) {
    for (block, node) in picture.boxes.iter().enumerate() {
        let mut more = String::new();
        if !node.reachable {
            more.push_str(", fillcolor=gray88, color=gray60, fontcolor=gray40");
        } else if node.header {
            more.push_str(", fillcolor=cornsilk");
        }
        if node.wrong {
            more.push_str(", color=\"#b3001b\", penwidth=2.5");
        }
        let _ = writeln!(out, "    f{number}b{block} [label={}{more}];", label(&node.lines));
    }
    for link in &picture.arrows {
        let (from, to) = (link.from, link.to);
        let style = style(link);
        let _ = write!(out, "    f{number}b{from} -> f{number}b{to} [label={}", label(&link.label));
        let _ = writeln!(out, "{style}];");
    }
}

fn style(link: &Link) -> &'static str {
    match link {
        Link { wrong: true, .. } => ", color=\"#b3001b\", penwidth=2.5",
        Link { back: true, .. } => ", color=\"#7a3fb5\", style=dashed",
        Link { critical: true, .. } => ", color=\"#0b7a55\", penwidth=2",
        Link { unwind: true, .. } => ", color=\"#b35900\"",
        _ => "",
    }
}

/// Lines aligned to the left.
fn label(lines: &[Line]) -> String {
    let mut out = "\"".to_owned();
    for line in lines {
        if line.role == Role::Wrong {
            out.push_str("!! ");
        }
        escape(&mut out, &line.text);
        out.push_str("\\l");
    }
    out.push('"');
    out
}

fn quoted(text: &str) -> String {
    let mut out = "\"".to_owned();
    escape(&mut out, text);
    out.push('"');
    out
}

fn escape(out: &mut String, text: &str) {
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\0'..='\x1f' => out.push(' '),
            c => out.push(c),
        }
    }
}
