//! Encoding: allocated Machine IR to RV64IM code, as an image to run or an ELF file.
//!
//! [`assemble`] emits stubs for what the environment does, then the functions. Instructions of Machine
//! IR that the machine does not have are expanded; `t0` belongs to these expansions alone, so that the
//! moves' scratch registers are never touched behind an allocator's back. The code does what the
//! operands say, right or wrong: whether an allocation is right is for others to judge. Everything is
//! linear in the size of the code.
//!
//! **The environment.** Code asks it for something by `ecall` with a number in `t0`: from 0 on an extern
//! of the program is called, with its arguments as for any call; negative numbers end the run
//! ([`request`]). It sets up the arguments of the first function and the stack, and starts at
//! [`Image::entry`].

mod asm;
mod constant;
mod elf;
mod environment;
mod frame;
mod function;
mod order;
mod sites;
#[cfg(test)]
mod tests;

pub use elf::elf;

use crate::ir::{Name, Program, Type};
use crate::machine::{MFunction, Reg};
use environment::Environment;
use function::Callees;
use rustc_hash::FxHashMap;
use sites::{PAGE, Sites};

/// What code tells the environment in `t0` to end a run.
pub mod request {
    /// The first function has returned: its result is in `a0`, and `a1` says whether it unwound.
    pub const RETURNED: i64 = -1;
    /// An unwind has reached a call that does not catch it.
    pub const UNWOUND: i64 = -2;
    /// `unreachable` has been reached.
    pub const UNREACHABLE: i64 = -3;
}

/// The most bytes of code in an image.
pub const MOST_CODE_BYTES: usize = 1 << 28;

/// The most words of a program's memory.
pub const MOST_MEMORY_WORDS: u64 = 1 << 24;

/// A program as code. It can be loaded at any multiple of 4096.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// The code, and constants behind it.
    pub code: Vec<u8>,
    /// Where the constants start, in bytes from the start of the code.
    pub constants_offset: u32,
    /// Where a run starts, in bytes from the start of the code.
    pub entry: u32,
    /// The parts of the code, in order.
    pub symbols: Vec<Symbol>,
    /// Where the zeroed data follows, in bytes from the start of the code: a multiple of 4096.
    pub data_offset: u32,
    /// Size of the data in bytes. It starts with the program's memory.
    pub data_bytes: u64,
    /// Size of the program's memory in words; 0 if it has none.
    pub memory_words: u64,
    /// What the environment has to know of the first function.
    pub start: Signature,
    /// What it has to know of the externs, in the order of the program.
    pub externs: Vec<Signature>,
}

/// A part of the code with a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    /// The function, or the stub.
    pub name: Name,
    /// Where it starts, in bytes from the start of the code.
    pub offset: u32,
    /// How many bytes it has.
    pub size: u32,
}

/// How a function is called. Parameters are words: eight in registers, the others on the stack, the
/// first of them at `sp`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    /// The name, without `@`.
    pub name: Name,
    /// How many parameters it has.
    pub params: usize,
    /// Whether there is a result.
    pub returns: bool,
}

/// Why there is no image.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AssembleError {
    /// The program has no function, or its first is not among those to assemble.
    #[error("there is no function to start in")]
    NoStart,
    /// Two functions or externs share a name.
    #[error("there are two of @{0}")]
    Duplicate(Name),
    /// The memory is larger than [`MOST_MEMORY_WORDS`].
    #[error("a memory of {0} words is too large: {MOST_MEMORY_WORDS} at most")]
    TooMuchMemory(u64),
    /// The code is larger than [`MOST_CODE_BYTES`].
    #[error("there is more code than {MOST_CODE_BYTES} bytes")]
    TooMuchCode,
    /// The file can't be written.
    #[error("{0}")]
    File(String),
    /// A function is not what allocated code has to be.
    #[error("@{function}{at}: {misfit}")]
    Misfit {
        /// The function.
        function: Name,
        /// Where in it.
        at: Place,
        /// What is wrong.
        misfit: Misfit,
    },
}

/// A place in a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// The function as a whole.
    Function,
    /// An instruction of this block; the terminator is the last.
    Inst(Name, usize),
}

impl std::fmt::Display for Place {
    /// Reads on from a function's name.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Place::Function => Ok(()),
            Place::Inst(block, inst) => write!(f, ", instruction {inst} of `{block}`"),
        }
    }
}

/// What allocated code can have wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Misfit {
    /// It has no block.
    #[error("there is no block")]
    Empty,
    /// A register is virtual.
    #[error("{0} is no register of the machine")]
    Virtual(Reg),
    /// The operation takes another number of operands.
    #[error("{found} operands instead of {expected}")]
    Operands {
        /// How many it takes.
        expected: usize,
        /// How many there are.
        found: usize,
    },
    /// The operation takes no such immediate.
    #[error("immediate {0} is out of range")]
    Immediate(i32),
    /// Parameters of a block, or arguments of an edge, are left.
    #[error("arguments are left on an edge")]
    Arguments,
    /// A target does not exist.
    #[error("the target does not exist")]
    Target,
    /// A callee does not exist.
    #[error("@{0} does not exist")]
    Callee(Name),
    /// The frame is larger than 1 GiB, or a slot is as far away.
    #[error("a frame with an offset of {0} bytes is too large")]
    FrameOffset(u64),
    /// The size of the memory is no power of two.
    #[error("{0} words are no power of two")]
    MemorySize(u64),
}

/// The code of a program, given its functions after register allocation.
///
/// # Errors
/// When a function is not fit to be encoded, or too large.
pub fn assemble(program: &Program, functions: &[MFunction]) -> Result<Image, AssembleError> {
    image(program, functions, &Environment::Ecall)
}

fn image(
    program: &Program,
    functions: &[MFunction],
    environment: &Environment<'_>,
) -> Result<Image, AssembleError> {
    let memory_words = program.memory.unwrap_or(0);
    if memory_words > MOST_MEMORY_WORDS {
        return Err(AssembleError::TooMuchMemory(memory_words));
    }
    let start = start(program)?;
    let insts: usize = functions.iter().map(|f| f.inst_count() + 3 * f.blocks.len()).sum();
    let mut sites = Sites::for_instructions(insts + 4 * program.externs.len() + 16);
    let callees = callees(program, functions, &mut sites)?;
    let mut names = Vec::with_capacity(functions.len() + program.externs.len() + 1);
    environment.emit(&mut sites, &mut names, program, &start, &callees)?;
    for function in functions {
        let label = callees.named(&function.name).ok_or(AssembleError::NoStart)?;
        names.push((function.name.clone(), label));
        function::emit(&mut sites, function, &callees)?;
    }
    let end = sites.labels(1);
    sites.bind(end);
    environment.emit_constants(&mut sites, &callees);
    let linked = sites.link()?;
    let bounds = |index: usize| names.get(index).map_or(end, |(_, label)| *label);
    let symbols = (0..names.len()).map(|index| {
        let [offset, end] = [bounds(index), bounds(index + 1)].map(|label| linked.offset(label));
        Symbol { name: names[index].0.clone(), offset, size: end - offset }
    });
    Ok(Image {
        symbols: symbols.collect(),
        entry: 0,
        constants_offset: linked.offset(callees.constants),
        data_offset: (linked.code.len() as u32).next_multiple_of(PAGE),
        data_bytes: 8 * memory_words + environment.data_bytes(),
        memory_words,
        start,
        externs: program.externs.iter().map(extern_signature).collect(),
        code: linked.code,
    })
}

fn start(program: &Program) -> Result<Signature, AssembleError> {
    let function = program.function("main").or_else(|| program.functions.first());
    let function = function.ok_or(AssembleError::NoStart)?;
    Ok(Signature {
        name: function.name.clone(),
        params: function.params.len(),
        returns: function.ret == Some(Type::Int),
    })
}

fn extern_signature(data: &crate::ir::Extern) -> Signature {
    Signature {
        name: data.name.clone(),
        params: data.params.len(),
        returns: data.ret == Some(Type::Int),
    }
}

/// Labels for everything that can be called.
fn callees<'p>(
    program: &'p Program,
    functions: &'p [MFunction],
    sites: &mut Sites,
) -> Result<Callees<'p>, AssembleError> {
    let externs = program.externs.iter().map(|data| &data.name);
    let named = externs.chain(functions.iter().map(|function| &function.name));
    let mut by_name = FxHashMap::default();
    for name in named {
        if by_name.insert(name.as_str(), sites.labels(1)).is_some() {
            return Err(AssembleError::Duplicate(name.clone()));
        }
    }
    Ok(Callees {
        by_name,
        unwound: sites.labels(1),
        unreachable: sites.labels(1),
        constants: sites.labels(1),
    })
}
