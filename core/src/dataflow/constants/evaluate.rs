//! Arithmetic at compile time: what the machine would compute.

use crate::ir::BinaryOp;

/// The result of an operation: 64 bits, wrapping; division as RISC-V defines it (by zero: all ones, and
/// the dividend as remainder; the lowest number by -1: itself, and 0); shifts modulo 64.
pub fn evaluate(op: BinaryOp, a: i64, b: i64) -> i64 {
    use BinaryOp::*;
    let truth = i64::from;
    let (ua, ub) = (a as u64, b as u64);
    let bits = ub as u32 % 64;
    match op {
        Add => a.wrapping_add(b),
        Sub => a.wrapping_sub(b),
        Mul => a.wrapping_mul(b),
        Sdiv if b == 0 => -1,
        Sdiv => a.overflowing_div(b).0,
        Udiv => ua.checked_div(ub).map_or(-1, |quotient| quotient as i64),
        Srem if b == 0 => a,
        Srem => a.overflowing_rem(b).0,
        Urem => ua.checked_rem(ub).map_or(a, |rest| rest as i64),
        And => a & b,
        Or => a | b,
        Xor => a ^ b,
        Shl => a.wrapping_shl(bits),
        Lshr => ua.wrapping_shr(bits) as i64,
        Ashr => a.wrapping_shr(bits),
        Eq => truth(a == b),
        Ne => truth(a != b),
        Slt => truth(a < b),
        Sle => truth(a <= b),
        Ult => truth(ua < ub),
        Ule => truth(ua <= ub),
    }
}
