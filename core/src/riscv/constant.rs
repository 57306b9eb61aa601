//! The shortest usual sequence for any 64-bit constant.
//!
//! A constant of 12 bits is one `addi`, one of 32 bits is `lui` and `addiw`. A longer one is made from
//! the top: the low 12 bits are taken off, then trailing zeros, until 32 bits are left; what was taken
//! off comes back by `slli` and `addi`. Each step takes at least 12 bits, so there are at most three. A
//! positive constant with leading zeros is tried shifted to the left too, to be shifted back by `srli`.

use super::asm::{Asm, X, ZERO, split};
use crate::machine::AluImm;
use smallvec::SmallVec;

/// One instruction of a sequence; all but the first work on what the one before made.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Step {
    Lui(i32),
    Addi(i32),
    Addiw(i32),
    Slli(u32),
    Srli(u32),
}

type Steps = SmallVec<[Step; 8]>;

/// Sets `rd` to `value`, and changes nothing else.
pub(super) fn load(asm: &mut Asm, rd: X, value: i64) {
    let mut from = ZERO;
    for step in shortest(value) {
        match step {
            Step::Lui(upper) => asm.lui(rd, upper),
            Step::Addi(imm) => asm.addi(rd, from, imm),
            Step::Addiw(imm) => asm.addiw(rd, from, imm),
            Step::Slli(by) => asm.alu_imm(AluImm::Slli, rd, from, by as i32),
            Step::Srli(by) => asm.alu_imm(AluImm::Srli, rd, from, by as i32),
        }
        from = rd;
    }
}

fn shortest(value: i64) -> Steps {
    let mut best = from_the_top(value);
    if best.len() > 2 && value > 0 {
        let zeros = value.leading_zeros();
        for fill in [(1 << zeros) - 1, 0] {
            let mut steps = from_the_top(value << zeros | fill);
            steps.push(Step::Srli(zeros));
            if steps.len() < best.len() {
                best = steps;
            }
        }
    }
    best
}

fn from_the_top(value: i64) -> Steps {
    // What was taken off, last first.
    let mut taken: SmallVec<[(u32, i32); 4]> = SmallVec::new();
    let mut rest = value;
    let top = loop {
        if let Ok(short) = i32::try_from(rest) {
            break short;
        }
        let low = ((rest << 52) >> 52) as i32;
        // Wraps at the ends of the range, where the sum that undoes it wraps back.
        let above = rest.wrapping_sub(i64::from(low));
        let by = above.trailing_zeros();
        rest = above >> by;
        taken.push((by, low));
    };
    let mut steps = of_32_bits(top);
    for &(by, low) in taken.iter().rev() {
        steps.push(Step::Slli(by));
        if low != 0 {
            steps.push(Step::Addi(low));
        }
    }
    steps
}

fn of_32_bits(value: i32) -> Steps {
    let (upper, low) = split(value);
    let mut steps = Steps::new();
    if upper != 0 {
        steps.push(Step::Lui(upper));
    }
    if low != 0 || upper == 0 {
        steps.push(if upper == 0 { Step::Addi(low) } else { Step::Addiw(low) });
    }
    steps
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a sequence makes, by the manual.
    fn value_of(steps: &[Step]) -> i64 {
        steps.iter().fold(0, |value: i64, &step| match step {
            Step::Lui(upper) => i64::from(upper),
            Step::Addi(imm) => value.wrapping_add(i64::from(imm)),
            Step::Addiw(imm) => i64::from((value as i32).wrapping_add(imm)),
            Step::Slli(by) => value << by,
            Step::Srli(by) => (value as u64 >> by) as i64,
        })
    }

    #[test]
    fn every_constant_comes_out_and_none_is_long() {
        let mut bits = 0x9e37_79b9_7f4a_7c15_u64;
        let mut constants = vec![0, i64::MIN, i64::MAX, -1, 0x7fff_f800, 0x7fff_f7ff];
        for shift in 0..64 {
            let power = 1_i64 << shift;
            constants.extend([power, power.wrapping_sub(1), power.wrapping_add(1), !power]);
            for _ in 0..200 {
                bits ^= bits << 13;
                bits ^= bits >> 7;
                bits ^= bits << 17;
                constants.extend([bits as i64 >> shift, bits as i64 & power.wrapping_sub(1)]);
            }
        }
        for value in constants {
            let steps = shortest(value);
            assert_eq!(value_of(&steps), value, "{value:#x}: {steps:?}");
            assert!(steps.len() <= 8, "{value:#x}: {steps:?}");
        }
    }

    #[test]
    fn usual_constants_are_short() {
        for (value, count) in [
            (0, 1),
            (2047, 1),
            (-2048, 1),
            (2048, 2),
            (4096, 1),
            (0x7fff_ffff, 2),
            (i64::from(i32::MIN), 1),
            (1 << 32, 2),
            (i64::MIN, 2),
            (i64::MAX, 2),
            (0xffff_ffff, 2),
            (0x7fff_f800, 2),
            (0x1234_5678_9abc_def0, 8),
        ] {
            assert!(shortest(value).len() <= count, "{value:#x}: {:?}", shortest(value));
        }
    }
}
