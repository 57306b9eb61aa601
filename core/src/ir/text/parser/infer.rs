//! Types of locals.
//!
//! An annotation decides, wherever it stands. Without one, the first definition in the text does:
//! it either has a type of its own (`new`, `bind`, arithmetic, the result of a call), or the type of
//! the place it reads (`move`, `copy`, `select`). So each local follows from at most one other, and
//! a walk along these links, each walked once, finds every type in linear time. What ends in a
//! circle, or is never defined, is `int`.

use super::function::FunctionParse;
use super::{Parser, Result};
use crate::diagnostic::{Diagnostic, Span};
use crate::ir::text::lexer::TokenKind;
use crate::ir::text::names::shorten;
use crate::ir::{Extern, Function, Local, Name, Op, Operand, Place, Type};
use cranelift_entity::{EntityRef, SecondaryMap};
use rustc_hash::FxHashMap;

/// What the text says about the type of a local.
#[derive(Clone, Default)]
pub(super) enum Hint {
    /// Nothing: no definition was seen.
    #[default]
    Unknown,
    /// It was written down, here.
    Annotated(Type, Span),
    /// The first definition gives it this type.
    Known(Type),
    /// The first definition gives it the type of this place.
    Like(Place),
    /// The first definition is a call of this function.
    Result(Name),
}

impl Hint {
    /// What the destination of an operation gets.
    pub(super) fn of(op: &Op) -> Hint {
        match op {
            Op::New => Hint::Known(Type::Own),
            Op::Bind(_) => Hint::Known(Type::Thunk),
            Op::Move(place) => Hint::Like(place.clone()),
            Op::Copy(Operand::Local(local)) | Op::Select(_, Operand::Local(local), _) => {
                Hint::Like(Place::from(*local))
            }
            Op::Call { callee, .. } => Hint::Result(callee.clone()),
            _ => Hint::Known(Type::Int),
        }
    }
}

impl FunctionParse {
    /// Notes what a definition says, if it is the first.
    pub(super) fn hint(&mut self, local: Local, hint: impl FnOnce() -> Hint) {
        if matches!(self.hints[local], Hint::Unknown) {
            self.hints[local] = hint();
        }
    }

    /// The function, with the types of its locals and its locals in canonical order.
    pub(super) fn into_function(mut self, results: &FxHashMap<Name, Type>) -> Function {
        self.assign_types(results);
        if !self.broken {
            self.function.renumber();
        }
        self.function
    }

    /// Gives the locals the types that follow from what was noted.
    pub(super) fn assign_types(&mut self, results: &FxHashMap<Name, Type>) {
        let types = solve(self.function.locals.len(), &self.hints, results);
        for (data, ty) in self.function.locals.values_mut().zip(types) {
            data.ty = ty.unwrap_or(Type::Int);
        }
    }
}

impl Parser<'_, '_> {
    /// `: type`, if it is there. Tells whether it is.
    pub(super) fn annotation(&mut self, parse: &mut FunctionParse, local: Local) -> Result<bool> {
        if !self.eat(TokenKind::Colon) {
            return Ok(false);
        }
        let start = self.token.span;
        let ty = self.ty()?;
        let span = Span { start: start.start, end: self.prev_end };
        self.annotate(parse, local, ty, span);
        Ok(true)
    }

    /// Notes a written type, and reports it if another one was written before.
    pub(super) fn annotate(
        &mut self,
        parse: &mut FunctionParse,
        local: Local,
        ty: Type,
        span: Span,
    ) {
        if let Hint::Annotated(first, first_span) = &parse.hints[local] {
            if *first != ty {
                let name = shorten(&parse.function.locals[local].name);
                let message = format!("`%{name}` is `{ty}` here, but `{first}` elsewhere");
                let diagnostic = Diagnostic::new("type-conflict", span, message)
                    .note(*first_span, format!("it is `{first}` here"));
                self.report(diagnostic);
                parse.broken = true;
            }
        } else {
            parse.hints[local] = Hint::Annotated(ty, span);
        }
    }
}

/// The result type of each function and extern that has one.
pub(super) fn result_types<'p>(
    externs: &'p [Extern],
    functions: impl Iterator<Item = &'p FunctionParse>,
) -> FxHashMap<Name, Type> {
    let externs = externs.iter().map(|e| (&e.name, &e.ret));
    let functions = functions.map(|parse| (&parse.function.name, &parse.function.ret));
    externs.chain(functions).filter_map(|(name, ret)| Some((name.clone(), ret.clone()?))).collect()
}

fn solve(
    count: usize,
    hints: &SecondaryMap<Local, Hint>,
    results: &FxHashMap<Name, Type>,
) -> Vec<Option<Type>> {
    let mut types: Vec<Option<Type>> =
        (0..count).map(|index| own_type(&hints[Local::new(index)], results)).collect();
    let mut seen = vec![false; count];
    let mut path: Vec<(usize, &Place)> = Vec::new();
    for start in 0..count {
        let mut at = start;
        while let Hint::Like(place) = &hints[Local::new(at)]
            && types[at].is_none()
            && !std::mem::replace(&mut seen[at], true)
        {
            path.push((at, place));
            at = place.local.index();
        }
        let mut ty = types[at].clone().unwrap_or(Type::Int);
        while let Some((local, place)) = path.pop() {
            ty = ty.at(&place.path).cloned().unwrap_or(Type::Int);
            types[local] = Some(ty.clone());
        }
    }
    types
}

/// The type that a hint gives by itself.
fn own_type(hint: &Hint, results: &FxHashMap<Name, Type>) -> Option<Type> {
    match hint {
        Hint::Unknown => Some(Type::Int),
        Hint::Annotated(ty, _) | Hint::Known(ty) => Some(ty.clone()),
        Hint::Result(callee) => Some(results.get(callee).cloned().unwrap_or(Type::Int)),
        Hint::Like(_) => None,
    }
}
