//! Inline assembly: `asm!("..", in(reg) move _1, options(NOMEM)) -> [return: bb1]`.
//!
//! The template is printed raw: it may hold quotes, line breaks and whatever else people write.

use super::edges::edges;
use super::place::{Effects, MirOperand, Scope, operand, place};
use super::scan::{Cursor, Parse, find, unknown};
use super::terminator::MirTerminator;
use backedge_core::ir::Block;

const OPTIONS: &str = ", options(";

/// What an operand starts with, after the comma and the space.
const OPERANDS: [&str; 10] = [
    "in(",
    "out(",
    "lateout(",
    "inout(",
    "inlateout(",
    "const ",
    "sym_fn ",
    "sym_static ",
    "label ",
    "options(",
];

/// Where the statement ends that `text` starts with, at its semicolon; `None` if it goes on in the
/// next line. `text` may start anywhere in the statement.
pub(super) fn end(text: &str) -> Option<usize> {
    let options = text.rfind(OPTIONS)? + OPTIONS.len();
    let flags = text[options..].find("))")?;
    let upper = |b: u8| b.is_ascii_uppercase() || matches!(b, b' ' | b'|' | b'_');
    if !text[options..options + flags].bytes().all(upper) {
        return None;
    }
    text[options + flags..].find(';').map(|end| options + flags + end)
}

/// Reads what follows `asm!(`.
pub(super) fn asm<'t>(
    text: &str,
    scope: &Scope,
    unwinds_to: impl Fn(Block) -> bool,
) -> Parse<MirTerminator<'t>> {
    let operands = operands_start(text).ok_or_else(|| unknown("unknown assembly", text))?;
    let mut cursor = Cursor::new(&text[operands..]);
    let mut reads = Effects::default();
    let mut writes = Effects::default();
    while !cursor.eat("options(") {
        one(&mut cursor, scope, &mut reads, &mut writes)?;
        cursor.expect(", ")?;
    }
    cursor.until(|b| b == b')');
    cursor.expect("))")?;
    cursor.expect(" -> ")?;
    let mut edges = edges(cursor.rest(), scope)?;
    edges.settle(unwinds_to);
    // A write through a pointer reads the pointer, whichever way is taken.
    reads.uses.append(&mut writes.uses);
    Ok(MirTerminator::Ways { reads, writes, edges })
}

/// Where the first operand stands: the template ends at the first quote that one can follow.
fn operands_start(text: &str) -> Option<usize> {
    let text_end = "\", ";
    text.match_indices(text_end).map(|(at, _)| at + text_end.len()).find(|&at| {
        let rest = &text[at..];
        OPERANDS.iter().any(|operand| rest.starts_with(operand))
    })
}

fn one(
    cursor: &mut Cursor<'_>,
    scope: &Scope,
    reads: &mut Effects,
    writes: &mut Effects,
) -> Parse<()> {
    if ["const ", "sym_fn ", "sym_static ", "label "].iter().any(|word| cursor.eat(word)) {
        cursor.until(|b| b == b',');
        return Ok(());
    }
    let start = cursor.rest();
    let direction = cursor.until(|b| b == b'(');
    let (input, output) = match direction {
        "in" => (true, false),
        "out" | "lateout" => (false, true),
        "inout" | "inlateout" => (true, true),
        _ => return Err(unknown("unknown operand", start)),
    };
    register(cursor)?;
    if input {
        reads.operand(&operand_value(cursor, scope)?);
    }
    if input && output {
        cursor.expect(" => ")?;
    }
    if output && !(cursor.rest().starts_with("_,") && cursor.eat("_")) {
        writes.write(&place(cursor, scope)?);
    }
    Ok(())
}

/// An operand's value, which ends before ` => ` as well.
fn operand_value(cursor: &mut Cursor<'_>, scope: &Scope) -> Parse<MirOperand> {
    if cursor.rest().starts_with("const ") {
        let rest = cursor.rest();
        let stop = find(rest, 0, |at, b| b == b',' || rest[at..].starts_with(" => "));
        cursor.eat(&rest[..stop.unwrap_or(rest.len())]);
        return Ok(MirOperand::Const(None));
    }
    operand(cursor, scope)
}

/// `(reg) `, `("st(0)") `
fn register(cursor: &mut Cursor<'_>) -> Parse<()> {
    cursor.expect("(")?;
    cursor.until(|b| b == b')');
    cursor.expect(") ")
}
