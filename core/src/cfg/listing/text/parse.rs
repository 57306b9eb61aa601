//! Reads the items line by line.

use super::{Kind, LineItem, TextItems};
use crate::diagnostic::{Diagnostic, Span};
use crate::entity::Value;
use cranelift_entity::EntityRef;
use smol_str::SmolStr;

/// The items of a text, or every mistake of syntax.
pub(super) fn parse(text: &str) -> Result<TextItems, Vec<Diagnostic>> {
    if u32::try_from(text.len()).is_err() {
        let message = "a listing can't be larger than 4 GiB";
        return Err(vec![Diagnostic::new("too-large", Span::NONE, message)]);
    }
    let mut parser = Parser::default();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let code = line.split_once(';').map_or(line, |(code, _)| code);
        if let Err(diagnostic) = parser.line(Piece { text: code, start }.trim()) {
            parser.diagnostics.push(diagnostic);
        }
        start += line.len();
    }
    if parser.diagnostics.is_empty() { Ok(parser.items) } else { Err(parser.diagnostics) }
}

/// A part of the text, and where it starts.
#[derive(Copy, Clone)]
struct Piece<'t> {
    text: &'t str,
    start: usize,
}

impl<'t> Piece<'t> {
    fn span(self) -> Span {
        Span::new(self.start, self.start + self.text.len())
    }

    fn trim(self) -> Piece<'t> {
        let kept = self.text.trim_start();
        Piece { text: kept.trim_end(), start: self.start + self.text.len() - kept.len() }
    }

    fn split_at(self, at: usize) -> (Piece<'t>, Piece<'t>) {
        let (left, right) = self.text.split_at(at);
        (Piece { text: left, ..self }, Piece { text: right, start: self.start + at })
    }

    /// What stands before and behind the first `separator`.
    fn split_once(self, separator: &str) -> Option<(Piece<'t>, Piece<'t>)> {
        let (left, right) = self.split_at(self.text.find(separator)?);
        Some((left.trim(), right.split_at(separator.len()).1.trim()))
    }

    /// The parts between commas; none if there is nothing.
    fn operands(self) -> Vec<Piece<'t>> {
        let mut operands = Vec::new();
        let mut rest = self;
        while let Some((operand, behind)) = rest.split_once(",") {
            operands.push(operand);
            rest = behind;
        }
        if !rest.text.is_empty() || !operands.is_empty() {
            operands.push(rest.trim());
        }
        operands
    }

    /// Splits off the longest name at the start.
    fn name(self) -> (Piece<'t>, Piece<'t>) {
        self.split_at(self.text.find(|c| !is_name(c)).unwrap_or(self.text.len()))
    }

    fn mistake(self, code: &'static str, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(code, self.span(), message)
    }
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '.' | '$')
}

fn is_label(text: &str) -> bool {
    let number = text.strip_prefix('<').and_then(|text| text.strip_suffix('>'));
    let numbered = number.is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()));
    numbered || (!text.is_empty() && text.chars().all(is_name))
}

#[derive(Default)]
struct Parser {
    items: TextItems,
    diagnostics: Vec<Diagnostic>,
}

type Parsed<T> = Result<T, Diagnostic>;

impl Parser {
    fn line(&mut self, line: Piece<'_>) -> Parsed<()> {
        let mut rest = line;
        loop {
            let (word, behind) = rest.name();
            if rest.text.is_empty() {
                return Ok(());
            }
            if word.text.is_empty() {
                let message = "a label or an operation must stand here";
                return Err(rest.mistake("expected-operation", message));
            }
            let behind = behind.trim();
            if !behind.text.starts_with(':') {
                return self.instruction(rest, word, behind);
            }
            self.label(word);
            rest = behind.split_at(1).1.trim();
        }
    }

    fn label(&mut self, name: Piece<'_>) {
        let at = self.values_end();
        let kind = Kind::Label(name.text.into());
        self.items.items.push(LineItem { kind, defs: (at, at), uses_end: at, span: name.span() });
    }

    fn instruction(&mut self, whole: Piece<'_>, word: Piece<'_>, rest: Piece<'_>) -> Parsed<()> {
        let (written, read) = match rest.split_once("<-") {
            Some((written, read)) => (written.operands(), read.operands()),
            None => (Vec::new(), rest.operands()),
        };
        let start = self.values_end();
        for operand in &written {
            let value = self.whole_value(*operand)?;
            self.items.values.push(value);
        }
        let defs_end = self.values_end();
        let kind = match word.text {
            "br" => self.branch(word, &read)?,
            "jump" => jump(word, &written, &read)?,
            "phi" => self.phi(word, &written, &read)?,
            operation => {
                self.read(&read)?;
                match operation {
                    "call" => Kind::Call,
                    "ijump" => Kind::Indirect,
                    "ret" => Kind::Return,
                    _ => Kind::Next,
                }
            }
        };
        let (defs, uses_end) = ((start, defs_end), self.values_end());
        self.items.items.push(LineItem { kind, defs, uses_end, span: whole.span() });
        Ok(())
    }

    fn branch(&mut self, word: Piece<'_>, operands: &[Piece<'_>]) -> Parsed<Kind> {
        let Some((target, read)) = operands.split_last() else {
            return Err(word.mistake("expected-label", "`br` needs a label to branch to"));
        };
        self.read(read)?;
        Ok(Kind::Branch(label(*target)?))
    }

    fn phi(&mut self, word: Piece<'_>, written: &[Piece<'_>], read: &[Piece<'_>]) -> Parsed<Kind> {
        let [dest] = written else {
            return Err(word.mistake("expected-value", "`phi` defines one value: `phi %x <- ..`"));
        };
        let start = self.items.inputs.len() as u32;
        for input in read {
            let Some((pred, operand)) = input.split_once(":") else {
                let message = "an input of a phi is `label: operand`";
                return Err(input.mistake("expected-label", message));
            };
            let pred = label(pred)?;
            let value = match operand.text.starts_with('%') {
                true => Some(self.whole_value(operand)?),
                false => None,
            };
            if operand.text.is_empty() {
                return Err(input.mistake("expected-operand", "an operand is missing"));
            }
            self.items.inputs.push((pred, value));
        }
        let name = dest.text.trim_start_matches('%').into();
        Ok(Kind::Phi(name, start, self.items.inputs.len() as u32))
    }

    /// Notes every value in the operands as read.
    fn read(&mut self, operands: &[Piece<'_>]) -> Parsed<()> {
        for operand in operands {
            if operand.text.is_empty() {
                return Err(operand.mistake("expected-operand", "an operand is missing"));
            }
            let mut rest = *operand;
            while let Some(at) = rest.text.find('%') {
                let (name, behind) = rest.split_at(at + 1).1.name();
                let value = self.value(name)?;
                self.items.values.push(value);
                rest = behind;
            }
        }
        Ok(())
    }

    /// The value that is the whole of an operand.
    fn whole_value(&mut self, operand: Piece<'_>) -> Parsed<Value> {
        if let Some(name) = operand.text.strip_prefix('%')
            && name.chars().all(is_name)
        {
            return self.value(operand.split_at(1).1);
        }
        Err(operand.mistake("expected-value", "a value such as `%x` must stand here"))
    }

    fn value(&mut self, name: Piece<'_>) -> Parsed<Value> {
        if name.text.is_empty() {
            return Err(name.mistake("missing-name", "a name must follow `%`"));
        }
        let items = &mut self.items;
        if let Some(&value) = items.numbers.get(name.text) {
            return Ok(value);
        }
        let value = Value::new(items.names.len());
        items.names.push(name.text.into());
        items.numbers.insert(name.text.into(), value);
        Ok(value)
    }

    fn values_end(&self) -> u32 {
        self.items.values.len() as u32
    }
}

fn jump(word: Piece<'_>, written: &[Piece<'_>], read: &[Piece<'_>]) -> Parsed<Kind> {
    match (written, read) {
        ([], [target]) => Ok(Kind::Jump(label(*target)?)),
        _ => Err(word.mistake("expected-label", "`jump` needs one label and nothing else")),
    }
}

fn label(piece: Piece<'_>) -> Parsed<SmolStr> {
    if is_label(piece.text) {
        Ok(piece.text.into())
    } else {
        Err(piece.mistake("expected-label", "a label must stand here"))
    }
}
