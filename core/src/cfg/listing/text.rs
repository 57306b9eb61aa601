//! A listing in a text file (`.lst`), close to what a disassembler prints.
//!
//! ```text
//! start:                         ; a label, alone or before an instruction
//!   add %sum <- %a, 8(%sp), 12   ; what is written <- what is read
//!   store %sum, [%p]             ; without an arrow everything is read
//!   br %sum, done                ; branches to its last operand, or falls through
//!   call %r <- @f, %a            ; falls through
//! loop:
//!   phi %i <- start: %r, loop: %i, <2>: 0
//!   jump loop                    ; goes to its operand
//! done:
//!   ijump %r                     ; goes where a value says
//!   ret %sum                     ; leaves the code
//! ```
//!
//! One item a line, `;` starts a comment. A value is `%` with a name of letters, digits, `_`, `.` and
//! `$`. Operands are separated by commas; every value in an operand is read, and everything else in it
//! (numbers, symbols, punctuation) means nothing here. The operations `br`, `jump`, `call`, `ijump`,
//! `ret` and `phi` mean what is said above; any other word is an operation that goes on to the next.
//! A phi names the predecessor of each input; `<N>` is the block without a label whose number is N.
//!
//! ```
//! use backedge_core::{cfg::{Cfg, listing::TextListing}, dataflow::Liveness};
//! let listing = TextListing::parse("head: dec %n <- %n\n br %n, head\n ret").unwrap();
//! let blocks = listing.blocks();
//! let cfg = Cfg::build(&blocks);
//! let liveness = Liveness::solve(&blocks, &cfg);
//! assert_eq!(liveness.live_in(cfg.entry()).len(), 1);
//! ```

mod parse;

use super::{Blocks, Division, Flow, Item, Listing};
use crate::diagnostic::{Diagnostic, Span};
use crate::entity::Value;
use cranelift_entity::EntityRef;
use rustc_hash::FxHashMap;
use smol_str::SmolStr;

/// A listing that was read from a text, and its blocks.
#[derive(Clone, Debug)]
pub struct TextListing {
    items: TextItems,
    division: Division,
}

/// The items of a listing that was read from a text.
#[derive(Clone, Debug, Default)]
pub struct TextItems {
    items: Vec<LineItem>,
    /// What instructions and phis write and read; items hold ranges of it.
    values: Vec<Value>,
    /// The inputs of phis.
    inputs: Vec<(SmolStr, Option<Value>)>,
    names: Vec<SmolStr>,
    numbers: FxHashMap<SmolStr, Value>,
}

#[derive(Clone, Debug)]
struct LineItem {
    kind: Kind,
    /// Of `values`: `defs.0..defs.1` is written, `defs.1..uses_end` read.
    defs: (u32, u32),
    uses_end: u32,
    span: Span,
}

#[derive(Clone, Debug)]
enum Kind {
    Label(SmolStr),
    /// Its name, and its range of `inputs`.
    Phi(SmolStr, u32, u32),
    Next,
    Call,
    Branch(SmolStr),
    Jump(SmolStr),
    Indirect,
    Return,
}

impl TextListing {
    /// Reads a listing and divides it into blocks.
    ///
    /// # Errors
    /// Every mistake of syntax, or if there is none, every mistake in the flow of control, in the
    /// order of the text.
    pub fn parse(text: &str) -> Result<TextListing, Vec<Diagnostic>> {
        let items = parse::parse(text)?;
        match Division::new(&items) {
            Ok(division) => Ok(TextListing { items, division }),
            Err(mistakes) => {
                let whole = Span::new(0, text.len());
                let mut diagnostics: Vec<Diagnostic> = mistakes
                    .into_iter()
                    .map(|mistake| {
                        let span = mistake.item.map_or(whole, |item| items.items[item].span);
                        Diagnostic::new(mistake.kind.code(), span, mistake.kind.to_string())
                    })
                    .collect();
                diagnostics.sort_by_key(|diagnostic| diagnostic.span.start);
                Err(diagnostics)
            }
        }
    }

    /// The listing as blocks.
    pub fn blocks(&self) -> Blocks<'_, TextItems> {
        Blocks::new(&self.items, &self.division)
    }

    /// The name of a value, without `%`.
    pub fn value_name(&self, value: Value) -> &str {
        &self.items.names[value.index()]
    }

    /// The value of this name, without `%`.
    pub fn value_named(&self, name: &str) -> Option<Value> {
        self.items.numbers.get(name).copied()
    }

    /// Where an item stands in the text.
    pub fn span(&self, item: usize) -> Span {
        self.items.items[item].span
    }
}

impl Listing for TextItems {
    fn len(&self) -> usize {
        self.items.len()
    }

    fn item(&self, item: usize) -> Item<'_> {
        match &self.items[item].kind {
            Kind::Label(name) => Item::Label(name),
            Kind::Phi(name, ..) => Item::Phi(name),
            Kind::Next => Item::Inst(Flow::Next),
            Kind::Call => Item::Inst(Flow::Call),
            Kind::Branch(to) => Item::Inst(Flow::Branch(to)),
            Kind::Jump(to) => Item::Inst(Flow::Jump(to)),
            Kind::Indirect => Item::Inst(Flow::Indirect),
            Kind::Return => Item::Inst(Flow::Return),
        }
    }

    fn value_count(&self) -> usize {
        self.names.len()
    }

    fn uses(&self, item: usize, visit: impl FnMut(Value)) {
        let LineItem { defs, uses_end, .. } = self.items[item];
        self.values[defs.1 as usize..uses_end as usize].iter().copied().for_each(visit);
    }

    fn defs(&self, item: usize, visit: impl FnMut(Value)) {
        let LineItem { defs, .. } = self.items[item];
        self.values[defs.0 as usize..defs.1 as usize].iter().copied().for_each(visit);
    }

    fn phi_inputs(&self, item: usize, mut visit: impl FnMut(&str, Option<Value>)) {
        if let Kind::Phi(_, start, end) = self.items[item].kind {
            for (pred, value) in &self.inputs[start as usize..end as usize] {
                visit(pred, *value);
            }
        }
    }
}

#[cfg(test)]
mod tests;
