//! What a program means: it is run, one instruction after the other, as the text of it says.
//!
//! A run has a tape, from which the parameters of the first function and then every call of an extern
//! are answered. What is done is plain, so as to be read beside the definition of the IR:
//!
//! - An integer that is read before it is assigned, and an owned place that is used where a part of it
//!   is not initialized, end the run as undefined.
//! - Naming a local of an owned type moves it, and so does naming a thunk. What is moved into a call of
//!   an extern is given away; an extern's owned result is new.
//! - `drop` drops what is initialized, leaf by leaf in the order of the type, and `destroy` is
//!   undefined where a leaf is not. A `try_drop` that drops something takes an entry of the tape, and
//!   unwinds, once all is dropped, if that says so.
//! - A resource leaks when it is overwritten, or its function is left while it is held.
//!
//! Every instruction and terminator is a step. Calls nest in memory of ours, so that the depth of a
//! recursion is limited by [`Limits`] alone. The run ends: each step uses up fuel.

mod arithmetic;
mod coverage;
mod frame;
mod observer;
mod regions;
mod step;
#[cfg(test)]
mod tests;
mod value;

pub(crate) use arithmetic::evaluate;
pub use coverage::Coverage;
pub use observer::{Observer, Silent, View};
pub use regions::run_regions;
pub use value::Cell;
pub(crate) use value::{leaves, leaves_at};

use crate::run::{Ending, Event, Limits, Run, start};
use crate::tape::{Answer, Tape};
use backedge_core::ir::{Block, Extern, Function, Name, Program, Type};
use frame::Frame;
use rustc_hash::FxHashMap;

/// Runs the program on a tape.
pub fn run(program: &Program, tape: &Tape, limits: Limits) -> Run {
    Interpreter::new(program).run(tape, limits)
}

/// A program that is ready to run, any number of times.
pub struct Interpreter<'p> {
    program: &'p Program,
    callees: FxHashMap<&'p str, Callee<'p>>,
}

/// What a name calls.
#[derive(Copy, Clone)]
enum Callee<'p> {
    /// A function, by its position in the program.
    Function(usize),
    Extern(&'p Extern),
}

impl<'p> Interpreter<'p> {
    /// Looks up what can be called.
    pub fn new(program: &'p Program) -> Interpreter<'p> {
        let externs = program.externs.iter().map(|of| (of.name.as_str(), Callee::Extern(of)));
        let functions = program.functions.iter().enumerate();
        let functions = functions.map(|(index, of)| (of.name.as_str(), Callee::Function(index)));
        Interpreter { program, callees: externs.chain(functions).collect() }
    }

    /// Runs the program on a tape.
    pub fn run(&self, tape: &Tape, limits: Limits) -> Run {
        self.run_observed(tape, limits, &mut Silent)
    }

    /// Runs the program on a tape, and shows each step.
    pub fn run_observed(&self, tape: &Tape, limits: Limits, observer: &mut impl Observer) -> Run {
        let words = self.program.memory.unwrap_or(0).min(MOST_WORDS);
        let mut machine = Machine {
            interpreter: self,
            observer,
            limits,
            tape: &tape.0,
            trace: Vec::new(),
            memory: Memory::new(words),
            leaks: Vec::new(),
            cells: Vec::new(),
            frames: Vec::new(),
            steps: 0,
            next_token: 0,
        };
        let ending = machine.run();
        machine.leaks.sort_unstable();
        Run {
            trace: machine.trace,
            memory: machine.memory.into_words(),
            leaks: machine.leaks,
            ending,
            steps: machine.steps,
        }
    }
}

/// A run under way.
struct Machine<'r, 'p, O> {
    interpreter: &'r Interpreter<'p>,
    observer: &'r mut O,
    limits: Limits,
    /// What is left of the tape.
    tape: &'r [Answer],
    trace: Vec<Event>,
    memory: Memory,
    leaks: Vec<u64>,
    /// The locals of all frames.
    cells: Vec<Cell>,
    frames: Vec<Frame<'p>>,
    steps: u64,
    next_token: u64,
}

/// Why a run goes no further. An error, so that `?` ends it.
type Stop = Ending;

impl<'p, O: Observer> Machine<'_, 'p, O> {
    fn run(&mut self) -> Ending {
        let Some(first) = start(self.interpreter.program) else {
            return Ending::Undefined("there is no function to run".to_owned());
        };
        if self.interpreter.program.memory.is_some_and(|words| words > MOST_WORDS) {
            return Ending::Undefined(format!("a memory of more than {MOST_WORDS} words"));
        }
        let run = self.begin(first).and_then(|()| {
            loop {
                self.step()?;
            }
        });
        match run {
            Ok(()) => Ending::OutOfFuel,
            Err(ending) => ending,
        }
    }

    /// Enters the first function with parameters from the tape.
    fn begin(&mut self, first: &'p Function) -> Result<(), Stop> {
        let mut args = Vec::with_capacity(first.params.len());
        for &param in &first.params {
            let value = match self.answer()? {
                Answer::Value(value) => value,
                Answer::Unwind => 0,
            };
            let ty = &first.locals[param].ty;
            args.push(self.fresh(ty, value));
        }
        let functions = self.interpreter.program.functions.iter();
        let index = functions.take_while(|function| function.name != first.name).count();
        self.call_function(index, args)
    }

    /// The next answer of the environment.
    fn answer(&mut self) -> Result<Answer, Stop> {
        match self.tape.split_first() {
            Some((&first, rest)) => {
                self.tape = rest;
                Ok(first)
            }
            None => self.observer.answer().ok_or(Ending::TapeExhausted),
        }
    }

    /// A value from the environment: the integer, or new resources.
    fn fresh(&mut self, ty: &Type, value: i64) -> Cell {
        if !ty.is_owned() {
            return Cell::Int(value);
        }
        let first = self.next_token;
        let count = leaves(ty);
        self.next_token += count as u64;
        Cell::owned((0..count as u64).map(|leaf| Some(first + leaf)).collect())
    }

    /// What a name calls.
    fn callee(&self, name: &Name) -> Result<Callee<'p>, Stop> {
        let found = self.interpreter.callees.get(name.as_str()).copied();
        found.ok_or_else(|| Ending::Undefined(format!("there is no @{name}")))
    }
}

/// The most words of a memory that is run.
const MOST_WORDS: u64 = 1 << 24;

/// The program's memory. What was never written to takes no space until the end.
struct Memory {
    words: u64,
    written: Vec<i64>,
}

impl Memory {
    fn new(words: u64) -> Memory {
        Memory { words, written: Vec::new() }
    }

    /// Where an address leads; `None` if there is no memory.
    fn place(&self, address: i64) -> Option<usize> {
        let mask = self.words.checked_sub(1)?;
        Some((address as u64 & mask) as usize)
    }

    fn load(&self, address: i64) -> Option<i64> {
        self.place(address).map(|place| self.written.get(place).copied().unwrap_or(0))
    }

    fn store(&mut self, address: i64, value: i64) -> Option<()> {
        let place = self.place(address)?;
        if place >= self.written.len() {
            self.written.resize(place + 1, 0);
        }
        self.written[place] = value;
        Some(())
    }

    fn into_words(mut self) -> Vec<i64> {
        self.written.resize(self.words as usize, 0);
        self.written
    }
}

/// Where control is in a function.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
struct Position {
    block: Block,
    /// The next instruction; the terminator is the last.
    inst: usize,
}
