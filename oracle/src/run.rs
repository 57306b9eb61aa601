//! What a run does, whoever carries it out: the interpreter or the emulator.

mod agree;

pub use agree::{Difference, agree};

use backedge_core::ir::{Function, Name, Program};
use smallvec::SmallVec;
use std::fmt;

/// The function that a run starts in: `@main`, or the first where there is none.
pub fn start(program: &Program) -> Option<&Function> {
    program.function("main").or_else(|| program.functions.first())
}

/// When a run is given up.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Most instructions of the IR, terminators included.
    pub steps: u64,
    /// Most calls of functions at a time, the first included.
    pub depth: usize,
}

impl Default for Limits {
    /// 10,000 steps; 256 calls deep.
    fn default() -> Limits {
        Limits { steps: 10_000, depth: 256 }
    }
}

/// Something that the environment sees.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Event {
    /// A call of an extern. Owned arguments are the tokens of their leaves.
    Call {
        /// Its name.
        callee: Name,
        /// Its arguments.
        args: SmallVec<[i64; 4]>,
    },
    /// A resource is dropped: its token.
    Drop(u64),
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Event::Call { callee, args } => {
                write!(f, "@{callee}(")?;
                for (index, arg) in args.iter().enumerate() {
                    write!(f, "{}{arg}", if index > 0 { ", " } else { "" })?;
                }
                f.write_str(")")
            }
            Event::Drop(token) => write!(f, "drop #{token}"),
        }
    }
}

/// How a run ends.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Ending {
    /// The first function returned; with its result if it has an integer one.
    Returned(Option<i64>),
    /// An unwind left the first function, or reached a call that does not catch it.
    Unwound,
    /// An extern was called, or a parameter needed, when no answer was left.
    TapeExhausted,
    /// The run was given up.
    OutOfFuel,
    /// `unreachable` was reached.
    Unreachable,
    /// Something without meaning was done, and what.
    Undefined(String),
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Ending::Returned(None) => f.write_str("returned"),
            Ending::Returned(Some(value)) => write!(f, "returned {value}"),
            Ending::Unwound => f.write_str("unwound"),
            Ending::TapeExhausted => f.write_str("ran out of tape"),
            Ending::OutOfFuel => f.write_str("ran out of fuel"),
            Ending::Unreachable => f.write_str("reached `unreachable`"),
            Ending::Undefined(what) => write!(f, "is undefined: {what}"),
        }
    }
}

/// What a run did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// What the environment saw, in order.
    pub trace: Vec<Event>,
    /// The memory at the end, in words; empty if the program has none.
    pub memory: Vec<i64>,
    /// Tokens of resources that were neither dropped nor given away, in ascending order.
    pub leaks: Vec<u64>,
    /// How it ended.
    pub ending: Ending,
    /// How many instructions were carried out, terminators included.
    pub steps: u64,
}
