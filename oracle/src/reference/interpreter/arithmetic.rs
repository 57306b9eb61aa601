//! The meaning of arithmetic: 64 bits, wrapping, division as RISC-V defines it, shifts modulo 64.

use backedge_core::ir::BinaryOp;

/// `a op b`
pub(crate) fn evaluate(op: BinaryOp, a: i64, b: i64) -> i64 {
    let (unsigned_a, unsigned_b) = (a as u64, b as u64);
    let shift = (b & 63) as u32;
    match op {
        BinaryOp::Add => a.wrapping_add(b),
        BinaryOp::Sub => a.wrapping_sub(b),
        BinaryOp::Mul => a.wrapping_mul(b),
        // By zero: all ones. The lowest number by -1 overflows to itself.
        BinaryOp::Sdiv if b == 0 => -1,
        BinaryOp::Sdiv => a.wrapping_div(b),
        BinaryOp::Udiv => unsigned_a.checked_div(unsigned_b).unwrap_or(u64::MAX) as i64,
        // By zero: the dividend.
        BinaryOp::Srem if b == 0 => a,
        BinaryOp::Srem => a.wrapping_rem(b),
        BinaryOp::Urem => unsigned_a.checked_rem(unsigned_b).unwrap_or(unsigned_a) as i64,
        BinaryOp::And => a & b,
        BinaryOp::Or => a | b,
        BinaryOp::Xor => a ^ b,
        BinaryOp::Shl => a << shift,
        BinaryOp::Lshr => (unsigned_a >> shift) as i64,
        BinaryOp::Ashr => a >> shift,
        BinaryOp::Eq => i64::from(a == b),
        BinaryOp::Ne => i64::from(a != b),
        BinaryOp::Slt => i64::from(a < b),
        BinaryOp::Sle => i64::from(a <= b),
        BinaryOp::Ult => i64::from(unsigned_a < unsigned_b),
        BinaryOp::Ule => i64::from(unsigned_a <= unsigned_b),
    }
}
