//! The stubs between a program's code and its environment: where a run starts, how it ends, and what
//! an extern is.
//!
//! There are two environments. [`Environment::Ecall`] is ours, which answers every extern call itself.
//! [`Environment::Linux`] has nobody to ask: the answers are a table in the file, and how the run ends is
//! the exit code.

use super::asm::{A0, A1, Asm, RA, SP, T0, X, ZERO};
use super::function::Callees;
use super::sites::{Label, Sites};
use super::{AssembleError, Signature, constant, request};
use crate::ir::{Name, Program};
use crate::machine::{Alu, AluImm, Cond};

/// Registers that a stub may use: those that any call may change.
const T1: X = 6;
const T2: X = 7;
const A7: X = 17;

/// The number of Linux's system call `exit`.
const EXIT: i64 = 93;

/// Exit codes of an ELF file, besides the low byte of the result.
const EXIT_TAPE_EXHAUSTED: i64 = 125;
const EXIT_UNWOUND: i64 = 126;
const EXIT_UNREACHABLE: i64 = 127;

/// Bytes of an entry of the table: the result, then 1 if the extern unwinds.
const ENTRY_BYTES: i64 = 16;

/// Who answers.
pub(super) enum Environment<'t> {
    /// Whoever runs the code: every request is an `ecall`.
    Ecall,
    /// What it would answer is in the file; `None` is an unwind, or 0 as an argument.
    Linux {
        /// Arguments of the first function; `None` if there are too few.
        arguments: Option<&'t [Option<i64>]>,
        /// Results of extern calls.
        answers: &'t [Option<i64>],
    },
}

impl Environment<'_> {
    /// Bytes of zeroed data that the stubs use, behind the program's memory.
    pub(super) fn data_bytes(&self) -> u64 {
        match self {
            Environment::Ecall => 0,
            Environment::Linux { .. } => 8,
        }
    }

    /// Emits the stubs, the one that a run starts at first, and adds their names.
    pub(super) fn emit(
        &self,
        sites: &mut Sites,
        names: &mut Vec<(Name, Label)>,
        program: &Program,
        start: &Signature,
        callees: &Callees<'_>,
    ) -> Result<(), AssembleError> {
        let entry = sites.labels(1);
        sites.bind(entry);
        names.push(("_start".into(), entry));
        let main = callees.named(&start.name).ok_or(AssembleError::NoStart)?;
        match self {
            Environment::Ecall => ecall_ends(sites, main, callees),
            Environment::Linux { arguments, .. } => {
                linux_ends(sites, main, start, *arguments, callees);
            }
        }
        for (index, data) in program.externs.iter().enumerate() {
            let label = callees.named(&data.name).ok_or(AssembleError::NoStart)?;
            sites.bind(label);
            names.push((data.name.clone(), label));
            match self {
                Environment::Ecall => {
                    constant::load(&mut sites.asm, T0, index as i64);
                    sites.asm.ecall();
                    sites.asm.ret();
                }
                Environment::Linux { answers, .. } => {
                    let cursor = 8 * program.memory.unwrap_or(0) as u32;
                    linux_extern(sites, answers.len(), cursor, callees);
                }
            }
        }
        Ok(())
    }

    /// Emits what follows the code.
    pub(super) fn emit_constants(&self, sites: &mut Sites, callees: &Callees<'_>) {
        while !sites.asm.len().is_multiple_of(8) {
            sites.asm.extend(&[0; 4]);
        }
        sites.bind(callees.constants);
        if let Environment::Linux { answers, .. } = self {
            for answer in *answers {
                sites.asm.extend(&answer.unwrap_or(0).to_le_bytes());
                sites.asm.extend(&i64::from(answer.is_none()).to_le_bytes());
            }
        }
    }
}

fn ecall_ends(sites: &mut Sites, main: Label, callees: &Callees<'_>) {
    sites.jump(RA, main);
    end_by_ecall(sites, request::RETURNED);
    sites.bind(callees.unwound);
    end_by_ecall(sites, request::UNWOUND);
    sites.bind(callees.unreachable);
    end_by_ecall(sites, request::UNREACHABLE);
}

fn end_by_ecall(sites: &mut Sites, request: i64) {
    constant::load(&mut sites.asm, T0, request);
    sites.asm.ecall();
}

fn linux_ends(
    sites: &mut Sites,
    main: Label,
    start: &Signature,
    arguments: Option<&[Option<i64>]>,
    callees: &Callees<'_>,
) {
    match arguments {
        Some(arguments) => pass(&mut sites.asm, arguments),
        None => exit(&mut sites.asm, EXIT_TAPE_EXHAUSTED),
    }
    sites.jump(RA, main);
    sites.branch(Cond::Ne, A1, ZERO, callees.unwound);
    let asm = &mut sites.asm;
    asm.alu_imm(AluImm::Andi, A0, if start.returns { A0 } else { ZERO }, 255);
    constant::load(asm, A7, EXIT);
    asm.ecall();
    sites.bind(callees.unwound);
    exit(&mut sites.asm, EXIT_UNWOUND);
    sites.bind(callees.unreachable);
    exit(&mut sites.asm, EXIT_UNREACHABLE);
}

/// Puts arguments where a callee looks for them. `sp` is a multiple of 16 before and after.
fn pass(asm: &mut Asm, arguments: &[Option<i64>]) {
    let (in_registers, stacked) = arguments.split_at(arguments.len().min(8));
    for (index, answer) in in_registers.iter().enumerate() {
        constant::load(asm, A0 + index as X, answer.unwrap_or(0));
    }
    if !stacked.len().is_multiple_of(2) {
        asm.addi(SP, SP, -8);
    }
    for answer in stacked.iter().rev() {
        constant::load(asm, T0, answer.unwrap_or(0));
        asm.addi(SP, SP, -8);
        asm.sd(T0, SP, 0);
    }
}

fn exit(asm: &mut Asm, code: i64) {
    constant::load(asm, A0, code);
    constant::load(asm, A7, EXIT);
    asm.ecall();
}

/// Answers by the next entry of the table. The word at `cursor` of the data counts the bytes taken.
fn linux_extern(sites: &mut Sites, entries: usize, cursor: u32, callees: &Callees<'_>) {
    let left = sites.labels(1);
    sites.data_address(T0, cursor);
    sites.asm.ld(T1, T0, 0);
    constant::load(&mut sites.asm, T2, ENTRY_BYTES * entries as i64);
    sites.branch(Cond::Ltu, T1, T2, left);
    exit(&mut sites.asm, EXIT_TAPE_EXHAUSTED);
    sites.bind(left);
    sites.address(T2, callees.constants);
    let asm = &mut sites.asm;
    asm.alu(Alu::Add, T2, T2, T1);
    asm.ld(A0, T2, 0);
    asm.ld(A1, T2, 8);
    asm.addi(T1, T1, ENTRY_BYTES as i32);
    asm.sd(T1, T0, 0);
    asm.ret();
}
