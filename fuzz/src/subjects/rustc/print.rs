//! Functions as custom MIR: what bears on their owned values, and nothing else.
//!
//! Every block starts a block of MIR, whose number is kept; a drop, what follows it, and what an edge moves
//! get blocks of their own. A value is made by moving it from a local that is there for that, and taken by
//! moving it there: where its values come from nobody asks. Where control goes is up to the argument `c`, so that every way may be taken. Block 0 of MIR may
//! have no predecessor, and only leads to the entry.
//!
//! What unwinds into a block that is for cleaning up ([`Cleanup`]) does so in MIR as well.

use super::cleanup::Cleanup;
use backedge_core::ir::{
    Block, Function, Inst, Local, Op, Operand, Place, Target, TerminatorKind, Type,
};
use cranelift_entity::EntityRef;
use std::fmt::Write;

/// Where in the text of a function things are.
pub(super) struct Mir {
    /// By block of ours: the number of the one that it starts with.
    pub(super) starts: Vec<usize>,
    /// Drops by block and position: the block that is nothing but the drop, and the one behind it.
    pub(super) drops: Vec<((Block, usize), usize, usize)>,
    /// By local: its number in MIR; only of owned ones.
    pub(super) locals: Vec<Option<usize>>,
}

const HEAD: &str = "#![feature(custom_mir, core_intrinsics)]\n#![recursion_limit = \"8192\"]\n\
    #![allow(internal_features, dead_code, unused)]\n#![crate_type = \"lib\"]\n\
    use core::intrinsics::mir::*;\n\
    pub struct R(u32);\nimpl Drop for R { fn drop(&mut self) {} }\n\
    fn make<T>() -> T { loop {} }\n";

/// The text of all functions, `f0` and so on, and what is where in each.
pub(super) fn program(functions: &[&Function]) -> (String, Vec<Mir>) {
    let mut text = String::from(HEAD);
    let print = |(number, function): (usize, &&Function)| {
        let (one, mir) = self::function(function, number);
        text += &one;
        mir
    };
    let mirs = functions.iter().enumerate().map(print).collect();
    (text, mirs)
}

fn function(function: &Function, number: usize) -> (String, Mir) {
    let mut printer = Printer::new(function);
    for block in function.blocks.keys() {
        printer.block(block);
    }
    printer.name_dropped();
    printer.finish(number)
}

struct Printer<'f> {
    function: &'f Function,
    cleanup: Cleanup,
    /// By number: what is in the block, its terminator last.
    blocks: Vec<String>,
    /// By number: whether it is a cleanup block.
    is_cleanup: Vec<bool>,
    current: usize,
    drops: Vec<((Block, usize), usize, usize)>,
    /// Types of what values are made from and taken to.
    stores: Vec<String>,
    /// Types of what holds arguments on their way.
    temporaries: Vec<Type>,
}

impl<'f> Printer<'f> {
    /// One block for the start, and one for each of ours.
    fn new(function: &'f Function) -> Printer<'f> {
        let blocks = vec![String::new(); 1 + function.blocks.len()];
        let cleanup = Cleanup::new(function);
        let is_cleanup = function.blocks.keys().map(|block| cleanup.is_cleanup(block));
        let is_cleanup = std::iter::once(false).chain(is_cleanup).collect();
        Printer {
            function,
            cleanup,
            blocks,
            is_cleanup,
            current: 0,
            drops: Vec::new(),
            stores: Vec::new(),
            temporaries: Vec::new(),
        }
    }

    fn add(&mut self, text: &str) {
        self.blocks[self.current] += text;
    }

    /// A block to be written, for cleaning up if the current one is.
    fn next(&mut self) -> usize {
        self.next_like(self.is_cleanup[self.current])
    }

    fn next_like(&mut self, cleanup: bool) -> usize {
        self.blocks.push(String::new());
        self.is_cleanup.push(cleanup);
        self.blocks.len() - 1
    }

    fn is_owned(&self, local: Local) -> bool {
        self.function.locals[local].ty.is_owned()
    }

    /// What values of a type come from and go to.
    fn store(&mut self, place: &Place) -> usize {
        let ty = self.function.locals[place.local].ty.at(&place.path);
        let ty = mir_type(ty.unwrap_or(&Type::Own));
        let known = self.stores.iter().position(|other| *other == ty);
        known.unwrap_or_else(|| {
            self.stores.push(ty);
            self.stores.len() - 1
        })
    }

    fn make(&mut self, place: &Place) {
        let store = self.store(place);
        self.add(&format!("{} = Move(s{store}); ", shown(place)));
    }

    fn take(&mut self, place: &Place) {
        let store = self.store(place);
        self.add(&format!("s{store} = Move({}); ", shown(place)));
    }

    fn take_operands(&mut self, operands: &[Operand]) {
        for local in operands.iter().filter_map(|operand| operand.local()) {
            if self.is_owned(local) {
                self.take(&local.into());
            }
        }
    }

    /// A drop has a block of its own. `unwind`: the cleanup block that it unwinds to.
    fn drop(&mut self, at: (Block, usize), place: &Place, unwind: Option<usize>) {
        let (alone, next) = (self.next(), self.next());
        self.add(&format!("Goto(b{alone})"));
        let unwind = self.unwind(unwind);
        self.blocks[alone] = format!("Drop({}, ReturnTo(b{next}), {unwind})", shown(place));
        self.drops.push((at, alone, next));
        self.current = next;
    }

    fn unwind(&self, to: Option<usize>) -> String {
        match to {
            Some(to) => format!("UnwindCleanup(b{to})"),
            None if self.is_cleanup[self.current] => "UnwindTerminate(ReasonInCleanup)".into(),
            None => "UnwindContinue()".into(),
        }
    }

    fn block(&mut self, block: Block) {
        self.current = 1 + block.index();
        let data = &self.function.blocks[block];
        for (index, inst) in data.insts.iter().enumerate() {
            self.inst((block, index), inst);
        }
        self.terminator((block, data.insts.len()), &data.term.kind);
    }

    fn inst(&mut self, at: (Block, usize), inst: &Inst) {
        match &inst.op {
            Op::Move(place) => {
                if let Some(dest) = &inst.dest {
                    self.add(&format!("{} = Move({}); ", shown(dest), shown(place)));
                }
                return;
            }
            Op::Copy(a) => self.take_operands(&[*a]),
            Op::Select(c, a, b) => self.take_operands(&[*c, *a, *b]),
            Op::Call { args, .. } => self.take_operands(args),
            Op::Destroy(place) => self.take(place),
            Op::Drop(place) => self.drop(at, place, None),
            _ => {}
        }
        if let Some(dest) = inst.dest.as_ref().filter(|dest| self.is_owned(dest.local)) {
            self.make(dest);
        }
    }

    fn terminator(&mut self, at: (Block, usize), term: &TerminatorKind) {
        match term {
            TerminatorKind::TryCall { dest, args, normal, unwind, .. } => {
                self.take_operands(args);
                let owned = dest.as_ref().filter(|dest| self.is_owned(dest.local));
                if self.cleanup.is_unwind(at.0, unwind.block) {
                    return self.call(owned, normal, unwind);
                }
                let [returns, unwinds] = [self.next(), self.next()];
                self.add(&format!("match c {{ 0 => b{returns}, _ => b{unwinds} }}"));
                self.current = returns;
                if let Some(dest) = owned {
                    self.make(dest);
                }
                self.jump(normal);
                self.current = unwinds;
                self.jump(unwind);
            }
            TerminatorKind::TryDrop { place, normal, unwind } if self.cleanup.drops_unwind => {
                let unwinds = self.next_like(true);
                self.drop(at, place, Some(unwinds));
                self.jump(normal);
                self.current = unwinds;
                self.jump(unwind);
            }
            TerminatorKind::TryDrop { place, normal, unwind } => {
                self.drop(at, place, None);
                self.choose(&[normal, unwind]);
            }
            TerminatorKind::Unreachable => self.add("Unreachable()"),
            TerminatorKind::Resume if self.is_cleanup[self.current] => self.add("UnwindResume()"),
            TerminatorKind::Return(_) | TerminatorKind::Resume | TerminatorKind::Enter(_) => {
                self.add("Return()");
            }
            term => self.choose(&term.targets()),
        }
    }

    /// A call that unwinds as calls do in MIR.
    fn call(&mut self, dest: Option<&Place>, normal: &Target, unwind: &Target) {
        let (returns, unwinds) = (self.next(), self.next_like(true));
        let dest = dest.map_or("u".to_owned(), shown);
        let to = self.unwind(Some(unwinds));
        self.add(&format!("Call({dest} = make(), ReturnTo(b{returns}), {to})"));
        self.current = returns;
        self.jump(normal);
        self.current = unwinds;
        self.jump(unwind);
    }

    fn choose(&mut self, targets: &[&Target]) {
        match targets {
            [] => self.add("Return()"),
            [only] => self.jump(only),
            targets => {
                let edges: Vec<usize> = targets.iter().map(|_| self.next()).collect();
                let (last, others) = edges.split_last().unwrap_or((&0, &[]));
                let arms =
                    others.iter().enumerate().map(|(key, edge)| format!("{key} => b{edge}, "));
                let arms: String = arms.collect();
                self.add(&format!("match c {{ {arms}_ => b{last} }}"));
                for (target, edge) in targets.iter().zip(edges) {
                    self.current = edge;
                    self.jump(target);
                }
            }
        }
    }

    /// All arguments are moved before any parameter is written.
    fn jump(&mut self, to: &Target) {
        let params = &self.function.blocks[to.block].params;
        let pairs = params.iter().zip(&to.args);
        let pairs: Vec<(Local, Local)> = pairs
            .filter_map(|(&param, arg)| Some((param, arg.local()?)))
            .filter(|&(param, _)| self.is_owned(param))
            .collect();
        let first = self.temporaries.len();
        for (index, &(_, arg)) in pairs.iter().enumerate() {
            self.temporaries.push(self.function.locals[arg].ty.clone());
            self.add(&format!("t{} = Move(v{}); ", first + index, arg.index()));
        }
        for (index, &(param, _)) in pairs.iter().enumerate() {
            self.add(&format!("v{} = Move(t{}); ", param.index(), first + index));
        }
        self.add(&format!("Goto(b{})", 1 + to.block.index()));
    }

    /// rustc fails on a drop of what nothing ever initializes or moves: code that is not reached sees to
    /// it that every place that is dropped is known.
    fn name_dropped(&mut self) {
        self.current = self.next_like(false);
        let function = self.function;
        for block in function.blocks.keys() {
            for inst in 0..=function.blocks[block].insts.len() {
                if let Some(place) = backedge_core::drops::dropped(function, block, inst) {
                    self.make(place);
                }
            }
        }
        self.add("Return()");
    }

    fn finish(self, number: usize) -> (String, Mir) {
        let function = self.function;
        let mut text =
            String::from("#[custom_mir(dialect = \"analysis\", phase = \"post-cleanup\")]\n");
        let _ = write!(text, "pub fn f{number}(c: u64");
        // `_0` is the result and `_1` the argument `c`; arguments come before other locals.
        let mut locals = vec![None; function.locals.len()];
        let mut number = 2;
        let owned = |local: Local| function.locals[local].ty.is_owned();
        for &param in function.params.iter().filter(|&&param| owned(param)) {
            let ty = mir_type(&function.locals[param].ty);
            let _ = write!(text, ", v{}: {ty}", param.index());
            locals[param.index()] = Some(number);
            number += 1;
        }
        text += ") {\n    mir! {\n";
        for (local, data) in function.locals.iter().filter(|&(local, _)| owned(local)) {
            if locals[local.index()].is_none() {
                let _ = writeln!(text, "        let v{}: {};", local.index(), mir_type(&data.ty));
                locals[local.index()] = Some(number);
                number += 1;
            }
        }
        text += "        let u: ();\n";
        for (index, ty) in self.stores.iter().enumerate() {
            let _ = writeln!(text, "        let s{index}: {ty};");
        }
        for (index, ty) in self.temporaries.iter().enumerate() {
            let _ = writeln!(text, "        let t{index}: {};", mir_type(ty));
        }
        text += "        { Goto(b1) }\n";
        for (number, block) in self.blocks.iter().enumerate().skip(1) {
            let cleanup = if self.is_cleanup[number] { " (cleanup)" } else { "" };
            let _ = writeln!(text, "        b{number}{cleanup} = {{ {block} }}");
        }
        text += "    }\n}\n";
        let starts = (1..=function.blocks.len()).collect();
        (text, Mir { starts, drops: self.drops, locals })
    }
}

/// `v3.0.1`
fn shown(place: &Place) -> String {
    let mut text = format!("v{}", place.local.index());
    place.path.iter().for_each(|part| text += &format!(".{part}"));
    text
}

/// Aggregates are tuples. Types nest at most 64 deep.
fn mir_type(ty: &Type) -> String {
    match ty {
        Type::Aggregate(parts) => {
            let parts: String = parts.iter().map(|part| mir_type(part) + ", ").collect();
            format!("({parts})")
        }
        _ => "R".to_owned(),
    }
}
