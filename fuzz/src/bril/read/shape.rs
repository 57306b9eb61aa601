//! The shapes of the JSON, each instruction with the place where it stands.
//!
//! Functions and instructions are cut out of the text unparsed first and read one by one: so each has
//! its byte range, and one that is wrong does not hide what is wrong with the others.

use backedge_core::diagnostic::{Diagnostic, Span};
use backedge_core::ir::Type;
use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny};
use serde_json::value::RawValue;
use std::borrow::Cow;

/// A string, borrowed from the text where it has no escapes.
#[derive(Clone, Debug, Deserialize)]
#[serde(transparent)]
pub(super) struct Word<'a>(#[serde(borrow)] pub(super) Cow<'a, str>);

pub(super) type Words<'a> = Vec<Word<'a>>;

/// A program, or a single function in its place.
#[derive(Debug, Deserialize)]
pub(super) struct ProgramShape<'a> {
    #[serde(borrow)]
    pub(super) functions: Option<Vec<&'a RawValue>>,
    #[serde(borrow)]
    pub(super) instrs: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) externs: Option<Vec<&'a RawValue>>,
    pub(super) memory: Option<u64>,
    pub(super) directives: Option<Vec<(String, String)>>,
}

#[derive(Debug, Deserialize)]
pub(super) struct ExternShape<'a> {
    #[serde(borrow)]
    pub(super) name: Word<'a>,
    pub(super) args: Option<Vec<TypeShape>>,
    #[serde(rename = "type")]
    pub(super) ty: Option<TypeShape>,
}

#[derive(Debug, Deserialize)]
pub(super) struct FunctionShape<'a> {
    #[serde(borrow)]
    pub(super) name: Word<'a>,
    #[serde(borrow)]
    pub(super) args: Option<Vec<LocalShape<'a>>>,
    #[serde(rename = "type")]
    pub(super) ty: Option<TypeShape>,
    pub(super) ssa: Option<bool>,
    #[serde(borrow)]
    pub(super) locals: Option<Vec<LocalShape<'a>>>,
    #[serde(borrow)]
    pub(super) instrs: Vec<&'a RawValue>,
}

#[derive(Debug, Deserialize)]
pub(super) struct LocalShape<'a> {
    #[serde(borrow)]
    pub(super) name: Word<'a>,
    #[serde(rename = "type")]
    pub(super) ty: Option<TypeShape>,
}

/// A label or an instruction; which one, the reader decides.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Element<'a> {
    #[serde(borrow)]
    pub(super) label: Option<Word<'a>>,
    #[serde(borrow)]
    pub(super) op: Option<Word<'a>>,
    #[serde(borrow)]
    pub(super) dest: Option<Word<'a>>,
    #[serde(rename = "type")]
    pub(super) ty: Option<TypeShape>,
    #[serde(borrow)]
    pub(super) args: Option<Words<'a>>,
    #[serde(borrow)]
    pub(super) labels: Option<Words<'a>>,
    #[serde(borrow)]
    pub(super) funcs: Option<Words<'a>>,
    #[serde(borrow)]
    pub(super) value: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) operands: Option<Vec<OperandShape<'a>>>,
    #[serde(borrow)]
    pub(super) consts: Option<Vec<(Word<'a>, i64)>>,
    pub(super) cases: Option<Vec<i64>>,
    #[serde(borrow)]
    pub(super) place: Option<Vec<FieldShape<'a>>>,
    #[serde(borrow)]
    pub(super) into: Option<Vec<FieldShape<'a>>>,
    #[serde(borrow)]
    pub(super) text: Option<Word<'a>>,
    #[serde(borrow)]
    pub(super) partial: Option<Words<'a>>,
    #[serde(borrow)]
    pub(super) uses: Option<Words<'a>>,
    #[serde(borrow)]
    pub(super) defs: Option<Words<'a>>,
}

#[derive(Debug, Deserialize)]
#[serde(untagged, expecting = "expected the name of a variable or an integer")]
pub(super) enum OperandShape<'a> {
    #[serde(borrow)]
    Local(Word<'a>),
    Const(i64),
}

#[derive(Debug, Deserialize)]
#[serde(untagged, expecting = "expected the name of a variable and then field numbers")]
pub(super) enum FieldShape<'a> {
    #[serde(borrow)]
    Local(Word<'a>),
    Field(u32),
}

/// A type. What is none of ours is a word like any other: `int`.
#[derive(Debug)]
pub(super) struct TypeShape(pub(super) Type);

impl<'de> Deserialize<'de> for TypeShape {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<TypeShape, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Shape {
            Name(String),
            Parts { own: Vec<TypeShape> },
            Other(IgnoredAny),
        }
        Ok(TypeShape(match Shape::deserialize(deserializer)? {
            Shape::Name(name) if name == "own" => Type::Own,
            Shape::Name(name) if name == "thunk" => Type::Thunk,
            Shape::Parts { own } => Type::Aggregate(own.into_iter().map(|part| part.0).collect()),
            Shape::Name(_) | Shape::Other(_) => Type::Int,
        }))
    }
}

/// The text, to find places in it.
#[derive(Copy, Clone, Debug)]
pub(super) struct Source<'a> {
    pub(super) text: &'a str,
}

impl<'a> Source<'a> {
    /// Where a piece of the text stands.
    pub(super) fn span(self, raw: &'a RawValue) -> Span {
        let start = (raw.get().as_ptr() as usize).saturating_sub(self.text.as_ptr() as usize);
        let start = start.min(self.text.len());
        Span::new(start, (start + raw.get().len()).min(self.text.len()))
    }

    /// Where a piece of the text starts, to its end or that of the line.
    pub(super) fn head(self, raw: &'a RawValue) -> Span {
        let line = raw.get().lines().next().map_or(0, str::len);
        let start = self.span(raw).start as usize;
        Span::new(start, start + line)
    }

    /// Reads a piece of the text.
    pub(super) fn read<T: Deserialize<'a>>(self, raw: &'a RawValue) -> Result<T, Diagnostic> {
        read_at(raw.get(), self.span(raw).start as usize)
    }
}

/// Reads a piece of JSON that starts at this byte of the whole text.
pub(super) fn read_at<'a, T: Deserialize<'a>>(
    json: &'a str,
    start: usize,
) -> Result<T, Diagnostic> {
    serde_json::from_str(json).map_err(|error| {
        let (line, column) = (error.line(), error.column());
        let message = error.to_string();
        let message = message.trim_end_matches(&format!(" at line {line} column {column}"));
        let at = start + offset(json, line, column);
        let code = if error.is_data() { "bad-shape" } else { "bad-json" };
        let mut what = message.to_owned();
        if let Some(first) = what.get(..1).map(str::to_lowercase)
            && !what.starts_with("EOF")
        {
            what.replace_range(..1, &first);
        }
        let next = json[at - start..].chars().next().map_or(0, char::len_utf8);
        Diagnostic::new(code, Span::new(at, at + next), what)
    })
}

/// The byte at a line and a column, both counted from 1 in bytes; the last byte where there is none.
fn offset(text: &str, line: usize, column: usize) -> usize {
    let before =
        text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum::<usize>();
    let at = (before + column.saturating_sub(1)).min(text.len().saturating_sub(1));
    (0..=at).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0)
}
