//! What is said of lines and outlines that can't be read.

use super::wrap;
use crate::import::mir::read;

fn complaint(line: &str) -> String {
    let imported = read(wrap(&format!("        {line};\n        return;")).as_bytes());
    assert!(imported.program.functions.is_empty(), "{line}");
    let [diagnostic] = &imported.diagnostics[..] else {
        panic!("one diagnostic for {line}: {:?}", imported.diagnostics)
    };
    diagnostic.message.clone()
}

#[test]
fn what_is_unknown_is_said() {
    for (line, message) in [
        ("_3 = borrow _4", "unexpected text at ` _4`"),
        ("_3 = copy _77", "`_77` is not declared"),
        ("_3 = copy (_4)", "unknown projection at `)`"),
        ("_3 = copy _4[x]", "unknown index at `x]`"),
        ("_3 = copy _4 + copy _5", "unexpected text at ` + copy _5`"),
        (
            "drop(_3) -> [return: bb1, unwind continue]",
            "unknown statement at `drop(_3) -> [return: bb1, unwind continue]`",
        ),
        ("_3 = Foo { move _4 }", "no field name at `move _4 }`"),
        ("discriminant(_3) = x", "no variant at `x`"),
    ] {
        assert_eq!(complaint(line), message, "{line}");
    }
    for (line, message) in [
        ("nopes", "unknown statement at `nopes`"),
        ("_3 = ShallowInitBox(move _4, T) x", "unexpected text at ` x`"),
        ("_3 = wrap_binder!(move _4; T) x", "unexpected text at ` x`"),
    ] {
        assert_eq!(complaint(line), message, "{line}");
    }
    for (line, message) in [
        ("goto -> bb9", "there is no block `bb9`"),
        ("goto", "this needs one target"),
        ("_3 = f()", "a call that leads nowhere"),
        ("_3 = f() -> [return: bb1, unwind perhaps]", "unknown unwind action at `perhaps`"),
        ("switchInt(copy _3) -> [1: bb1, 1: bb2, otherwise: bb3]", "a switch with one value twice"),
        ("drop(_3)", "a drop that leads nowhere"),
        ("halt", "unknown terminator at `halt`"),
        ("return -> bb1", "`return` has no targets"),
        ("switchInt(copy _3) -> [0: bb1, maybe: bb2]", "a switch has no way `maybe`"),
        ("_3 = f() -> [return: bb1, elsewhere: bb2]", "a call returns to one block"),
        (
            "_3 = yield(copy _4) -> [resume: bb1, drop: bb2, more: bb3]",
            "a yield resumes or is dropped",
        ),
    ] {
        let imported = read(wrap(&format!("        {line};")).as_bytes());
        assert!(imported.program.functions.is_empty(), "{line}");
        assert_eq!(imported.diagnostics[0].message, message, "{line}");
    }
}

#[test]
fn broken_outlines_are_said() {
    for (text, code) in [
        ("", "mir-item"),
        ("\n\n", "mir-item"),
        ("hello\nworld\n", "mir-item"),
        ("// a comment\n", "mir-item"),
        ("fn f( -> {\n}\n", "mir-head"),
        ("fn f() -> () {\n}\n", "mir-body"),
        ("fn f() -> () {\n    bb0: {\n        return;\n    }\n", "mir-body"),
        ("fn f() -> () {\n    bb0: {\n    }\n}\n", "mir-block"),
        ("fn f() -> () {\n    what\n    bb0: {\n        return;\n    }\n}\n", "mir-line"),
        ("fn f() -> () {\n    bb0: {\n        return\n    }\n}\n", "mir-statement"),
        ("fn f(_1: A, _1: B) -> () {\n    bb0: {\n        return;\n    }\n}\n", "mir-local"),
    ] {
        let imported = read(text.as_bytes());
        assert!(imported.program.functions.is_empty(), "{text}");
        assert_eq!(imported.diagnostics[0].code, code, "{text}");
    }
    let mut text = wrap("        return;").into_bytes();
    text.extend(b"\n// \xff\xfe\n");
    let imported = read(&text);
    assert_eq!(imported.program.functions.len(), 1);
    assert_eq!(imported.diagnostics.len(), 1);
    assert_eq!(imported.diagnostics[0].code, "invalid-utf8");
}
