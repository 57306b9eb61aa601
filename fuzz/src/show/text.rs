//! The annotated listing: the canonical text with facts as comments, so that it is still a program.

use super::facts::{CopyFact, Facts, Live};
use super::listing::{Listing, block_name, plain, set, slot_name};
use backedge_core::ir::{Block, Function, Type};
use backedge_oracle::check::drops::resource_names;
use backedge_oracle::subject::{DropsAnswer, Known, Maybe};
use std::fmt::Write;

/// Comments start here, unless the code is longer.
const WIDEST: usize = 56;

/// The text of one function with its facts.
pub(super) fn annotate(function: &Function, facts: &Facts) -> String {
    let listing = Listing::new(function);
    let widths = listing.blocks.iter().flat_map(|block| block.insts.iter().chain([&block.label]));
    let column = widths.map(|line| line.chars().count()).filter(|&width| width <= WIDEST).max();
    let mut out = Annotated { out: String::new(), column: column.unwrap_or(0) + 2 };
    for line in &listing.head {
        out.line(line, &[]);
    }
    let mut edge = 0;
    for (block, lines) in function.blocks.keys().zip(&listing.blocks) {
        out.line(&lines.label, &block_facts(function, facts, block));
        let last = lines.insts.len().saturating_sub(1);
        for (inst, line) in lines.insts.iter().enumerate() {
            let mut said: Vec<String> = class(facts, block, inst).into_iter().collect();
            match &facts.live {
                Some(live) if inst < last => said.push(after(function, live, block, inst)),
                _ if inst < last => {}
                _ => said.extend(exit_facts(function, facts, block, &mut edge)),
            }
            out.line(line, &said);
        }
    }
    out.out.push_str("}\n");
    out.out
}

struct Annotated {
    out: String,
    column: usize,
}

impl Annotated {
    /// A line of code with its first comment behind it and the others below.
    fn line(&mut self, code: &str, comments: &[String]) {
        let Some((first, others)) = comments.split_first() else {
            let _ = writeln!(self.out, "{code}");
            return;
        };
        let _ = writeln!(self.out, "{code:0$}; {first}", self.column);
        for other in others {
            let _ = writeln!(self.out, "{:1$}; {other}", "", self.column);
        }
    }
}

/// What is said of a block where it begins.
pub(super) fn block_facts(function: &Function, facts: &Facts, block: Block) -> Vec<String> {
    let number = block.as_u32() as usize;
    let mut said = Vec::new();
    if !facts.reachable[number] {
        said.push("unreachable".to_owned());
    }
    if let Some(live) = &facts.live {
        said.push(format!("live in: {}", set(function, &live.live_in[number])));
    }
    if let Some(known) = facts.constants.as_ref().and_then(|known| known.get(number)) {
        said.push(constants(function, known.as_deref()));
    }
    if let Some(drops) = &facts.drops {
        said.extend(owned(function, drops, number));
    }
    let copies = facts.copies.iter().flat_map(|copies| &copies[number]);
    said.extend(copies.map(|copy| copied(function, copy)));
    if let Some(idom) = facts.idom.as_ref().and_then(|idom| idom[number]) {
        said.push(format!("idom: {}", block_name(function, idom)));
    }
    if let Some(of) = facts.loops.as_ref().and_then(|loops| loops[number]) {
        said.push(if of.header == block {
            format!("loop header, depth {}", of.depth)
        } else {
            format!("in the loop of {}, depth {}", block_name(function, of.header), of.depth)
        });
    }
    said
}

/// What becomes of a copy between locals.
fn copied(function: &Function, copy: &CopyFact) -> String {
    let name = |local| format!("%{}", plain(&function.locals[local].name));
    let [dest, source] = [copy.dest, copy.source].map(name);
    match copy.outcome {
        Ok(into) => format!("{dest} = {source} goes: both are {}", name(into)),
        Err(why) => format!("{dest} = {source} stays: {}", why.name()),
    }
}

/// Constants first, then what may be anything; what is assigned nowhere is left out.
fn constants(function: &Function, known: Option<&[Known]>) -> String {
    let Some(known) = known else { return "never reached".to_owned() };
    let ints = function.locals.values().zip(known).filter(|(data, _)| data.ty == Type::Int);
    let (mut constants, mut others) = (Vec::new(), Vec::new());
    for (data, known) in ints {
        match known {
            Known::Undefined => {}
            Known::Constant(value) => constants.push(format!("%{} = {value}", plain(&data.name))),
            Known::Overdefined => others.push(format!("%{}", plain(&data.name))),
        }
    }
    let list = |names: Vec<String>| match names.is_empty() {
        true => "none".to_owned(),
        false => names.join(", "),
    };
    format!("constant: {}; overdefined: {}", list(constants), list(others))
}

/// What may be there where a block starts; nothing if the function owns nothing.
fn owned(function: &Function, drops: &DropsAnswer, block: usize) -> Option<String> {
    let names = resource_names(function);
    let state = drops.entry.as_ref()?.get(block).filter(|_| !names.is_empty())?;
    let Some(state) = state else { return Some("never reached".to_owned()) };
    let listed = |what: &str, meant: &dyn Fn(&Maybe) -> bool| {
        let names = names.iter().zip(state).filter(|(_, maybe)| meant(maybe));
        let names: Vec<String> = names.map(|(name, _)| format!("%{name}")).collect();
        (!names.is_empty()).then(|| format!("{what}: {}", names.join(", ")))
    };
    let said = [
        listed("initialized", &|maybe| maybe.initialized && !maybe.uninitialized),
        listed("perhaps", &|maybe| maybe.initialized && maybe.uninitialized),
    ];
    let said: Vec<String> = said.into_iter().flatten().collect();
    Some(if said.is_empty() { "initialized: none".to_owned() } else { said.join("; ") })
}

/// The class of a drop.
fn class(facts: &Facts, block: Block, inst: usize) -> Option<String> {
    let class = facts.drops.as_ref()?.classes.get(&(block, inst))?;
    Some(format!("drop: {}", class.name()))
}

fn after(function: &Function, live: &Live, block: Block, inst: usize) -> String {
    format!("live: {}", set(function, &live.after[block.as_u32() as usize][inst]))
}

/// What is said of a block where it ends, edge by edge.
fn exit_facts(function: &Function, facts: &Facts, block: Block, edge: &mut usize) -> Vec<String> {
    let mut said = Vec::new();
    if let Some(live) = &facts.live {
        let live_out = &live.live_out[block.as_u32() as usize];
        said.push(format!("live out: {}", set(function, live_out)));
    }
    while let Some(of) = facts.edges.get(*edge).filter(|of| of.from == block) {
        let mut words = Vec::new();
        if of.back {
            words.push("back edge".to_owned());
        }
        if of.critical {
            words.push("critical".to_owned());
        }
        if let Some(live) = &facts.live {
            words.push(format!("live: {}", set(function, &live.edges[*edge])));
        }
        if !words.is_empty() {
            let slot = slot_name(&function.blocks[block].term.kind, of.slot);
            let slot = slot.map(|slot| format!("{slot} ")).unwrap_or_default();
            said.push(format!("{slot}to {}: {}", block_name(function, of.to), words.join(", ")));
        }
        *edge += 1;
    }
    said
}
