//! Machine instructions as bytes. Everything that knows an encoding is here, and dynasm knows it.
//!
//! Registers are numbers below 32. Immediates must be in range: callers choose the instruction by
//! what fits, and an immediate that comes from outside is checked before it gets here.

#![expect(
    clippy::useless_conversion,
    clippy::unnecessary_cast,
    reason = "dynasm converts whatever it is given"
)]

use crate::machine::{Alu, AluImm, Cond};
use dynasmrt::{DynasmApi, SimpleAssembler, dynasm};

/// A physical register's number.
pub(super) type X = u8;

pub(super) const ZERO: X = 0;
pub(super) const RA: X = 1;
pub(super) const SP: X = 2;
/// The encoder's own register: nothing else lives in it, so every expansion may use it.
pub(super) const T0: X = 5;
pub(super) const A0: X = 10;
pub(super) const A1: X = 11;

/// Bytes of code that grow at the end.
pub(super) struct Asm {
    ops: SimpleAssembler,
}

macro_rules! emit {
    ($asm:expr, $($code:tt)*) => {{
        let ops = &mut $asm.ops;
        dynasm!(ops ; .arch riscv64 ; .feature m ; $($code)*)
    }};
}

impl Asm {
    pub(super) fn with_capacity(bytes: usize) -> Asm {
        let mut ops = SimpleAssembler::new();
        ops.ops.reserve(bytes);
        Asm { ops }
    }

    /// How many bytes there are.
    pub(super) fn len(&self) -> usize {
        self.ops.ops.len()
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.ops.ops
    }

    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.ops.ops
    }

    /// Appends bytes that are code or data already.
    pub(super) fn extend(&mut self, bytes: &[u8]) {
        self.ops.ops.extend_from_slice(bytes);
    }

    pub(super) fn alu(&mut self, op: Alu, rd: X, a: X, b: X) {
        match op {
            Alu::Add => emit!(self, add X(rd), X(a), X(b)),
            Alu::Sub => emit!(self, sub X(rd), X(a), X(b)),
            Alu::Mul => emit!(self, mul X(rd), X(a), X(b)),
            Alu::Div => emit!(self, div X(rd), X(a), X(b)),
            Alu::Divu => emit!(self, divu X(rd), X(a), X(b)),
            Alu::Rem => emit!(self, rem X(rd), X(a), X(b)),
            Alu::Remu => emit!(self, remu X(rd), X(a), X(b)),
            Alu::And => emit!(self, and X(rd), X(a), X(b)),
            Alu::Or => emit!(self, or X(rd), X(a), X(b)),
            Alu::Xor => emit!(self, xor X(rd), X(a), X(b)),
            Alu::Sll => emit!(self, sll X(rd), X(a), X(b)),
            Alu::Srl => emit!(self, srl X(rd), X(a), X(b)),
            Alu::Sra => emit!(self, sra X(rd), X(a), X(b)),
            Alu::Slt => emit!(self, slt X(rd), X(a), X(b)),
            Alu::Sltu => emit!(self, sltu X(rd), X(a), X(b)),
        }
    }

    /// The immediate is within [`immediate_range`].
    pub(super) fn alu_imm(&mut self, op: AluImm, rd: X, a: X, imm: i32) {
        let shift = imm as u32;
        match op {
            AluImm::Addi => emit!(self, addi X(rd), X(a), imm),
            AluImm::Andi => emit!(self, andi X(rd), X(a), imm),
            AluImm::Ori => emit!(self, ori X(rd), X(a), imm),
            AluImm::Xori => emit!(self, xori X(rd), X(a), imm),
            AluImm::Slti => emit!(self, slti X(rd), X(a), imm),
            AluImm::Sltiu => emit!(self, sltiu X(rd), X(a), imm),
            AluImm::Slli => emit!(self, slli X(rd), X(a), shift),
            AluImm::Srli => emit!(self, srli X(rd), X(a), shift),
            AluImm::Srai => emit!(self, srai X(rd), X(a), shift),
        }
    }

    pub(super) fn addi(&mut self, rd: X, a: X, imm: i32) {
        self.alu_imm(AluImm::Addi, rd, a, imm);
    }

    /// Adds in 32 bits and extends the sign.
    pub(super) fn addiw(&mut self, rd: X, a: X, imm: i32) {
        emit!(self, addiw X(rd), X(a), imm);
    }

    /// `upper` has zeros in its 12 low bits.
    pub(super) fn lui(&mut self, rd: X, upper: i32) {
        emit!(self, lui X(rd), upper);
    }

    /// `upper` has zeros in its 12 low bits.
    pub(super) fn auipc(&mut self, rd: X, upper: i32) {
        emit!(self, auipc X(rd), upper);
    }

    pub(super) fn mv(&mut self, rd: X, a: X) {
        self.addi(rd, a, 0);
    }

    pub(super) fn ld(&mut self, rd: X, base: X, offset: i32) {
        emit!(self, ld X(rd), [X(base), offset]);
    }

    pub(super) fn sd(&mut self, value: X, base: X, offset: i32) {
        emit!(self, sd X(value), [X(base), offset]);
    }

    /// The offset, in bytes from this instruction, is even and within [`BRANCH_REACH`].
    pub(super) fn branch(&mut self, cond: Cond, a: X, b: X, offset: i32) {
        match cond {
            Cond::Eq => emit!(self, beq X(a), X(b), 0),
            Cond::Ne => emit!(self, bne X(a), X(b), 0),
            Cond::Lt => emit!(self, blt X(a), X(b), 0),
            Cond::Ge => emit!(self, bge X(a), X(b), 0),
            Cond::Ltu => emit!(self, bltu X(a), X(b), 0),
            Cond::Geu => emit!(self, bgeu X(a), X(b), 0),
        }
        let bits = |from: u32, count: u32| offset as u32 >> from & ((1 << count) - 1);
        self.add_bits(bits(12, 1) << 31 | bits(5, 6) << 25 | bits(1, 4) << 8 | bits(11, 1) << 7);
    }

    /// Sets bits of the last instruction. dynasm takes offsets of branches and jumps to half their
    /// reach only, so that these are put in here.
    fn add_bits(&mut self, bits: u32) {
        let bytes = &mut self.ops.ops;
        let last = bytes.len().saturating_sub(4);
        for (byte, bits) in bytes[last..].iter_mut().zip(bits.to_le_bytes()) {
            *byte |= bits;
        }
    }

    /// The offset, in bytes from this instruction, is even and within [`JUMP_REACH`].
    pub(super) fn jal(&mut self, rd: X, offset: i32) {
        emit!(self, jal X(rd), 0);
        let bits = |from: u32, count: u32| offset as u32 >> from & ((1 << count) - 1);
        self.add_bits(
            bits(20, 1) << 31 | bits(1, 10) << 21 | bits(11, 1) << 20 | bits(12, 8) << 12,
        );
    }

    pub(super) fn jalr(&mut self, rd: X, base: X, offset: i32) {
        emit!(self, jalr X(rd), X(base), offset);
    }

    pub(super) fn ret(&mut self) {
        self.jalr(ZERO, RA, 0);
    }

    pub(super) fn ecall(&mut self) {
        emit!(self, ecall);
    }
}

/// How far a conditional branch reaches either way, in bytes: offsets below this, and the negative of
/// it.
pub(super) const BRANCH_REACH: i64 = 1 << 12;

/// The same for `jal`.
pub(super) const JUMP_REACH: i64 = 1 << 20;

/// The immediates that an operation takes.
pub(super) fn immediate_range(op: AluImm) -> std::ops::RangeInclusive<i32> {
    match op {
        AluImm::Slli | AluImm::Srli | AluImm::Srai => 0..=63,
        _ => -2048..=2047,
    }
}

/// Divides an offset of 32 bits among an upper part for `lui` or `auipc` and 12 signed low bits.
pub(super) fn split(offset: i32) -> (i32, i32) {
    let low = (offset << 20) >> 20;
    (offset.wrapping_sub(low), low)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(emit: impl FnOnce(&mut Asm)) -> Vec<u32> {
        let mut asm = Asm::with_capacity(16);
        emit(&mut asm);
        let words = asm.bytes().chunks_exact(4);
        words.map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect()
    }

    /// Encodings written out by hand from the fields of the manual's formats.
    #[test]
    fn every_format_is_as_in_the_manual() {
        assert_eq!(words(|asm| asm.alu(Alu::Sub, 10, 11, 12)), [0x40c5_8533]);
        assert_eq!(words(|asm| asm.alu(Alu::Remu, 31, 1, 8)), [0x0280_ffb3]);
        assert_eq!(words(|asm| asm.alu_imm(AluImm::Xori, 5, 6, -1)), [0xfff3_4293]);
        assert_eq!(words(|asm| asm.alu_imm(AluImm::Srai, 5, 6, 63)), [0x43f3_5293]);
        assert_eq!(words(|asm| asm.ld(7, 2, -8)), [0xff81_3383]);
        assert_eq!(words(|asm| asm.sd(7, 2, -8)), [0xfe71_3c23]);
        assert_eq!(words(|asm| asm.branch(Cond::Geu, 9, 10, -4096)), [0x80a4_f063]);
        assert_eq!(words(|asm| asm.branch(Cond::Eq, 9, 10, 4094)), [0x7ea4_8fe3]);
        assert_eq!(words(|asm| asm.jal(1, -(1 << 20))), [0x8000_00ef]);
        assert_eq!(words(|asm| asm.jal(0, (1 << 20) - 2)), [0x7fff_f06f]);
        assert_eq!(words(|asm| asm.lui(5, i32::MIN)), [0x8000_02b7]);
        assert_eq!(words(|asm| asm.auipc(5, 0x1000)), [0x0000_1297]);
        assert_eq!(words(Asm::ret), [0x0000_8067]);
        assert_eq!(words(Asm::ecall), [0x0000_0073]);
    }

    #[test]
    fn the_parts_of_an_offset_add_up() {
        for offset in [0, 1, -1, 2047, 2048, -2048, -2049, 4096, i32::MAX, i32::MIN] {
            let (upper, low) = split(offset);
            assert_eq!((upper & 0xfff, upper.wrapping_add(low)), (0, offset));
            assert!((-2048..=2047).contains(&low));
        }
    }
}
