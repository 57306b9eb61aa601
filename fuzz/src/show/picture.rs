//! What is to be drawn, whatever the format: boxes of lines, and arrows with labels.

use super::facts::Facts;
use super::listing::{Listing, set, slot_name};
use super::text::block_facts;
use backedge_core::ir::{Block, Function, TerminatorKind};

/// Longest line of code, of facts, and of an arrow's label, in characters.
const CODE_WIDTH: usize = 72;
const FACT_WIDTH: usize = 44;
const LABEL_WIDTH: usize = 26;
/// Most lines of one set.
const MOST_LINES: usize = 8;
/// A longer block shows this many instructions at either end.
const ENDS: usize = 24;

/// One function.
#[derive(Clone, Debug)]
pub(super) struct Picture {
    pub(super) title: String,
    /// By block.
    pub(super) boxes: Vec<Node>,
    /// By edge.
    pub(super) arrows: Vec<Link>,
}

#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) lines: Vec<Line>,
    pub(super) reachable: bool,
    pub(super) header: bool,
    pub(super) wrong: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Line {
    pub(super) text: String,
    pub(super) role: Role,
}

#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Label,
    Code,
    Fact,
    Wrong,
}

#[derive(Clone, Debug)]
pub(super) struct Link {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) label: Vec<Line>,
    pub(super) back: bool,
    pub(super) critical: bool,
    pub(super) unwind: bool,
    pub(super) wrong: bool,
}

/// Something wrong, with a few lines that say what.
#[derive(Clone, Debug)]
pub(super) struct Mark {
    pub(super) at: Place,
    pub(super) says: Vec<String>,
}

#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Block(Block),
    Inst(Block, usize),
    /// By number.
    Edge(usize),
}

impl Picture {
    pub(super) fn new(function: &Function, facts: &Facts, marks: &[Mark]) -> Picture {
        let listing = Listing::new(function);
        let node = |block| node(function, facts, &listing, marks, block);
        let link = |number| link(function, facts, marks, number);
        Picture {
            title: listing
                .head
                .first()
                .map(|head| head.trim_end_matches(" {").to_owned())
                .unwrap_or_default(),
            boxes: function.blocks.keys().map(node).collect(),
            arrows: (0..facts.edges.len()).map(link).collect(),
        }
    }
}

fn node(
    function: &Function,
    facts: &Facts,
    listing: &Listing,
    marks: &[Mark],
    block: Block,
) -> Node {
    let number = block.as_u32() as usize;
    let code = &listing.blocks[number];
    let mut lines = Vec::new();
    push(&mut lines, &code.label, Role::Label, CODE_WIDTH);
    for fact in block_facts(function, facts, block) {
        push(&mut lines, &fact, Role::Fact, FACT_WIDTH);
    }
    let mut wrong = explain(&mut lines, marks, Place::Block(block));
    let mut left_out = 0;
    for (inst, text) in code.insts.iter().enumerate() {
        let at = Place::Inst(block, inst);
        let marked = marks.iter().any(|mark| mark.at == at);
        if inst >= ENDS && inst + ENDS < code.insts.len() && !marked {
            left_out += 1;
            continue;
        }
        push_left_out(&mut lines, &mut left_out);
        push(&mut lines, text, if marked { Role::Wrong } else { Role::Code }, CODE_WIDTH);
        wrong |= explain(&mut lines, marks, at);
    }
    if let Some(live) = &facts.live {
        let fact = format!("live out: {}", set(function, &live.live_out[number]));
        push(&mut lines, &fact, Role::Fact, FACT_WIDTH);
    }
    let heads = |of: super::facts::LoopFact| of.header == block;
    let header = facts.loops.as_ref().and_then(|loops| loops[number]).is_some_and(heads);
    Node { lines, reachable: facts.reachable[number], header, wrong }
}

fn push_left_out(lines: &mut Vec<Line>, left_out: &mut usize) {
    if *left_out > 0 {
        let text = format!("  .. {left_out} more ..");
        lines.push(Line { text, role: Role::Fact });
        *left_out = 0;
    }
}

fn link(function: &Function, facts: &Facts, marks: &[Mark], number: usize) -> Link {
    let edge = &facts.edges[number];
    let term = &function.blocks[edge.from].term.kind;
    let mut label = Vec::new();
    if let Some(slot) = slot_name(term, edge.slot) {
        push(&mut label, &slot, Role::Label, LABEL_WIDTH);
    }
    if let Some(live) = &facts.live {
        push(&mut label, &set(function, &live.edges[number]), Role::Fact, LABEL_WIDTH);
    }
    let wrong = explain(&mut label, marks, Place::Edge(number));
    let fallible = matches!(term, TerminatorKind::TryCall { .. } | TerminatorKind::TryDrop { .. });
    Link {
        from: edge.from.as_u32() as usize,
        to: edge.to.as_u32() as usize,
        label,
        back: edge.back,
        critical: edge.critical,
        unwind: fallible && edge.slot == 1,
        wrong,
    }
}

/// Adds what the marks at a place say; tells whether there are any.
fn explain(lines: &mut Vec<Line>, marks: &[Mark], at: Place) -> bool {
    let mut any = false;
    for mark in marks.iter().filter(|mark| mark.at == at) {
        any = true;
        for text in &mark.says {
            push(lines, text, Role::Wrong, FACT_WIDTH);
        }
    }
    any
}

/// Adds a text, broken at blanks into lines that are not too long, and cut off after some.
fn push(lines: &mut Vec<Line>, text: &str, role: Role, width: usize) {
    let wrapped = wrap(text, width);
    let cut = wrapped.len() > MOST_LINES;
    let count = wrapped.len();
    for (number, mut text) in wrapped.into_iter().take(MOST_LINES).enumerate() {
        if cut && number + 1 == MOST_LINES {
            text = format!("    .. {} more lines", count + 1 - MOST_LINES);
        }
        lines.push(Line { text, role });
    }
}

fn wrap(text: &str, width: usize) -> Vec<String> {
    let indent = text.len() - text.trim_start().len();
    let mut lines = Vec::new();
    let mut line = " ".repeat(indent);
    let mut empty = true;
    let mut used = indent;
    for word in text.split_whitespace() {
        let mut word: Vec<char> = word.chars().collect();
        while !word.is_empty() {
            let room = width.saturating_sub(used + usize::from(!empty));
            if word.len() <= room || (empty && room < 8) {
                if !empty {
                    line.push(' ');
                }
                used += word.len() + usize::from(!empty);
                line.extend(word.drain(..));
                empty = false;
            } else if empty {
                line.extend(word.drain(..room));
                empty = false;
                used = width;
            } else {
                lines.push(std::mem::replace(&mut line, " ".repeat(indent + 2)));
                used = indent + 2;
                empty = true;
            }
        }
    }
    lines.push(line);
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_broken_at_blanks_and_within_long_words() {
        assert_eq!(wrap("  a b c", 20), ["  a b c"]);
        assert_eq!(wrap("live in: %a, %b, %c", 12), ["live in: %a,", "  %b, %c"]);
        assert_eq!(
            wrap(&"x".repeat(25), 10),
            ["x".repeat(10), format!("  {}", "x".repeat(8)), format!("  {}", "x".repeat(7))]
        );
        assert_eq!(wrap("", 5), [""]);
    }

    #[test]
    fn endless_sets_are_cut_off() {
        let mut lines = Vec::new();
        push(&mut lines, &"name ".repeat(1000), Role::Fact, 44);
        assert_eq!(lines.len(), MOST_LINES);
        assert!(lines[MOST_LINES - 1].text.contains("more lines"));
    }
}
