//! Reads Bril programs, and our own export back.
//!
//! Bril's core operations become those of the IR. What the IR has no operation for (floats, pointers,
//! printing, and whatever a dialect adds) becomes an opaque instruction with exact uses and
//! definitions. Words of every type but ours are `int`. Besides the instructions as they stand:
//!
//! - Control falls through from block to block; it may return at the end of the list.
//! - A function that is called but not there becomes an `extern`.
//! - An edge for which a `phi` has no operand passes 0: Bril leaves the variable undefined.
//! - `set x y` assigns a variable of its own, the shadow of `x`, and `get` reads it.
//!
//! Nothing recurses on the text but serde_json, which stops at a depth of 128.

mod blocks;
mod function;
mod operation;
mod phi;
mod shape;
mod terminator;
#[cfg(test)]
mod tests;

use backedge_core::diagnostic::{Diagnostic, Span};
use backedge_core::ir::validate::validate;
use backedge_core::ir::{Directive, Extern, Function, Name, Program, Type};
use rustc_hash::{FxHashMap, FxHashSet};
use shape::{ExternShape, FunctionShape, ProgramShape, Source, read_at};

/// Reads a program, or a single function, and validates it.
///
/// # Errors
/// Every mistake found, in the order of the text.
pub fn read(text: &str) -> Result<Program, Vec<Diagnostic>> {
    let shape: ProgramShape = read_at(text, 0).map_err(|diagnostic| vec![diagnostic])?;
    let mut reader = Reader {
        source: Source { text },
        program: Program { memory: shape.memory, ..Program::default() },
        called: Vec::new(),
        report: Vec::new(),
    };
    reader.read(&shape);
    let Reader { program, mut report, .. } = reader;
    if report.is_empty() {
        report = validate(&program);
    }
    report.sort_by_key(|diagnostic| diagnostic.span.start);
    if report.is_empty() { Ok(program) } else { Err(report) }
}

/// Reads a program from bytes, which should be UTF-8.
///
/// # Errors
/// See [`read`]; `invalid-utf8` for the first bytes that are none.
pub fn read_bytes(bytes: &[u8]) -> Result<Program, Vec<Diagnostic>> {
    match std::str::from_utf8(bytes) {
        Ok(text) => read(text),
        Err(error) => {
            let start = error.valid_up_to();
            let end = error.error_len().map_or(bytes.len(), |length| start + length);
            let message = "the text is not valid UTF-8 here";
            Err(vec![Diagnostic::new("invalid-utf8", Span::new(start, end), message)])
        }
    }
}

struct Reader<'a> {
    source: Source<'a>,
    program: Program,
    /// What the functions call, in the order of the text.
    called: Vec<Signature>,
    report: Vec<Diagnostic>,
}

/// A function as one of its calls sees it.
#[derive(Clone, Debug)]
struct Signature {
    name: Name,
    params: Vec<Type>,
    ret: Option<Type>,
    span: Span,
}

impl<'a> Reader<'a> {
    fn read(&mut self, shape: &ProgramShape<'a>) {
        for (key, value) in shape.directives.iter().flatten() {
            let (key, value) = (key.clone(), value.clone());
            self.program.directives.push(Directive { key, value, span: Span::NONE });
        }
        for raw in shape.externs.iter().flatten() {
            match self.source.read::<ExternShape>(raw) {
                Ok(shape) => self.read_extern(&shape, self.source.head(raw)),
                Err(diagnostic) => self.report.push(diagnostic),
            }
        }
        match (&shape.functions, shape.instrs) {
            (Some(functions), _) => functions.iter().for_each(|raw| {
                let shape = self.source.read(raw);
                self.read_function(shape, self.source.head(raw));
            }),
            (None, Some(_)) => {
                let first_line = self.source.text.lines().next().map_or(0, str::len);
                self.read_function(read_at(self.source.text, 0), Span::new(0, first_line));
            }
            (None, None) => self.report.push(Diagnostic::new(
                "bad-shape",
                Span::new(0, 1),
                "neither a program nor a function: `functions` or `instrs` is needed",
            )),
        }
        self.declare_called();
    }

    fn read_extern(&mut self, shape: &ExternShape, span: Span) {
        let params = shape.args.iter().flatten().map(|ty| ty.0.clone()).collect();
        let ret = shape.ty.as_ref().map(|ty| ty.0.clone());
        let name = (&*shape.name.0).into();
        self.program.externs.push(Extern { name, params, ret, span });
    }

    fn read_function(&mut self, shape: Result<FunctionShape<'a>, Diagnostic>, span: Span) {
        match shape {
            Ok(shape) => {
                let function = self.function(&shape, span);
                self.program.functions.push(function);
            }
            Err(diagnostic) => self.report.push(diagnostic),
        }
    }

    fn function(&mut self, shape: &FunctionShape<'a>, span: Span) -> Function {
        let has_memory = self.program.memory.is_some();
        function::read(shape, span, self.source, has_memory, &mut self.called, &mut self.report)
    }

    /// Declares what is called and is not there: with the parameters of its first call, and with a
    /// result if any call uses it.
    fn declare_called(&mut self) {
        let program = &self.program;
        let there = program.functions.iter().map(|function| &function.name);
        let declared = program.externs.iter().map(|declared| &declared.name);
        let known: FxHashSet<Name> = there.chain(declared).cloned().collect();
        let mut made: FxHashMap<Name, usize> = FxHashMap::default();
        for Signature { name, params, ret, span } in self.called.drain(..) {
            if known.contains(&name) {
                continue;
            }
            let next = self.program.externs.len();
            let number = *made.entry(name.clone()).or_insert(next);
            match self.program.externs.get_mut(number) {
                Some(declared) => declared.ret = declared.ret.take().or(ret),
                None => self.program.externs.push(Extern { name, params, ret, span }),
            }
        }
    }
}
