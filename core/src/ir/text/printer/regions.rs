//! The printer of the region form. The grammar is in [`thunks::text`](crate::thunks::text).
//!
//! It follows the one walk over regions, so that depth costs no stack, and indents no further than
//! [`DEEPEST`] levels, so that the text stays linear in the program.

use super::{Printer, separate, write_declarations, write_display};
use crate::ir::text::names::{is_word_byte, write_name, write_quoted};
use crate::ir::{Local, Operand, Operands};
use crate::thunks::{
    Bind, End, Goal, Loop, Match, Node, On, Region, RegionFunction, RegionProgram, Select, Step,
    Walk,
};
use cranelift_entity::{EntitySet, PrimaryMap};

/// The most levels that are indented.
const DEEPEST: usize = 32;

/// The canonical text of a program in region form.
pub fn print_regions(program: &RegionProgram) -> String {
    let mut out = String::new();
    write_declarations(&mut out, &program.directives, &program.externs, program.memory);
    for function in &program.functions {
        separate(&mut out);
        write_region_function(&mut out, function);
    }
    out
}

/// The canonical text of a function in region form.
pub fn print_region_function(function: &RegionFunction) -> String {
    let mut out = String::new();
    write_region_function(&mut out, function);
    out
}

fn write_region_function(out: &mut String, function: &RegionFunction) {
    let blocks = PrimaryMap::new();
    let printer =
        Printer { out, locals: &function.locals, blocks: &blocks, shown: EntitySet::new() };
    let mut printer = RegionPrinter { printer, function, structured: function.is_body() };
    let keywords = if function.ssa { "ssa region fn " } else { "region fn " };
    printer.printer.head(keywords, &function.name);
    printer.printer.signature(&function.params, function.ret.as_ref());
    printer.printer.declarations(&function.declared_locals());
    printer.body();
    printer.text("}\n");
}

struct RegionPrinter<'a> {
    printer: Printer<'a>,
    function: &'a RegionFunction,
    structured: bool,
}

impl RegionPrinter<'_> {
    fn body(&mut self) {
        let function = self.function;
        let mut level = 1;
        for step in Walk::new(function) {
            match step {
                Step::Root(region) => {
                    level = if self.structured { 1 } else { 2 };
                    self.root(region);
                }
                Step::Node(region, node) => {
                    self.indent(level);
                    self.node(&function.regions[region].nodes[node]);
                }
                Step::Arm(region, node, arm) => {
                    level += usize::from(arm == 0);
                    self.arm(&function.regions[region].nodes[node], arm, level - 1);
                }
                Step::Leave(region, node) => {
                    if !function.regions[region].nodes[node].arms().is_empty() {
                        level -= 1;
                        self.indent(level);
                        self.text("}");
                    }
                    self.text("\n");
                }
                Step::End(region) => {
                    self.indent(level);
                    self.end(&function.regions[region].end);
                }
            }
        }
        if !self.structured {
            self.text("  }\n");
        }
    }

    fn text(&mut self, text: &str) {
        self.printer.out.push_str(text);
    }

    fn indent(&mut self, level: usize) {
        for _ in 0..level.min(DEEPEST) {
            self.text("  ");
        }
    }

    /// In thunk form, a root has a head.
    fn root(&mut self, region: Region) {
        if self.structured {
            return;
        }
        if region != self.function.entry() {
            self.text("  }\n");
        }
        self.text("  region ");
        self.target(region);
        self.text(" {\n");
    }

    /// The name and the inputs of a region that thunks lead to.
    fn target(&mut self, region: Region) {
        let data = &self.function.regions[region];
        self.name(region);
        if !data.inputs.is_empty() {
            self.printer.typed_locals(&data.inputs);
        }
    }

    fn name(&mut self, region: Region) {
        match self.function.regions.get(region).and_then(|data| data.name.as_ref()) {
            Some(name) if matches!(name.as_str(), "return" | "resume") => {
                write_quoted(self.printer.out, name);
            }
            Some(name) => write_name(self.printer.out, name, is_word_byte),
            None => write_display(self.printer.out, format_args!("\"?{}\"", region.as_u32())),
        }
    }

    /// What stands before an arm.
    fn arm(&mut self, node: &Node, arm: usize, level: usize) {
        if arm > 0 {
            self.indent(level);
            self.text("}");
        }
        match node {
            Node::Select(Select { on: On::If(_), .. }) if arm > 0 => self.text(" else"),
            Node::Select(Select { on: On::Switch(_, keys), .. }) => match keys.get(arm) {
                Some(key) => write_display(self.printer.out, format_args!(" case {key}")),
                None => self.text(" default"),
            },
            Node::Select(Select { on: On::Call { .. } | On::Drop(_), .. }) if arm > 0 => {
                self.text(" unwind");
            }
            Node::Match(node) => {
                self.text(" case ");
                self.target(node.arms[arm]);
            }
            _ => {}
        }
        self.text(" {\n");
    }

    fn node(&mut self, node: &Node) {
        match node {
            Node::Inst(inst) => self.printer.inst(inst),
            Node::Bind(bind) => self.bind(bind),
            Node::Select(select) => self.select(select),
            Node::Loop(node) => self.repeated(node),
            Node::Match(node) => self.matched(node),
        }
    }

    fn bind(&mut self, bind: &Bind) {
        self.printer.dest(&bind.dest.into());
        self.text(" = bind ");
        match bind.to {
            Goal::Region(region) => self.name(region),
            Goal::Return => self.text("return"),
            Goal::Resume => self.text("resume"),
        }
        if !bind.args.is_empty() {
            self.list(&bind.args);
        }
    }

    fn list(&mut self, operands: &[Operand]) {
        self.printer.list(operands, |p, operand| p.operand(*operand));
    }

    fn outputs(&mut self, outputs: &[Local]) {
        if !outputs.is_empty() {
            self.printer.list(outputs, |p, &local| p.dest(&local.into()));
            self.text(" = ");
        }
    }

    fn select(&mut self, select: &Select) {
        self.outputs(&select.outputs);
        match &select.on {
            On::If(cond) => self.printer.operands("if", &[*cond]),
            On::Switch(value, _) => self.printer.operands("switch", &[*value]),
            On::Call { dest, callee, args } => {
                self.text("try_call ");
                if let Some(dest) = dest {
                    self.printer.dest(dest);
                    self.text(" = ");
                }
                self.printer.call("", callee, args);
            }
            On::Drop(place) => self.printer.place_op("try_drop ", place),
        }
    }

    fn repeated(&mut self, node: &Loop) {
        self.outputs(&node.outputs);
        self.text("loop");
        let inputs = self.function.regions.get(node.body).map_or(&[][..], |body| &body.inputs);
        if inputs.is_empty() && node.inits.is_empty() {
            return;
        }
        let pairs: Vec<_> = inputs.iter().copied().zip(node.inits.iter().copied()).collect();
        self.text(" ");
        self.printer.list(&pairs, |p, &(input, init)| {
            p.typed_local(input);
            p.out.push_str(" = ");
            p.operand(init);
        });
    }

    fn matched(&mut self, node: &Match) {
        self.outputs(&[node.output]);
        self.text(if node.again { "loop match " } else { "match " });
        self.printer.local(node.thunk);
    }

    fn end(&mut self, end: &End) {
        match end {
            End::Yield(values) => self.printer.operands("yield", values),
            End::Repeat { again, carried, outputs } => {
                self.printer.operands("repeat", &[*again]);
                self.parenthesized(" ", carried);
                if !outputs.is_empty() {
                    self.parenthesized(" else ", outputs);
                }
            }
            End::Return(value) => self.printer.operands("return", value.as_slice()),
            End::Resume => self.text("resume"),
            End::Unreachable => self.text("unreachable"),
            End::Enter(thunk) => self.printer.operands("enter", &[Operand::Local(*thunk)]),
        }
        self.text("\n");
    }

    fn parenthesized(&mut self, before: &str, values: &Operands) {
        if !values.is_empty() {
            self.text(before);
            self.list(values);
        }
    }
}
