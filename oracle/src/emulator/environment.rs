//! What stands around the code: it answers extern calls from the tape, keeps the trace, and tells how
//! the run ends.

use super::memory::Memory;
use super::{Fault, Stop, garbage};
use crate::run::{Ending, Event};
use crate::tape::{Answer, Tape};
use backedge_core::machine::{Reg, RegSet};
use backedge_core::riscv::{Image, request};
use rvemu::cpu::Cpu;
use smallvec::SmallVec;

const T0: u64 = 5;
const A0: u64 = 10;
const A1: u64 = 11;
const SP: u64 = 2;

pub(super) struct Environment<'r> {
    image: &'r Image,
    answers: &'r [Answer],
    pub(super) trace: Vec<Event>,
    /// Whether the first function was left as functions are.
    pub(super) returned: bool,
}

impl<'r> Environment<'r> {
    pub(super) fn new(image: &'r Image, tape: &'r Tape) -> Environment<'r> {
        Environment { image, answers: &tape.0, trace: Vec::new(), returned: false }
    }

    fn next(&mut self) -> Option<Answer> {
        let (&answer, rest) = self.answers.split_first()?;
        self.answers = rest;
        Some(answer)
    }

    /// Arguments of the first function; `None` if the tape has too few.
    pub(super) fn arguments(&mut self) -> Option<Vec<i64>> {
        let value = |answer| match answer {
            Answer::Value(value) => value,
            Answer::Unwind => 0,
        };
        (0..self.image.start.params).map(|_| self.next().map(value)).collect()
    }

    /// Does what the code asks for; what it says if the run ends by that.
    pub(super) fn answer(&mut self, cpu: &mut Cpu, memory: &Memory) -> Option<Stop> {
        let ending = match cpu.xregs.read(T0) as i64 {
            request::RETURNED => {
                self.returned = true;
                match cpu.xregs.read(A1) {
                    0 if self.image.start.returns => {
                        Ending::Returned(Some(cpu.xregs.read(A0) as i64))
                    }
                    0 => Ending::Returned(None),
                    _ => Ending::Unwound,
                }
            }
            request::UNWOUND => Ending::Unwound,
            request::UNREACHABLE => Ending::Unreachable,
            number => return self.call(cpu, memory, number),
        };
        Some(Stop::Ending(ending))
    }

    fn call(&mut self, cpu: &mut Cpu, memory: &Memory, number: i64) -> Option<Stop> {
        let callee = usize::try_from(number).ok().and_then(|number| self.image.externs.get(number));
        let Some(callee) = callee else { return Some(Stop::Fault(Fault::Request(number))) };
        let mut args = SmallVec::new();
        for index in 0..callee.params as u64 {
            let sp = cpu.xregs.read(SP);
            let arg = match index {
                0..8 => Some(cpu.xregs.read(A0 + index)),
                _ => memory.stacked(cpu, sp, index - 8),
            };
            match arg {
                Some(arg) => args.push(arg as i64),
                None => {
                    let at = cpu.pc.wrapping_sub(super::memory::CODE) as u32;
                    let address = sp.wrapping_add(8 * (index - 8));
                    return Some(Stop::Fault(Fault::Access { address, at }));
                }
            }
        }
        self.trace.push(Event::Call { callee: callee.name.clone(), args });
        let returns = callee.returns;
        let Some(answer) = self.next() else { return Some(Stop::Ending(Ending::TapeExhausted)) };
        // All that a call may change it does change, but for the way back.
        for reg in RegSet::CALLER_SAVED.without(Reg::RA).iter() {
            cpu.xregs.write(u64::from(reg.number()), garbage(reg.number()));
        }
        cpu.xregs.write(A1, u64::from(answer == Answer::Unwind));
        if let (Answer::Value(value), true) = (answer, returns) {
            cpu.xregs.write(A0, value as u64);
        }
        None
    }
}
