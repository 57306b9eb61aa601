//! One function: its variables, its blocks, and what is in them.

use super::Signature;
use super::blocks::{Placed, Section, by_name, fresh, split};
use super::phi::Phis;
use super::shape::{Element, FunctionShape, LocalShape, Source, Word};
use backedge_core::diagnostic::{Diagnostic, Span};
use backedge_core::ir::{
    Block, BlockData, Function, Local, LocalData, Name, Terminator, TerminatorKind, Type,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// Reads a function. Where something is wrong with it, the result is a valid function of no meaning.
pub(super) fn read<'a>(
    shape: &FunctionShape<'a>,
    span: Span,
    source: Source<'a>,
    has_memory: bool,
    called: &mut Vec<Signature>,
    report: &mut Vec<Diagnostic>,
) -> Function {
    let mut elements: Vec<Placed> = Vec::with_capacity(shape.instrs.len());
    for raw in &shape.instrs {
        match source.read::<Element>(raw) {
            Ok(element) => elements.push((source.span(raw), element)),
            Err(diagnostic) => report.push(diagnostic),
        }
    }
    let sections = split(&elements, report);
    let numbers = by_name(&sections, report);
    let mut function = Function::new(&*shape.name.0);
    function.span = span;
    function.ssa = shape.ssa.unwrap_or(false);
    function.ret = shape.ty.as_ref().map(|ty| ty.0.clone());
    let mut reader = FunctionReader {
        function,
        locals: FxHashMap::default(),
        shadows: FxHashMap::default(),
        taken: FxHashSet::default(),
        numbers,
        has_memory,
        called,
        report,
    };
    reader.declare(shape, &elements);
    reader.fill(&sections, &elements);
    reader.function
}

pub(super) struct FunctionReader<'r> {
    pub(super) function: Function,
    locals: FxHashMap<Name, Local>,
    /// By variable: the one that `set` assigns and `get` reads.
    shadows: FxHashMap<Local, Local>,
    /// Names of variables.
    taken: FxHashSet<Name>,
    /// Blocks by name.
    pub(super) numbers: FxHashMap<Name, usize>,
    /// Whether `load` and `store` are those of the IR.
    pub(super) has_memory: bool,
    pub(super) called: &'r mut Vec<Signature>,
    pub(super) report: &'r mut Vec<Diagnostic>,
}

impl FunctionReader<'_> {
    /// Makes the variables whose types are told, before any use of them is read.
    fn declare(&mut self, shape: &FunctionShape, elements: &[Placed]) {
        for LocalShape { name, ty } in shape.args.iter().flatten() {
            let ty = ty.as_ref().map_or(Type::Int, |ty| ty.0.clone());
            let param = self.typed(&name.0, ty, self.function.span);
            self.function.params.push(param);
        }
        for LocalShape { name, ty } in shape.locals.iter().flatten() {
            let ty = ty.as_ref().map_or(Type::Int, |ty| ty.0.clone());
            self.typed(&name.0, ty, self.function.span);
        }
        for (span, element) in elements {
            let ty = element.ty.as_ref().map_or(Type::Int, |ty| ty.0.clone());
            if let Some(dest) = &element.dest
                && ty != Type::Int
            {
                self.typed(&dest.0, ty, *span);
            }
        }
    }

    fn typed(&mut self, name: &str, ty: Type, span: Span) -> Local {
        if let Some(&local) = self.locals.get(name) {
            let before = &self.function.locals[local];
            if before.ty != ty {
                let message = format!("`{name}` has another type before");
                let diagnostic = Diagnostic::new("type-conflict", span, message);
                self.report.push(diagnostic.note(before.span, "here"));
            }
            return local;
        }
        let name = Name::from(name);
        let data = LocalData { name: name.clone(), ty, span };
        let local = self.function.locals.push(data);
        self.taken.insert(name.clone());
        self.locals.insert(name, local);
        local
    }

    /// The variable of this name; new ones are `int`.
    pub(super) fn local(&mut self, name: &Word, span: Span) -> Local {
        match self.locals.get(&*name.0) {
            Some(&local) => local,
            None => self.typed(&name.0, Type::Int, span),
        }
    }

    /// What `set` assigns for `get` to read in this variable.
    pub(super) fn shadow(&mut self, local: Local, span: Span) -> Local {
        if let Some(&shadow) = self.shadows.get(&local) {
            return shadow;
        }
        let LocalData { name, ty, .. } = self.function.locals[local].clone();
        let name = fresh(format!("{name}.shadow"), &mut self.taken);
        let shadow = self.function.locals.push(LocalData { name: name.clone(), ty, span });
        self.shadows.insert(local, shadow);
        shadow
    }

    fn fill(&mut self, sections: &[Section], elements: &[Placed]) {
        for section in sections {
            let (name, span) = (section.name.clone(), section.span);
            let term = TerminatorKind::Unreachable.into();
            let (params, insts) = (Vec::new(), Vec::new());
            self.function.blocks.push(BlockData { name, params, insts, term, span });
        }
        let mut phis = Phis::read(self, sections, elements);
        for (number, section) in sections.iter().enumerate() {
            let block = Block::from_u32(number as u32);
            for &position in &section.insts {
                let (span, element) = &elements[position];
                if let Some(inst) = self.inst(element, *span) {
                    self.function.blocks[block].insts.push(inst);
                }
            }
            let next = (number + 1 < sections.len()).then(|| Block::from_u32(number as u32 + 1));
            self.function.blocks[block].term = match section.term {
                Some(term) => {
                    let (span, element) = &elements[term];
                    Terminator { kind: self.terminator(element, *span, next), span: *span }
                }
                None => Terminator { kind: self.end(next), span: section.span },
            };
            phis.pass(&mut self.function, block);
        }
        phis.report_extra(self);
    }

    /// What ends a block without a terminator.
    fn end(&self, next: Option<Block>) -> TerminatorKind {
        match next {
            Some(next) => TerminatorKind::Jump(next.into()),
            None if self.function.ret.is_none() => TerminatorKind::Return(None),
            // Bril says nothing of a function that promises a value and falls off its end.
            None => TerminatorKind::Unreachable,
        }
    }

    pub(super) fn wrong(&mut self, code: &'static str, span: Span, message: impl Into<String>) {
        self.report.push(Diagnostic::new(code, span, message));
    }
}
