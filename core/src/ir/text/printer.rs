//! The printer. There is one text for each program: what the parser would infer or ignore is left
//! out.
//!
//! What validation would reject is printed all the same, for the sake of messages: a block or a
//! local that does not exist is shown as `"?7"`.

use super::directives;
use super::names::{is_local_byte, is_word_byte, write_name, write_quoted};
use crate::ir::{
    Block, BlockData, Directive, Extern, Function, Inst, Local, LocalData, Op, Opaque, Operand,
    Place, Program, Target, TerminatorKind, Type,
};
use cranelift_entity::{EntitySet, PrimaryMap};
use std::fmt::Write;

mod regions;

pub use regions::{print_region_function, print_regions};

/// The canonical text of a program.
pub fn print(program: &Program) -> String {
    let mut out = String::new();
    write_declarations(&mut out, &program.directives, &program.externs, program.memory);
    for function in &program.functions {
        separate(&mut out);
        write_function(&mut out, function);
    }
    out
}

/// What stands before the functions.
fn write_declarations(
    out: &mut String,
    directives: &[Directive],
    externs: &[Extern],
    memory: Option<u64>,
) {
    for directive in directives {
        directives::write(out, directive);
    }
    if !externs.is_empty() || memory.is_some() {
        separate(out);
    }
    for external in externs {
        write_extern(out, external);
    }
    if let Some(words) = memory {
        write_display(out, format_args!("memory {words}\n"));
    }
}

/// The canonical text of one function.
pub fn print_function(function: &Function) -> String {
    let mut out = String::new();
    write_function(&mut out, function);
    out
}

/// A blank line, but not at the start.
fn separate(out: &mut String) {
    if !out.is_empty() {
        out.push('\n');
    }
}

fn write_display(out: &mut String, value: impl std::fmt::Display) {
    // A string takes every write.
    let _ = write!(out, "{value}");
}

fn write_extern(out: &mut String, external: &Extern) {
    out.push_str("extern ");
    write_global(out, &external.name);
    write_list(out, &external.params, |out, ty| write_display(out, ty));
    write_result(out, external.ret.as_ref());
    out.push('\n');
}

fn write_global(out: &mut String, name: &str) {
    out.push('@');
    write_name(out, name, is_word_byte);
}

fn write_result(out: &mut String, ret: Option<&Type>) {
    if let Some(ty) = ret {
        write_display(out, format_args!(" -> {ty}"));
    }
}

fn write_list<T>(out: &mut String, items: &[T], mut item: impl FnMut(&mut String, &T)) {
    out.push('(');
    for (index, value) in items.iter().enumerate() {
        if index > 0 {
            out.push_str(", ");
        }
        item(out, value);
    }
    out.push(')');
}

fn write_function(out: &mut String, function: &Function) {
    let Function { locals, blocks, .. } = function;
    let mut printer = Printer { out, locals, blocks, shown: EntitySet::new() };
    printer.head(if function.ssa { "ssa fn " } else { "fn " }, &function.name);
    printer.signature(&function.params, function.ret.as_ref());
    printer.declarations(&function.declared_locals());
    for block in function.blocks.values() {
        printer.block(block);
    }
    printer.out.push_str("}\n");
}

struct Printer<'a> {
    out: &'a mut String,
    locals: &'a PrimaryMap<Local, LocalData>,
    blocks: &'a PrimaryMap<Block, BlockData>,
    /// Locals whose type the text has shown.
    shown: EntitySet<Local>,
}

impl Printer<'_> {
    fn head(&mut self, keywords: &str, name: &str) {
        self.out.push_str(keywords);
        write_global(self.out, name);
    }

    fn signature(&mut self, params: &[Local], ret: Option<&Type>) {
        self.typed_locals(params);
        write_result(self.out, ret);
        self.out.push_str(" {\n");
    }

    fn declarations(&mut self, locals: &[Local]) {
        for &local in locals {
            self.out.push_str("  local ");
            self.typed_local(local);
            self.out.push('\n');
        }
    }

    fn block(&mut self, block: &BlockData) {
        write_name(self.out, &block.name, is_word_byte);
        if !block.params.is_empty() {
            self.typed_locals(&block.params);
        }
        self.out.push_str(":\n");
        for inst in &block.insts {
            self.out.push_str("  ");
            self.inst(inst);
            self.out.push('\n');
        }
        self.out.push_str("  ");
        self.terminator(&block.term.kind);
        self.out.push('\n');
    }

    fn typed_locals(&mut self, locals: &[Local]) {
        self.list(locals, |p, local| p.typed_local(*local));
    }

    fn list<T>(&mut self, items: &[T], mut item: impl FnMut(&mut Self, &T)) {
        self.out.push('(');
        for (index, value) in items.iter().enumerate() {
            if index > 0 {
                self.out.push_str(", ");
            }
            item(self, value);
        }
        self.out.push(')');
    }

    fn typed_local(&mut self, local: Local) {
        self.local(local);
        let ty = self.locals.get(local).map_or(&Type::Int, |data| &data.ty);
        write_display(self.out, format_args!(": {ty}"));
        self.shown.insert(local);
    }

    fn local(&mut self, local: Local) {
        self.out.push('%');
        match self.locals.get(local) {
            Some(data) => write_name(self.out, &data.name, is_local_byte),
            None => write_display(self.out, format_args!("\"?{}\"", local.as_u32())),
        }
    }

    fn place(&mut self, place: &Place) {
        self.local(place.local);
        for field in &place.path {
            write_display(self.out, format_args!(".{field}"));
        }
    }

    /// A destination: the first one of a local shows its type.
    fn dest(&mut self, place: &Place) {
        let is_int = |data: &LocalData| data.ty == Type::Int;
        let plain = self.locals.get(place.local).is_none_or(is_int);
        if place.is_whole() && !plain && !self.shown.contains(place.local) {
            self.typed_local(place.local);
        } else {
            self.place(place);
        }
    }

    fn operand(&mut self, operand: Operand) {
        match operand {
            Operand::Local(local) => self.local(local),
            Operand::Const(value) => write_display(self.out, value),
        }
    }

    fn operands(&mut self, name: &str, operands: &[Operand]) {
        self.out.push_str(name);
        for (index, operand) in operands.iter().enumerate() {
            self.out.push_str(if index > 0 { ", " } else { " " });
            self.operand(*operand);
        }
    }

    fn label(&mut self, block: Block) {
        match self.blocks.get(block) {
            Some(data) => write_name(self.out, &data.name, is_word_byte),
            None => write_display(self.out, format_args!("\"?{}\"", block.as_u32())),
        }
    }

    fn target(&mut self, before: &str, target: &Target) {
        self.out.push_str(before);
        self.label(target.block);
        if !target.args.is_empty() {
            self.list(&target.args, |p, operand| p.operand(*operand));
        }
    }

    fn call(&mut self, name: &str, callee: &str, args: &[Operand]) {
        self.out.push_str(name);
        write_global(self.out, callee);
        self.list(args, |p, operand| p.operand(*operand));
    }

    fn inst(&mut self, inst: &Inst) {
        if let Op::Opaque(opaque) = &inst.op {
            return self.opaque(opaque);
        }
        if let Some(dest) = &inst.dest {
            self.dest(dest);
            self.out.push_str(" = ");
        }
        match &inst.op {
            Op::Const(value) => write_display(self.out, format_args!("const {value}")),
            Op::Copy(a) => self.operands("copy", &[*a]),
            Op::Select(c, a, b) => self.operands("select", &[*c, *a, *b]),
            Op::Binary(op, a, b) => self.operands(op.name(), &[*a, *b]),
            Op::Load(a) => self.operands("load", &[*a]),
            Op::Store { addr, value } => self.operands("store", &[*addr, *value]),
            Op::Call { callee, args } => self.call("call ", callee, args),
            Op::Bind(target) => self.target("bind ", target),
            Op::New => self.out.push_str("new"),
            Op::Move(place) => self.place_op("move ", place),
            Op::Drop(place) => self.place_op("drop ", place),
            Op::Destroy(place) => self.place_op("destroy ", place),
            Op::Opaque(_) => {}
        }
    }

    fn place_op(&mut self, name: &str, place: &Place) {
        self.out.push_str(name);
        self.place(place);
    }

    fn opaque(&mut self, opaque: &Opaque) {
        for (index, &local) in opaque.defs.iter().enumerate() {
            self.out.push_str(if index > 0 { ", " } else { "" });
            self.dest(&local.into());
        }
        self.out.push_str(if opaque.defs.is_empty() { "opaque " } else { " = opaque " });
        write_quoted(self.out, &opaque.text);
        self.list(&opaque.uses, |p, local| p.local(*local));
        if !opaque.partial.is_empty() {
            self.out.push_str(" partial");
            self.list(&opaque.partial, |p, local| p.local(*local));
        }
    }

    fn terminator(&mut self, kind: &TerminatorKind) {
        match kind {
            TerminatorKind::Jump(to) => self.target("jump ", to),
            TerminatorKind::Branch { cond, then_to, else_to } => {
                self.operands("branch", &[*cond]);
                self.target(", ", then_to);
                self.target(", ", else_to);
            }
            TerminatorKind::Switch { value, default, cases } => {
                self.operands("switch", &[*value]);
                self.target(", ", default);
                self.cases(cases);
            }
            TerminatorKind::TryCall { dest, callee, args, normal, unwind } => {
                self.out.push_str("try_call ");
                if let Some(dest) = dest {
                    self.dest(dest);
                    self.out.push_str(" = ");
                }
                self.call("", callee, args);
                self.target(", ", normal);
                self.target(", unwind ", unwind);
            }
            TerminatorKind::TryDrop { place, normal, unwind } => {
                self.place_op("try_drop ", place);
                self.target(", ", normal);
                self.target(", unwind ", unwind);
            }
            TerminatorKind::Enter(thunk) => self.operands("enter", &[*thunk]),
            TerminatorKind::Return(value) => self.operands("return", value.as_slice()),
            TerminatorKind::Unreachable => self.out.push_str("unreachable"),
            TerminatorKind::Resume => self.out.push_str("resume"),
        }
    }

    fn cases(&mut self, cases: &[(i64, Target)]) {
        self.out.push_str(", [");
        for (index, (key, target)) in cases.iter().enumerate() {
            self.out.push_str(if index > 0 { ", " } else { "" });
            write_display(self.out, format_args!("{key}: "));
            self.target("", target);
        }
        self.out.push(']');
    }
}
