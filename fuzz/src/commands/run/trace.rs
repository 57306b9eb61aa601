//! Every step of a run as a line: where, what, and what it assigns.

use crate::commands::Failure;
use crate::commands::output::print;
use crate::show::listing::Listing;
use backedge_core::ir::{Block, Local, Program};
use backedge_oracle::reference::interpreter::{Cell, Observer, View};
use cranelift_entity::EntityRef;
use std::fmt::Write;

/// Prints as it goes, so that a run that takes long can be watched.
pub(super) struct Trace<'p> {
    program: &'p Program,
    listings: Vec<Listing>,
    /// Lines that are not printed yet. The last may wait for what it assigns.
    lines: String,
    failure: Option<Failure>,
}

impl<'p> Trace<'p> {
    pub(super) fn new(program: &'p Program) -> Trace<'p> {
        let listings = program.functions.iter().map(Listing::new).collect();
        Trace { program, listings, lines: String::new(), failure: None }
    }

    /// Prints what is left.
    ///
    /// # Errors
    /// When something could not be printed.
    pub(super) fn finish(mut self) -> Result<(), Failure> {
        self.line_break();
        self.flush();
        self.failure.map_or(Ok(()), Err)
    }

    fn line_break(&mut self) {
        if !self.lines.is_empty() && !self.lines.ends_with('\n') {
            self.lines.push('\n');
        }
        if self.lines.len() > 1 << 16 {
            self.flush();
        }
    }

    fn flush(&mut self) {
        if self.failure.is_none() {
            self.failure = print(&self.lines).err();
        }
        self.lines.clear();
    }

    /// What locals hold, behind the line.
    fn assigned(&mut self, view: &View<'_>, locals: impl Iterator<Item = Local>) {
        let names = &self.program.functions[view.function].locals;
        for (index, local) in locals.enumerate() {
            let lead = if index > 0 { ", " } else { "    ; " };
            let _ =
                write!(self.lines, "{lead}%{} = {}", names[local].name, shown(view.cell(local)));
        }
    }
}

impl Observer for Trace<'_> {
    fn enter(&mut self, view: &View<'_>, block: Block) {
        self.line_break();
        let function = &self.program.functions[view.function];
        let indent = "  ".repeat(view.depth);
        let data = &function.blocks[block];
        let _ = write!(self.lines, "{indent}@{} {}:", function.name, data.name);
        let is_entry = block == function.entry();
        let params = if is_entry { &function.params } else { &data.params };
        // The entry can be entered again; its parameters are as they were then.
        self.assigned(view, params.iter().copied());
    }

    fn before(&mut self, view: &View<'_>, block: Block, inst: usize) {
        self.line_break();
        let lines = &self.listings[view.function].blocks[block.index()].insts;
        let indent = "  ".repeat(view.depth);
        let line = lines.get(inst).map_or("", |line| line.trim());
        let _ = write!(self.lines, "{indent}  {line}");
    }

    fn after(&mut self, view: &View<'_>, block: Block, inst: usize) {
        let data = &self.program.functions[view.function].blocks[block].insts[inst];
        let dest = data.dest.as_ref().map(|dest| dest.local);
        if dest.is_some() && self.lines.ends_with('\n') {
            // Back from a call whose own steps stand in between.
            let indent = "  ".repeat(view.depth);
            let _ = write!(self.lines, "{indent}  ");
        }
        self.assigned(view, dest.into_iter());
    }
}

fn shown(cell: &Cell) -> String {
    match cell {
        Cell::Nothing => "nothing".to_owned(),
        Cell::Int(value) => value.to_string(),
        Cell::Owned(leaves) => {
            let leaf =
                |leaf: &Option<u64>| leaf.map_or("-".to_owned(), |token| format!("#{token}"));
            leaves.iter().map(leaf).collect::<Vec<_>>().join(" ")
        }
        Cell::Thunk(thunk) => format!("thunk of {}", thunk.block),
    }
}
