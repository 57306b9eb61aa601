//! Mistakes that validation finds, each with its code, line and column.

use super::*;

#[test]
fn names() {
    check_text(
        "extern @f()\nfn @f() {\nx: return\n}\nfn @g() {\nx: return\nx: return\n}\nfn @g() {\ny: return\n}",
        &[("duplicate-function", 2, 1), ("duplicate-block", 7, 1), ("duplicate-function", 9, 1)],
    );
    check_body(
        "x: jump y\ny(%a: int, %b: int, %a: int): return 1",
        &[("argument-count", 1, 9), ("duplicate-parameter", 2, 21)],
    );
    check_text("fn @f(%a: int, %a: int) {\nx: return\n}", &[("duplicate-parameter", 1, 1)]);
    check_body(
        "x: call @h()\ntry_call @h2(%n), x, unwind x",
        &[("dangling-callee", 1, 9), ("dangling-callee", 2, 10)],
    );
    check_text("fn @f() {\n}", &[("no-entry", 1, 1)]);
    check_text("fn @f() {\nx(%a: int): jump x(1)\n}", &[("entry-parameters", 2, 3)]);
}

#[test]
fn arguments() {
    check_body("x: %a = call @g(1)\nreturn 1", &[("argument-count", 1, 14)]);
    check_body("x: %a = call @g(1, 2)\nreturn 1", &[("argument-type", 1, 20)]);
    check_body(
        "x: %a = call @g(%o, %o, %o)\nreturn 1",
        &[("argument-count", 1, 14), ("argument-type", 1, 17)],
    );
    check_body("x: branch %n, y(1), y(%o)\ny(%a: own): return 1", &[("argument-type", 1, 17)]);
    check_body(
        "x: switch %n, y, [1: x, 2: x(3), 3: y(1, %o)]\ny(%a: int, %b: int): return 1",
        &[("argument-count", 1, 15), ("argument-count", 1, 28), ("argument-type", 1, 42)],
    );
    check_body("x: %t = bind y(%o)\nenter %t\ny(%a: int): return 1", &[("argument-type", 1, 16)]);
    check_body(
        "x: try_call @g(%o, 1), y(%o), unwind x\ny(%a: int): return 1",
        &[("argument-type", 1, 16), ("argument-type", 1, 20), ("argument-type", 1, 26)],
    );
    check_body(
        "x: branch %n, y(1), z\nz: jump y(2)\ny(%a: own): %p = phi int [x: 3], [z: %o]\nreturn %p",
        &[("argument-type", 1, 17), ("argument-type", 2, 9), ("argument-type", 2, 11)],
    );
}

#[test]
fn operands() {
    check_body("x: %a = add %n, %o\nreturn 1", &[("operand-type", 1, 17)]);
    check_body(
        "x: %a = select %o, 1, %q\nreturn 1",
        &[("operand-type", 1, 16), ("operand-type", 1, 23)],
    );
    check_body("x: %a = select 1, %o, %o\nreturn 1", &[("operand-type", 1, 19)]);
    check_body(
        "x: %a = load %o\nstore %q, %o\nreturn 1",
        &[("operand-type", 1, 14), ("operand-type", 2, 7), ("operand-type", 2, 11)],
    );
    check_body("x: branch %o, x, x", &[("operand-type", 1, 11)]);
    check_body(
        "x: switch %o, x, [1: x, -5: x, 1: x]",
        &[("operand-type", 1, 11), ("duplicate-case", 1, 32)],
    );
    check_body("x: enter %n", &[("operand-type", 1, 10)]);
}

#[test]
fn destinations() {
    check_body("x: %a: own = const 1\nreturn 1", &[("destination-type", 1, 4)]);
    check_body(
        "x: add %n, 1\nnew\nmove %o\nreturn 1",
        &[
            ("missing-destination", 1, 4),
            ("missing-destination", 2, 1),
            ("missing-destination", 3, 1),
        ],
    );
    check_body(
        "x: %a = store 1, 2\n%b = drop %o\n%c = call @none()\nreturn 1",
        &[
            ("unexpected-destination", 1, 4),
            ("unexpected-destination", 2, 1),
            ("unexpected-destination", 3, 1),
        ],
    );
    check_body("x: %n = new\nreturn 1", &[("destination-type", 1, 4)]);
    check_body("x: %q.0 = const 1\nreturn 1", &[("destination-type", 1, 4)]);
    check_body("x: %q.2 = new\n%o.0 = new\nreturn 1", &[("bad-place", 1, 4), ("bad-place", 2, 1)]);
    check_body(
        "x: %o = move %q.1.0\n%q = move %q.1\nreturn 1",
        &[("bad-place", 1, 14), ("destination-type", 2, 1)],
    );
    check_body("x: try_call %o = @g(1, %o), x, unwind x", &[("destination-type", 1, 13)]);
}

#[test]
fn ownership() {
    check_body(
        "x: drop %n\ndestroy %n\n%a = move %n\ntry_drop %n, x, unwind x",
        &[("not-owned", 1, 9), ("not-owned", 2, 9), ("not-owned", 3, 11), ("not-owned", 4, 10)],
    );
    check_text(
        "fn @f(%t: thunk) {\nx: return\n}\nfn @g() -> thunk {\nx: unreachable\n}\nextern @h(int, thunk)",
        &[("thunk-in-signature", 1, 1), ("thunk-in-signature", 4, 1), ("thunk-in-signature", 7, 1)],
    );
}

#[test]
fn returns_and_memory() {
    check_body("x: return", &[("return-type", 1, 4)]);
    check_body("x: return %o", &[("return-type", 1, 11)]);
    check_text("fn @f() {\nx: return 1\n}", &[("return-type", 2, 11)]);
    check_text("fn @f() {\nx: store 1, 2\n%a = load 1\nreturn\n}", &[("no-memory", 2, 4)]);
}

#[test]
fn one_bad_function_does_not_hide_the_mistakes_of_another() {
    check_text(
        "fn @f() {\nx: retrun\n}\nfn @g() {\nx: return 1\n}\nfn @h() {\nx: call @f()\nreturn 1\n}",
        &[("unknown-operation", 2, 4), ("return-type", 5, 11), ("return-type", 9, 8)],
    );
}

/// Checks the body of an `ssa` function `@f(%n: int)`, which starts at line 1.
fn check_ssa(body: &str, expected: &[(&str, usize, usize)]) {
    check_text(&format!("ssa fn @f(%n: int) {{\n{body}\n}}\nextern @g(int) -> int"), expected);
}

#[test]
fn ssa_definitions() {
    check_ssa(
        "x: %a = const 1\n%a = const 2\n%n = copy %a\nreturn",
        &[("duplicate-definition", 3, 1), ("duplicate-definition", 4, 1)],
    );
    check_ssa(
        "x: jump y(1)\ny(%a: int): try_call %a = @g(1), z(2), unwind z(3)\nz(%a: int): return",
        &[("duplicate-definition", 3, 22), ("duplicate-definition", 4, 3)],
    );
    check_ssa(
        "x: %p: own{own} = new\n%p.0 = new\nopaque \"o\"() partial(%n)\nreturn",
        &[("part-in-ssa", 3, 1), ("part-in-ssa", 4, 1)],
    );
}

#[test]
fn ssa_uses() {
    check_ssa(
        "x: %a = add 1, %a\n%b = add %c, %d\n%c = const 1\nreturn",
        &[("undominated-use", 2, 16), ("undominated-use", 3, 10), ("undominated-use", 3, 14)],
    );
    check_ssa(
        "x: branch %n, y, z\ny: %a = const 1\njump z\nz: store %a, %n\ndrop %n\nreturn\n}\nmemory 8\nfn @h() {\nx: return",
        &[("undominated-use", 5, 10), ("not-owned", 6, 6)],
    );
    check_ssa(
        "x: branch %n, y, z\ny: %a = const 1\njump w(%a)\nz: jump w(%a)\nw(%b: int): branch %b, y, y",
        &[("undominated-use", 5, 11)],
    );
    // A loop: what is defined in it is used at the end of it.
    check_ssa(
        "x: jump h(0)\nh(%i: int): %j = add %i, 1\nbranch %j, h(%j), e\ne: %k = copy %j\nreturn",
        &[],
    );
    check_ssa(
        "x: jump h(%j)\nh(%i: int): %j = add %i, 1\njump h(%j)",
        &[("undominated-use", 2, 11)],
    );
    // Nothing is wrong with code that nothing leads to.
    check_ssa("x: return\ny: %a = add %b, %c\n%b = const 1\nreturn", &[]);
    check_ssa("x: %a = copy %b\nreturn\ny: %b = const 1\nreturn", &[("undominated-use", 2, 14)]);
}

#[test]
fn the_result_of_a_try_call_is_there_on_its_normal_edge() {
    let try_call =
        |targets: &str, rest: &str| format!("x: try_call %d = @g(%n), {targets}\n{rest}");
    let rest = "y(%a: int): %b = add %d, %a\nreturn\nz(%c: int): return";
    check_ssa(&try_call("y(%d), unwind z(1)", rest), &[]);
    check_ssa(&try_call("y(1), unwind z(%d)", rest), &[("undominated-use", 2, 41)]);
    check_ssa(&try_call("y(1), unwind y(2)", rest), &[("undominated-use", 3, 22)]);
    check_ssa(
        &try_call("y(1), unwind z(1)", "y(%a: int): %b = copy %d\nreturn\nz(%c: int): jump y(%c)"),
        &[("undominated-use", 3, 23)],
    );
    // A back edge to the target does not pass it by.
    check_ssa(
        &try_call("y(1), unwind z(1)", "y(%a: int): %b = copy %d\njump y(%b)\nz(%c: int): return"),
        &[],
    );
    // The normal edge is itself a back edge.
    check_ssa(
        "x: jump h\nh: %e = copy %n\ntry_call %d = @g(%e), h, unwind z\nz: %b = copy %d\nreturn",
        &[("undominated-use", 5, 14)],
    );
    check_ssa("x: try_call %d = @g(%d), x, unwind z\nz: return", &[("undominated-use", 2, 21)]);
}
