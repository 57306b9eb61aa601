use super::*;
use crate::entity::Edge;
use crate::ir::text::parse;
use crate::machine::{MOp, lower};
use crate::regalloc::{Edit, Point};

/// The first function of a text, lowered, with its allocation.
fn allocated(text: &str, registers: usize) -> (MFunction, Allocation) {
    let program = parse(text).expect("the text is right");
    let function = lower(&program, &program.functions[0]).expect("it can be lowered");
    let allocation = LinearScan.allocate(&function, &Registers::new(registers));
    (function, allocation.expect("there are enough registers"))
}

fn spills(allocation: &Allocation) -> Vec<&Edit> {
    allocation.edits.iter().filter(|edit| matches!(edit.to, Location::Slot(_))).collect()
}

fn reloads(allocation: &Allocation) -> Vec<&Edit> {
    allocation.edits.iter().filter(|edit| matches!(edit.from, Location::Slot(_))).collect()
}

/// A quotient is written before the operands are read, the remainder after: with three registers the
/// remainder must take that of an operand, and its own, free until then, go to the quotient.
#[test]
fn a_division_with_remainder_needs_three_registers() {
    let text = "fn @f(%v0: int, %v1: int, %v2: int) {\nb0:\n  %v2 = urem %v0, %v1\n  \
                %v3 = udiv %v0, %v1\n  return\n}\n";
    let (function, allocation) = allocated(text, 3);
    let entry = function.blocks.keys().next().expect("it has a block");
    let insts = &function.blocks[entry].insts;
    let division = insts.iter().position(|inst| matches!(inst.op, MOp::DivRem { .. }));
    let regs = &allocation.operands[0][division.expect("the two are one instruction")];
    assert_ne!(regs[0], regs[2]);
    assert_ne!(regs[0], regs[3]);
    assert_ne!(regs[0], regs[1]);
}

#[test]
fn what_fits_is_not_spilled() {
    let text = "fn @f(%a: int, %b: int) -> int {\nb0:\n  %c = add %a, %b\n  %d = mul %c, %a\n  \
                return %d\n}\n";
    let (_, allocation) = allocated(text, 3);
    assert!(spills(&allocation).is_empty() && reloads(&allocation).is_empty());
    assert_eq!(allocation.spill_bytes, 0);
}

/// Around a call there is a callee-saved register among all, and none among the first three that two
/// values fit in.
#[test]
fn a_value_lives_across_a_call_in_a_callee_saved_register_or_its_slot() {
    let text = "extern @e()\nfn @f(%a: int, %b: int) -> int {\nb0:\n  call @e()\n  %c = add %a, %b\n  \
                return %c\n}\n";
    let (_, all) = allocated(text, 24);
    assert!(spills(&all).is_empty(), "{:?}", all.edits);
    assert_eq!(all.saved.len(), 2);
    let (_, few) = allocated(text, 3);
    assert_eq!(few.saved.len(), 1);
    assert_eq!((spills(&few).len(), reloads(&few).len()), (1, 1), "{:?}", few.edits);
}

/// Two values whose lifetimes are apart share a slot.
#[test]
fn slots_are_used_again() {
    let part = |name: &str, from: &str| {
        format!(
            "  %{name}0 = add %{from}, 1\n  %{name}1 = add %{from}, 2\n  %{name}2 = add %{from}, 3\n  \
             call @e()\n  %{name}3 = add %{name}0, %{name}1\n  %{name} = add %{name}3, %{name}2\n"
        )
    };
    let one =
        format!("extern @e()\nfn @f(%a: int) -> int {{\nb0:\n{}  return %x\n}}\n", part("x", "a"));
    let two = one.replace("  return %x", &(part("y", "x") + "  return %y"));
    let [(_, one), (_, two)] = [one, two].map(|text| allocated(&text, 3));
    assert!(one.spill_bytes > 0);
    assert_eq!(one.spill_bytes, two.spill_bytes);
}

/// Parameters that trade places on the back edge are moved at once, by way of a third register.
#[test]
fn a_swap_on_a_back_edge_is_a_cycle_of_moves() {
    let text = "extern @e() -> int\nfn @f(%a: int, %b: int) -> int {\nb0:\n  jump b1(%a, %b)\n\
                b1(%x: int, %y: int):\n  %go = call @e()\n  branch %go, b2, b3\nb2:\n  jump b1(%y, %x)\n\
                b3:\n  %d = sub %x, %y\n  return %d\n}\n";
    let (_, allocation) = allocated(text, 24);
    let back = Point::OnEdge(Edge::from_u32(3));
    let back: Vec<&Edit> = allocation.edits.iter().filter(|edit| edit.at == back).collect();
    assert_eq!(back.len(), 3, "{back:?}");
    assert!(back.iter().any(|edit| edit.to == Location::Reg(Reg::SCRATCH[0])));
}
