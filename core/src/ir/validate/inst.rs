//! Operations: the types that each takes and gives.

use super::function::{Checker, count};
use super::{Spot, shorten};
use crate::diagnostic::Span;
use crate::ir::{Inst, Local, Op, Opaque, Operand, Place, Type};

pub(super) static INT: Type = Type::Int;
pub(super) static THUNK: Type = Type::Thunk;

/// What an operation gives to its destination.
enum Gives<'p> {
    Nothing,
    Type(&'p Type),
    /// Any owned type: what the destination has.
    Owned,
    /// Something whose type is not known, since a mistake was reported.
    Unknown,
}

impl<'p> From<Option<&'p Type>> for Gives<'p> {
    fn from(ty: Option<&'p Type>) -> Gives<'p> {
        ty.map_or(Gives::Unknown, Gives::Type)
    }
}

impl<'p> Checker<'_, 'p, '_> {
    /// Checks an instruction.
    pub(super) fn inst(&mut self, inst: &'p Inst) {
        let at = inst.span;
        let gives = match &inst.op {
            Op::Const(_) => Gives::Type(&INT),
            Op::Copy(a) => self.operand_type(*a, (at, Spot::Operand(0))).into(),
            Op::Select(c, a, b) => self.select(*c, *a, *b, at).into(),
            Op::Binary(_, a, b) => self.ints(&[*a, *b], at, Gives::Type(&INT)),
            Op::Load(addr) => {
                self.memory(at);
                self.ints(&[*addr], at, Gives::Type(&INT))
            }
            Op::Store { addr, value } => {
                self.memory(at);
                self.ints(&[*addr, *value], at, Gives::Nothing)
            }
            Op::Call { callee, args } => {
                return self.call(callee, args, inst.dest.as_ref(), at);
            }
            Op::Bind(target) => {
                self.target(target, 0, at);
                Gives::Type(&THUNK)
            }
            Op::New => Gives::Owned,
            Op::Move(place) => self.owned_place(place, at).into(),
            Op::Drop(place) | Op::Destroy(place) => {
                self.owned_place(place, at);
                Gives::Nothing
            }
            Op::Opaque(opaque) => {
                self.opaque(opaque, at);
                Gives::Nothing
            }
        };
        self.dest(inst.dest.as_ref(), &gives, at);
    }

    /// The type of an operand.
    pub(super) fn operand_type(&mut self, operand: Operand, at: (Span, Spot)) -> Option<&'p Type> {
        match operand {
            Operand::Local(local) => self.local_type(local, at),
            Operand::Const(_) => Some(&INT),
        }
    }

    /// Checks that an operand has the type that is wanted.
    pub(super) fn operand(&mut self, operand: Operand, want: &Type, at: (Span, Spot)) {
        self.typed("operand-type", operand, want, at);
    }

    /// Checks an argument; nothing is wanted of one too many.
    pub(super) fn argument(&mut self, operand: Operand, want: Option<&Type>, at: (Span, Spot)) {
        match want {
            Some(want) => self.typed("argument-type", operand, want, at),
            None => drop(self.operand_type(operand, at)),
        }
    }

    fn typed(&mut self, code: &'static str, operand: Operand, want: &Type, at: (Span, Spot)) {
        if let Some(found) = self.operand_type(operand, at)
            && found != want
        {
            let shown = self.show(operand);
            self.report(code, at, || format!("{shown} is `{found}`, not `{want}`"));
        }
    }

    fn show(&self, operand: Operand) -> String {
        match operand {
            Operand::Local(local) => format!("`%{}`", self.name(local)),
            Operand::Const(value) => format!("`{value}`"),
        }
    }

    fn ints(&mut self, operands: &[Operand], at: Span, gives: Gives<'p>) -> Gives<'p> {
        for (index, &operand) in operands.iter().enumerate() {
            self.operand(operand, &INT, (at, Spot::Operand(index)));
        }
        gives
    }

    /// `select` takes what can be left unused: no owned values.
    fn select(&mut self, c: Operand, a: Operand, b: Operand, at: Span) -> Option<&'p Type> {
        self.operand(c, &INT, (at, Spot::Operand(0)));
        let ty = self.operand_type(a, (at, Spot::Operand(1)))?;
        if ty.is_owned() {
            let shown = self.show(a);
            self.report("operand-type", (at, Spot::Operand(1)), || {
                format!("{shown} is `{ty}`, and `select` would lose one of its operands")
            });
            return None;
        }
        self.operand(b, ty, (at, Spot::Operand(2)));
        Some(ty)
    }

    fn memory(&mut self, at: Span) {
        if !self.state.has_memory && !std::mem::replace(&mut self.state.memory_reported, true) {
            self.report("no-memory", (at, Spot::Whole), || {
                "the program has no memory: declare it, such as `memory 64`".into()
            });
        }
    }

    /// Checks a call of either kind.
    pub(super) fn call(&mut self, callee: &str, args: &[Operand], dest: Option<&Place>, at: Span) {
        let Some(signature) = self.state.names.get(callee) else {
            if self.state.context.names_complete {
                self.report("dangling-callee", (at, Spot::Callee), || {
                    format!("there is no function or extern `@{}`", shorten(callee))
                });
            }
            args.iter().for_each(|&arg| self.argument(arg, None, (at, Spot::Whole)));
            return;
        };
        if args.len() != signature.param_count() {
            self.report("argument-count", (at, Spot::Callee), || {
                let takes = count(signature.param_count());
                format!("`@{}` takes {takes}, not {}", shorten(callee), args.len())
            });
        }
        for (index, &arg) in args.iter().enumerate() {
            self.argument(arg, signature.param(index), (at, Spot::Operand(index)));
        }
        match (dest, signature.ret()) {
            (None, _) => {}
            (Some(_), None) => self.report("unexpected-destination", (at, Spot::Dest), || {
                format!("`@{}` returns nothing", shorten(callee))
            }),
            (Some(dest), Some(ret)) => self.dest_type(dest, ret, at),
        }
    }

    /// Checks a destination against what the operation gives.
    fn dest(&mut self, dest: Option<&Place>, gives: &Gives<'p>, at: Span) {
        match (dest, gives) {
            (None, Gives::Nothing) => {}
            (None, _) => self.report("missing-destination", (at, Spot::Whole), || {
                "the result must be assigned to something: `%x = ..`".into()
            }),
            (Some(_), Gives::Nothing) => {
                self.report("unexpected-destination", (at, Spot::Dest), || {
                    "this operation gives no result".into()
                });
            }
            (Some(dest), Gives::Type(ty)) => self.dest_type(dest, ty, at),
            (Some(dest), Gives::Unknown) => drop(self.place_type(dest, (at, Spot::Dest))),
            (Some(dest), Gives::Owned) => {
                if let Some(found) = self.place_type(dest, (at, Spot::Dest))
                    && !found.is_owned()
                {
                    self.report("destination-type", (at, Spot::Dest), || {
                        format!("this makes a resource, but its destination is `{found}`")
                    });
                }
            }
        }
    }

    fn dest_type(&mut self, dest: &Place, given: &Type, at: Span) {
        if let Some(found) = self.place_type(dest, (at, Spot::Dest))
            && found != given
        {
            self.report("destination-type", (at, Spot::Dest), || {
                format!("this gives `{given}`, but its destination is `{found}`")
            });
        }
    }

    /// The type of a place; a field that does not exist is reported.
    fn place_type(&mut self, place: &Place, at: (Span, Spot)) -> Option<&'p Type> {
        let whole = self.local_type(place.local, at)?;
        let ty = whole.at(&place.path);
        if ty.is_none() {
            let name = self.name(place.local);
            self.report("bad-place", at, || format!("`%{name}` is `{whole}`, without such a part"));
        }
        ty
    }

    /// The type of a place that is moved or dropped.
    pub(super) fn owned_place(&mut self, place: &Place, at: Span) -> Option<&'p Type> {
        let at = (at, Spot::Place);
        let ty = self.place_type(place, at)?;
        if ty.is_owned() {
            return Some(ty);
        }
        let name = self.name(place.local);
        self.report("not-owned", at, || format!("`%{name}` is `{ty}`: there is nothing to drop"));
        None
    }

    fn opaque(&mut self, opaque: &Opaque, at: Span) {
        let lists: [&[Local]; 3] = [&opaque.defs, &opaque.uses, &opaque.partial];
        for &local in lists.into_iter().flatten() {
            self.local_type(local, (at, Spot::Whole));
        }
    }
}
