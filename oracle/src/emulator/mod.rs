//! Runs code in rvemu, and sees to it that whatever the code does, the harness goes on.
//!
//! An emulator is made once for each worker and reused: what a run may have written is put back before the
//! next one, and nothing else is touched, however large the memory. Every load, store and jump is
//! looked at before it happens, so that code that goes astray ends its own run and no more.
//!
//! What code must not rely on is filled with garbage: registers at the start, the stack below `sp`, and
//! after each extern call all registers that a call may change. What it must give back is looked at
//! in the end.

mod environment;
mod memory;
mod quiet;
#[cfg(test)]
mod tests;

use crate::check::quietly;
use crate::run::{Ending, Event, Run};
use crate::tape::Tape;
use backedge_core::machine::{MFunction, MTermKind, Reg, RegSet, reg};
use backedge_core::riscv::Image;
use environment::Environment;
use memory::{Access, Memory};
use rvemu::cpu::Cpu;
use std::fmt;
use std::ops::{Deref, DerefMut};
use std::sync::{Mutex, PoisonError};

/// A machine that runs code.
pub struct Emulator {
    cpu: Box<Cpu>,
    memory: Memory,
    /// The image's code by instruction, so that each can be looked at before it is carried out.
    code: Vec<u32>,
    /// What was run last.
    loaded: Option<Image>,
}

/// What a run in the emulator did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// What the environment saw. Its steps are instructions of the machine.
    pub run: Run,
    /// What the machine did that no right code does; the run ends as undefined if that stopped it.
    pub fault: Option<Fault>,
}

/// Something that no right code does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// A load or store outside the program's memory and the stack in use, or not at a multiple of 8.
    Access {
        /// What was read or written.
        address: u64,
        /// By the instruction at this offset of the code.
        at: u32,
    },
    /// A jump to where no code is.
    Jump {
        /// Where to.
        address: u64,
    },
    /// An instruction that is none.
    Instruction {
        /// At this offset of the code.
        at: u32,
    },
    /// An `ecall` that asks for nothing known.
    Request(i64),
    /// When the first function was left, a register that belongs to its caller held something else than
    /// when it was entered.
    NotRestored {
        /// The register: `sp` or a callee-saved one.
        reg: Reg,
        /// What it held at the start.
        expected: u64,
        /// What it held in the end.
        found: u64,
    },
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Access { address, at } => write!(f, "access to {address:#x} at code+{at:#x}"),
            Fault::Jump { address } => write!(f, "jump to {address:#x}"),
            Fault::Instruction { at } => write!(f, "no instruction at code+{at:#x}"),
            Fault::Request(number) => write!(f, "unknown request {number}"),
            Fault::NotRestored { reg, expected, found } => {
                write!(f, "{reg} is {found:#x} in the end and was {expected:#x}")
            }
        }
    }
}

/// Why there is no emulator.
#[derive(Debug, thiserror::Error)]
#[error("the emulator can't be started: {0}")]
pub struct EmulatorError(#[from] std::io::Error);

/// Emulators that nobody uses now.
static IDLE: Mutex<Vec<Emulator>> = Mutex::new(Vec::new());

/// An emulator that goes back to the others when it is dropped.
pub struct Lent(Option<Emulator>);

impl Deref for Lent {
    type Target = Emulator;

    fn deref(&self) -> &Emulator {
        self.0.as_ref().expect("it is taken only when dropped")
    }
}

impl DerefMut for Lent {
    fn deref_mut(&mut self) -> &mut Emulator {
        self.0.as_mut().expect("it is taken only when dropped")
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        if let Some(emulator) = self.0.take()
            && !std::thread::panicking()
        {
            IDLE.lock().unwrap_or_else(PoisonError::into_inner).push(emulator);
        }
    }
}

/// An emulator to use, made only if none is idle.
///
/// From the first one on, stdin of this process is at its end: rvemu would read it.
///
/// # Errors
/// When none can be made.
pub fn lend() -> Result<Lent, EmulatorError> {
    let idle = IDLE.lock().unwrap_or_else(PoisonError::into_inner).pop();
    match idle {
        Some(emulator) => Ok(Lent(Some(emulator))),
        None => Emulator::new().map(|emulator| Lent(Some(emulator))),
    }
}

/// More instructions of the machine than right code of these functions takes for so many of the IR.
pub fn ample_budget(steps: u64, functions: &[MFunction]) -> u64 {
    let blocks = functions.iter().flat_map(|function| function.blocks.values());
    let widths = blocks.map(|block| {
        let cases = match &block.term.kind {
            MTermKind::Switch { cases, .. } => cases.len(),
            _ => 0,
        };
        cases + block.params.len()
    });
    // A key takes up to nine instructions to compare, a parameter that is spilled fewer to move; all
    // else of one instruction of the IR, such as a call that saves every register, takes fewer.
    1000 + steps * (500 + 10 * widths.max().unwrap_or(0) as u64)
}

/// Garbage for a register: never zero, no address, and different for each.
fn garbage(reg: u32) -> u64 {
    0x5a5a_0000_dead_0000 | u64::from(reg)
}

const ECALL: u32 = 0x0000_0073;

/// Opcodes, as the manual's table of base opcodes has them.
const LOAD: u32 = 0x03;
const STORE: u32 = 0x23;

/// Whether an instruction with this opcode works on integer registers and the program counter alone:
/// OP-IMM, AUIPC, OP-IMM-32, OP, LUI, OP-32, BRANCH, JALR and JAL.
fn is_plain(opcode: u32) -> bool {
    matches!(opcode, 0x13 | 0x17 | 0x1b | 0x33 | 0x37 | 0x3b | 0x63 | 0x67 | 0x6f)
}

impl Emulator {
    fn new() -> Result<Emulator, EmulatorError> {
        let mut cpu = quiet::processor()?;
        let memory = Memory::new(&mut cpu);
        Ok(Emulator { cpu, memory, code: Vec::new(), loaded: None })
    }

    /// Runs the image on the tape, for at most `budget` instructions.
    ///
    /// The run is out of fuel when these are used up or the stack is.
    pub fn run(&mut self, image: &Image, tape: &Tape, budget: u64) -> Outcome {
        self.load(image);
        let mut environment = Environment::new(image, tape);
        let Some(arguments) = environment.arguments() else {
            return self.outcome(image, environment, Ending::TapeExhausted, None, 0);
        };
        self.enter(image, &arguments);
        let before = self.callee_saved();
        // Whatever gets past the checks must not take the harness along.
        let stepped = quietly(|| self.steps(&mut environment, budget));
        let (stop, steps) = stepped.unwrap_or_else(|_| {
            let at = self.cpu.pc.wrapping_sub(memory::CODE) as u32;
            (Stop::Fault(Fault::Instruction { at }), 0)
        });
        let (ending, mut fault) = match stop {
            Stop::Fault(fault) => (Ending::Undefined(fault.to_string()), Some(fault)),
            Stop::Ending(ending) => (ending, None),
        };
        if environment.returned {
            fault = fault.or_else(|| not_restored(&before, &self.callee_saved()));
        }
        self.outcome(image, environment, ending, fault, steps)
    }

    /// Puts everything as it is before a run of the image. Code can't change itself, so that what is
    /// loaded already is there still.
    fn load(&mut self, image: &Image) {
        self.memory.put_back(&mut self.cpu);
        if self.loaded.as_ref() != Some(image) {
            let words = image.code.chunks_exact(4);
            let words = words.map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]));
            self.code.clear();
            self.code.extend(words);
            self.memory.load(&mut self.cpu, image);
            self.loaded = Some(image.clone());
        }
    }

    /// Sets every register, and the arguments as a caller does.
    fn enter(&mut self, image: &Image, arguments: &[i64]) {
        for number in 1..reg::PHYSICAL {
            self.cpu.xregs.write(u64::from(number), garbage(number));
        }
        let stacked = arguments.get(8..).unwrap_or_default();
        let sp = self.memory.stack_for(stacked.len());
        for (index, &argument) in stacked.iter().enumerate() {
            self.memory.poke(&mut self.cpu, sp + 8 * index as u64, argument as u64);
        }
        for (index, &argument) in arguments.iter().take(8).enumerate() {
            self.cpu.xregs.write(10 + index as u64, argument as u64);
        }
        self.cpu.xregs.write(2, sp);
        self.cpu.pc = memory::CODE + u64::from(image.entry);
    }

    /// Carries out instructions until the run ends; how many there were.
    fn steps(&mut self, environment: &mut Environment<'_>, budget: u64) -> (Stop, u64) {
        for step in 0..budget {
            let offset = self.cpu.pc.wrapping_sub(memory::CODE);
            let word = match self.code.get((offset / 4) as usize) {
                Some(&word) if offset.is_multiple_of(4) => word,
                _ => return (Stop::Fault(Fault::Jump { address: self.cpu.pc }), step),
            };
            if word == ECALL {
                self.cpu.pc += 4;
                if let Some(stop) = environment.answer(&mut self.cpu, &self.memory) {
                    return (stop, step + 1);
                }
                continue;
            }
            let at = offset as u32;
            let wrong = match word & 0x7f {
                LOAD | STORE => self.check_access(word, at),
                opcode if is_plain(opcode) => None,
                // Among them what changes the state of the whole machine.
                _ => Some(Stop::Fault(Fault::Instruction { at })),
            };
            if let Some(stop) = wrong {
                return (stop, step);
            }
            if self.cpu.execute().is_err() {
                return (Stop::Fault(Fault::Instruction { at }), step);
            }
        }
        (Stop::Ending(Ending::OutOfFuel), budget)
    }

    /// Looks at the address of a load or store.
    fn check_access(&mut self, word: u32, at: u32) -> Option<Stop> {
        let stores = word & 0x7f == STORE;
        let offset = if stores {
            (word as i32 >> 25 << 5) | (word as i32 >> 7 & 0x1f)
        } else {
            word as i32 >> 20
        };
        let base = self.cpu.xregs.read(u64::from(word >> 15 & 0x1f));
        let address = base.wrapping_add(offset as u64);
        match self.memory.check(address, stores, self.cpu.xregs.read(2)) {
            Access::Allowed => None,
            Access::StackUsedUp => Some(Stop::Ending(Ending::OutOfFuel)),
            Access::Denied => Some(Stop::Fault(Fault::Access { address, at })),
        }
    }

    fn callee_saved(&self) -> Vec<(Reg, u64)> {
        let regs = RegSet::CALLEE_SAVED.with(Reg::SP).iter();
        regs.map(|reg| (reg, self.cpu.xregs.read(u64::from(reg.number())))).collect()
    }

    fn outcome(
        &mut self,
        image: &Image,
        environment: Environment<'_>,
        ending: Ending,
        fault: Option<Fault>,
        steps: u64,
    ) -> Outcome {
        let memory = self.memory.words(&mut self.cpu, image.memory_words);
        let trace: Vec<Event> = environment.trace;
        Outcome { run: Run { trace, memory, leaks: Vec::new(), ending, steps }, fault }
    }
}

/// Why a run goes no further.
enum Stop {
    Ending(Ending),
    Fault(Fault),
}

fn not_restored(before: &[(Reg, u64)], after: &[(Reg, u64)]) -> Option<Fault> {
    let mut pairs = before.iter().zip(after);
    pairs
        .find(|(before, after)| before != after)
        .map(|(&(reg, expected), &(_, found))| Fault::NotRestored { reg, expected, found })
}
