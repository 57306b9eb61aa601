//! Reads and prints the text form (`.cfg`).
//!
//! # Grammar
//!
//! ```text
//! program    = { extern | memory | function | directive }
//! extern     = "extern" @name "(" [ type { "," type } ] ")" [ "->" type ]
//! memory     = "memory" integer
//! function   = [ "ssa" ] "fn" @name params [ "->" type ] "{" { declaration } { statement } "}"
//! params     = "(" [ param { "," param } ] ")"
//! param      = %name [ ":" type ]
//! type       = "int" | "own" | "own{" type { "," type } "}" | "thunk"
//! directive  = ";;" key ":" value            on a line of its own, anywhere
//!
//! declaration = "local" param
//! statement  = label | phi | inst | terminator | for
//! label      = name [ params ] ":"
//! phi        = param "=" "phi" type [ "[" name ":" operand "]" { "," "[" name ":" operand "]" } ]
//! inst       = [ dest "=" ] op | [ param { "," param } "=" ] opaque
//! dest       = param | place
//! op         = "const" integer | "copy" operand | "select" operand "," operand "," operand
//!            | binary operand "," operand | "load" operand | "store" operand "," operand
//!            | "call" @name args | "bind" target | "new"
//!            | "move" place | "drop" place | "destroy" place
//! opaque     = "opaque" string locals [ "partial" locals ]
//! terminator = "jump" target | "branch" operand "," target "," target
//!            | "switch" operand "," target "," "[" [ integer ":" target { .. } ] "]"
//!            | "try_call" [ dest "=" ] @name args "," target "," "unwind" target
//!            | "try_drop" place "," target "," "unwind" target
//!            | "enter" %name | "return" [ operand ] | "unreachable" | "resume"
//! for        = "for" %name "=" operand "," operand "," operand "{" { statement } "}"
//!
//! target     = name [ args ]
//! args       = "(" [ operand { "," operand } ] ")"
//! locals     = "(" [ %name { "," %name } ] ")"
//! operand    = %name | integer
//! place      = %name { "." number }          without blanks
//! integer    = [ "-" ] digits | [ "-" ] "0x" hexdigits
//! ```
//!
//! `binary` is the name of a [`BinaryOp`](super::BinaryOp).
//!
//! **Lines.** A statement ends with its line, or before a `}`. Within `( )`, `[ ]` and `own{ }` the
//! ends of lines count for nothing. A label may have a statement after it on its line. `;` starts a
//! comment, which ends with the line.
//!
//! **Names** consist of letters, digits and `_ $ . -`; those of locals have no `.`, which starts a
//! field number. Every name can be put in quotes: `%"v.1"`, `@"core::fmt::Foo<T>"`, `"my block":`.
//! Escapes are `\" \\ \n \r \t \0 \u{1f600}`. A word at the start of a statement that is followed by
//! `:` or `(` is a label, even if it is a keyword.
//!
//! **Integers** are 64-bit and signed; in hexadecimal, any pattern of 64 bits will do.
//!
//! **Directives.** A line whose first characters are `;;` is a directive: the key up to the first
//! colon and the value after it, both trimmed. Without a colon, all of it is the key and the value is
//! empty. `;;` alone and `;;;` start comments. A key or a value can be put in quotes as a whole; the
//! printer does so where it would otherwise not be read back as it is.
//!
//! **Types of locals.** A local is `int` unless an annotation or its first definition says otherwise:
//! `new` makes an `own`, `bind` a `thunk`; `move`, `copy` and `select` give the type of what they
//! read, calls that of the callee's result. An annotation may stand at any definition, and decides.
//!
//! **Sugar.** A phi becomes a parameter of its block, after those that the label lists, with an
//! argument on each edge from the predecessor that it names. A `for` becomes blocks: with `%i` as a
//! parameter of the first,
//!
//! ```text
//!                                  jump for1.head(a)
//!                                for1.head(%i: int):
//! for %i = a, b, step {            %for1_more = slt %i, b
//!   body                    is     branch %for1_more, for1.body, for1.exit
//! }                              for1.body:
//! rest                             body
//!                                  %for1_next = add %i, step
//!                                  jump for1.head(%for1_next)
//!                                for1.exit:
//!                                  rest
//! ```
//!
//! # Canonical text
//!
//! The printer shows the type of a local that is not `int` at its first definition, and of every
//! parameter. A local that has no definition, but another type than `int`, and a local that does not
//! occur, are declared at the head of the function.
//!
//! Parsing numbers locals in the order in which the canonical text first shows them (see
//! [`Function::renumber`](super::Function::renumber)). For every valid program `p`,
//! `print(parse(print(p)))` is `print(p)`; if its locals are numbered in this order, then
//! `parse(print(p))` is `p`.

mod directives;
mod lexer;
mod marks;
pub(crate) mod names;
mod parser;
mod printer;
#[cfg(test)]
mod tests;

pub use printer::{print, print_function, print_region_function, print_regions};

use super::{Program, validate};
use crate::diagnostic::{Diagnostic, Sink, Span};
use crate::thunks::{self, RegionProgram};

/// Reads a program and validates it.
///
/// # Errors
/// The mistakes found, in the order of the text: up to [`Sink::LIMIT`], then one that says how many
/// more there are. A function with a mistake in its syntax is not validated.
pub fn parse(text: &str) -> Result<Program, Vec<Diagnostic>> {
    if u32::try_from(text.len()).is_err() {
        let message = "a text can't be longer than 4 GiB";
        return Err(vec![Diagnostic::new("too-large", Span::NONE, message)]);
    }
    let mut sink = Sink::default();
    let parsed = parser::parse(text, &mut sink);
    let context = validate::Context {
        broken: &parsed.broken,
        names_complete: parsed.complete,
        targets_checked: true,
        locate: &|statement, spot| marks::locate(text, statement, spot),
    };
    validate::run(&parsed.program, &context, &mut sink);
    if sink.is_empty() { Ok(parsed.program) } else { Err(sink.into_vec()) }
}

/// Reads a program in region form and validates it. The grammar is in [`thunks::text`].
///
/// # Errors
/// The mistakes found, in the order of the text. Of each function whose syntax is wrong, only the first
/// mistake is told.
pub fn parse_regions(text: &str) -> Result<RegionProgram, Vec<Diagnostic>> {
    if u32::try_from(text.len()).is_err() {
        let message = "a text can't be longer than 4 GiB";
        return Err(vec![Diagnostic::new("too-large", Span::NONE, message)]);
    }
    let mut sink = Sink::default();
    let parsed = parser::parse_regions(text, &mut sink);
    let locate = |statement, spot| marks::locate(text, statement, spot);
    thunks::validate::run(&parsed.program, &parsed.broken, parsed.complete, &locate, &mut sink);
    if sink.is_empty() { Ok(parsed.program) } else { Err(sink.into_vec()) }
}

/// Reads a program from bytes, which should be UTF-8, and validates it.
///
/// # Errors
/// See [`parse`]; `invalid-utf8` for the first bytes that are none.
pub fn parse_bytes(bytes: &[u8]) -> Result<Program, Vec<Diagnostic>> {
    match std::str::from_utf8(bytes) {
        Ok(text) => parse(text),
        Err(error) => {
            let start = error.valid_up_to();
            let end = error.error_len().map_or(bytes.len(), |len| start + len);
            let span = Span::new(start.min(u32::MAX as usize), end.min(u32::MAX as usize));
            let message = "the text is not valid UTF-8 here";
            Err(vec![Diagnostic::new("invalid-utf8", span, message)])
        }
    }
}
