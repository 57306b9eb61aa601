//! The targets that a terminator prints after ` -> `.

use super::place::Scope;
use super::scan::{Cursor, Parse, unknown};
use backedge_core::ir::Block;

/// What happens when a terminator unwinds.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum Unwind {
    /// It does not say.
    #[default]
    Absent,
    /// Cleans up there.
    To(Block),
    /// Goes on in the caller.
    Continue,
    /// Ends the program, or can't happen.
    Dead,
}

/// Where a terminator leads.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Edges {
    /// Label and block of every way but unwinding.
    pub(super) ways: Vec<(String, Block)>,
    /// The unwind edge.
    pub(super) unwind: Unwind,
}

impl Edges {
    /// The only target.
    pub(super) fn single(&self) -> Parse<Block> {
        match (&self.ways[..], self.unwind) {
            ([(_, block)], Unwind::Absent) => Ok(*block),
            _ => Err("this needs one target".to_owned()),
        }
    }

    /// Says that no edge and no unwind action was printed.
    pub(super) fn lead_somewhere(&self, what: &str) -> Parse<()> {
        let nowhere = self.ways.is_empty() && self.unwind == Unwind::Absent;
        if nowhere { Err(format!("{what} that leads nowhere")) } else { Ok(()) }
    }

    /// Decides what a target without a label means: a block for cleaning up is reached by
    /// unwinding, if it is reached from outside one.
    pub(super) fn settle(&mut self, unwinds_to: impl Fn(Block) -> bool) {
        if let [(label, block)] = &self.ways[..]
            && label.is_empty()
            && unwinds_to(*block)
        {
            self.unwind = Unwind::To(*block);
            self.ways.clear();
        }
    }

    /// All targets in the order of the text, the unwind edge last.
    pub(super) fn targets(&self) -> impl Iterator<Item = Block> {
        let unwind = match self.unwind {
            Unwind::To(block) => Some(block),
            _ => None,
        };
        self.ways.iter().map(|&(_, block)| block).chain(unwind)
    }
}

/// Reads `bb1`, `unwind continue`, or `[return: bb1, unwind: bb2]`.
pub(super) fn edges(text: &str, scope: &Scope) -> Parse<Edges> {
    let mut cursor = Cursor::new(text);
    let mut edges = Edges::default();
    if !cursor.eat("[") {
        target(&mut cursor, scope, &mut edges)?;
        return cursor.finish().map(|()| edges);
    }
    while !cursor.eat("]") {
        target(&mut cursor, scope, &mut edges)?;
        if !cursor.eat(", ") {
            cursor.expect("]")?;
            break;
        }
    }
    cursor.finish().map(|()| edges)
}

fn target(cursor: &mut Cursor<'_>, scope: &Scope, edges: &mut Edges) -> Parse<()> {
    if cursor.eat("unwind ") {
        edges.unwind = match cursor.until(|b| matches!(b, b',' | b']')) {
            "continue" => Unwind::Continue,
            "unreachable" => Unwind::Dead,
            other if other.starts_with("terminate") => Unwind::Dead,
            other => return Err(unknown("unknown unwind action", other)),
        };
        return Ok(());
    }
    let start = cursor.rest();
    let mut label = "";
    if !start.starts_with("bb") {
        label = cursor.until(|b| matches!(b, b':' | b',' | b']'));
        cursor.expect(": ")?;
    }
    let block = block(cursor, scope)?;
    if label == "unwind" {
        edges.unwind = Unwind::To(block);
    } else {
        edges.ways.push((label.to_owned(), block));
    }
    Ok(())
}

fn block(cursor: &mut Cursor<'_>, scope: &Scope) -> Parse<Block> {
    let start = cursor.rest();
    let number = if cursor.eat("bb") { cursor.number() } else { None };
    let number = number.ok_or_else(|| unknown("no block", start))?;
    scope.blocks.get(&number).copied().ok_or_else(|| format!("there is no block `bb{number}`"))
}
