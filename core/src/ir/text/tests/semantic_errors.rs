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
