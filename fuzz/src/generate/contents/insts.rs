//! Instructions.

use super::body::{Body, Spread, constant};
use super::swarm::Kind;
use super::types::Ty;
use crate::generate::draw::scale;
use crate::generate::graph::Node;
use backedge_core::diagnostic::Span;
use backedge_core::ir::{BinaryOp, Inst, Name, Op, Opaque, Operand, Place};
use smallvec::SmallVec;

/// What an instruction reads: its kind, what it writes, three operands.
type Bytes = [u8; 5];

impl Body<'_> {
    /// One instruction.
    pub(super) fn inst(&mut self, bytes: Bytes) -> Inst {
        let [kind, dest, a, b, c] = bytes;
        let kinds = &self.swarm.kinds;
        let made = match kinds[scale(kind, kinds.len())] {
            Kind::Const => self.int(dest, c, |_| Op::Const(wide_constant(a, b))),
            Kind::Copy => self.int(dest, c, |body| Op::Copy(body.operand(a))),
            Kind::Select => self.int(dest, b ^ c, |body| {
                Op::Select(body.operand(a), body.operand(b), body.operand(c))
            }),
            Kind::Binary(op) => {
                self.int(dest, c, |body| Op::Binary(op, body.operand(a), body.operand(b)))
            }
            Kind::Load => self.int(dest, c, |body| Op::Load(body.operand(a))),
            Kind::Store => {
                Some(without_dest(Op::Store { addr: self.operand(a), value: self.operand(b) }))
            }
            Kind::Call => self.call(bytes),
            Kind::New => self.make(dest, a, b),
            Kind::Move => self.move_out(dest, a, b, c),
            Kind::Drop => self.owned_place(a, b).map(|(place, _)| without_dest(Op::Drop(place))),
            Kind::Destroy => {
                self.owned_place(a, b).map(|(place, _)| without_dest(Op::Destroy(place)))
            }
            Kind::Bind => self.bind(dest, a, bytes),
            Kind::Opaque => Some(self.opaque(bytes)),
        };
        // What stands in for an instruction whose operands can't be found here: a definition that
        // lets a later one find them.
        let made = made.or_else(|| self.make(dest, a, b));
        made.unwrap_or_else(|| self.opaque(bytes))
    }

    /// An operation that gives an integer. `update` says whether it reads what it writes.
    fn int(&mut self, dest: u8, update: u8, op: impl FnOnce(&mut Self) -> Op) -> Option<Inst> {
        let dest = self.scope.write(Ty::INT, dest)?;
        let updates = update as u16 + self.swarm.updates as u16 > 255;
        self.next_operand = (updates && self.scope.is_mutable()).then_some(dest);
        let op = op(self);
        self.next_operand = None;
        Some(Inst { dest: Some(dest.into()), op, span: Span::NONE })
    }

    /// Every other quotient is followed by the remainder of the same operands, and the other way round:
    /// machines have both in one, with two results.
    pub(super) fn partner(&mut self, inst: &Inst, [.., dest, even]: Bytes) -> Option<Inst> {
        let Op::Binary(op, a, b) = inst.op else { return None };
        let other = match op {
            BinaryOp::Sdiv => BinaryOp::Srem,
            BinaryOp::Srem => BinaryOp::Sdiv,
            BinaryOp::Udiv => BinaryOp::Urem,
            BinaryOp::Urem => BinaryOp::Udiv,
            _ => return None,
        };
        let first = inst.dest.as_ref().map(|dest| Operand::Local(dest.local));
        if even & 1 == 0 || first == Some(a) || first == Some(b) {
            return None;
        }
        let dest = self.scope.write(Ty::INT, dest)?;
        Some(Inst { dest: Some(dest.into()), op: Op::Binary(other, a, b), span: Span::NONE })
    }

    fn call(&mut self, [_, dest, which, b, c]: Bytes) -> Option<Inst> {
        let callee = self.callee(which)?;
        // Now and then nobody takes an integer result; an owned one would leak.
        let taken = callee.ret.filter(|&ty| ty != Ty::INT || dest < 232);
        let dest = taken.and_then(|ty| self.scope.write(ty, dest)).map(Place::from);
        let args = self.args(callee, &mut Spread::new(&[b, c]));
        let op = Op::Call { callee: callee.name.clone(), args };
        Some(Inst { dest, op, span: Span::NONE })
    }

    fn make(&mut self, dest: u8, which: u8, part: u8) -> Option<Inst> {
        let types = self.swarm.owned_types();
        let ty = *types.get(scale(which, types.len()))?;
        let dest = self.owned_dest(ty, dest, part)?;
        Some(Inst { dest: Some(dest), op: Op::New, span: Span::NONE })
    }

    fn move_out(&mut self, dest: u8, which: u8, from: u8, part: u8) -> Option<Inst> {
        let (place, ty) = self.owned_place(which, from)?;
        let dest = self.owned_dest(ty, dest, part)?;
        Some(Inst { dest: Some(dest), op: Op::Move(place), span: Span::NONE })
    }

    /// A place to write a value of the type to: a local, or in mutable functions a part of one.
    fn owned_dest(&mut self, ty: Ty, dest: u8, part: u8) -> Option<Place> {
        if part >= 160 && self.scope.is_mutable() {
            let whole = Ty::OWNED[scale(part << 2, Ty::OWNED.len())];
            let mut parts = whole.places().iter().skip(1).filter(|&&(_, of)| of == ty);
            if let Some((path, _)) = parts.nth(dest as usize & 1) {
                let local = self.scope.write(whole, dest)?;
                return Some(Place { local, path: SmallVec::from_slice(path) });
            }
        }
        self.scope.write(ty, dest).map(Place::from)
    }

    fn bind(&mut self, dest: u8, block: u8, bytes: Bytes) -> Option<Inst> {
        let dest = self.scope.write(Ty::THUNK, dest)?;
        let to: Node = scale(block, self.graph.len());
        let target = self.target(to, &mut Spread::new(&bytes));
        Some(Inst { dest: Some(dest.into()), op: Op::Bind(target), span: Span::NONE })
    }

    /// An operation of another language: up to two definitions, up to three uses, perhaps a local of
    /// which it assigns a part.
    fn opaque(&mut self, [_, dest, a, b, c]: Bytes) -> Inst {
        const TEXTS: [&str; 4] = ["fma", "_1 = &mut (*_2)", "asm!(\"nop\")", "vec.len"];
        let mut bytes = Spread::new(&[dest, a, b, c]);
        let text = Name::new_static(TEXTS[a as usize & 3]);
        let mut opaque =
            Opaque { text, defs: SmallVec::new(), uses: SmallVec::new(), partial: SmallVec::new() };
        for _ in 0..scale(dest, 3) {
            let local = self.scope.write(Ty::INT, bytes.next());
            opaque.defs.extend(local.filter(|local| !opaque.defs.contains(local)));
        }
        for _ in 0..scale(b, 4) {
            opaque.uses.extend(self.scope.read(Ty::INT, bytes.next()));
        }
        if self.scope.is_mutable() && c >= 216 {
            let local = self.scope.write(Ty::INT, bytes.next());
            opaque.partial.extend(local.filter(|local| !opaque.defs.contains(local)));
        }
        without_dest(Op::Opaque(Box::new(opaque)))
    }
}

fn wide_constant(a: u8, b: u8) -> i64 {
    if a < 160 {
        a as i64 - 16
    } else if let Operand::Const(value) = constant(b) {
        value
    } else {
        0
    }
}

fn without_dest(op: Op) -> Inst {
    Inst { dest: None, op, span: Span::NONE }
}
