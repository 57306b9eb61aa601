//! Labels: numbered as they occur, and replaced by blocks when the function ends.

use crate::diagnostic::{Diagnostic, Sink, Span};
use crate::ir::text::names::shorten;
use crate::ir::{Block, Function, Name, Op, Target};
use cranelift_entity::PrimaryMap;
use rustc_hash::FxHashMap;

/// The labels of a function. The number of a label is a `Block`, so that a target can hold it.
#[derive(Default)]
pub(super) struct Labels {
    numbers: FxHashMap<Name, Block>,
    labels: PrimaryMap<Block, Label>,
}

struct Label {
    /// The block that it was found to start.
    block: Option<Block>,
    /// Where it first occurs.
    span: Span,
}

/// What stands for a block that does not exist; the greatest number is kept for packed options.
fn no_block() -> Block {
    Block::from_u32(u32::MAX - 1)
}

impl Labels {
    /// The number of the label called `name`.
    pub(super) fn number(&mut self, name: Name, span: Span) -> Block {
        let labels = &mut self.labels;
        *self.numbers.entry(name).or_insert_with(|| labels.push(Label { block: None, span }))
    }

    /// A label that no name of the text can mean.
    pub(super) fn fresh(&mut self) -> Block {
        self.labels.push(Label { block: None, span: Span::NONE })
    }

    /// Whether the text names this label.
    pub(super) fn contains(&self, name: &str) -> bool {
        self.numbers.contains_key(name)
    }

    /// Tells which block a label starts. The first one counts.
    pub(super) fn define(&mut self, label: Block, block: Block) {
        self.labels[label].block.get_or_insert(block);
    }

    /// The block that a label starts.
    pub(super) fn block(&self, label: Block) -> Option<Block> {
        self.labels[label].block
    }

    /// Replaces labels by blocks in all targets, and reports labels that start no block.
    pub(super) fn resolve(&self, function: &mut Function, sink: &mut Sink) {
        self.report_undefined(sink);
        let resolve = |target: &mut Target| {
            target.block = self.block(target.block).unwrap_or_else(no_block);
        };
        for data in function.blocks.values_mut() {
            for inst in &mut data.insts {
                if let Op::Bind(target) = &mut inst.op {
                    resolve(target);
                }
            }
            data.term.kind.for_each_target_mut(resolve);
        }
    }

    /// Reports labels that start no block.
    pub(super) fn report_undefined(&self, sink: &mut Sink) {
        for (name, label) in self.undefined() {
            let message = format!("there is no block `{}`", shorten(name));
            sink.push(Diagnostic::new("dangling-target", label.span, message));
        }
    }

    fn undefined(&self) -> Vec<(&Name, &Label)> {
        let mut undefined: Vec<_> = self
            .numbers
            .iter()
            .map(|(name, &number)| (name, &self.labels[number]))
            .filter(|(_, label)| label.block.is_none())
            .collect();
        undefined.sort_by_key(|(_, label)| label.span.start);
        undefined
    }
}
