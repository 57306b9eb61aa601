//! The region form: the data that thunk form and structured form share.
//!
//! A function is a tree of regions, all of them in one arena, so that nothing that walks, compares or
//! drops it recurses. A region is nodes and an end. What is nested in a node (the arms of a selection,
//! the body of a loop) is a region of its own that only this node names.
//!
//! Locals are the function's, mutable and in scope everywhere, as in [`ir`](crate::ir). What a region
//! yields is read first and assigned to the outputs of the node afterwards, all at once; naming a local
//! of an owned type moves it, as everywhere.

use crate::diagnostic::Span;
use crate::ir::{Directive, Extern, Inst, Local, LocalData, Name, Operand, Operands, Place, Type};
use cranelift_entity::{PrimaryMap, entity_impl};

/// A region of one function.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Region(u32);
entity_impl!(Region, "region");

/// A program whose functions are in region form.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RegionProgram {
    /// `;; key: value` lines, in the order of the text.
    pub directives: Vec<Directive>,
    /// Functions that the environment answers for.
    pub externs: Vec<Extern>,
    /// Size of the memory in 64-bit words, a power of two.
    pub memory: Option<u64>,
    /// The functions, in the order of the text.
    pub functions: Vec<RegionFunction>,
}

/// A function in region form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegionFunction {
    /// The name, without `@`.
    pub name: Name,
    /// The function that this came from is in SSA form, and so is the one that it is lowered to. In
    /// between, a local may be assigned on several paths.
    pub ssa: bool,
    /// Parameters; defined before the entry is entered.
    pub params: Vec<Local>,
    /// Type of the result, if there is one.
    pub ret: Option<Type>,
    /// All locals. Names are unique.
    pub locals: PrimaryMap<Local, LocalData>,
    /// All regions.
    pub regions: PrimaryMap<Region, RegionData>,
    /// The regions that lie in no other, the entry first. In thunk form there is one a block, with the
    /// block's name and parameters; in structured form there is one alone, without a name.
    pub roots: Vec<Region>,
    /// Where the function's head stands.
    pub span: Span,
}

/// A region.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegionData {
    /// What a `bind` calls it. Roots in thunk form and arms of a [`Node::Match`] have a name, unique in
    /// the function; others have none.
    pub name: Option<Name>,
    /// Of a region with a name: what a `bind` gives it. Of the body of a loop: the loop-carried values.
    /// Assigned all at once when the region is entered. Other regions have none.
    pub inputs: Vec<Local>,
    /// What it does.
    pub nodes: Vec<Node>,
    /// How it is left.
    pub end: End,
    /// Where the end stands.
    pub end_span: Span,
    /// Where the region starts.
    pub span: Span,
}

/// A part of a region.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Node {
    /// A plain instruction; never [`Op::Bind`](crate::ir::Op::Bind).
    Inst(Inst),
    /// `%t: thunk = bind L(args)`
    Bind(Bind),
    /// One of several regions is entered.
    Select(Select),
    /// A region is repeated.
    Loop(Loop),
    /// A thunk is matched on, as an enumeration of targets.
    Match(Match),
}

/// A thunk is made of a target and what it gets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bind {
    /// The thunk.
    pub dest: Local,
    /// Where it leads.
    pub to: Goal,
    /// One for each input of the target.
    pub args: Operands,
    /// Where it stands.
    pub span: Span,
}

/// Where a thunk leads.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum Goal {
    /// To a region with a name.
    Region(Region),
    /// To the function's return, which takes the returned value if there is one.
    Return,
    /// To the caller's handler: takes nothing.
    Resume,
}

/// `(outputs) = if c { .. } else { .. }` and its like.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Select {
    /// What decides.
    pub on: On,
    /// One region a case.
    pub arms: Vec<Region>,
    /// What the arm's `yield` is assigned to.
    pub outputs: Vec<Local>,
    /// Where it stands.
    pub span: Span,
}

/// What decides which arm is entered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum On {
    /// Two arms: where it is not zero, and where it is.
    If(Operand),
    /// One arm for each of the distinct keys, and then one for everything else.
    Switch(Operand, Vec<i64>),
    /// `try_call`: an arm for when the call returns, and one for when it unwinds. The result is assigned
    /// in the first alone, before anything in it.
    Call {
        /// What the result is assigned to.
        dest: Option<Place>,
        /// Name of a function or an extern.
        callee: Name,
        /// Arguments.
        args: Operands,
    },
    /// `try_drop`: an arm for afterwards, and one for when the drop unwinds.
    Drop(Place),
}

/// `(outputs) = loop (inputs = inits) { .. repeat again (carried) else (outputs) }`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loop {
    /// What is repeated; it ends in [`End::Repeat`], or never gets there.
    pub body: Region,
    /// What the body's inputs are the first time.
    pub inits: Operands,
    /// What is assigned when the loop ends.
    pub outputs: Vec<Local>,
    /// Where it stands.
    pub span: Span,
}

/// `%next = match %t { L(%a: int) { .. yield %u } .. }`, the thunk switch, and with `loop match` the
/// thunk loop.
///
/// If the thunk leads to one of the arms, that arm is entered with what was bound, and yields the next
/// thunk. If it leads elsewhere, it is the next thunk itself. A loop starts over with the next thunk
/// until that leads to none of its arms.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Match {
    /// The thunk that is matched on.
    pub thunk: Local,
    /// Whether it starts over.
    pub again: bool,
    /// The regions that the thunk may lead to, each with a name.
    pub arms: Vec<Region>,
    /// The thunk that it leaves with.
    pub output: Local,
    /// Where it stands.
    pub span: Span,
}

/// How a region is left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// `yield a, ..`: of an arm, one for each output of its node.
    Yield(Operands),
    /// `repeat c (carried) else (outputs)`: of a loop's body. Where `c` is not zero the body is entered
    /// again, with what is carried as its inputs; else the loop is left.
    Repeat {
        /// Whether to go on.
        again: Operand,
        /// The next inputs of the body.
        carried: Operands,
        /// What the loop's outputs are assigned.
        outputs: Operands,
    },
    /// `return` or `return v`, in tail position.
    Return(Option<Operand>),
    /// `resume`, in tail position.
    Resume,
    /// `unreachable`: in thunk form, the undefined thunk.
    Unreachable,
    /// `enter %t`: of a root in thunk form.
    Enter(Local),
}

impl RegionFunction {
    /// The region that is entered first.
    pub fn entry(&self) -> Region {
        self.roots[0]
    }

    /// Whether all of it is one region without a name, as in structured form, and not a list of
    /// regions with names, as in thunk form.
    pub fn is_body(&self) -> bool {
        self.roots.len() == 1 && self.regions.get(self.roots[0]).is_none_or(|r| r.name.is_none())
    }
}

impl RegionProgram {
    /// The function called `name`.
    pub fn function(&self, name: &str) -> Option<&RegionFunction> {
        self.functions.iter().find(|function| function.name == name)
    }
}

impl RegionData {
    /// A region without nodes.
    pub fn new(end: End) -> RegionData {
        RegionData {
            name: None,
            inputs: Vec::new(),
            nodes: Vec::new(),
            end,
            end_span: Span::NONE,
            span: Span::NONE,
        }
    }
}

impl Node {
    /// The regions that lie in the node.
    pub fn arms(&self) -> &[Region] {
        match self {
            Node::Inst(_) | Node::Bind(_) => &[],
            Node::Select(select) => &select.arms,
            Node::Loop(node) => std::slice::from_ref(&node.body),
            Node::Match(node) => &node.arms,
        }
    }

    /// The regions that lie in the node, to change them.
    pub fn arms_mut(&mut self) -> &mut [Region] {
        match self {
            Node::Inst(_) | Node::Bind(_) => &mut [],
            Node::Select(select) => &mut select.arms,
            Node::Loop(node) => std::slice::from_mut(&mut node.body),
            Node::Match(node) => &mut node.arms,
        }
    }

    /// Where it stands.
    pub fn span(&self) -> Span {
        match self {
            Node::Inst(inst) => inst.span,
            Node::Bind(bind) => bind.span,
            Node::Select(select) => select.span,
            Node::Loop(node) => node.span,
            Node::Match(node) => node.span,
        }
    }
}
