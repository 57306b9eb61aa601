//! Places and operands: what a statement reads and writes.

use super::scan::{Cursor, Parse, is_path, unknown};
use backedge_core::ir::{Block, Local};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// The locals and blocks of one body, by their numbers in the text.
#[derive(Debug, Default)]
pub(super) struct Scope {
    pub(super) locals: FxHashMap<u32, Local>,
    pub(super) blocks: FxHashMap<u32, Block>,
}

/// A local, or a part of one, or what is behind one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct MirPlace {
    /// The local that it starts from.
    pub(super) local: Local,
    /// Locals that index it.
    pub(super) indices: SmallVec<[Local; 1]>,
    /// No projection at all.
    pub(super) whole: bool,
    /// Reached through a pointer: writing it reads the pointer and writes no local.
    pub(super) deref: bool,
    /// Field numbers, if there are no other projections.
    pub(super) fields: Option<SmallVec<[u32; 4]>>,
}

/// What an operand is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum MirOperand {
    /// A place, copied or moved out of.
    Read { place: MirPlace, moved: bool },
    /// A constant, with its value if that is an integer of 64 bits.
    Const(Option<i64>),
}

impl MirOperand {
    /// The place that it reads.
    pub(super) fn place(&self) -> Option<&MirPlace> {
        match self {
            MirOperand::Read { place, .. } => Some(place),
            MirOperand::Const(_) => None,
        }
    }

    /// The local, if it is a whole one.
    pub(super) fn whole(&self) -> Option<Local> {
        self.place().filter(|place| place.whole).map(|place| place.local)
    }
}

/// What a statement does to locals.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Effects {
    pub(super) uses: SmallVec<[Local; 4]>,
    pub(super) defs: SmallVec<[Local; 2]>,
    pub(super) partial: SmallVec<[Local; 1]>,
}

impl Effects {
    /// Takes note of a read, a borrow or a drop of a place.
    pub(super) fn read(&mut self, place: &MirPlace) {
        self.uses.push(place.local);
        self.uses.extend_from_slice(&place.indices);
    }

    /// Takes note of the place that an operand reads.
    pub(super) fn operand(&mut self, operand: &MirOperand) {
        if let Some(place) = operand.place() {
            self.read(place);
        }
    }

    /// Takes note of an assignment: whole, to a part, or through a pointer.
    pub(super) fn write(&mut self, place: &MirPlace) {
        if place.deref {
            self.uses.push(place.local);
        } else if place.whole {
            self.defs.push(place.local);
        } else {
            self.partial.push(place.local);
        }
        self.uses.extend_from_slice(&place.indices);
    }
}

/// An open parenthesis of a place, by what must close it.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Opener {
    /// `(*P)`
    Deref,
    /// `(P.0: T)`, `(P as Variant)`
    Paren,
    /// `unwrap_binder!(P; T)`
    Binder,
}

/// Reads a local, which must be declared.
pub(super) fn local(cursor: &mut Cursor<'_>, scope: &Scope) -> Parse<Local> {
    let start = cursor.rest();
    if !cursor.eat("_") {
        return Err(unknown("no local", start));
    }
    let number = cursor.number().ok_or_else(|| unknown("no local", start))?;
    scope.locals.get(&number).copied().ok_or_else(|| format!("`_{number}` is not declared"))
}

/// Reads a place.
pub(super) fn place(cursor: &mut Cursor<'_>, scope: &Scope) -> Parse<MirPlace> {
    let mut open: SmallVec<[Opener; 8]> = SmallVec::new();
    loop {
        if cursor.eat("(*") {
            open.push(Opener::Deref);
        } else if cursor.eat("(") {
            open.push(Opener::Paren);
        } else if cursor.eat("unwrap_binder!(") {
            open.push(Opener::Binder);
        } else {
            break;
        }
    }
    let mut place = MirPlace {
        local: local(cursor, scope)?,
        indices: SmallVec::new(),
        whole: true,
        deref: false,
        fields: Some(SmallVec::new()),
    };
    while projection(cursor, scope, &mut open, &mut place)? {
        place.whole = false;
    }
    if open.is_empty() { Ok(place) } else { Err(unknown("unknown projection", cursor.rest())) }
}

/// Reads the next projection into `place`; false if there is none.
fn projection(
    cursor: &mut Cursor<'_>,
    scope: &Scope,
    open: &mut SmallVec<[Opener; 8]>,
    place: &mut MirPlace,
) -> Parse<bool> {
    if cursor.eat("[") {
        place.fields = None;
        return index(cursor, scope, place).map(|()| true);
    }
    match open.pop() {
        None => return Ok(false),
        Some(Opener::Deref) => {
            place.deref = true;
            place.fields = None;
        }
        Some(Opener::Paren) if cursor.eat(".") => {
            let number =
                cursor.number().ok_or_else(|| unknown("no field number", cursor.rest()))?;
            place.fields.iter_mut().for_each(|fields| fields.push(number));
            cursor.expect(": ")?;
            cursor.until(|b| b == b')');
        }
        Some(Opener::Paren) if cursor.eat(" as ") => {
            place.fields = None;
            cursor.until(|b| b == b')');
        }
        Some(Opener::Binder) if cursor.eat("; ") => {
            place.fields = None;
            cursor.until(|b| b == b')');
        }
        Some(_) => return Err(unknown("unknown projection", cursor.rest())),
    }
    cursor.expect(")").map(|()| true)
}

/// Reads what follows `[`: a local, `1 of 3`, `-1 of 3`, or a range.
fn index(cursor: &mut Cursor<'_>, scope: &Scope, place: &mut MirPlace) -> Parse<()> {
    if cursor.rest().starts_with('_') {
        place.indices.push(local(cursor, scope)?);
        return cursor.expect("]");
    }
    let start = cursor.rest();
    let text = cursor.until(|b| b == b']');
    let known = |b: u8| b.is_ascii_digit() || matches!(b, b'-' | b':' | b'.' | b' ' | b'o' | b'f');
    if text.is_empty() || !text.bytes().all(known) {
        return Err(unknown("unknown index", start));
    }
    cursor.expect("]")
}

/// Whether a place comes next, rather than a tuple, a path or something else.
pub(super) fn at_place(cursor: &Cursor<'_>) -> bool {
    let rest = cursor.rest();
    let bare = rest.trim_start_matches(['(', '*']);
    let parens = bare.len() < rest.len();
    let Some(after) = bare.strip_prefix('_') else {
        return rest.starts_with("unwrap_binder!(");
    };
    let after_number = after.trim_start_matches(|c: char| c.is_ascii_digit());
    let number = after_number.len() < after.len();
    let ends = after_number.bytes().next().is_none_or(|b| !b.is_ascii_alphanumeric() && b != b'_');
    number && ends && !after_number.starts_with("::") && !(parens && after_number.starts_with(','))
}

/// Reads an operand of a list. Up to Rust 1.83 a copied place stood there bare.
pub(super) fn operand(cursor: &mut Cursor<'_>, scope: &Scope) -> Parse<MirOperand> {
    let start = cursor.rest();
    if cursor.eat("const ") {
        return Ok(MirOperand::Const(integer(cursor.constant())));
    }
    let moved = cursor.eat("move ");
    if moved || cursor.eat("copy ") || at_place(cursor) {
        return Ok(MirOperand::Read { place: place(cursor, scope)?, moved });
    }
    // A function's own value, which is printed without `const`.
    let path = cursor.until(|b| matches!(b, b',' | b')' | b']' | b'}' | b' ' | b';'));
    if is_path(path) { Ok(MirOperand::Const(None)) } else { Err(unknown("unknown operand", start)) }
}

/// Reads operands with commas between them, up to `close`, which is read too.
pub(super) fn operands(
    cursor: &mut Cursor<'_>,
    scope: &Scope,
    close: &str,
) -> Parse<Vec<MirOperand>> {
    let mut list = Vec::new();
    while !cursor.eat(close) {
        list.push(operand(cursor, scope)?);
        // A tuple of one prints as `(a,)`.
        if !cursor.eat(", ") && !cursor.eat(",") {
            cursor.expect(close)?;
            break;
        }
    }
    Ok(list)
}

/// The value of `5_i32`, `-5_i64`, `true` and the like, if 64 bits hold it.
fn integer(text: &str) -> Option<i64> {
    match text {
        "true" => return Some(1),
        "false" => return Some(0),
        _ => {}
    }
    let (digits, suffix) = text.split_once('_')?;
    let word = matches!(
        suffix,
        "i8" | "i16" | "i32" | "i64" | "isize" | "u8" | "u16" | "u32" | "u64" | "usize"
    );
    let value: i128 = digits.parse().ok().filter(|_| word)?;
    i64::try_from(value).ok().or_else(|| u64::try_from(value).ok().map(|value| value as i64))
}
