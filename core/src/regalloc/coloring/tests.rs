use super::*;
use crate::ir::text::parse;
use crate::machine::lower;
use crate::regalloc::{Edit, Location, Point, Statistics, rewrite};

/// The first function of a text, lowered, with its allocation.
fn allocated(text: &str, registers: usize) -> (MFunction, Allocation) {
    let program = parse(text).expect("the text is right");
    let function = lower(&program, &program.functions[0]).expect("it can be lowered");
    let allocation = GraphColoring.allocate(&function, &Registers::new(registers));
    (function, allocation.expect("there are enough registers"))
}

fn statistics(text: &str, registers: usize) -> Statistics {
    let (function, allocation) = allocated(text, registers);
    Statistics::of(&rewrite(&function, &allocation).expect("it fits"))
}

/// Copies of what nobody reads any more, parameters and results by convention among them, cost nothing.
#[test]
fn copies_are_merged() {
    let text = "fn @f(%a: int) -> int {\nb0:\n  %b = copy %a\n  %c = add %b, 1\n  %d = copy %c\n  \
                return %d\n}\n";
    assert_eq!(statistics(text, 24), Statistics::default());
}

/// A copy whose source changes while it is read can't be merged.
#[test]
fn copies_of_what_changes_are_kept() {
    let text = "fn @f(%a: int) -> int {\nb0:\n  %b = copy %a\n  %a = add %a, 1\n  %c = mul %a, %b\n  \
                return %c\n}\n";
    assert_eq!(statistics(text, 24).moves, 1);
}

/// Parameters of a loop are merged with their arguments, on the back edge as well.
#[test]
fn arguments_are_merged_with_parameters() {
    let text = "extern @e() -> int\nfn @f() -> int {\nb0:\n  jump b1(0)\nb1(%x: int):\n  \
                %go = call @e()\n  %y = add %x, 1\n  branch %go, b2, b3\nb2:\n  jump b1(%y)\n\
                b3:\n  return %y\n}\n";
    let (_, allocation) = allocated(text, 24);
    let on_edges: Vec<&Edit> =
        allocation.edits.iter().filter(|edit| matches!(edit.at, Point::OnEdge(_))).collect();
    assert_eq!(on_edges.len(), 0, "{on_edges:?}");
}

/// Values that cross a call with three registers, of which one survives it: one is kept there, and
/// the others are stored once and loaded at each use.
#[test]
fn what_is_spilled_is_stored_once_and_loaded_for_each_use() {
    let text = "extern @e()\nfn @f(%a: int) -> int {\nb0:\n  %x = add %a, 1\n  %y = add %a, 2\n  \
                call @e()\n  %s = mul %x, %y\n  %t = add %s, %x\n  %u = add %t, %x\n  return %u\n}\n";
    let counts = statistics(text, 3);
    assert_eq!((counts.spills, counts.reloads, counts.saved), (1, 1, 1), "{counts:?}");
    assert_eq!(statistics(text, 24).spills, 0);
}

/// What is merged is spilled together: the argument is in the slot of its parameter.
#[test]
fn merged_values_share_a_slot() {
    let body: String = (0..6).map(|i| format!("  %x{i} = call @e()\n")).collect();
    let args: Vec<String> = (0..6).map(|i| format!("%x{i}")).collect();
    let params: Vec<String> = (0..6).map(|i| format!("%p{i}: int")).collect();
    let uses: String = (0..6).map(|i| format!("  call @t(%p{i})\n")).collect();
    let text = format!(
        "extern @e() -> int\nextern @t(int)\nfn @f() {{\nb0:\n{body}  jump b1({})\nb1({}):\n{uses}  \
         return\n}}\n",
        args.join(", "),
        params.join(", ")
    );
    let (_, allocation) = allocated(&text, 3);
    let slot =
        |edit: &&Edit| matches!((edit.from, edit.to), (Location::Slot(_), Location::Slot(_)));
    assert_eq!(allocation.edits.iter().filter(slot).count(), 0);
    assert!(allocation.spill_bytes <= 48, "{}", allocation.spill_bytes);
}

/// Quotient, remainder and two operands, three registers.
#[test]
fn a_division_with_remainder_needs_three_registers() {
    let text = "fn @f(%v0: int, %v1: int, %v2: int) -> int {\nb0:\n  %v2 = urem %v0, %v1\n  \
                %v3 = udiv %v0, %v1\n  %v4 = add %v2, %v3\n  %v5 = add %v4, %v0\n  return %v5\n}\n";
    allocated(text, 3);
}
