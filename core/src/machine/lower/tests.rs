//! Lowered code as text, and what every operation computes on corner values.

use super::*;
use crate::ir::text::parse;
use crate::ir::{BinaryOp, Op};
use crate::machine::validate::{Stage, validate};
use crate::machine::{Alu, AluImm, Cond};
use std::collections::BTreeMap;

fn lowered(text: &str) -> Result<MFunction, Unsupported> {
    let program = parse(text).unwrap_or_else(|wrong| panic!("{wrong:?}"));
    let machine = lower(&program, &program.functions[0])?;
    assert_eq!(validate(&machine, Stage::Lowered), Ok(()), "{machine}");
    Ok(machine)
}

/// The listing of the first function, without its head.
fn listing(text: &str) -> String {
    let text = lowered(text).expect("it is lowered").to_string();
    text.split_once('\n').expect("there is a head").1.to_owned()
}

#[test]
fn arguments_beyond_the_eighth_are_on_the_stack() {
    let text = listing(
        "extern @g(int, int, int, int, int, int, int, int, int, int) -> int\n\
         fn @f(%a: int, %b: int, %c: int, %d: int, %e: int, %f: int, %g: int, %h: int, %i: int) {\n\
         entry:\n  %r = call @g(%i, 1, 2, 3, 4, 5, 6, 7, 0, %a)\n  return\n}\n",
    );
    let expected = "entry:
  v0 = mv a0
  v1 = mv a1
  v2 = mv a2
  v3 = mv a3
  v4 = mv a4
  v5 = mv a5
  v6 = mv a6
  v7 = mv a7
  v8 = ld incoming[0]
  sd outgoing[0] zero
  sd outgoing[1] v0
  a0 = mv v8
  a1 = li 1
  a2 = li 2
  a3 = li 3
  a4 = li 4
  a5 = li 5
  a6 = li 6
  a7 = li 7
  call @g {a0, a1, a2, a3, a4, a5, a6, a7 -> a0}
  v9 = mv a0
  a1 = li 0
  ret {a1}
";
    assert_eq!(text, expected);
}

#[test]
fn a_caught_result_is_assigned_on_the_normal_edge() {
    let text = listing(
        "extern @g() -> int\nfn @f() -> int {\nentry:\n  try_call %r = @g(), next(%r, 4), unwind lost\n\
         next(%x: int, %y: int):\n  return %x\nlost:\n  resume\n}\n",
    );
    let expected = "entry:
  try_call @g { -> a0, a1}
  v3 = mv a0
  v4 = mv a1
  beq v4, zero, entry_normal, lost
next(v1, v2):
  a0 = mv v1
  a1 = li 0
  ret {a0, a1}
lost:
  a1 = li 1
  ret {a1}
entry_normal:
  v0 = mv v3
  v5 = li 4
  j next(v0, v5)
";
    assert_eq!(text, expected);
}

#[test]
fn an_entry_that_is_branched_to_takes_its_arguments_once() {
    let text = listing(
        "fn @f(%n: int) {\nentry:\n  %n = sub %n, 1\n  branch %n, entry, out\nout:\n  return\n}\n",
    );
    let expected = "entry:
  v0 = mv a0
  j entry_body
out:
  a1 = li 0
  ret {a1}
entry_body:
  v0 = addi v0, -1
  bne v0, zero, entry_body, out
";
    assert_eq!(text, expected);
}

#[test]
fn what_may_be_read_too_early_is_set_to_zero() {
    let text = listing(
        "fn @f(%n: int) -> int {\nentry:\n  branch %n, set, join\nset:\n  %x = const 3\n  jump join\n\
         join:\n  return %x\n}\n",
    );
    assert!(
        text.starts_with("entry:\n  v0 = mv a0\n  v1 = li 0\n  bne v0, zero, set, join\n"),
        "{text}"
    );
}

#[test]
fn a_branch_does_a_comparison_that_nobody_else_reads() {
    let fused = |body: &str| {
        listing(&format!(
            "fn @f(%a: int, %b: int) -> int {{\nentry:\n{body}\nx:\n  return %a\ny:\n  return %b\n}}\n"
        ))
    };
    for (compare, expected) in [
        ("eq %a, %b", "beq v0, v1, x, y"),
        ("ne %a, %b", "bne v0, v1, x, y"),
        ("slt %a, 0", "blt v0, zero, x, y"),
        ("sle %a, %b", "bge v1, v0, x, y"),
        ("ult %a, %b", "bltu v0, v1, x, y"),
        ("ule %a, %b", "bgeu v1, v0, x, y"),
    ] {
        let text = fused(&format!("  %c = {compare}\n  branch %c, x, y"));
        assert!(text.contains(&format!("mv a1\n  {expected}\n")), "{compare}: {text}");
    }
    let again = fused("  %c = slt %a, %b\n  branch %c, x(), y()\nz:\n  return %c");
    assert!(again.contains("v2 = slt v0, v1\n  bne v2, zero, x, y"), "{again}");
    let own = fused("  %a = slt %a, %b\n  branch %a, x, y");
    assert!(own.contains("v0 = slt v0, v1\n  bne v0, zero, x, y"), "{own}");
}

#[test]
fn a_division_and_a_remainder_of_the_same_are_one() {
    let pair = |first: &str, second: &str| {
        let body = format!("  {first}\n  {second}\n  return %q");
        let text = listing(&format!("fn @f(%a: int, %b: int) -> int {{\nentry:\n{body}\n}}\n"));
        text.lines().find(|line| line.contains("div")).map(|line| line.trim().to_owned())
    };
    let signed = Some("!v2, v3 = div_rem v0, v1".to_owned());
    assert_eq!(pair("%q = sdiv %a, %b", "%r = srem %a, %b"), signed);
    let unsigned = Some("!v3, v2 = divu_remu v0, v1".to_owned());
    assert_eq!(pair("%q = urem %a, %b", "%r = udiv %a, %b"), unsigned);
    for (first, second) in [
        ("%q = sdiv %a, %b", "%r = urem %a, %b"),
        ("%q = sdiv %a, %b", "%r = srem %b, %a"),
        ("%a = sdiv %a, %b", "%q = srem %a, %b"),
        ("%q = srem %a, %b", "%a = sdiv %a, %b"),
        ("%q = sdiv %a, %b", "%q = srem %a, %b"),
    ] {
        let text = pair(first, second).expect("there is a division");
        assert!(!text.contains("_rem"), "{first}; {second}: {text}");
    }
}

#[test]
fn what_machine_code_cannot_say_is_refused() {
    for (text, what) in [
        ("fn @f() {\nentry:\n  %x: own = new\n  return\n}\n", "an owned value"),
        ("fn @f() {\nentry:\n  opaque \"x\"()\n  return\n}\n", "an opaque operation"),
        ("fn @f() {\nentry:\n  %t: thunk = bind entry()\n  return\n}\n", "a thunk"),
    ] {
        assert_eq!(lowered(text), Err(Unsupported { what }));
    }
}

const CORNERS: [i64; 15] =
    [0, 1, -1, 2, -2, 7, 63, 64, 2047, 2048, -2048, -2049, 1 << 31, i64::MAX, i64::MIN];

/// The meaning of an operation, from the definition of the IR.
fn meaning(op: BinaryOp, a: i64, b: i64) -> i64 {
    let (ua, ub, shift) = (a as u64, b as u64, (b & 63) as u32);
    match op {
        BinaryOp::Add => a.wrapping_add(b),
        BinaryOp::Sub => a.wrapping_sub(b),
        BinaryOp::Mul => a.wrapping_mul(b),
        BinaryOp::Sdiv => {
            if b == 0 {
                -1
            } else {
                a.wrapping_div(b)
            }
        }
        BinaryOp::Udiv => {
            if b == 0 {
                -1
            } else {
                (ua / ub) as i64
            }
        }
        BinaryOp::Srem => {
            if b == 0 {
                a
            } else {
                a.wrapping_rem(b)
            }
        }
        BinaryOp::Urem => {
            if b == 0 {
                a
            } else {
                (ua % ub) as i64
            }
        }
        BinaryOp::And => a & b,
        BinaryOp::Or => a | b,
        BinaryOp::Xor => a ^ b,
        BinaryOp::Shl => a << shift,
        BinaryOp::Lshr => (ua >> shift) as i64,
        BinaryOp::Ashr => a >> shift,
        BinaryOp::Eq => (a == b).into(),
        BinaryOp::Ne => (a != b).into(),
        BinaryOp::Slt => (a < b).into(),
        BinaryOp::Sle => (a <= b).into(),
        BinaryOp::Ult => (ua < ub).into(),
        BinaryOp::Ule => (ua <= ub).into(),
    }
}

/// Carries out straight code on virtual registers, by the manual of the machine.
fn evaluate(insts: &[MInst], arguments: &[i64]) -> BTreeMap<Reg, i64> {
    let mut regs: BTreeMap<Reg, i64> = BTreeMap::from([(Reg::ZERO, 0)]);
    for (index, &value) in arguments.iter().enumerate() {
        regs.insert(Reg::argument(index).expect("there are few"), value);
    }
    for inst in insts {
        let uses: Vec<i64> = inst.uses().map(|reg| regs[&reg]).collect();
        let value = match (&inst.op, &uses[..]) {
            (MOp::LoadImm(value), []) => *value,
            (MOp::Move, [a]) => *a,
            (MOp::Select, [c, a, b]) => {
                if *c != 0 {
                    *a
                } else {
                    *b
                }
            }
            (MOp::Alu(op), [a, b]) => alu(*op, *a, *b),
            (MOp::AluImm(op, value), [a]) => alu(wide(*op), *a, (*value).into()),
            other => panic!("{other:?} is not straight"),
        };
        for reg in inst.defs() {
            regs.insert(reg, value);
        }
    }
    regs
}

fn alu(op: Alu, a: i64, b: i64) -> i64 {
    match op {
        Alu::Add => a.wrapping_add(b),
        Alu::Sub => a.wrapping_sub(b),
        Alu::Mul => a.wrapping_mul(b),
        Alu::Div => meaning(BinaryOp::Sdiv, a, b),
        Alu::Divu => meaning(BinaryOp::Udiv, a, b),
        Alu::Rem => meaning(BinaryOp::Srem, a, b),
        Alu::Remu => meaning(BinaryOp::Urem, a, b),
        Alu::And => a & b,
        Alu::Or => a | b,
        Alu::Xor => a ^ b,
        Alu::Sll => a << (b & 63),
        Alu::Srl => ((a as u64) >> (b & 63)) as i64,
        Alu::Sra => a >> (b & 63),
        Alu::Slt => (a < b).into(),
        Alu::Sltu => ((a as u64) < b as u64).into(),
    }
}

fn wide(op: AluImm) -> Alu {
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

/// A function of two parameters that computes one operation of two operands.
fn single(op: BinaryOp, operands: [Operand; 2]) -> (Program, Local) {
    let program = parse("fn @f(%a: int, %b: int) {\nentry:\n  %c = copy %a\n  return\n}\n");
    let mut program = program.expect("it is right");
    let function = &mut program.functions[0];
    let [a, b] = operands;
    function.blocks[Block::new(0)].insts[0].op = Op::Binary(op, a, b);
    let dest = function.local_named("c").expect("it is there");
    (program, dest)
}

#[test]
fn every_operation_computes_what_it_means() {
    for op in BinaryOp::ALL {
        for (a, b) in CORNERS.into_iter().flat_map(|a| CORNERS.map(|b| (a, b))) {
            let [x, y] = [0, 1].map(|index| Operand::Local(Local::from_u32(index)));
            let constants = [[x, y], [x, b.into()], [a.into(), y], [a.into(), b.into()]];
            for operands in constants {
                let (program, dest) = single(op, operands);
                let machine = lower(&program, &program.functions[0]).expect("it is lowered");
                assert_eq!(validate(&machine, Stage::Lowered), Ok(()));
                let insts = &machine.blocks[Block::new(0)].insts;
                let found = evaluate(insts, &[a, b])[&register(dest)];
                assert_eq!(found, meaning(op, a, b), "{op:?} {a} {b} as {operands:?}\n{machine}");
            }
        }
    }
}

#[test]
fn every_condition_holds_when_the_comparison_does() {
    use BinaryOp::*;
    for op in [Eq, Ne, Slt, Sle, Ult, Ule] {
        let text = format!(
            "fn @f(%a: int, %b: int) {{\nentry:\n  %c = {} %a, %b\n  branch %c, x, y\nx:\n  return\ny:\n  return\n}}\n",
            op.name()
        );
        let machine = lowered(&text).expect("it is lowered");
        let term = &machine.blocks[Block::new(0)].term;
        let MTermKind::Branch { cond, .. } = term.kind else { panic!("{machine}") };
        let is_swapped = term.regs[0].reg != Reg::virtual_register(0);
        for (a, b) in CORNERS.into_iter().flat_map(|a| CORNERS.map(|b| (a, b))) {
            let (x, y) = if is_swapped { (b, a) } else { (a, b) };
            let holds = match cond {
                Cond::Eq => x == y,
                Cond::Ne => x != y,
                Cond::Lt => x < y,
                Cond::Ge => x >= y,
                Cond::Ltu => (x as u64) < y as u64,
                Cond::Geu => x as u64 >= y as u64,
            };
            assert_eq!(i64::from(holds), meaning(op, a, b), "{op:?} {a} {b}");
        }
    }
}
