//! Mistakes that the parser finds, each with its code, line and column.

use super::*;

#[test]
fn characters_and_strings() {
    check_body("x: ?!? return 1", &[("bad-character", 1, 4)]);
    check_body("x: return \u{e9}\u{e9}", &[("bad-character", 1, 11)]);
    check_body("\nx:\n  call @\"a\n  return 1", &[("unterminated-string", 3, 8)]);
    check_body("\n\"a\\q\": return 1", &[("bad-escape", 2, 3)]);
    check_body("\n%\"\\u{110000}\" = const 1\n", &[("bad-escape", 2, 3)]);
    check_body("x: % = const 1", &[("missing-name", 1, 4)]);
    check_text("\u{feff}fn @f() {\nx: return\n}", &[]);
}

#[test]
fn integers() {
    check_body("x: return 9223372036854775808", &[("integer-out-of-range", 1, 11)]);
    check_body("x: return -9223372036854775809", &[("integer-out-of-range", 1, 11)]);
    check_body("x: return 0x10000000000000000", &[("integer-out-of-range", 1, 11)]);
    check_body("x: return -0x8000000000000001", &[("integer-out-of-range", 1, 11)]);
    let digits = "1".repeat(100);
    check_body(&format!("x: return {digits}"), &[("integer-out-of-range", 1, 11)]);
    check_body("x: return 12ab", &[("bad-integer", 1, 11)]);
    check_body("x: return 0x", &[("bad-integer", 1, 11)]);
    check_body("x: %a = const b", &[("bad-integer", 1, 15)]);
}

#[test]
fn declarations() {
    check_text("", &[("empty-program", 1, 1)]);
    check_text("; nothing\n;; key: value\n", &[("empty-program", 1, 1)]);
    check_text("fun @f() {\n}\n", &[("syntax", 1, 1)]);
    check_text("fn f() {\nx: retrun\n}\n", &[("syntax", 1, 4), ("unknown-operation", 2, 4)]);
    check_text(
        "fn @f() -> num {\nx:\n  return 1\n}\nmemory 3",
        &[("unknown-type", 1, 12), ("bad-memory", 5, 8)],
    );
    check_text("fn @f()\nx:\n  return\n}\nfn @g() {\nx: call @f()\nreturn }", &[("syntax", 1, 8)]);
    check_text("fn @f(%a: int %b: int) {\nx:\n  return\n}", &[("syntax", 1, 15)]);
    check_text(
        "extern @f(int, %a) -> int\nmemory -1\nmemory 8\nmemory",
        &[("syntax", 1, 16), ("bad-memory", 2, 8), ("memory-twice", 3, 1), ("syntax", 4, 7)],
    );
    check_text(
        "extern @f() int\nfn @g() {\nx: call @f() return\n}",
        &[("syntax", 1, 13), ("syntax", 3, 14)],
    );
    check_text("}\nfn @f() {\nx: return\n}\n}", &[("syntax", 1, 1), ("syntax", 5, 1)]);
    check_text(
        "fn @f() {\nx:\n  return\n\nfn @g() {\nx: return\n}\nextern @h(",
        &[("unclosed-function", 3, 9), ("syntax", 8, 11)],
    );
    check_text("fn @f() {\nx:\n  return 1", &[("unclosed-function", 3, 11)]);
}

#[test]
fn types() {
    check_text("extern @f(own{})", &[("empty-aggregate", 1, 11)]);
    check_text("extern @f(own{own, int})", &[("aggregate-part", 1, 20)]);
    check_text("extern @f(own{own own})", &[("syntax", 1, 19)]);
    check_text("extern @f(own{own,,})", &[("syntax", 1, 19)]);
    let nested = |depth| format!("extern @f({}own{})", "own{".repeat(depth), "}".repeat(depth));
    check_text(&format!("{}\nfn @g() {{\nx: return\n}}", nested(64)), &[]);
    check_text(&nested(65), &[("type-too-deep", 1, 11 + 64 * 4)]);
    check_text(&nested(1_000_000), &[("type-too-deep", 1, 11 + 64 * 4)]);
    check_text(&"own{".repeat(1_000_000), &[("syntax", 1, 1)]);
    check_body("x: %a: int = const 1\n%a: own = new\nreturn 1", &[("type-conflict", 2, 5)]);
    check_body("x: %q.0: own = new\nreturn 1", &[("type-on-part", 1, 8)]);
}

#[test]
fn blocks() {
    check_body("%a = const 1\n%b = const 2\nx: return 1", &[("missing-label", 1, 1)]);
    check_body("return 1", &[("missing-label", 1, 1)]);
    check_body(
        "x: return 1\n%a = const 1\n%b = const 2\ny: return 2\nreturn 3",
        &[("statement-after-terminator", 2, 1), ("statement-after-terminator", 5, 1)],
    );
    check_body("x: %a = const 1\ny: return 1", &[("missing-terminator", 2, 1)]);
    check_body("x: %a = const 1\n", &[("missing-terminator", 3, 1)]);
    check_body("x:", &[("missing-terminator", 2, 1)]);
    check_body(
        "x: jump y\nz: branch %n, y, w(%n)\nx2: jump y",
        &[("dangling-target", 1, 9), ("dangling-target", 2, 18)],
    );
    check_body("x: return 1\nlocal %a: own", &[("misplaced-declaration", 2, 1)]);
    check_body("x(%a int): return 1", &[("syntax", 1, 6)]);
    check_body("x(3): return 1", &[("syntax", 1, 3)]);
    check_body("x\n  return 1", &[("unknown-operation", 1, 1)]);
}

#[test]
fn operations() {
    check_body("x: %a = ad %n, 1\nreturn 1", &[("unknown-operation", 1, 9)]);
    check_body("x: %a = add %n\nreturn 1", &[("syntax", 1, 15)]);
    check_body("x: %a = add %n,\nreturn 1", &[("syntax", 1, 16)]);
    check_body("x: %a = add %n, 1, 2\nreturn 1", &[("syntax", 1, 18)]);
    check_body("x: %a add %n, 1\nreturn 1", &[("syntax", 1, 7)]);
    check_body("x: = add %n, 1\nreturn 1", &[("syntax", 1, 4)]);
    check_body("x: %a, %b = add %n, 1\nreturn 1", &[("too-many-destinations", 1, 8)]);
    check_body("x: %a = add %q.0, 1\nreturn 1", &[("part-as-operand", 1, 13)]);
    check_body("x: %a = move %q.x\nreturn 1", &[("bad-field", 1, 16)]);
    check_body("x: %a = move %q.4294967296\nreturn 1", &[("bad-field", 1, 16)]);
    check_body("x: %a = opaque text()\nreturn 1", &[("syntax", 1, 16)]);
    check_body("x: %a = opaque \"x\"\nreturn 1", &[("syntax", 1, 19)]);
    check_body("x: %a = opaque \"x\"(1)\nreturn 1", &[("syntax", 1, 20)]);
    check_body("x: %a, %q.0 = opaque \"x\"()\nreturn 1", &[("part-as-destination", 1, 8)]);
    check_body("x: call g(%n)\nreturn 1", &[("syntax", 1, 9)]);
    check_body("x: %a = call @g\nreturn 1", &[("syntax", 1, 16)]);
    check_body("x: %a = try_call @g(1), x, unwind x\nreturn 1", &[("unknown-operation", 1, 9)]);
    check_body("x: %a = jump x\nreturn 1", &[("unknown-operation", 1, 9)]);
}

#[test]
fn terminators() {
    check_body("x: jump", &[("syntax", 1, 8)]);
    check_body("x: jump %n", &[("syntax", 1, 9)]);
    check_body("x: branch %n, x", &[("syntax", 1, 16)]);
    check_body("x: switch %n, x", &[("syntax", 1, 16)]);
    check_body("x: switch %n, x, [a: x]", &[("bad-integer", 1, 19)]);
    check_body("x: switch %n, x, [1 x]", &[("syntax", 1, 21)]);
    check_body("x: try_call @g(1, 2), x, x", &[("syntax", 1, 26)]);
    check_body("x: enter 3", &[("syntax", 1, 10)]);
    check_body("x: resume 3", &[("syntax", 1, 11)]);
}

#[test]
fn a_mistake_within_brackets_is_one_mistake() {
    check_body(
        "x: switch %n, x, [\n  1: x,\n  2 x,\n  3: x,\n]\ny: retrun 1",
        &[("syntax", 3, 5), ("unknown-operation", 6, 4)],
    );
    check_body(
        "x: %a = call @g(%n\n  %b = ad 1, 2\nreturn 1",
        &[("syntax", 1, 19), ("unknown-operation", 2, 8)],
    );
    check_body("x: %a = call @g(%n,\n  %o return 1\n  return 1", &[("syntax", 2, 6)]);
    check_body("x: jump y(%n\ny(%a: int): return 1", &[("syntax", 1, 13)]);
    check_body(
        "x: jump x(%n\n}\nfn @h() { x: rtrn }",
        &[("syntax", 1, 13), ("unknown-operation", 3, 14), ("syntax", 4, 1)],
    );
}

#[test]
fn a_mistake_does_not_hide_a_target_that_does_not_exist() {
    check_body(
        "x: %a = ad 1, 2\njump y",
        &[("unknown-operation", 1, 9), ("dangling-target", 2, 6)],
    );
    // Where a label may have been passed over, nothing is said of labels.
    check_body("x: jump y\n@y: return 1", &[("syntax", 2, 1)]);
}

#[test]
fn phis() {
    let phi = |phi: &str| {
        format!("x: branch %n, a, b\na: %u = const 1\njump c\nb: jump c\nc: {phi}\nreturn %p")
    };
    check_body(&phi("%p = phi int [a: %u], [b: 2]"), &[]);
    check_body(&phi("%p = phi int [a: %u]"), &[("phi-missing-predecessor", 5, 4)]);
    check_body(&phi("%p = phi int [a: 1], [b: 2], [x: 3]"), &[("phi-extra-predecessor", 5, 33)]);
    check_body(
        &phi("%p = phi int [a: 1], [a: 2], [b: 3]"),
        &[("phi-duplicate-predecessor", 5, 25)],
    );
    check_body(&phi("%p = phi int [a: 1], [z: 2], [b: 3]"), &[("dangling-target", 5, 26)]);
    check_body(&phi("%p = phi int [a: 1], [b 2]"), &[("syntax", 5, 28)]);
    check_body(&phi("%p = phi [a: 1], [b: 2]"), &[("syntax", 5, 13)]);
    check_body(&phi("%q.0 = phi int [a: 1], [b: 2]"), &[("part-as-destination", 5, 4)]);
    check_body(&phi("%p = const 1\n%r = phi int [a: 1], [b: 2]"), &[("phi-not-at-head", 6, 1)]);
    check_body(&phi("%p: own = phi int [a: 1], [b: 2]"), &[("type-conflict", 5, 18)]);
}

#[test]
fn loops() {
    check_body(
        "x: for %i = 0, 1 {\n%a = ad 1, 1\n}\nreturn 1",
        &[("syntax", 1, 18), ("unknown-operation", 2, 6)],
    );
    check_body("for %i = 0, 1, 1 {\nreturn 1\n}\nreturn 1", &[("missing-label", 1, 1)]);
    check_body(
        "x: return 1\nfor %i = 0, 1, 1 {\ncall @none() }",
        &[("statement-after-terminator", 2, 1)],
    );
    check_body("x: for %i = 0, 1, 1 {\n  call @none()\n}", &[("missing-terminator", 4, 1)]);
    check_text("fn @f() {\nx: for %i = 0, 1, 1 {\n}\nreturn", &[("unclosed-function", 4, 7)]);
}

#[test]
fn bytes_that_are_no_text() {
    let diagnostic = &parse_bytes(b"fn @f() {\n  \xff\n}").unwrap_err()[0];
    assert_eq!(
        (diagnostic.code, diagnostic.span.start, diagnostic.span.end),
        ("invalid-utf8", 12, 13)
    );
    let diagnostic = &parse_bytes(b"fn \xe2\x82").unwrap_err()[0];
    assert_eq!(
        (diagnostic.code, diagnostic.span.start, diagnostic.span.end),
        ("invalid-utf8", 3, 5)
    );
}

#[test]
fn mistakes_are_counted_past_a_limit() {
    let text = format!("fn @f() {{\nx:\n{}return\n}}", "  foo\n".repeat(1000));
    let diagnostics = parse(&text).unwrap_err();
    assert_eq!(diagnostics.len(), Sink::LIMIT + 1);
    assert_eq!(diagnostics[Sink::LIMIT].code, "too-many-errors");
    assert_eq!(diagnostics[Sink::LIMIT].message, "and 900 more");
}
