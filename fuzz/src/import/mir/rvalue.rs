//! Right-hand sides of assignments.

use super::place::{Effects, MirOperand, Scope, at_place, operand, operands, place};
use super::scan::{Cursor, Parse, find, is_path, unknown};

/// A right-hand side: what it reads, and what it is where the IR has the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Rvalue<'t> {
    /// The value of an operand, unchanged.
    Use(MirOperand),
    /// `Add(a, b)` and the like, by the name that rustc prints.
    Binary(&'t str, MirOperand, MirOperand),
    /// Anything else.
    Other(Effects),
}

/// Reads a right-hand side to the end.
pub(super) fn rvalue<'t>(text: &'t str, scope: &Scope) -> Parse<Rvalue<'t>> {
    // Later compilers say of a use whether it is retagged; that matters to no local.
    let text = text.strip_prefix("no_retag ").unwrap_or(text);
    let mut cursor = Cursor::new(text);
    if let Some(borrowed) = text.strip_prefix('&') {
        return borrow(borrowed, scope).map(Rvalue::Other);
    }
    if cursor.eat("deref_copy ") {
        let read = reads(&[MirOperand::Read { place: place(&mut cursor, scope)?, moved: false }]);
        return cursor.finish().map(|()| Rvalue::Other(read));
    }
    if ["const ", "move ", "copy "].iter().any(|word| text.starts_with(word)) || at_place(&cursor) {
        return used(&mut cursor, scope);
    }
    if cursor.eat("[") {
        return array(&mut cursor, scope).map(Rvalue::Other);
    }
    if cursor.eat("(") {
        let list = operands(&mut cursor, scope, ")")?;
        return cursor.finish().map(|()| Rvalue::Other(reads(&list)));
    }
    if cursor.eat("*const ") || cursor.eat("*mut ") {
        return raw_pointer(text, scope).map(Rvalue::Other);
    }
    if cursor.eat("wrap_binder!(") {
        let inner = operand(&mut cursor, scope)?;
        cursor.expect("; ")?;
        cursor.until(|b| b == b')');
        cursor.expect(")")?;
        return cursor.finish().map(|()| Rvalue::Other(reads(&[inner])));
    }
    named(text, scope)
}

fn reads(list: &[MirOperand]) -> Effects {
    let mut effects = Effects::default();
    list.iter().for_each(|operand| effects.operand(operand));
    effects
}

/// An operand, perhaps cast: `move _1 as usize (IntToInt)`.
fn used<'t>(cursor: &mut Cursor<'_>, scope: &Scope) -> Parse<Rvalue<'t>> {
    let operand = operand(cursor, scope)?;
    if cursor.is_done() {
        return Ok(Rvalue::Use(operand));
    }
    let rest = cursor.rest();
    if rest.starts_with(" as ") && rest.ends_with(')') {
        return Ok(Rvalue::Other(reads(&[operand])));
    }
    Err(unknown("unexpected text", rest))
}

/// What follows `&`.
fn borrow(text: &str, scope: &Scope) -> Parse<Effects> {
    let mut effects = Effects::default();
    if text.starts_with("/*tls*/ ") {
        return Ok(effects);
    }
    let mut cursor = Cursor::new(text);
    if text.starts_with('\'') {
        cursor.until(|b| b == b' ');
        cursor.expect(" ")?;
    }
    for word in ["raw ", "(fake) ", "fake ", "shallow ", "const ", "mut ", "(fake) "] {
        cursor.eat(word);
    }
    effects.read(&place(&mut cursor, scope)?);
    cursor.finish().map(|()| effects)
}

/// What follows `[`: `a, b]` or `a; N]`.
fn array(cursor: &mut Cursor<'_>, scope: &Scope) -> Parse<Effects> {
    if cursor.eat("]") {
        return cursor.finish().map(|()| Effects::default());
    }
    let repeated = cursor.clone();
    if let Ok(list) = operands(cursor, scope, "]") {
        return cursor.finish().map(|()| reads(&list));
    }
    *cursor = repeated;
    let first = operand(cursor, scope)?;
    cursor.expect("; ")?;
    cursor.until(|b| b == b']');
    cursor.expect("]")?;
    cursor.finish().map(|()| reads(&[first]))
}

/// `*const T from (data, metadata)`
fn raw_pointer(text: &str, scope: &Scope) -> Parse<Effects> {
    let from = " from (";
    let at = find(text, 0, |at, b| b == b' ' && text[at..].starts_with(from));
    let at = at.ok_or_else(|| unknown("unknown value", text))?;
    let mut cursor = Cursor::new(&text[at + from.len()..]);
    let list = operands(&mut cursor, scope, ")")?;
    cursor.finish().map(|()| reads(&list))
}

/// What starts with a path: an operation, an aggregate, a constant, a function made a pointer.
fn named<'t>(text: &'t str, scope: &Scope) -> Parse<Rvalue<'t>> {
    let end = find(text, 0, |_, b| matches!(b, b'(' | b' ')).unwrap_or(text.len());
    let (name, rest) = text.split_at(end);
    if !is_path(name) {
        return Err(unknown("unknown value", text));
    }
    if let Some(inside) = rest.strip_prefix('(') {
        return applied(name, inside, scope);
    }
    if let Some(inside) = rest.strip_prefix(" { ") {
        return fields(inside, scope).map(Rvalue::Other);
    }
    if rest.is_empty() || rest == " {}" || (rest.starts_with(" as ") && rest.ends_with(')')) {
        return Ok(Rvalue::Other(Effects::default()));
    }
    Err(unknown("unexpected text", rest))
}

/// `Add(a, b)`, `Len(p)`, `discriminant(p)`, `Some(a)`, `SizeOf(T)`; the text after the parenthesis.
fn applied<'t>(name: &'t str, inside: &str, scope: &Scope) -> Parse<Rvalue<'t>> {
    let mut cursor = Cursor::new(inside);
    let of_type = matches!(name, "SizeOf" | "AlignOf" | "OffsetOf");
    if of_type && inside.ends_with(')') {
        return Ok(Rvalue::Other(Effects::default()));
    }
    if name == "ShallowInitBox" {
        let first = operand(&mut cursor, scope)?;
        cursor.expect(", ")?;
        cursor.until(|b| b == b')');
        cursor.expect(")")?;
        return cursor.finish().map(|()| Rvalue::Other(reads(&[first])));
    }
    let list = operands(&mut cursor, scope, ")")?;
    cursor.finish()?;
    match <[MirOperand; 2]>::try_from(list) {
        Ok([left, right]) => Ok(Rvalue::Binary(name, left, right)),
        Err(list) => Ok(Rvalue::Other(reads(&list))),
    }
}

/// `a: move _1, b: const 2_u8 }`
fn fields(text: &str, scope: &Scope) -> Parse<Effects> {
    let mut cursor = Cursor::new(text);
    let mut effects = Effects::default();
    loop {
        let start = cursor.rest();
        cursor.until(|b| matches!(b, b':' | b' ' | b',' | b'}'));
        if !cursor.eat(": ") {
            return Err(unknown("no field name", start));
        }
        effects.operand(&operand(&mut cursor, scope)?);
        if !cursor.eat(", ") {
            cursor.expect(" }")?;
            return cursor.finish().map(|()| effects);
        }
    }
}
