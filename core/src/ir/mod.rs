//! The IR: one small representation that every system shares.
//!
//! A [`Program`] is functions, extern declarations and a memory. A [`Function`] is basic blocks over
//! mutable locals; phis are block parameters, and the arguments on an edge are their operands.
//! [`text`] reads and prints it, [`validate`] says what is wrong with it, [`builder`] makes it.

pub mod adapter;
pub mod builder;
mod inst;
mod op;
mod renumber;
pub mod text;
mod types;
pub mod validate;
mod visit;

pub use crate::entity::Block;
pub use inst::{Inst, Op, Opaque, Operand, Operands, Place, Target, Terminator, TerminatorKind};
pub use op::BinaryOp;
pub use types::Type;

use crate::diagnostic::Span;
use crate::entity::Value;
use cranelift_entity::{PrimaryMap, entity_impl};

/// A name of the source text, without its sigil. Cheap to clone; up to 23 bytes need no allocation.
pub type Name = smol_str::SmolStr;

/// A local variable of one function.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Local(u32);
entity_impl!(Local, "local");

impl From<Local> for Value {
    fn from(local: Local) -> Value {
        Value::from_u32(local.0)
    }
}

impl From<Value> for Local {
    fn from(value: Value) -> Local {
        Local(value.as_u32())
    }
}

/// A whole program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Program {
    /// `;; key: value` lines, in the order of the text.
    pub directives: Vec<Directive>,
    /// Functions that the environment answers for.
    pub externs: Vec<Extern>,
    /// Size of the memory in 64-bit words, a power of two. `None`: no `load` or `store` may occur.
    pub memory: Option<u64>,
    /// The functions, in the order of the text.
    pub functions: Vec<Function>,
}

impl Program {
    /// The function called `name`.
    pub fn function(&self, name: &str) -> Option<&Function> {
        self.functions.iter().find(|function| function.name == name)
    }

    /// The values of all directives with this key, in order.
    pub fn directives<'p>(&'p self, key: &'p str) -> impl Iterator<Item = &'p Directive> {
        self.directives.iter().filter(move |directive| directive.key == key)
    }
}

/// `;; key: value`: what a case or a filetest carries besides its program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Directive {
    /// What stands before the first colon, trimmed.
    pub key: String,
    /// What stands after it, trimmed.
    pub value: String,
    /// Where the line stands.
    pub span: Span,
}

/// `extern @name(types) -> type`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Extern {
    /// The name, without `@`.
    pub name: Name,
    /// Types of the parameters.
    pub params: Vec<Type>,
    /// Type of the result, if there is one.
    pub ret: Option<Type>,
    /// Where the declaration stands.
    pub span: Span,
}

/// A function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// The name, without `@`.
    pub name: Name,
    /// Every local is assigned once, and its definition dominates its uses.
    pub ssa: bool,
    /// Parameters; defined before the entry block is entered.
    pub params: Vec<Local>,
    /// Type of the result, if there is one.
    pub ret: Option<Type>,
    /// All locals. Names are unique.
    pub locals: PrimaryMap<Local, LocalData>,
    /// All blocks; the first is the entry. Names are unique.
    pub blocks: PrimaryMap<Block, BlockData>,
    /// Where the function's head stands.
    pub span: Span,
}

/// What is known of a local.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocalData {
    /// The name, without `%`.
    pub name: Name,
    /// The type.
    pub ty: Type,
    /// Where the local first stands.
    pub span: Span,
}

/// A basic block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockData {
    /// The label.
    pub name: Name,
    /// Parameters: the block's phis. Defined, all at once, on entry to the block. The entry block
    /// has none: its parameters are the function's.
    pub params: Vec<Local>,
    /// Instructions, without the terminator.
    pub insts: Vec<Inst>,
    /// What ends the block.
    pub term: Terminator,
    /// Where the label stands.
    pub span: Span,
}

impl Function {
    /// An empty function.
    pub fn new(name: impl Into<Name>) -> Function {
        Function {
            name: name.into(),
            ssa: false,
            params: Vec::new(),
            ret: None,
            locals: PrimaryMap::new(),
            blocks: PrimaryMap::new(),
            span: Span::NONE,
        }
    }

    /// The entry block.
    pub fn entry(&self) -> Block {
        Block::from_u32(0)
    }

    /// How many instructions there are, terminators left out.
    pub fn inst_count(&self) -> usize {
        self.blocks.values().map(|block| block.insts.len()).sum()
    }

    /// The block called `name`; a linear search.
    pub fn block_named(&self, name: &str) -> Option<Block> {
        self.blocks.iter().find(|(_, data)| data.name == name).map(|(block, _)| block)
    }

    /// The local called `name`; a linear search.
    pub fn local_named(&self, name: &str) -> Option<Local> {
        self.locals.iter().find(|(_, data)| data.name == name).map(|(local, _)| local)
    }
}
