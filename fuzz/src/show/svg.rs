//! The drawing, as a picture of its own.

use super::layout::{self, Arrow, Layout, Point, Size, TooLarge};
use super::picture::{Line, Link, Node, Picture, Role};
use std::fmt::Write;

/// Of the monospaced fonts that are common, none is wider than this many ems.
const EM: f64 = 0.603;
const FONT: f64 = 12.0;
const LINE: f64 = 16.0;
const PAD: Size = Size { width: 9.0, height: 6.0 };
const LABEL_FONT: f64 = 10.5;
const LABEL_LINE: f64 = 13.0;
const MARGIN: f64 = 16.0;
const TITLE: f64 = 30.0;
const LEGEND: f64 = 26.0;

/// Every rule is about parts of an `svg`, so that it leaves a page around it alone.
const STYLE: &str = "\
svg text{font-family:'DejaVu Sans Mono',Menlo,Consolas,'Liberation Mono',monospace;\
font-size:12px;fill:#1f2328}svg .t{font-size:14px;font-weight:bold}svg .e text{font-size:10.5px}\
svg .l{font-weight:bold}svg .f{fill:#0a5a8a}svg .w{fill:#b3001b;font-weight:bold}\
svg rect{fill:#fff;stroke:#57606a}svg .h rect{fill:#fff8e1}\
svg .u rect{fill:#e4e4e4;stroke:#9a9a9a}svg .u text{fill:#666}\
svg .x rect{stroke:#b3001b;stroke-width:2.5;fill:#fff0f0}\
svg path{fill:none;stroke:#57606a;stroke-width:1.2}\
svg .b path{stroke:#7a3fb5;stroke-width:1.6;stroke-dasharray:5 3}\
svg .c path{stroke:#0b7a55;stroke-width:2}svg .n path{stroke:#b35900}\
svg .x path{stroke:#b3001b;stroke-width:2.5}";

/// All functions, one below the other.
pub(super) fn render(pictures: &[Picture]) -> Result<String, TooLarge> {
    let mut body = String::new();
    let (mut width, mut y) = (320.0f64, MARGIN);
    for picture in pictures {
        let placed = place(picture)?;
        let title = FONT * 1.2 * EM * picture.title.chars().count() as f64;
        text(&mut body, &picture.title, "t", Point { x: MARGIN, y: y + 14.0 });
        y += TITLE;
        let _ = write!(body, "<g transform=\"translate({MARGIN} {y:.1})\">");
        draw(&mut body, picture, &placed);
        body.push_str("</g>\n");
        width = width.max(placed.size.width).max(title);
        y += placed.size.height + MARGIN;
    }
    width += 2.0 * MARGIN;
    width = width.max(legend(&mut body, pictures, y));
    let height = y + LEGEND;
    Ok(format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
         viewBox=\"0 0 {width:.0} {height:.0}\">\n<style>{STYLE}</style>\n{MARKERS}\
         <rect width=\"100%\" height=\"100%\" style=\"fill:#fff;stroke:none\"/>\n{body}</svg>\n"
    ))
}

const MARKERS: &str = "<defs><marker id=\"a\" viewBox=\"0 0 8 8\" refX=\"7.4\" refY=\"4\" \
     markerUnits=\"userSpaceOnUse\" markerWidth=\"9\" markerHeight=\"9\" orient=\"auto\">\
     <path d=\"M0 .6L8 4L0 7.4z\" style=\"fill:#57606a;stroke:none\"/></marker></defs>\n";

fn place(picture: &Picture) -> Result<Layout, TooLarge> {
    let boxes: Vec<Size> = picture.boxes.iter().map(box_size).collect();
    let arrows = picture.arrows.iter().map(|link| Arrow {
        from: link.from,
        to: link.to,
        label: label_size(link),
    });
    layout::layout(&boxes, &arrows.collect::<Vec<_>>())
}

fn columns(lines: &[Line]) -> f64 {
    lines.iter().map(|line| line_columns(&line.text)).max().unwrap_or(0) as f64
}

/// How many columns a text takes; what is not ASCII may take two.
fn line_columns(text: &str) -> usize {
    text.chars().map(|c| if c.is_ascii() { 1 } else { 2 }).sum()
}

fn box_size(node: &Node) -> Size {
    // Bold text of some fonts is a little wider.
    Size {
        width: columns(&node.lines) * FONT * EM + 2.0 * PAD.width,
        height: node.lines.len() as f64 * LINE + 2.0 * PAD.height,
    }
}

fn label_size(link: &Link) -> Size {
    if link.label.is_empty() {
        return Size::default();
    }
    let width = columns(&link.label) * LABEL_FONT * EM + 8.0;
    Size { width, height: link.label.len() as f64 * LABEL_LINE + 4.0 }
}

fn draw(out: &mut String, picture: &Picture, placed: &Layout) {
    for (link, route) in picture.arrows.iter().zip(&placed.routes) {
        let _ = write!(out, "<g class=\"e{}\"><path marker-end=\"url(#a)\" d=\"", link_class(link));
        curve(out, &route.curve);
        out.push_str("\"/></g>\n");
    }
    for (link, route) in picture.arrows.iter().zip(&placed.routes) {
        out.push_str("<g class=\"e\">");
        let Point { x, y } = route.label;
        lines(out, &link.label, Point { x: x + 5.0, y: y + 11.0 }, LABEL_LINE);
        out.push_str("</g>\n");
    }
    for (node, &Point { x, y }) in picture.boxes.iter().zip(&placed.boxes) {
        let Size { width, height } = box_size(node);
        let _ = write!(
            out,
            "<g class=\"{}\"><rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" \
             height=\"{height:.1}\" rx=\"4\"/>",
            node_class(node)
        );
        lines(out, &node.lines, Point { x: x + PAD.width, y: y + PAD.height + 12.0 }, LINE);
        out.push_str("</g>\n");
    }
}

fn node_class(node: &Node) -> &'static str {
    match node {
        Node { wrong: true, .. } => "x",
        Node { reachable: false, .. } => "u",
        Node { header: true, .. } => "h",
        _ => "k",
    }
}

fn link_class(link: &Link) -> &'static str {
    match link {
        Link { wrong: true, .. } => " x",
        Link { back: true, .. } => " b",
        Link { critical: true, .. } => " c",
        Link { unwind: true, .. } => " n",
        _ => "",
    }
}

fn curve(out: &mut String, points: &[Point]) {
    for (position, Point { x, y }) in points.iter().enumerate() {
        let command = match position {
            0 => "M",
            n if n % 3 == 1 => "C",
            _ => " ",
        };
        let _ = write!(out, "{command}{x:.1} {y:.1}");
    }
}

fn lines(out: &mut String, lines: &[Line], at: Point, step: f64) {
    for (number, line) in lines.iter().enumerate() {
        let class = match line.role {
            Role::Label => "l",
            Role::Code => "",
            Role::Fact => "f",
            Role::Wrong => "w",
        };
        text(out, &line.text, class, Point { x: at.x, y: at.y + step * number as f64 });
    }
}

fn text(out: &mut String, text: &str, class: &str, at: Point) {
    let class = if class.is_empty() { String::new() } else { format!(" class=\"{class}\"") };
    let _ = write!(
        out,
        "<text x=\"{:.1}\" y=\"{:.1}\"{class} xml:space=\"preserve\">{}</text>",
        at.x,
        at.y,
        escape(text)
    );
}

/// What the colors mean, of those that occur; returns the width.
fn legend(out: &mut String, pictures: &[Picture], y: f64) -> f64 {
    let links = || pictures.iter().flat_map(|picture| &picture.arrows);
    let boxes = || pictures.iter().flat_map(|picture| &picture.boxes);
    let entries = [
        (links().any(|link| link.back), "b", "back edge"),
        (links().any(|link| link.critical && !link.back), "c", "critical edge"),
        (links().any(|link| link.unwind && !link.critical), "n", "unwind"),
        (boxes().any(|node| node.header), "h", "loop header"),
        (boxes().any(|node| !node.reachable), "u", "unreachable"),
        (boxes().any(|n| n.wrong) || links().any(|link| link.wrong), "x", "wrong"),
    ];
    let mut x = MARGIN;
    for (_, class, name) in entries.into_iter().filter(|entry| entry.0) {
        let _ = write!(out, "<g class=\"{class}\">");
        if matches!(class, "b" | "c" | "n") {
            let _ = write!(out, "<path d=\"M{x:.1} {0:.1}h24\"/>", y + 8.0);
        } else {
            let _ = write!(out, "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"24\" height=\"14\"/>");
        }
        out.push_str("</g>");
        text(out, name, "", Point { x: x + 30.0, y: y + 12.0 });
        x += 30.0 + FONT * EM * name.len() as f64 + 24.0;
    }
    x
}

/// Text for XML and HTML. What XML can't hold is replaced.
pub(super) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' | '\t' => out.push(c),
            '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            c if c < ' ' => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}
