//! Reads the lines of a body: each becomes what it does to locals and where it leads.

use super::body::{Decl, Line, RawBlock, RawBody};
use super::mistakes::Mistakes;
use super::place::Scope;
use super::statement::{Statement, statement};
use super::terminator::{MirTerminator, terminator};
use backedge_core::ir::{Block, Local};

/// A block whose lines are understood.
#[derive(Debug)]
pub(super) struct ParsedBlock<'t> {
    pub(super) statements: Vec<(Line<'t>, Statement<'t>)>,
    pub(super) line: Line<'t>,
    pub(super) terminator: MirTerminator<'t>,
}

/// A body whose lines are understood. Locals are numbered parameters first, then as declared.
#[derive(Debug)]
pub(super) struct ParsedBody<'t> {
    pub(super) raw: &'t RawBody<'t>,
    pub(super) scope: Scope,
    /// In the order of `raw.blocks`.
    pub(super) blocks: Vec<ParsedBlock<'t>>,
}

impl<'t> RawBody<'t> {
    /// The declarations in the order of the locals.
    pub(super) fn decls(&self) -> impl Iterator<Item = &Decl<'t>> {
        self.params.iter().chain(&self.locals)
    }
}

/// Reads all blocks of a body. Tells each line that is not understood and each name that is declared
/// twice; there is no body then.
pub(super) fn parse<'t>(
    raw: &'t RawBody<'t>,
    mut mistakes: Mistakes<'_>,
) -> Option<ParsedBody<'t>> {
    let scope = scope(raw, &mut mistakes);
    let mut blocks = Vec::with_capacity(raw.blocks.len());
    for block in &raw.blocks {
        blocks.extend(parse_block(block, raw, &scope, &mut mistakes));
    }
    (!mistakes.any()).then_some(ParsedBody { raw, scope, blocks })
}

pub(super) fn scope(raw: &RawBody<'_>, mistakes: &mut Mistakes<'_>) -> Scope {
    let mut scope = Scope::default();
    for (index, decl) in raw.decls().enumerate() {
        if scope.locals.insert(decl.number, Local::from_u32(index as u32)).is_some() {
            let message = format!("`_{}` is declared twice", decl.number);
            mistakes.tell("mir-local", decl.span, message);
        }
    }
    for (index, block) in raw.blocks.iter().enumerate() {
        if scope.blocks.insert(block.number, Block::from_u32(index as u32)).is_some() {
            let message = format!("there are two blocks `bb{}`", block.number);
            mistakes.tell("mir-block", block.span, message);
        }
    }
    scope
}

fn parse_block<'t>(
    block: &RawBlock<'t>,
    raw: &RawBody<'t>,
    scope: &Scope,
    mistakes: &mut Mistakes<'_>,
) -> Option<ParsedBlock<'t>> {
    let Some((&last, before)) = block.lines.split_last() else {
        let message = format!("block `bb{}` is empty", block.number);
        mistakes.tell("mir-block", block.span, message);
        return None;
    };
    let mut statements = Vec::with_capacity(before.len());
    for &line in before {
        match statement(line.text, scope) {
            Ok(Statement::Nothing) => {}
            Ok(statement) => statements.push((line, statement)),
            Err(message) => {
                mistakes.tell("mir-statement", line.span, message);
            }
        }
    }
    let cleans = |target: Block| {
        !block.cleanup && raw.blocks.get(target.as_u32() as usize).is_some_and(|to| to.cleanup)
    };
    match terminator(last.text, scope, cleans) {
        Ok(terminator) => Some(ParsedBlock { statements, line: last, terminator }),
        Err(message) => {
            mistakes.tell("mir-terminator", last.span, message);
            None
        }
    }
}
