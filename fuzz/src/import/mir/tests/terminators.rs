//! Each kind of terminator.

use super::{block, clean, terminator, wrap};
use backedge_core::ir::TerminatorKind;

#[test]
fn jumps_and_exits() {
    for (line, expected) in [
        ("goto -> bb1", "=> bb1"),
        ("return", "_0 =>"),
        ("unreachable", "=>"),
        ("resume", "=>"),
        ("terminate(abi)", "=>"),
        ("abort", "=>"),
        ("coroutine_drop", "=>"),
        ("falseEdge -> [real: bb1, imaginary: bb2]", "choice <-; choice => bb1 bb2"),
        ("falseUnwind -> [real: bb1, unwind: bb4]", "choice <-; choice => bb1 bb4"),
        ("falseUnwind -> [real: bb1, unwind continue]", "=> bb1"),
        ("tailcall f::<A>(move _3, const 1_u8)", "<- _3; =>"),
        ("become move _4(move _3)", "<- _4 _3; =>"),
    ] {
        assert_eq!(terminator(line), expected, "{line}");
    }
}

#[test]
fn switches() {
    for (line, expected) in [
        ("switchInt(move _3) -> [0: bb1, otherwise: bb2]", "_3 => bb2 bb1"),
        ("switchInt(copy _3) -> [0: bb1, 7: bb1, otherwise: bb1]", "_3 => bb1 bb1 bb1"),
        ("switchInt(copy _3) -> [0: bb1, 1: bb2]", "_3 => bb2 bb1"),
        ("switchInt(copy _3) -> bb3", "_3 => bb3"),
        ("switchInt(const true) -> [0: bb1, otherwise: bb2]", "=> bb2 bb1"),
        (
            "switchInt(copy (*_3)[_4]) -> [0: bb1, otherwise: bb2]",
            "choice <- _3 _4; choice => bb2 bb1",
        ),
        (
            "switchInt(copy _3) -> [340282366920938463463374607431768211455: bb1, otherwise: bb2]",
            "choice <- _3; choice => bb2 bb1",
        ),
    ] {
        assert_eq!(terminator(line), expected, "{line}");
    }
    let text = wrap("        switchInt(copy _3) -> [18446744073709551615: bb1, otherwise: bb2];");
    let function = &clean(&text).program.functions[0];
    let kind = &function.blocks[function.entry()].term.kind;
    assert!(matches!(kind, TerminatorKind::Switch { cases, .. } if cases[0].0 == -1));
}

#[test]
fn calls() {
    for (line, expected) in [
        ("_3 = f(move _4) -> [return: bb1, unwind: bb4]", "_4 => _3: bb1 bb4"),
        ("_3 = f(copy _4, const 1_u8) -> [return: bb1, unwind continue]", "_3 <- _4; => bb1"),
        ("_3 = f() -> [return: bb1, unwind unreachable]", "_3 <-; => bb1"),
        ("_3 = f() -> [return: bb1, unwind terminate(cleanup)]", "_3 <-; => bb1"),
        ("_3 = f(move _4) -> unwind continue", "<- _4; =>"),
        ("_3 = f(move _4) -> unwind unreachable", "<- _4; =>"),
        ("_3 = f(move _4) -> bb4", "<- _4; => bb4"),
        ("_3 = f(move _4) -> bb1", "_3 <- _4; => bb1"),
        ("_3 = move _4(move _5) -> [return: bb1, unwind: bb4]", "_4 _5 => _3: bb1 bb4"),
        (
            "_3 = copy (_4.0: fn(A) -> B)(copy _5[_6]) -> [return: bb1, unwind: bb4]",
            "_4 _5 _6 => _3: bb1 bb4",
        ),
        ("(*_3) = f(move _4) -> [return: bb1, unwind: bb4]", "_4 _3 => bb1 bb4"),
        ("_3[_5] = f() -> [return: bb1, unwind continue]", "<- _5; ~_3 <-; => bb1"),
        ("(_3.0: A) = f(move _4) -> [return: bb1, unwind continue]", "<- _4; ~_3 <-; => bb1"),
        (
            "_3 = <F as FnOnce<(A, B)>>::call_once::<fn(A) -> B>(move _4, const \"x) -> [return: bb2\") -> [return: bb1, unwind: bb4]",
            "_4 => _3: bb1 bb4",
        ),
        ("_3 = const FP(move _4) -> [return: bb1, unwind: bb4]", "_4 => _3: bb1 bb4"),
        (
            "_3 = <impl at src/a b.rs:1:2: 3:4>::f(g::<A>) -> [return: bb1, unwind: bb4]",
            "=> _3: bb1 bb4",
        ),
    ] {
        assert_eq!(terminator(line), expected, "{line}");
    }
}

#[test]
fn a_result_into_a_part_is_written_on_its_edge() {
    let text = wrap("        (_3.0: A) = f(move _4) -> [return: bb1, unwind: bb4];");
    let function = &clean(&text).program.functions[0];
    assert_eq!(block(function, "bb0"), ["_4 => bb0_edge5 bb4"]);
    assert_eq!(block(function, "bb0_edge5"), ["~_3 <-", "=> bb1"]);
}

#[test]
fn drops_asserts_and_yields() {
    for (line, expected) in [
        ("drop(_3) -> [return: bb1, unwind: bb4]", "_3 => bb1 bb4"),
        ("drop(_3) -> [return: bb1, unwind continue]", "<- _3; => bb1"),
        ("drop((_3.1: A)) -> [return: bb1, unwind: bb4]", "_3 => bb1 bb4"),
        ("drop((*_3)) -> [return: bb1, unwind: bb4]", "choice <- _3; choice => bb1 bb4"),
        ("drop(((_3 as Some).0: A)) -> [return: bb1, unwind continue]", "<- _3; => bb1"),
        ("drop(_3[_4]) -> [return: bb1, unwind: bb4]", "choice <- _3 _4; choice => bb1 bb4"),
        (
            "drop(_3) -> [return: bb1, unwind: bb4, drop: bb2]",
            "choice <- _3; choice => bb1 bb2 bb4",
        ),
        (
            "async drop(_3; poll=_4) -> [return: bb1, unwind: bb4, drop: bb2]",
            "choice <- _3 _4; choice => bb1 bb2 bb4",
        ),
        (
            "assert(!move (_3.1: bool), \"`{} + {}`, (which, would) overflow\", copy _4, const 3_usize) -> [success: bb1, unwind: bb4]",
            "choice <- _3 _4; choice => bb1 bb4",
        ),
        ("assert(copy _3, \"x\") -> [success: bb1, unwind continue]", "<- _3; => bb1"),
        ("_3 = yield(move _4) -> [resume: bb1, drop: bb2]", "_4 => _3: bb1 bb2"),
        ("_3 = yield(const ()) -> [resume: bb1]", "_3 <-; => bb1"),
    ] {
        assert_eq!(terminator(line), expected, "{line}");
    }
}

#[test]
fn a_yield_reads_where_it_resumes() {
    let text = wrap("        (*_3) = yield(move _4) -> [resume: bb1, drop: bb2];");
    let function = &clean(&text).program.functions[0];
    assert_eq!(block(function, "bb0"), ["_4 => bb0_edge5 bb2"]);
    assert_eq!(block(function, "bb0_edge5"), ["<- _3", "=> bb1"]);
}

#[test]
fn assembly() {
    for (line, expected) in [
        (
            "asm!(\"add {0}, {1}\n# }} \" -> [return: bb2];\nnop\", inout(reg) copy _3 => _4, in(reg) const 1_u64, out(\"st(0)\") _, options(NOMEM | NOSTACK)) -> [return: bb1, unwind unreachable]",
            "_4 <- _3; => bb1",
        ),
        ("asm!(\"ud2\", options(NORETURN)) -> unwind unreachable", "<-; =>"),
        (
            "asm!(\"jz {0}\", in(reg) copy _3, lateout(reg) (*_4), label 1, options()) -> [return: bb1, label: bb2, unwind continue]",
            "choice <- _3 _4; choice => bb1 bb2",
        ),
        (
            "asm!(\"call {0}\", sym_fn f::<A, B>, sym_static S, const const 5_i32, inlateout(\"ax\") copy _3 => _, options()) -> [return: bb1, unwind continue]",
            "<- _3; => bb1",
        ),
    ] {
        assert_eq!(terminator(line), expected, "{line}");
    }
    let text = "asm!(\"x\", out(reg) _3, options(MAY_UNWIND)) -> [return: bb1, unwind: bb4]";
    let function = &clean(&wrap(&format!("        {text};"))).program.functions[0];
    assert_eq!(block(function, "bb0"), ["choice <-", "choice => bb0_edge5 bb4"]);
    assert_eq!(block(function, "bb0_edge5"), ["_3 <-", "=> bb1"]);
}
