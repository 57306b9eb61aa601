//! Draws programs with their facts: an annotated text, Graphviz's dot, svg, or a page of html.
//!
//! [`facts`] collects what is known of a function, [`listing`] its lines of text, and [`text`] puts
//! both together. For the drawn formats [`picture`] says what is in each box and on each arrow, and
//! [`layout`] where they stand.

mod dot;
mod facts;
mod finding;
mod html;
mod layout;
pub(crate) mod listing;
mod picture;
mod svg;
#[cfg(test)]
mod tests;
mod text;

pub use facts::Show;
pub use finding::{Wrong, finding_drawing};
pub use layout::TooLarge;

use backedge_core::ir::text::print;
use backedge_core::ir::{Function, Program};
use facts::Facts;
use picture::Picture;

/// A format to draw in.
#[derive(Copy, Clone, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    /// The program with its facts as comments.
    Text,
    /// Input of Graphviz.
    Dot,
    /// A drawing.
    Svg,
    /// A page with the drawing and the text.
    Html,
}

/// Draws all functions of a program.
///
/// # Errors
/// When the graph is too large for `svg`; the other formats take any.
pub fn render(program: &Program, format: Format, show: &[Show]) -> Result<String, TooLarge> {
    let functions: Vec<(&Function, Facts)> = program
        .functions
        .iter()
        .filter(|function| !function.blocks.is_empty())
        .map(|function| (function, Facts::solved(function, show)))
        .collect();
    let pictures = || -> Vec<Picture> {
        functions.iter().map(|(function, facts)| Picture::new(function, facts, &[])).collect()
    };
    match format {
        Format::Text => Ok(annotated(program, &functions)),
        Format::Dot => Ok(dot::render(&pictures())),
        Format::Svg => svg::render(&pictures()),
        Format::Html => {
            let text = annotated(program, &functions);
            let parts = [html::drawing(&pictures()), html::listing("Program", &text)];
            let names: Vec<String> =
                functions.iter().map(|(function, _)| format!("@{}", function.name)).collect();
            Ok(html::page(&names.join(", "), &parts))
        }
    }
}

fn annotated(program: &Program, functions: &[(&Function, Facts)]) -> String {
    let head = Program {
        directives: program.directives.clone(),
        externs: program.externs.clone(),
        memory: program.memory,
        functions: Vec::new(),
    };
    let mut out = print(&head);
    for (function, facts) in functions {
        if !out.is_empty() {
            out.push('\n');
        }
        out.push_str(&text::annotate(function, facts));
    }
    out
}
