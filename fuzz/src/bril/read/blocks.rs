//! Cuts a list of labels and instructions into blocks.
//!
//! A block starts at a label, at the start of the list, and behind a terminator. It ends at its
//! terminator; without one it falls through to the next block, and at the end of the list it
//! returns. `guard c .L` goes to `L` where `c` does not hold, and else falls through.

use super::shape::{Element, Word};
use backedge_core::diagnostic::{Diagnostic, Span};
use backedge_core::ir::Name;
use rustc_hash::{FxHashMap, FxHashSet};

/// An element with its place in the text.
pub(super) type Placed<'a> = (Span, Element<'a>);

/// A block, by positions in the list.
#[derive(Debug, Default)]
pub(super) struct Section {
    pub(super) name: Name,
    pub(super) span: Span,
    pub(super) phis: Vec<usize>,
    pub(super) insts: Vec<usize>,
    pub(super) term: Option<usize>,
}

pub(super) fn op<'e>(element: &'e Element) -> &'e str {
    element.op.as_ref().map_or("", |op| &op.0)
}

fn is_terminator(op: &str) -> bool {
    matches!(
        op,
        "jmp"
            | "br"
            | "ret"
            | "switch"
            | "try_call"
            | "try_drop"
            | "enter"
            | "unreachable"
            | "resume"
            | "guard"
    )
}

/// The blocks of a list, at least one. The first is the entry, and has no phi.
pub(super) fn split(elements: &[Placed], report: &mut Vec<Diagnostic>) -> Vec<Section> {
    let mut cut = Cut { sections: Vec::new(), open: false, report };
    for (position, (span, element)) in elements.iter().enumerate() {
        match (&element.label, &element.op) {
            (Some(label), None) => cut.label(*span, label),
            (None, Some(_)) => cut.instr(position, *span, element),
            _ => cut.report.push(Diagnostic::new(
                "bad-shape",
                *span,
                "neither a label nor an instruction: exactly one of `label` and `op` is needed",
            )),
        }
    }
    let guarded = cut.sections.last().and_then(|last| last.term).map(|term| op(&elements[term].1));
    if cut.sections.is_empty() || guarded == Some("guard") {
        cut.sections.push(Section::default());
    }
    let mut sections = cut.sections;
    // Control enters the function through no edge of it, so a phi of the first block needs another
    // block before it.
    if !sections[0].phis.is_empty() {
        sections.insert(0, Section::default());
    }
    name_all(&mut sections);
    sections
}

struct Cut<'r> {
    sections: Vec<Section>,
    /// The last section has no terminator yet.
    open: bool,
    report: &'r mut Vec<Diagnostic>,
}

impl Cut<'_> {
    fn label(&mut self, span: Span, label: &Word) {
        self.sections.push(Section { name: (&*label.0).into(), span, ..Section::default() });
        self.open = true;
    }

    fn instr(&mut self, position: usize, span: Span, element: &Element) {
        if !self.open {
            self.sections.push(Section { span, ..Section::default() });
            self.open = true;
        }
        let Some(section) = self.sections.last_mut() else { return };
        let op = op(element);
        if is_terminator(op) {
            section.term = Some(position);
            self.open = false;
        } else if op == "phi" && section.insts.is_empty() {
            section.phis.push(position);
        } else if op == "phi" {
            let message = "a phi must stand before all other instructions of its block";
            self.report.push(Diagnostic::new("phi-not-at-head", span, message));
        } else if op != "bind" && element.labels.as_ref().is_some_and(|labels| !labels.is_empty()) {
            let message = format!("`{op}` has labels, but where it goes is not known");
            self.report.push(Diagnostic::new("unknown-terminator", span, message));
        } else {
            section.insts.push(position);
        }
    }
}

/// Names the blocks that have no label.
fn name_all(sections: &mut [Section]) {
    let mut taken: FxHashSet<Name> = sections.iter().map(|section| section.name.clone()).collect();
    for (number, section) in sections.iter_mut().enumerate() {
        if section.name.is_empty() {
            let plain = if number == 0 { "entry".to_owned() } else { format!("block{number}") };
            section.name = fresh(plain, &mut taken);
        }
    }
}

/// `name`, with underscores appended until it is new.
pub(super) fn fresh(mut name: String, taken: &mut FxHashSet<Name>) -> Name {
    while taken.contains(name.as_str()) {
        name.push('_');
    }
    let name = Name::from(name);
    taken.insert(name.clone());
    name
}

/// The number of each block by name; reports names that two blocks share.
pub(super) fn by_name(
    sections: &[Section],
    report: &mut Vec<Diagnostic>,
) -> FxHashMap<Name, usize> {
    let mut numbers = FxHashMap::default();
    for (number, section) in sections.iter().enumerate() {
        if let Some(first) = numbers.insert(section.name.clone(), number) {
            let message = format!("block `{}` is defined twice", section.name);
            let first: &Section = &sections[first];
            report.push(
                Diagnostic::new("duplicate-block", section.span, message)
                    .note(first.span, "first defined here"),
            );
        }
    }
    numbers
}
