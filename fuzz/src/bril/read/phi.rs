//! Phis become parameters of their block, and their operands arguments on the edges.

use super::blocks::{Placed, Section};
use super::function::FunctionReader;
use super::shape::Element;
use backedge_core::diagnostic::Span;
use backedge_core::ir::{Block, Function, Operand};
use rustc_hash::FxHashMap;

/// The phis of a function.
pub(super) struct Phis {
    /// By block.
    blocks: Vec<Vec<Phi>>,
}

struct Phi {
    span: Span,
    /// By predecessor; `true` once an edge has passed it.
    operands: FxHashMap<Block, (Operand, bool)>,
}

impl Phis {
    /// Reads the phis of all blocks and makes the parameters.
    pub(super) fn read(
        reader: &mut FunctionReader,
        sections: &[Section],
        elements: &[Placed],
    ) -> Phis {
        let mut blocks = Vec::with_capacity(sections.len());
        for (number, section) in sections.iter().enumerate() {
            let mut phis = Vec::new();
            for &position in &section.phis {
                let (span, element) = &elements[position];
                let Some(dest) = &element.dest else {
                    reader.wrong("missing-dest", *span, "a phi needs a `dest`");
                    continue;
                };
                let param = reader.local(dest, *span);
                reader.function.blocks[Block::from_u32(number as u32)].params.push(param);
                phis.push(read_phi(reader, element, *span));
            }
            blocks.push(phis);
        }
        Phis { blocks }
    }

    /// Gives the edges out of `block` their arguments.
    pub(super) fn pass(&mut self, function: &mut Function, block: Block) {
        function.blocks[block].term.kind.for_each_target_mut(|target| {
            for phi in &mut self.blocks[target.block.as_u32() as usize] {
                let argument = phi.operands.get_mut(&block).map(|(operand, passed)| {
                    *passed = true;
                    *operand
                });
                target.args.push(argument.unwrap_or(Operand::Const(0)));
            }
        });
    }

    /// Reports operands that no edge passes.
    pub(super) fn report_extra(&self, reader: &mut FunctionReader) {
        for phi in self.blocks.iter().flatten() {
            let mut extra: Vec<Block> = phi
                .operands
                .iter()
                .filter(|(_, (_, passed))| !passed)
                .map(|(&block, _)| block)
                .collect();
            extra.sort_unstable();
            for block in extra {
                let name = &reader.function.blocks[block].name;
                let message = format!("`{name}` is no predecessor of this phi's block");
                reader.wrong("phi-extra-predecessor", phi.span, message);
            }
        }
    }
}

fn read_phi(reader: &mut FunctionReader, element: &Element, span: Span) -> Phi {
    let (args, labels) = (element.args.as_deref(), element.labels.as_deref());
    let (args, labels) = (args.unwrap_or_default(), labels.unwrap_or_default());
    if args.len() != labels.len() {
        let message = format!("the phi has {} args for {} labels", args.len(), labels.len());
        reader.wrong("phi-operands", span, message);
    }
    let mut incoming = Vec::new();
    for (arg, label) in args.iter().zip(labels) {
        incoming.push((label, reader.local(arg, span).into()));
    }
    for (label, number) in element.consts.iter().flatten() {
        incoming.push((label, Operand::Const(*number)));
    }
    let mut operands = FxHashMap::default();
    for (label, operand) in incoming {
        if let Some(block) = reader.block(label, span)
            && operands.insert(block, (operand, false)).is_some()
        {
            let message = format!("the phi has two operands from `{}`", label.0);
            reader.wrong("phi-duplicate-predecessor", span, message);
        }
    }
    Phi { span, operands }
}
