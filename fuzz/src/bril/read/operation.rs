//! Instructions.

use super::Signature;
use super::function::FunctionReader;
use super::shape::{Element, FieldShape, OperandShape, Words};
use backedge_core::diagnostic::Span;
use backedge_core::ir::{
    BinaryOp, Inst, Local, Name, Op, Opaque, Operand, Operands, Place, Target, Type,
};
use smallvec::SmallVec;

/// An operation of Bril that is a binary operation of ours, with its operands swapped or not.
fn binary(op: &str) -> Option<(BinaryOp, bool)> {
    match op {
        "div" => Some((BinaryOp::Sdiv, false)),
        "lt" => Some((BinaryOp::Slt, false)),
        "le" => Some((BinaryOp::Sle, false)),
        "gt" => Some((BinaryOp::Slt, true)),
        "ge" => Some((BinaryOp::Sle, true)),
        _ => BinaryOp::from_name(op).map(|op| (op, false)),
    }
}

impl FunctionReader<'_> {
    /// The instruction; `None` where it is reported to be wrong.
    pub(super) fn inst(&mut self, element: &Element, span: Span) -> Option<Inst> {
        let op = self.op(element, span)?;
        let dest = if matches!(op, Op::Opaque(_)) { None } else { self.dest(element, span) };
        if dest.is_none() && needs_dest(&op) {
            let op = super::blocks::op(element);
            self.wrong("missing-dest", span, format!("`{op}` needs a `dest`"));
            return None;
        }
        Some(Inst { dest, op, span })
    }

    fn op(&mut self, element: &Element, span: Span) -> Option<Op> {
        let op = super::blocks::op(element);
        if let Some((binary, swapped)) = binary(op) {
            let operands = self.operands(element, span);
            let [a, b] = self.exactly::<2>(op, &operands, span)?;
            let (a, b) = if swapped { (b, a) } else { (a, b) };
            return Some(Op::Binary(binary, a, b));
        }
        let operands = self.operands(element, span);
        Some(match op {
            "const" => self.constant(element, span)?,
            "id" | "copy" => Op::Copy(self.exactly::<1>(op, &operands, span)?[0]),
            "not" => {
                let [a] = self.exactly::<1>(op, &operands, span)?;
                Op::Binary(BinaryOp::Eq, a, Operand::Const(0))
            }
            "select" => {
                let [c, a, b] = self.exactly::<3>(op, &operands, span)?;
                Op::Select(c, a, b)
            }
            "load" if self.has_memory => Op::Load(self.exactly::<1>(op, &operands, span)?[0]),
            "store" if self.has_memory => {
                let [addr, value] = self.exactly::<2>(op, &operands, span)?;
                Op::Store { addr, value }
            }
            "call" => self.call(element, operands, span)?,
            "bind" => self.bind(element, operands, span)?,
            "new" => Op::New,
            "move" => Op::Move(self.place(element, op, span)?),
            "drop" => Op::Drop(self.place(element, op, span)?),
            "destroy" => Op::Destroy(self.place(element, op, span)?),
            "set" | "get" => self.shadowed(element, op, span)?,
            _ => Op::Opaque(Box::new(self.opaque(element, op, span))),
        })
    }

    /// `const`; of a type that is no integer, opaque.
    fn constant(&mut self, element: &Element, span: Span) -> Option<Op> {
        let Some(value) = element.value else {
            self.wrong("missing-value", span, "`const` needs a `value`");
            return None;
        };
        match value.get() {
            "true" => Some(Op::Const(1)),
            "false" => Some(Op::Const(0)),
            text => match text.parse() {
                Ok(number) => Some(Op::Const(number)),
                Err(_) => {
                    let text = format!("const {text}");
                    Some(Op::Opaque(Box::new(self.opaque(element, &text, span))))
                }
            },
        }
    }

    fn call(&mut self, element: &Element, args: Operands, span: Span) -> Option<Op> {
        let callee = self.callee(element, "call", span)?;
        let ret = self.dest(element, span).map(|dest| self.type_of(&dest));
        let params = args.iter().map(|arg| self.operand_type(arg)).collect();
        self.called.push(Signature { name: callee.clone(), params, ret, span });
        Some(Op::Call { callee, args })
    }

    fn bind(&mut self, element: &Element, args: Operands, span: Span) -> Option<Op> {
        match element.labels.as_deref() {
            Some([label]) => Some(Op::Bind(Target { block: self.block(label, span)?, args })),
            _ => {
                self.wrong("wrong-labels", span, "`bind` needs exactly one label");
                None
            }
        }
    }

    /// `set x y` assigns the shadow of `x`, and `x = get` reads it.
    fn shadowed(&mut self, element: &Element, op: &str, span: Span) -> Option<Op> {
        let uses = |local| [local].into_iter().collect();
        let defs = |local| [local].into_iter().collect();
        let opaque = |text, def, used| Opaque {
            text: Name::new_static(text),
            defs: defs(def),
            uses: uses(used),
            partial: SmallVec::new(),
        };
        let opaque = match (op, &element.dest, element.args.as_deref()) {
            ("set", None, Some([to, from])) => {
                let (to, from) = (self.local(to, span), self.local(from, span));
                opaque("set", self.shadow(to, span), from)
            }
            ("get", Some(dest), None | Some([])) => {
                let dest = self.local(dest, span);
                opaque("get", dest, self.shadow(dest, span))
            }
            _ => {
                let message = "`set` needs two `args`, and `get` a `dest` and no `args`";
                self.wrong("wrong-operands", span, message);
                return None;
            }
        };
        Some(Op::Opaque(Box::new(opaque)))
    }

    /// Anything else: `uses` and `defs` where they are told, else `args` and `dest`. Of our own
    /// `opaque`, `args` are the uses one by one.
    fn opaque(&mut self, element: &Element, text: &str, span: Span) -> Opaque {
        let dest = element.dest.as_slice();
        let (args, uses) = (element.args.as_deref(), element.uses.as_deref());
        let own = super::blocks::op(element) == "opaque";
        let uses = if own { args.or(uses) } else { uses.or(args) }.unwrap_or_default();
        let defs = element.defs.as_deref().unwrap_or(dest);
        let partial = element.partial.as_deref().unwrap_or_default();
        let mut all = |words: &[super::shape::Word]| -> Vec<Local> {
            words.iter().map(|word| self.local(word, span)).collect()
        };
        let text = element.text.as_ref().map_or(text, |text| &text.0);
        Opaque {
            text: Name::from(text),
            defs: all(defs).into_iter().collect(),
            uses: all(uses).into_iter().collect(),
            partial: all(partial).into_iter().collect(),
        }
    }

    /// All operands: those of `operands`, or the variables in `args`.
    pub(super) fn operands(&mut self, element: &Element, span: Span) -> Operands {
        if let Some(operands) = &element.operands {
            return operands
                .iter()
                .map(|operand| match operand {
                    OperandShape::Local(name) => self.local(name, span).into(),
                    OperandShape::Const(number) => Operand::Const(*number),
                })
                .collect();
        }
        let args: &Words = match &element.args {
            Some(args) if !matches!(super::blocks::op(element), "set") => args,
            _ => return Operands::new(),
        };
        args.iter().map(|name| self.local(name, span).into()).collect()
    }

    pub(super) fn exactly<const N: usize>(
        &mut self,
        op: &str,
        operands: &Operands,
        span: Span,
    ) -> Option<[Operand; N]> {
        let exact = operands.as_slice().try_into().ok();
        if exact.is_none() {
            let message = format!("`{op}` takes {N} operands, this has {}", operands.len());
            self.wrong("wrong-operands", span, message);
        }
        exact
    }

    /// What is assigned, whole or in part.
    pub(super) fn dest(&mut self, element: &Element, span: Span) -> Option<Place> {
        match (&element.dest, &element.into) {
            (Some(dest), _) => Some(self.local(dest, span).into()),
            (None, Some(fields)) => self.fields(fields, "into", span),
            (None, None) => None,
        }
    }

    /// What is acted on: `place`, or the whole of the only argument.
    pub(super) fn place(&mut self, element: &Element, op: &str, span: Span) -> Option<Place> {
        if let Some(fields) = &element.place {
            return self.fields(fields, "place", span);
        }
        let operands = self.operands(element, span);
        let [operand] = self.exactly::<1>(op, &operands, span)?;
        operand.local().map(Place::from)
    }

    fn fields(&mut self, fields: &[FieldShape], what: &str, span: Span) -> Option<Place> {
        let path = fields.iter().skip(1).map(|field| match field {
            FieldShape::Field(number) => Some(*number),
            FieldShape::Local(_) => None,
        });
        match (fields.first(), path.collect::<Option<SmallVec<[u32; 4]>>>()) {
            (Some(FieldShape::Local(name)), Some(path)) => {
                Some(Place { local: self.local(name, span), path })
            }
            _ => {
                let message = format!("`{what}` is the name of a variable and then field numbers");
                self.wrong("bad-place", span, message);
                None
            }
        }
    }

    pub(super) fn callee(&mut self, element: &Element, op: &str, span: Span) -> Option<Name> {
        match element.funcs.as_deref() {
            Some([name]) => Some(Name::from(&*name.0)),
            _ => {
                self.wrong("wrong-operands", span, format!("`{op}` needs exactly one of `funcs`"));
                None
            }
        }
    }

    pub(super) fn type_of(&self, place: &Place) -> Type {
        let ty = &self.function.locals[place.local].ty;
        ty.at(&place.path).cloned().unwrap_or(Type::Int)
    }

    pub(super) fn operand_type(&self, operand: &Operand) -> Type {
        operand.local().map_or(Type::Int, |local| self.function.locals[local].ty.clone())
    }
}

fn needs_dest(op: &Op) -> bool {
    !matches!(op, Op::Store { .. } | Op::Call { .. } | Op::Drop(_) | Op::Destroy(_) | Op::Opaque(_))
}
