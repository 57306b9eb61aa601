//! `%x = phi type [a: %u], [b: %v]`: rewritten, once the function ends, to a parameter of the block
//! and an argument on each edge from `a` and from `b`.
//!
//! Parameters that the label lists come first, then the phis in order. Every edge from a predecessor
//! gets the value that is listed for it, however many there are.

use super::function::FunctionParse;
use super::statement::Dests;
use super::{Parser, Result};
use crate::diagnostic::{Diagnostic, Span};
use crate::ir::text::lexer::TokenKind;
use crate::ir::text::names::shorten;
use crate::ir::{Block, Local, Operand};
use cranelift_entity::{EntityRef, SecondaryMap};
use rustc_hash::FxHashMap;

/// A phi that was read.
pub(super) struct Phi {
    block: Block,
    local: Local,
    span: Span,
    inputs: Vec<Input>,
}

struct Input {
    /// The number of its label.
    label: Block,
    value: Operand,
    span: Span,
}

impl Parser<'_, '_> {
    /// Reads what follows `phi`.
    pub(super) fn phi(
        &mut self,
        parse: &mut FunctionParse,
        dests: Dests,
        start: Span,
    ) -> Result<()> {
        let local = self.whole_dest(dests)?.place.local;
        let from = self.token.span;
        let ty = self.ty()?;
        let ty_span = Span { start: from.start, end: self.prev_end };
        self.annotate(parse, local, ty, ty_span);
        let mut inputs = Vec::new();
        while self.at(TokenKind::LBracket) {
            inputs.push(self.phi_input(parse)?);
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        let span = start.to(Span { start: 0, end: self.prev_end });
        self.end_of_statement()?;
        match parse.current {
            None => self.homeless(parse, span),
            Some(block) if !parse.function.blocks[block].insts.is_empty() => {
                let message = "a phi stands before the other instructions of its block";
                self.report(Diagnostic::new("phi-not-at-head", span, message));
                parse.broken = true;
            }
            Some(block) => parse.phis.push(Phi { block, local, span, inputs }),
        }
        Ok(())
    }

    /// `[label: operand]`
    fn phi_input(&mut self, parse: &mut FunctionParse) -> Result<Input> {
        let start = self.token.span;
        self.depth += 1;
        self.bump();
        let (label, _) = self.label(parse)?;
        self.expect(TokenKind::Colon, "`:` and a value")?;
        let value = self.operand(parse)?;
        if !self.at(TokenKind::RBracket) {
            return Err(self.expected("`]`"));
        }
        self.depth -= 1;
        let span = start.to(self.bump().span);
        Ok(Input { label, value, span })
    }

    /// Rewrites the phis of a function whose labels are resolved.
    pub(super) fn place_phis(&mut self, parse: &mut FunctionParse) {
        let phis = std::mem::take(&mut parse.phis);
        if phis.is_empty() {
            return;
        }
        let edges = edges_into(parse, &phis);
        for phi in phis {
            let into = &edges[phi.block];
            match self.phi_values(parse, &phi, into) {
                Some(values) => place_phi(parse, &phi, into, &values),
                None => parse.broken = true,
            }
        }
    }

    /// The value of a phi by predecessor, or `None` where they do not agree with the edges.
    fn phi_values(
        &mut self,
        parse: &FunctionParse,
        phi: &Phi,
        into: &[EdgeRef],
    ) -> Option<FxHashMap<Block, Operand>> {
        let mut seen: FxHashMap<Block, &Input> = FxHashMap::default();
        let mut right = true;
        for input in &phi.inputs {
            // A label without a block was reported as such.
            let Some(from) = parse.labels.block(input.label) else {
                right = false;
                continue;
            };
            if let Some(first) = seen.insert(from, input) {
                self.duplicate_input(parse, from, input.span, first.span);
                right = false;
            } else if !is_predecessor(into, from) {
                self.extra_input(parse, phi, from, input.span);
                right = false;
            }
        }
        if right && let Some(edge) = into.iter().find(|edge| !seen.contains_key(&edge.from)) {
            let from = shorten(&parse.function.blocks[edge.from].name);
            let name = shorten(&parse.function.blocks[phi.block].name);
            let message = format!("`{from}` branches to `{name}`, but has no value here");
            self.report(Diagnostic::new("phi-missing-predecessor", phi.span, message));
            right = false;
        }
        right.then(|| seen.into_iter().map(|(block, input)| (block, input.value)).collect())
    }

    fn duplicate_input(&mut self, parse: &FunctionParse, from: Block, span: Span, first: Span) {
        let name = shorten(&parse.function.blocks[from].name);
        let message = format!("`{name}` has two values in this phi");
        let diagnostic = Diagnostic::new("phi-duplicate-predecessor", span, message);
        self.report(diagnostic.note(first, "the first one"));
    }

    fn extra_input(&mut self, parse: &FunctionParse, phi: &Phi, from: Block, span: Span) {
        let from = shorten(&parse.function.blocks[from].name);
        let name = shorten(&parse.function.blocks[phi.block].name);
        let message = format!("`{from}` does not branch to `{name}`");
        self.report(Diagnostic::new("phi-extra-predecessor", span, message));
    }
}

/// A slot of a block's terminator.
#[derive(Copy, Clone)]
struct EdgeRef {
    from: Block,
    slot: usize,
}

/// The edges into each block that has phis, by source.
fn edges_into(parse: &FunctionParse, phis: &[Phi]) -> SecondaryMap<Block, Vec<EdgeRef>> {
    let mut wanted: SecondaryMap<Block, bool> = SecondaryMap::new();
    for phi in phis {
        wanted[phi.block] = true;
    }
    let count = parse.function.blocks.len();
    let mut edges: SecondaryMap<Block, Vec<EdgeRef>> = SecondaryMap::new();
    for (from, data) in &parse.function.blocks {
        let mut slot = 0;
        data.term.kind.for_each_target(|target| {
            if target.block.index() < count && wanted[target.block] {
                edges[target.block].push(EdgeRef { from, slot });
            }
            slot += 1;
        });
    }
    edges
}

fn is_predecessor(into: &[EdgeRef], from: Block) -> bool {
    into.binary_search_by_key(&from, |edge| edge.from).is_ok()
}

fn place_phi(
    parse: &mut FunctionParse,
    phi: &Phi,
    into: &[EdgeRef],
    values: &FxHashMap<Block, Operand>,
) {
    let blocks = &mut parse.function.blocks;
    blocks[phi.block].params.push(phi.local);
    for edge in into {
        if let Some(target) = blocks[edge.from].term.kind.target_mut(edge.slot) {
            target.args.extend(values.get(&edge.from).copied());
        }
    }
}
