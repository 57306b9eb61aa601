//! Operations: what stands after `=`, or alone.

use super::function::FunctionParse;
use super::infer::Hint;
use super::statement::Dests;
use super::{Parser, Result};
use crate::diagnostic::Diagnostic;
use crate::ir::text::lexer::{Token, TokenKind};
use crate::ir::text::names::shorten;
use crate::ir::{BinaryOp, Op, Opaque, Operand, Type};
use smallvec::SmallVec;

/// Every operation that is not a [`BinaryOp`].
const OPERATIONS: [&str; 13] = [
    "const", "copy", "select", "load", "store", "call", "bind", "new", "move", "drop", "destroy",
    "opaque", "phi",
];

/// Every terminator, and the other words that a statement starts with.
const STATEMENTS: [&str; 11] = [
    "jump",
    "branch",
    "switch",
    "try_call",
    "try_drop",
    "enter",
    "return",
    "unreachable",
    "resume",
    "for",
    "local",
];

impl Parser<'_, '_> {
    /// Reads the operands of the operation called `word`.
    pub(super) fn op(&mut self, parse: &mut FunctionParse, word: Token) -> Result<Op> {
        let op = match self.slice(word) {
            "const" => {
                let token = self.expect(TokenKind::Word, "an integer")?;
                Op::Const(self.int64(token)?)
            }
            "copy" => Op::Copy(self.operand(parse)?),
            "select" => {
                let [c, a, b] = self.comma_operands(parse)?;
                Op::Select(c, a, b)
            }
            "load" => Op::Load(self.operand(parse)?),
            "store" => {
                let [addr, value] = self.comma_operands(parse)?;
                Op::Store { addr, value }
            }
            "call" => {
                let callee = self.callee()?;
                Op::Call { callee, args: self.operands(parse)? }
            }
            "bind" => Op::Bind(self.target(parse)?),
            "new" => Op::New,
            "move" => Op::Move(self.read_place(parse)?),
            "drop" => Op::Drop(self.read_place(parse)?),
            "destroy" => Op::Destroy(self.read_place(parse)?),
            name => match BinaryOp::from_name(name) {
                Some(op) => {
                    let [a, b] = self.comma_operands(parse)?;
                    Op::Binary(op, a, b)
                }
                None => return Err(self.unknown(word)),
            },
        };
        Ok(op)
    }

    /// `a, b, ..`: as many as the caller takes.
    fn comma_operands<const N: usize>(
        &mut self,
        parse: &mut FunctionParse,
    ) -> Result<[Operand; N]> {
        let mut operands = [Operand::Const(0); N];
        for (index, operand) in operands.iter_mut().enumerate() {
            if index > 0 {
                self.expect(TokenKind::Comma, "`,` and another operand")?;
            }
            *operand = self.operand(parse)?;
        }
        Ok(operands)
    }

    /// `%d, .. = opaque "text"(%u, ..) partial(%w, ..)`
    pub(super) fn opaque(&mut self, parse: &mut FunctionParse, dests: Dests) -> Result<Op> {
        let token = self.expect(TokenKind::Str, "the text of the operation, in quotes")?;
        let text = self.name(token)?;
        let mut defs = SmallVec::new();
        for dest in dests {
            if !dest.place.is_whole() {
                return Err(self.part_as_dest(dest.span));
            }
            parse.hint(dest.place.local, || Hint::Known(Type::Int));
            defs.push(dest.place.local);
        }
        let mut uses = SmallVec::new();
        self.open_paren("what it reads")?;
        self.paren_list(|p| {
            uses.push(p.read_local(parse, "a local")?);
            Ok(())
        })?;
        let mut partial = SmallVec::new();
        if self.at_word("partial") {
            self.bump();
            self.open_paren("what it assigns a part of")?;
            self.paren_list(|p| {
                partial.push(p.local(parse, "a local")?);
                Ok(())
            })?;
        }
        Ok(Op::Opaque(Box::new(Opaque { text, defs, uses, partial })))
    }

    /// Reports a word that no statement has in this place.
    fn unknown(&mut self, word: Token) -> super::Reported {
        let name = self.slice(word);
        let message = format!("`{}` can't stand here: it is no operation", shorten(name));
        let mut diagnostic = Diagnostic::new("unknown-operation", word.span, message);
        let alone = matches!(self.token.kind, TokenKind::Newline | TokenKind::RBrace);
        if name == "try_call" {
            diagnostic = diagnostic.help("write `try_call %d = @f(..), ok, unwind bad`");
        } else if STATEMENTS.contains(&name) {
            diagnostic = diagnostic.help(format!("`{name}` has no destination"));
        } else if let Some(near) = nearest(name) {
            diagnostic = diagnostic.help(format!("did you mean `{near}`?"));
        } else if alone {
            diagnostic = diagnostic.help("a label ends in a colon");
        }
        self.report(diagnostic)
    }
}

/// The known word that is one or two edits away.
fn nearest(word: &str) -> Option<&'static str> {
    if word.len() > 16 {
        return None;
    }
    let binary = BinaryOp::ALL.into_iter().map(BinaryOp::name);
    OPERATIONS
        .into_iter()
        .chain(STATEMENTS)
        .chain(binary)
        .map(|known| (edit_distance(word.as_bytes(), known.as_bytes()), known))
        .filter(|&(distance, known)| distance <= 2 && distance < known.len() - 1)
        .min_by_key(|&(distance, _)| distance)
        .map(|(_, known)| known)
}

/// How many bytes must be put in, taken out or replaced to make `a` into `b`.
fn edit_distance(a: &[u8], b: &[u8]) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(row[j + 1] + 1);
        }
    }
    row[b.len()]
}
