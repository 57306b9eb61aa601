//! Every RV64IM instruction that we emit, run in rvemu on corner values, against what the manual says of
//! it. The rules are written down here from the manual's text, in 128 bits where a result could not
//! fit, and share nothing with the interpreter.

use super::build::*;
use super::*;
use backedge_core::machine::MOp;

/// Both ends of every range that some rule knows: of 6 and 12 bits, 32 and 64, signed and unsigned.
const CORNERS: [i64; 26] = [
    0,
    1,
    2,
    3,
    -1,
    -2,
    -3,
    31,
    32,
    63,
    64,
    65,
    -64,
    2047,
    -2048,
    0x7fff_ffff,
    0x8000_0000,
    -0x8000_0000,
    0xffff_ffff,
    0x1_0000_0000,
    0x0123_4567_89ab_cdef,
    -0x0123_4567_89ab_cdef,
    i64::MAX,
    i64::MAX - 1,
    i64::MIN,
    i64::MIN + 1,
];

/// The low 64 bits.
fn low(value: i128) -> i64 {
    value as i64
}

fn unsigned(value: i64) -> i128 {
    i128::from(value as u64)
}

/// What `rd` is after `op rd, rs1, rs2`.
fn alu_rule(op: Alu, x: i64, y: i64) -> i64 {
    let [wide_x, wide_y] = [i128::from(x), i128::from(y)];
    // Shifts take the low six bits of rs2.
    let shift = 1_i128 << (y & 63);
    match op {
        Alu::Add => low(wide_x + wide_y),
        Alu::Sub => low(wide_x - wide_y),
        Alu::Mul => low(wide_x * wide_y),
        // Division by zero sets all bits of the quotient, and leaves the dividend as remainder.
        Alu::Div | Alu::Divu if y == 0 => -1,
        Alu::Rem | Alu::Remu if y == 0 => x,
        // Rounds towards zero; overflow gives the dividend, which is what the low bits are.
        Alu::Div => low(wide_x / wide_y),
        Alu::Rem => low(wide_x % wide_y),
        Alu::Divu => low(unsigned(x) / unsigned(y)),
        Alu::Remu => low(unsigned(x) % unsigned(y)),
        Alu::And => bitwise(x, y, |x, y| x && y),
        Alu::Or => bitwise(x, y, |x, y| x || y),
        Alu::Xor => bitwise(x, y, |x, y| x != y),
        Alu::Sll => low(unsigned(x) * shift),
        Alu::Srl => low(unsigned(x) / shift),
        // Rounds down.
        Alu::Sra => low(wide_x.div_euclid(shift)),
        Alu::Slt => i64::from(wide_x < wide_y),
        Alu::Sltu => i64::from(unsigned(x) < unsigned(y)),
    }
}

fn bitwise(x: i64, y: i64, op: impl Fn(bool, bool) -> bool) -> i64 {
    let bit = |value: i64, number: u32| unsigned(value) / (1_i128 << number) % 2 == 1;
    low((0..64).map(|number| i128::from(op(bit(x, number), bit(y, number))) << number).sum())
}

/// The register-register operation that an immediate one is the same as.
fn same_as(op: AluImm) -> Alu {
    match op {
        AluImm::Addi => Alu::Add,
        AluImm::Andi => Alu::And,
        AluImm::Ori => Alu::Or,
        AluImm::Xori => Alu::Xor,
        AluImm::Slti => Alu::Slt,
        AluImm::Sltiu => Alu::Sltu,
        AluImm::Slli => Alu::Sll,
        AluImm::Srli => Alu::Srl,
        AluImm::Srai => Alu::Sra,
    }
}

fn branch_rule(cond: Cond, x: i64, y: i64) -> bool {
    match cond {
        Cond::Eq => i128::from(x) == i128::from(y),
        Cond::Ne => i128::from(x) != i128::from(y),
        Cond::Lt => i128::from(x) < i128::from(y),
        Cond::Ge => i128::from(x) >= i128::from(y),
        Cond::Ltu => unsigned(x) < unsigned(y),
        Cond::Geu => unsigned(x) >= unsigned(y),
    }
}

/// Runs code that takes two integers on every pair of corners.
fn on_all_pairs(what: &str, image: &Image, rule: impl Fn(i64, i64) -> i64) {
    let mut emulator = lend().expect("an emulator");
    for x in CORNERS {
        for y in CORNERS {
            let tape = Tape(vec![Answer::Value(x), Answer::Value(y)]);
            let outcome = emulator.run(image, &tape, 100);
            let expected = Ending::Returned(Some(rule(x, y)));
            assert_eq!(outcome.run.ending, expected, "{what} {x:#x}, {y:#x}");
        }
    }
}

fn main_of(insts: Vec<MInst>) -> Image {
    assemble(&with_params(2), &[function("main", vec![returning(insts)])])
}

#[test]
fn register_register() {
    use Alu::*;
    for op in [Add, Sub, Mul, Div, Divu, Rem, Remu, And, Or, Xor, Sll, Srl, Sra, Slt, Sltu] {
        let image = main_of(vec![alu(op, A0, A0, A1)]);
        on_all_pairs(&format!("{op:?}"), &image, |x, y| alu_rule(op, x, y));
        let image = main_of(vec![alu(op, A0, A1, A1)]);
        on_all_pairs(&format!("{op:?} of one"), &image, |_, y| alu_rule(op, y, y));
    }
}

#[test]
fn register_immediate() {
    use AluImm::*;
    let imm = |op, imm| main_of(vec![inst(MOp::AluImm(op, imm), &[def(A0), reads(A0)])]);
    for op in [Addi, Andi, Ori, Xori, Slti, Sltiu] {
        for immediate in [0, 1, -1, 31, 255, 1024, 2047, -2047, -2048] {
            let rule = |x, _| alu_rule(same_as(op), x, i64::from(immediate));
            on_all_pairs(&format!("{op:?} by {immediate}"), &imm(op, immediate), rule);
        }
    }
    for op in [Slli, Srli, Srai] {
        for immediate in [0, 1, 5, 31, 32, 33, 62, 63] {
            let rule = |x, _| alu_rule(same_as(op), x, i64::from(immediate));
            on_all_pairs(&format!("{op:?} by {immediate}"), &imm(op, immediate), rule);
        }
    }
}

#[test]
fn branches_and_jumps() {
    for cond in [Cond::Eq, Cond::Ne, Cond::Lt, Cond::Ge, Cond::Ltu, Cond::Geu] {
        for (then_to, else_to) in [(1, 2), (2, 1)] {
            let blocks = vec![
                block(vec![], branch(cond, A0, A1, then_to, else_to)),
                returning(vec![load(A0, i64::from(then_to == 1))]),
                returning(vec![load(A0, i64::from(then_to == 2))]),
            ];
            let image = assemble(&with_params(2), &[function("main", blocks)]);
            let rule = |x, y| i64::from(branch_rule(cond, x, y));
            on_all_pairs(&format!("{cond:?}"), &image, rule);
        }
    }
}

#[test]
fn loads_stores_and_addresses() {
    let mut program = with_params(2);
    program.memory = Some(64);
    let address = |to: Reg| {
        let operands = [RegOperand::writes_early(to), reads(A1)];
        inst(MOp::MemoryAddress { words: 64 }, &operands)
    };
    let insts = vec![
        address(T1),
        inst(MOp::Store, &[reads(T1), reads(A0)]),
        load(A0, 0),
        address(T2),
        inst(MOp::Load, &[def(A0), reads(T2)]),
        alu(Alu::Sub, T1, T1, T2),
        alu(Alu::Add, A0, A0, T1),
    ];
    let image = assemble(&program, &[function("main", vec![returning(insts)])]);
    on_all_pairs("memory", &image, |x, _| x);
}

/// `lui`, `addiw`, `slli` and `srli` as constants use them.
#[test]
fn constants() {
    for value in CORNERS {
        let image = main_of(vec![load(A0, value)]);
        let tape = Tape(vec![Answer::Value(0); 2]);
        let outcome = lend().expect("an emulator").run(&image, &tape, 100);
        assert_eq!(outcome.run.ending, Ending::Returned(Some(value)));
    }
}

/// What is written to `zero` is lost.
#[test]
fn zero_stays_zero() {
    let insts = vec![load(Reg::ZERO, 5), inst(MOp::Move, &[def(A0), reads(Reg::ZERO)])];
    on_all_pairs("zero", &main_of(insts), |_, _| 0);
}
