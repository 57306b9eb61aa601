//! Statements: what stands in a block before its terminator.
//!
//! Reads and writes are those of liveness in the compiler that prints this: storage markers, type
//! ascriptions and coverage counters touch no local; a fake read, a mention, a retag or a borrow
//! reads its place; setting a discriminant writes a part.

use super::place::{Effects, MirPlace, Scope, operand, place};
use super::rvalue::{Rvalue, rvalue};
use super::scan::{Cursor, Parse, unknown};

/// What a statement does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Statement<'t> {
    /// `P = R`
    Assign(MirPlace, Rvalue<'t>),
    /// Reads and writes locals in another way.
    Effect(Effects),
    /// Touches no local.
    Nothing,
}

/// What statements start with that touch no local.
const MARKERS: [&str; 5] = [
    "StorageLive(",
    "StorageDead(",
    "AscribeUserType(",
    "BackwardIncompatibleDropHint(",
    "Coverage::",
];

/// Reads a statement, without its semicolon.
pub(super) fn statement<'t>(text: &'t str, scope: &Scope) -> Parse<Statement<'t>> {
    let marker = MARKERS.iter().any(|marker| text.starts_with(marker));
    if marker || matches!(text, "nop" | "ConstEvalCounter") {
        return Ok(Statement::Nothing);
    }
    if let Some(effects) = reader(text, scope)? {
        return Ok(Statement::Effect(effects));
    }
    let mut cursor = Cursor::new(text);
    if cursor.eat("discriminant(") {
        return discriminant(&mut cursor, scope).map(Statement::Effect);
    }
    if cursor.eat("Deinit(") {
        let mut effects = Effects::default();
        effects.write(&place(&mut cursor, scope)?);
        cursor.expect(")")?;
        return cursor.finish().map(|()| Statement::Effect(effects));
    }
    if !text.starts_with(['_', '(']) && !text.starts_with("unwrap_binder!(") {
        return Err(unknown("unknown statement", text));
    }
    let dest = place(&mut cursor, scope)?;
    cursor.expect(" = ")?;
    Ok(Statement::Assign(dest, rvalue(cursor.rest(), scope)?))
}

/// A statement that only reads, if it is one.
fn reader(text: &str, scope: &Scope) -> Parse<Option<Effects>> {
    let mut cursor = Cursor::new(text);
    let mut effects = Effects::default();
    if cursor.eat("FakeRead(") {
        cursor.until(|b| b == b',');
        cursor.expect(", ")?;
        effects.read(&place(&mut cursor, scope)?);
    } else if cursor.eat("PlaceMention(") {
        effects.read(&place(&mut cursor, scope)?);
    } else if cursor.eat("Retag(") {
        if cursor.eat("[") {
            cursor.until(|b| b == b']');
            cursor.expect("] ")?;
        }
        effects.read(&place(&mut cursor, scope)?);
    } else if cursor.eat("assume(") {
        effects.operand(&operand(&mut cursor, scope)?);
    } else if cursor.eat("copy_nonoverlapping(") {
        for name in ["dst = ", ", src = ", ", count = "] {
            cursor.expect(name)?;
            effects.operand(&operand(&mut cursor, scope)?);
        }
    } else {
        return Ok(None);
    }
    cursor.expect(")")?;
    cursor.finish().map(|()| Some(effects))
}

/// `discriminant(P) = N`, after the parenthesis.
fn discriminant(cursor: &mut Cursor<'_>, scope: &Scope) -> Parse<Effects> {
    let mut set = place(cursor, scope)?;
    cursor.expect(") = ")?;
    cursor.number().ok_or_else(|| unknown("no variant", cursor.rest()))?;
    let mut effects = Effects::default();
    set.whole = false;
    effects.write(&set);
    cursor.finish().map(|()| effects)
}
