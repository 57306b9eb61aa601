//! Whole files.

use super::{clean, wrap};
use crate::import::mir::read;

#[test]
fn bodies_of_every_kind() {
    let text = "\
// WARNING: This output format is intended for human consumers only
// HINT: See also -Z dump-mir
const PLAIN: u32 = const 7_u32;

const <impl at src/lib.rs:1:2: 3:4>::K: [u8; 2] = {
    let mut _0: [u8; 2];

    bb0: {
        _0 = [const 0_u8; 2];
        return;
    }
}

alloc3 (size: 35, align: 1) {
    0x00 │ 61 20 2d 3e 20 5b 72 65 74 75 72 6e 3a 20 62 62 │ fn x() -> bb {
    0x10 │ 7d                                              │ }
}

alloc4 (static: FOO)

alloc5 (size: 0, align: 1) {}

static mut S: fn(i32) -> i32 = {
    let mut _0: fn(i32) -> i32;

    bb0: {
        return;
    }
}

foo::{constant#0}: usize = {
    let mut _0: usize;

    bb0: {
        return;
    }
}

promoted[0] in foo: &[&str; 1] = {
    let mut _0: &[&str; 1];

    bb0: {
        return;
    }
}

| User Type Annotations
| 0: user_ty: Canonical { value: Ty(u8) }, span: a.rs:1:1: 1:2, inferred_ty: u8
|
/* coroutine_layout = CoroutineLayout {
    field_tys: {},
} */

fn f::{closure#0}(_1: &mut {closure@a.rs:1:1: 1:2}, _2: fn(A, B) -> C) -> Option<fn() -> ()>
yields ()
 {
    debug x => const \"}\";
    let mut _0: std::option::Option<fn()>;  // return place in scope 0 at a.rs:1:1
    scope 1 (inlined <F as FnOnce<(A,)>>::call_once) {
        debug y => _3;
        let _3: u8 as UserTypeProjection { base: UserType(0), projs: [] };
        scope 2 {
        }
    }

    bb0: {
        // DBG: _3 = &_1;
        _3 = const 1_u8;                 // scope 1 at a.rs:1:1: 1:2
                                         // mir::ConstOperand
        return;
    }
}

fn f() -> ! {
    let mut _0: !;

    bb0: {
        unreachable;
    }
}

// MIR FOR CTFE
fn f() -> ! {
    let mut _0: !;

    bb0: {
        unreachable;
    }
}
";
    let functions = clean(text).program.functions;
    let names: Vec<&str> = functions.iter().map(|function| function.name.as_str()).collect();
    assert_eq!(
        names,
        [
            "<impl at src/lib.rs:1:2: 3:4>::K",
            "S",
            "foo::{constant#0}",
            "promoted[0] in foo",
            "f::{closure#0}",
            "f",
            "f#2",
        ]
    );
    assert_eq!(functions[4].params.len(), 2);
    assert_eq!(functions[4].locals.len(), 4);
}

#[test]
fn a_bad_line_costs_its_function_alone() {
    let bad = wrap("        _3 = const 1_u8;\n        frobnicate(_3);\n        return;");
    let good = wrap("        return;").replacen("fn f", "fn g", 1);
    let text = format!("{good}\n{bad}\n{}", good.replacen("fn g", "fn h", 1));
    let imported = read(text.as_bytes());
    let names: Vec<&str> =
        imported.program.functions.iter().map(|function| function.name.as_str()).collect();
    assert_eq!(names, ["g", "h"]);
    let [diagnostic] = &imported.diagnostics[..] else { panic!("{:?}", imported.diagnostics) };
    let span = diagnostic.span.start as usize..diagnostic.span.end as usize;
    assert_eq!(&text[span], "frobnicate(_3)");
}
