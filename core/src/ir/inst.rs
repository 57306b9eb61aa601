//! Instructions, terminators, and what each reads and writes.

use super::{BinaryOp, Block, Local, Name};
use crate::diagnostic::Span;
use smallvec::SmallVec;

/// What an instruction reads.
///
/// Naming a local of an owned type moves the whole of it.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum Operand {
    /// The value of a local.
    Local(Local),
    /// An integer.
    Const(i64),
}

impl Operand {
    /// The local, if it is one.
    pub fn local(self) -> Option<Local> {
        match self {
            Operand::Local(local) => Some(local),
            Operand::Const(_) => None,
        }
    }
}

impl From<Local> for Operand {
    fn from(local: Local) -> Operand {
        Operand::Local(local)
    }
}

impl From<i64> for Operand {
    fn from(value: i64) -> Operand {
        Operand::Const(value)
    }
}

/// Arguments of a call or an edge.
pub type Operands = SmallVec<[Operand; 4]>;

/// A local, or a part of an owned aggregate: `%p`, `%p.0.1`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Place {
    /// The local.
    pub local: Local,
    /// Field numbers, outermost first; empty for the whole local.
    pub path: SmallVec<[u32; 4]>,
}

impl Place {
    /// Whether this names the whole local.
    pub fn is_whole(&self) -> bool {
        self.path.is_empty()
    }
}

impl From<Local> for Place {
    fn from(local: Local) -> Place {
        Place { local, path: SmallVec::new() }
    }
}

/// A block with the arguments for its parameters.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Target {
    /// The block.
    pub block: Block,
    /// One argument a parameter.
    pub args: Operands,
}

impl Target {
    /// A target whose block has no parameters.
    pub fn new(block: Block) -> Target {
        Target { block, args: SmallVec::new() }
    }

    /// A target with arguments for its block's parameters.
    pub fn with<A: Into<Operand>>(block: Block, args: impl IntoIterator<Item = A>) -> Target {
        Target { block, args: args.into_iter().map(Into::into).collect() }
    }
}

impl From<Block> for Target {
    fn from(block: Block) -> Target {
        Target::new(block)
    }
}

/// An instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inst {
    /// What it assigns, if anything. An assignment to a part (`%p.0`) neither reads nor kills the
    /// local. An [`Op::Opaque`] has its own lists and leaves this `None`.
    pub dest: Option<Place>,
    /// What it does.
    pub op: Op,
    /// Where it stands.
    pub span: Span,
}

/// What an instruction does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Op {
    /// `const N`
    Const(i64),
    /// `copy a`
    Copy(Operand),
    /// `select c, a, b`: `a` where `c` is not zero.
    Select(Operand, Operand, Operand),
    /// `add a, b` and its like.
    Binary(BinaryOp, Operand, Operand),
    /// `load a`: the word at address `a` modulo the memory's size.
    Load(Operand),
    /// `store a, v`
    Store {
        /// Address, in words.
        addr: Operand,
        /// What is stored.
        value: Operand,
    },
    /// `call @f(..)`: does not unwind.
    Call {
        /// Name of a function or an extern.
        callee: Name,
        /// Arguments.
        args: Operands,
    },
    /// `bind L(args)`: a thunk.
    Bind(Target),
    /// `new`: a resource with a fresh token; an aggregate, one for each leaf.
    New,
    /// `move %p`: takes the value out of a place.
    Move(Place),
    /// `drop %p`: drops whatever of the place is initialized.
    Drop(Place),
    /// `destroy %p`: drops the place; undefined where any part of it is not initialized.
    Destroy(Place),
    /// An operation of another language, of which only reads and writes are known.
    Opaque(Box<Opaque>),
}

/// `%d, .. = opaque "text"(%u, ..) partial(%w, ..)`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opaque {
    /// The original text.
    pub text: Name,
    /// Locals it assigns whole.
    pub defs: SmallVec<[Local; 2]>,
    /// Locals it reads.
    pub uses: SmallVec<[Local; 4]>,
    /// Locals of which it assigns a part: neither read nor killed.
    pub partial: SmallVec<[Local; 1]>,
}

/// What ends a block, and where that stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Terminator {
    /// What it does.
    pub kind: TerminatorKind,
    /// Where it stands.
    pub span: Span,
}

impl From<TerminatorKind> for Terminator {
    fn from(kind: TerminatorKind) -> Terminator {
        Terminator { kind, span: Span::NONE }
    }
}

/// What a terminator does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TerminatorKind {
    /// `jump L(args)`
    Jump(Target),
    /// `branch c, L(args), M(args)`: to the first where `c` is not zero.
    Branch {
        /// Condition.
        cond: Operand,
        /// Where to if it is not zero.
        then_to: Target,
        /// Where to if it is zero.
        else_to: Target,
    },
    /// `switch v, default, [k: L, ..]`
    Switch {
        /// What is compared.
        value: Operand,
        /// Where to if no case matches.
        default: Target,
        /// Distinct keys with their targets.
        cases: Vec<(i64, Target)>,
    },
    /// `try_call %d = @f(..), L, unwind M`: `%d` is assigned on the edge to `L` alone, before that
    /// edge's arguments are read.
    TryCall {
        /// What the result is assigned to.
        dest: Option<Place>,
        /// Name of a function or an extern.
        callee: Name,
        /// Arguments.
        args: Operands,
        /// Where to when it returns.
        normal: Target,
        /// Where to when it unwinds.
        unwind: Target,
    },
    /// `try_drop %p, L, unwind M`
    TryDrop {
        /// What is dropped.
        place: Place,
        /// Where to afterwards.
        normal: Target,
        /// Where to when the drop unwinds.
        unwind: Target,
    },
    /// `enter %t`: goes where the thunk says; no static successor.
    Enter(Operand),
    /// `return` or `return v`
    Return(Option<Operand>),
    /// `unreachable`
    Unreachable,
    /// `resume`: unwinds to the caller.
    Resume,
}

impl TerminatorKind {
    /// The successors in order; the position is the edge's slot.
    pub fn targets(&self) -> SmallVec<[&Target; 2]> {
        let mut targets = SmallVec::new();
        self.for_each_target(|target| targets.push(target));
        targets
    }

    /// Calls `visit` on each successor in order.
    pub fn for_each_target<'t>(&'t self, mut visit: impl FnMut(&'t Target)) {
        match self {
            TerminatorKind::Jump(to) => visit(to),
            TerminatorKind::Branch { then_to, else_to, .. } => {
                visit(then_to);
                visit(else_to);
            }
            TerminatorKind::Switch { default, cases, .. } => {
                visit(default);
                cases.iter().for_each(|(_, to)| visit(to));
            }
            TerminatorKind::TryCall { normal, unwind, .. }
            | TerminatorKind::TryDrop { normal, unwind, .. } => {
                visit(normal);
                visit(unwind);
            }
            TerminatorKind::Enter(_)
            | TerminatorKind::Return(_)
            | TerminatorKind::Unreachable
            | TerminatorKind::Resume => {}
        }
    }

    /// The target in this slot, in constant time.
    pub fn target(&self, slot: usize) -> Option<&Target> {
        match self {
            TerminatorKind::Switch { default, cases, .. } => {
                if slot == 0 {
                    Some(default)
                } else {
                    cases.get(slot - 1).map(|(_, to)| to)
                }
            }
            _ => self.targets().get(slot).copied(),
        }
    }

    /// The target in this slot, to change it.
    pub fn target_mut(&mut self, slot: usize) -> Option<&mut Target> {
        match self {
            TerminatorKind::Jump(to) if slot == 0 => Some(to),
            TerminatorKind::Switch { cases, .. } if slot > 0 => {
                cases.get_mut(slot - 1).map(|(_, to)| to)
            }
            TerminatorKind::Switch { default: first, .. }
            | TerminatorKind::Branch { then_to: first, .. }
            | TerminatorKind::TryCall { normal: first, .. }
            | TerminatorKind::TryDrop { normal: first, .. }
                if slot == 0 =>
            {
                Some(first)
            }
            TerminatorKind::Branch { else_to: second, .. }
            | TerminatorKind::TryCall { unwind: second, .. }
            | TerminatorKind::TryDrop { unwind: second, .. }
                if slot == 1 =>
            {
                Some(second)
            }
            _ => None,
        }
    }

    /// Calls `visit` on each successor in order, to change it.
    pub fn for_each_target_mut(&mut self, mut visit: impl FnMut(&mut Target)) {
        match self {
            TerminatorKind::Jump(to) => visit(to),
            TerminatorKind::Branch { then_to, else_to, .. } => {
                visit(then_to);
                visit(else_to);
            }
            TerminatorKind::Switch { default, cases, .. } => {
                visit(default);
                cases.iter_mut().for_each(|(_, to)| visit(to));
            }
            TerminatorKind::TryCall { normal, unwind, .. }
            | TerminatorKind::TryDrop { normal, unwind, .. } => {
                visit(normal);
                visit(unwind);
            }
            TerminatorKind::Enter(_)
            | TerminatorKind::Return(_)
            | TerminatorKind::Unreachable
            | TerminatorKind::Resume => {}
        }
    }

    /// Calls `visit` on each operand that the terminator itself reads; arguments of edges are not
    /// among them. A place that is dropped counts as a read of its local.
    pub fn for_each_use(&self, mut visit: impl FnMut(Local)) {
        let mut operand = |operand: &Operand| {
            if let Operand::Local(local) = operand {
                visit(*local);
            }
        };
        match self {
            TerminatorKind::Branch { cond, .. } => operand(cond),
            TerminatorKind::Switch { value, .. } => operand(value),
            TerminatorKind::TryCall { args, .. } => args.iter().for_each(operand),
            TerminatorKind::TryDrop { place, .. } => visit(place.local),
            TerminatorKind::Enter(thunk) => operand(thunk),
            TerminatorKind::Return(Some(value)) => operand(value),
            TerminatorKind::Jump(_)
            | TerminatorKind::Return(None)
            | TerminatorKind::Unreachable
            | TerminatorKind::Resume => {}
        }
    }

    /// The local that is assigned whole on the edge in `slot`, before the edge's arguments are read.
    pub fn edge_def(&self, slot: usize) -> Option<Local> {
        match self {
            TerminatorKind::TryCall { dest: Some(dest), .. } if slot == 0 && dest.is_whole() => {
                Some(dest.local)
            }
            _ => None,
        }
    }
}

impl Inst {
    /// Calls `visit` on each local that the instruction reads, once an occurrence.
    pub fn for_each_use(&self, mut visit: impl FnMut(Local)) {
        let mut operand = |operand: &Operand| {
            if let Operand::Local(local) = operand {
                visit(*local);
            }
        };
        match &self.op {
            Op::Const(_) | Op::New => {}
            Op::Copy(a) | Op::Load(a) => operand(a),
            Op::Select(c, a, b) => [c, a, b].into_iter().for_each(operand),
            Op::Binary(_, a, b) => [a, b].into_iter().for_each(operand),
            Op::Store { addr, value } => [addr, value].into_iter().for_each(operand),
            Op::Call { args, .. } => args.iter().for_each(operand),
            Op::Bind(to) => to.args.iter().for_each(operand),
            Op::Move(place) | Op::Drop(place) | Op::Destroy(place) => visit(place.local),
            Op::Opaque(opaque) => opaque.uses.iter().for_each(|&local| visit(local)),
        }
    }

    /// Calls `visit` on each local that the instruction assigns whole.
    pub fn for_each_def(&self, mut visit: impl FnMut(Local)) {
        if let Some(dest) = &self.dest
            && dest.is_whole()
        {
            visit(dest.local);
        }
        if let Op::Opaque(opaque) = &self.op {
            opaque.defs.iter().for_each(|&local| visit(local));
        }
    }

    /// Calls `visit` on each local of which the instruction assigns a part.
    pub fn for_each_partial_def(&self, mut visit: impl FnMut(Local)) {
        if let Some(dest) = &self.dest
            && !dest.is_whole()
        {
            visit(dest.local);
        }
        if let Op::Opaque(opaque) = &self.op {
            opaque.partial.iter().for_each(|&local| visit(local));
        }
    }

    /// Whether the instruction is a call.
    pub fn is_call(&self) -> bool {
        matches!(self.op, Op::Call { .. })
    }
}
