//! Move paths, as MIR and the dumps of its dataflow print them.

use crate::import::mir::scan::Cursor;
use backedge_core::ir::Name;
use smallvec::SmallVec;

/// A step from a place to a part of it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Step {
    /// `(*P)`
    Deref,
    /// `(P.0: T)`
    Field(u32),
    /// `(P as Some)`
    Variant(Name),
    /// `P[0 of 3]`, `P[_1]`, `P[1:]`: what stands between the brackets.
    Element(Name),
    /// `unwrap_binder!(P; T)`
    Binder,
}

/// A local by its number, and what leads from it to a part.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct MovePath {
    pub(crate) local: u32,
    pub(crate) steps: SmallVec<[Step; 4]>,
}

impl MovePath {
    pub(crate) fn of_local(local: u32) -> MovePath {
        MovePath { local, steps: SmallVec::new() }
    }

    /// Whether it is a part of `whole`, or `whole` itself.
    pub(crate) fn is_within(&self, whole: &MovePath) -> bool {
        self.local == whole.local && self.steps.starts_with(&whole.steps)
    }
}

/// What a parenthesis before the local has to be closed by.
#[derive(Copy, Clone)]
enum Opener {
    Deref,
    Paren,
    Binder,
}

/// Reads a place; `None` if there is none. Types of fields are skipped, whatever is in them.
pub(in crate::import::mir) fn path(cursor: &mut Cursor<'_>) -> Option<MovePath> {
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
    let mut path = MovePath::of_local(cursor.eat("_").then(|| cursor.number())??);
    loop {
        if cursor.eat("[") {
            path.steps.push(Step::Element(cursor.until(|b| b == b']').into()));
            cursor.expect("]").ok()?;
            continue;
        }
        let Some(opener) = open.pop() else { return Some(path) };
        path.steps.push(match opener {
            Opener::Deref => Step::Deref,
            Opener::Paren if cursor.eat(".") => {
                let field = cursor.number()?;
                cursor.expect(": ").ok()?;
                cursor.until(|b| b == b')');
                Step::Field(field)
            }
            Opener::Paren if cursor.eat(" as ") => {
                Step::Variant(cursor.until(|b| b == b')').into())
            }
            Opener::Binder if cursor.eat("; ") => {
                cursor.until(|b| b == b')');
                Step::Binder
            }
            _ => return None,
        });
        cursor.expect(")").ok()?;
    }
}

/// `_2, (_3.0: R), ((_4.1: (R, R)).0: R)`; what can't be read is left out.
pub(crate) fn paths(set: &str) -> Vec<MovePath> {
    let mut cursor = Cursor::new(set);
    let mut found = Vec::new();
    while !cursor.is_done() {
        found.extend(path(&mut cursor));
        cursor.until(|b| b == b',');
        cursor.eat(", ");
        cursor.eat(",");
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use Step::{Deref, Element, Field, Variant};

    #[test]
    fn paths_are_read() {
        let text = "_2, (_3.0: R), ((_4.1: (R, fn(&R) -> R)).0: R), (*_5), \
            (((_6 as Some).0: (A, B)).1: B), _7[0 of 3], (*(_8.0: std::boxed::Box<(A,)>))";
        let expected: [(u32, &[Step]); 7] = [
            (2, &[]),
            (3, &[Field(0)]),
            (4, &[Field(1), Field(0)]),
            (5, &[Deref]),
            (6, &[Variant("Some".into()), Field(0), Field(1)]),
            (7, &[Element("0 of 3".into())]),
            (8, &[Field(0), Deref]),
        ];
        let expected = expected.map(|(local, steps)| MovePath { local, steps: steps.into() });
        assert_eq!(paths(text), expected);
        assert!(paths("").is_empty());
    }
}
