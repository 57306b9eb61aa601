//! Makes functions in memory, without a text.
//!
//! ```
//! use backedge_core::ir::builder::FunctionBuilder;
//! use backedge_core::ir::{BinaryOp, Target, Type, text};
//!
//! let mut b = FunctionBuilder::new("sum");
//! let n = b.param("n", Type::Int);
//! let [entry, head, body, done] = ["entry", "head", "body", "done"].map(|name| b.block(name));
//! let i = b.block_param(head, "i", Type::Int);
//! let sum = b.block_param(head, "sum", Type::Int);
//! b.at(entry).jump(Target::with(head, [0, 0]));
//! let more = b.at(head).binary("more", BinaryOp::Slt, i, n);
//! b.branch(more, body, done);
//! let sum2 = b.at(body).binary("sum2", BinaryOp::Add, sum, i);
//! let i2 = b.binary("i2", BinaryOp::Add, i, 1);
//! b.jump(Target::with(head, [i2, sum2]));
//! b.at(done).return_value(sum, Type::Int);
//!
//! let text = "\
//! fn @sum(%n: int) -> int {
//! entry:
//!   jump head(0, 0)
//! head(%i: int, %sum: int):
//!   %more = slt %i, %n
//!   branch %more, body, done
//! body:
//!   %sum2 = add %sum, %i
//!   %i2 = add %i, 1
//!   jump head(%i2, %sum2)
//! done:
//!   return %sum
//! }
//! ";
//! assert_eq!(text::print_function(&b.finish()), text);
//! ```

use super::{
    BinaryOp, Block, BlockData, Function, Inst, Local, LocalData, Name, Op, Operand, Place, Target,
    Terminator, TerminatorKind, Type,
};
use crate::diagnostic::Span;

/// Builds one function, block by block.
///
/// Instructions go to the block that [`FunctionBuilder::at`] named last, until it is terminated.
/// Those that give a result make a local for it. Nothing is checked: that is up to
/// [`validate`](super::validate).
///
/// # Panics
/// Whatever appends to a block panics if there is no current one.
#[derive(Debug)]
pub struct FunctionBuilder {
    function: Function,
    current: Option<Block>,
}

impl FunctionBuilder {
    /// Starts a function.
    pub fn new(name: impl Into<Name>) -> FunctionBuilder {
        FunctionBuilder { function: Function::new(name), current: None }
    }

    /// Promises that every local is assigned once and that definitions dominate uses.
    pub fn ssa(&mut self) -> &mut FunctionBuilder {
        self.function.ssa = true;
        self
    }

    /// Makes a local. The name must be new.
    pub fn local(&mut self, name: impl Into<Name>, ty: Type) -> Local {
        self.function.locals.push(LocalData { name: name.into(), ty, span: Span::NONE })
    }

    /// Makes a local that is a parameter of the function.
    pub fn param(&mut self, name: impl Into<Name>, ty: Type) -> Local {
        let local = self.local(name, ty);
        self.function.params.push(local);
        local
    }

    /// Makes a block, which ends in `unreachable` until it is terminated.
    pub fn block(&mut self, name: impl Into<Name>) -> Block {
        self.function.blocks.push(BlockData {
            name: name.into(),
            params: Vec::new(),
            insts: Vec::new(),
            term: TerminatorKind::Unreachable.into(),
            span: Span::NONE,
        })
    }

    /// Makes a local that is a parameter of `block`.
    pub fn block_param(&mut self, block: Block, name: impl Into<Name>, ty: Type) -> Local {
        let local = self.local(name, ty);
        self.function.blocks[block].params.push(local);
        local
    }

    /// Goes on at the end of `block`.
    pub fn at(&mut self, block: Block) -> &mut FunctionBuilder {
        self.current = Some(block);
        self
    }

    /// The block that is appended to, until it is terminated.
    pub fn current(&self) -> Option<Block> {
        self.current
    }

    /// The function so far, to look at or change directly.
    pub fn function(&mut self) -> &mut Function {
        &mut self.function
    }

    /// The finished function.
    pub fn finish(self) -> Function {
        self.function
    }
}

/// Instructions.
impl FunctionBuilder {
    /// Appends an instruction to the current block.
    pub fn inst(&mut self, dest: impl Into<Option<Place>>, op: Op) -> &mut FunctionBuilder {
        let block = self.current.expect("`at` comes first");
        let inst = Inst { dest: dest.into(), op, span: Span::NONE };
        self.function.blocks[block].insts.push(inst);
        self
    }

    /// Appends an instruction that assigns to a new local.
    pub fn define(&mut self, name: impl Into<Name>, ty: Type, op: Op) -> Local {
        let local = self.local(name, ty);
        self.inst(Place::from(local), op);
        local
    }

    /// `%name = const value`
    pub fn constant(&mut self, name: impl Into<Name>, value: i64) -> Local {
        self.define(name, Type::Int, Op::Const(value))
    }

    /// `%name = copy a`
    pub fn copy(&mut self, name: impl Into<Name>, a: impl Into<Operand>) -> Local {
        let a = a.into();
        let ty = self.operand_type(a);
        self.define(name, ty, Op::Copy(a))
    }

    /// `%name = select c, a, b`
    pub fn select(
        &mut self,
        name: impl Into<Name>,
        c: impl Into<Operand>,
        a: impl Into<Operand>,
        b: impl Into<Operand>,
    ) -> Local {
        let a = a.into();
        let ty = self.operand_type(a);
        self.define(name, ty, Op::Select(c.into(), a, b.into()))
    }

    /// `%name = op a, b`
    pub fn binary(
        &mut self,
        name: impl Into<Name>,
        op: BinaryOp,
        a: impl Into<Operand>,
        b: impl Into<Operand>,
    ) -> Local {
        self.define(name, Type::Int, Op::Binary(op, a.into(), b.into()))
    }

    /// `%name = load addr`
    pub fn load(&mut self, name: impl Into<Name>, addr: impl Into<Operand>) -> Local {
        self.define(name, Type::Int, Op::Load(addr.into()))
    }

    /// `store addr, value`
    pub fn store(
        &mut self,
        addr: impl Into<Operand>,
        value: impl Into<Operand>,
    ) -> &mut FunctionBuilder {
        self.inst(None, Op::Store { addr: addr.into(), value: value.into() })
    }

    /// `dest = call @callee(args)`, or without a destination.
    pub fn call<A: Into<Operand>>(
        &mut self,
        dest: impl Into<Option<Place>>,
        callee: impl Into<Name>,
        args: impl IntoIterator<Item = A>,
    ) -> &mut FunctionBuilder {
        let args = args.into_iter().map(Into::into).collect();
        self.inst(dest, Op::Call { callee: callee.into(), args })
    }

    /// `%name = bind to`
    pub fn bind(&mut self, name: impl Into<Name>, to: impl Into<Target>) -> Local {
        self.define(name, Type::Thunk, Op::Bind(to.into()))
    }

    /// `%name: ty = new`
    pub fn resource(&mut self, name: impl Into<Name>, ty: Type) -> Local {
        self.define(name, ty, Op::New)
    }

    /// `%name = move place`. A place that does not exist gives an `int`.
    pub fn take(&mut self, name: impl Into<Name>, place: impl Into<Place>) -> Local {
        let place = place.into();
        let ty = self.function.locals[place.local].ty.at(&place.path).cloned();
        self.define(name, ty.unwrap_or(Type::Int), Op::Move(place))
    }

    /// `drop place`
    pub fn drop_place(&mut self, place: impl Into<Place>) -> &mut FunctionBuilder {
        self.inst(None, Op::Drop(place.into()))
    }

    /// `destroy place`
    pub fn destroy(&mut self, place: impl Into<Place>) -> &mut FunctionBuilder {
        self.inst(None, Op::Destroy(place.into()))
    }

    fn operand_type(&self, operand: Operand) -> Type {
        operand.local().map_or(Type::Int, |local| self.function.locals[local].ty.clone())
    }
}

/// Terminators. Each ends the current block; the next one must be named.
impl FunctionBuilder {
    /// Ends the current block.
    pub fn terminate(&mut self, kind: TerminatorKind) -> &mut FunctionBuilder {
        let block = self.current.take().expect("`at` comes first");
        self.function.blocks[block].term = Terminator { kind, span: Span::NONE };
        self
    }

    /// `jump to`
    pub fn jump(&mut self, to: impl Into<Target>) -> &mut FunctionBuilder {
        self.terminate(TerminatorKind::Jump(to.into()))
    }

    /// `branch cond, then_to, else_to`
    pub fn branch(
        &mut self,
        cond: impl Into<Operand>,
        then_to: impl Into<Target>,
        else_to: impl Into<Target>,
    ) -> &mut FunctionBuilder {
        self.terminate(TerminatorKind::Branch {
            cond: cond.into(),
            then_to: then_to.into(),
            else_to: else_to.into(),
        })
    }

    /// `switch value, default, [key: target, ..]`
    pub fn switch<T: Into<Target>>(
        &mut self,
        value: impl Into<Operand>,
        default: impl Into<Target>,
        cases: impl IntoIterator<Item = (i64, T)>,
    ) -> &mut FunctionBuilder {
        self.terminate(TerminatorKind::Switch {
            value: value.into(),
            default: default.into(),
            cases: cases.into_iter().map(|(key, target)| (key, target.into())).collect(),
        })
    }

    /// `try_call dest = @callee(args), normal, unwind unwind`
    pub fn try_call<A: Into<Operand>>(
        &mut self,
        dest: impl Into<Option<Place>>,
        callee: impl Into<Name>,
        args: impl IntoIterator<Item = A>,
        normal: impl Into<Target>,
        unwind: impl Into<Target>,
    ) -> &mut FunctionBuilder {
        self.terminate(TerminatorKind::TryCall {
            dest: dest.into(),
            callee: callee.into(),
            args: args.into_iter().map(Into::into).collect(),
            normal: normal.into(),
            unwind: unwind.into(),
        })
    }

    /// `try_drop place, normal, unwind unwind`
    pub fn try_drop(
        &mut self,
        place: impl Into<Place>,
        normal: impl Into<Target>,
        unwind: impl Into<Target>,
    ) -> &mut FunctionBuilder {
        self.terminate(TerminatorKind::TryDrop {
            place: place.into(),
            normal: normal.into(),
            unwind: unwind.into(),
        })
    }

    /// `enter %thunk`
    pub fn enter(&mut self, thunk: Local) -> &mut FunctionBuilder {
        self.terminate(TerminatorKind::Enter(thunk.into()))
    }

    /// `return`
    pub fn return_nothing(&mut self) -> &mut FunctionBuilder {
        self.terminate(TerminatorKind::Return(None))
    }

    /// `return value`. The function returns `ty` from now on.
    pub fn return_value(&mut self, value: impl Into<Operand>, ty: Type) -> &mut FunctionBuilder {
        self.function.ret = Some(ty);
        self.terminate(TerminatorKind::Return(Some(value.into())))
    }

    /// `unreachable`
    pub fn unreachable(&mut self) -> &mut FunctionBuilder {
        self.terminate(TerminatorKind::Unreachable)
    }

    /// `resume`
    pub fn resume(&mut self) -> &mut FunctionBuilder {
        self.terminate(TerminatorKind::Resume)
    }
}

/// An if/else with an empty then and else, for examples.
pub fn diamond() -> Function {
    let mut b = FunctionBuilder::new("diamond");
    let cond = b.param("c", Type::Int);
    let [head, left, right, join] = ["head", "left", "right", "join"].map(|name| b.block(name));
    b.at(head).branch(cond, left, right);
    b.at(left).jump(join);
    b.at(right).jump(join);
    b.at(join).return_nothing();
    b.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{Program, text, validate::validate};

    /// Every method, against the text of what it makes.
    #[test]
    fn what_is_built_is_what_the_text_says() {
        let pair = Type::Aggregate([Type::Own, Type::Own].into());
        let mut b = FunctionBuilder::new("all");
        let n = b.param("n", Type::Int);
        let [entry, next, other, bad] = ["entry", "next", "other", "bad"].map(|name| b.block(name));
        let m = b.block_param(next, "m", Type::Int);
        let one = b.at(entry).constant("one", 1);
        let two = b.copy("two", one);
        let three = b.select("three", n, two, 4);
        let word = b.load("word", three);
        let p = b.store(word, -1).resource("p", pair);
        let part = b.take("part", Place { local: p, path: [1].into_iter().collect() });
        b.drop_place(part).destroy(p);
        let result = b.local("result", Type::Int);
        b.call(Place::from(result), "all", [result]).call(None, "all", [5]);
        b.try_call(None, "all", [n], Target::with(next, [6]), bad);
        b.at(next).switch(m, other, [(1, Target::with(next, [m])), (2, other.into())]);
        let t = b.at(other).bind("t", bad);
        b.try_drop(p, bad, bad);
        b.at(bad).return_value(n, Type::Int);
        let [a, c, d] = ["a", "c", "d"].map(|name| b.block(name));
        b.at(a).unreachable().at(c).resume().at(d).enter(t);
        let mut function = b.finish();
        function.renumber();
        let expected = "\
memory 1

fn @all(%n: int) -> int {
entry:
  %one = const 1
  %two = copy %one
  %three = select %n, %two, 4
  %word = load %three
  store %word, -1
  %p: own{own, own} = new
  %part: own = move %p.1
  drop %part
  destroy %p
  %result = call @all(%result)
  call @all(5)
  try_call @all(%n), next(6), unwind bad
next(%m: int):
  switch %m, other, [1: next(%m), 2: other]
other:
  %t: thunk = bind bad
  try_drop %p, bad, unwind bad
bad:
  return %n
a:
  unreachable
c:
  resume
d:
  enter %t
}
";
        let program = Program { memory: Some(1), functions: vec![function], ..Program::default() };
        assert_eq!(text::print(&program), expected);
        assert_eq!(text::parse(expected).as_ref(), Ok(&program));
        assert_eq!(validate(&program), []);
    }

    #[test]
    fn a_diamond_is_valid() {
        let program = Program { functions: vec![diamond()], ..Program::default() };
        assert_eq!(validate(&program), []);
    }
}
