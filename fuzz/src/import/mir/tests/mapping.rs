//! Types, and what becomes a real operation.

use super::{block, clean, wrap};
use backedge_core::ir::{Op, Type};

#[test]
fn what_is_dropped_is_owned() {
    let text = wrap(
        "        _4 = move _3;\n        (_5.1: A) = move _4;\n        _6 = move (_5.0: B);\n        \
         _7 = copy (_5.0: B);\n        drop((_5.1: A)) -> [return: bb1, unwind: bb4];",
    );
    let text = text.replacen("return;", "drop(_3) -> [return: bb2, unwind continue];", 1);
    let text = text.replacen("return;", "drop(_4) -> [return: bb3, unwind continue];", 1);
    let function = &clean(&text).program.functions[0];
    let ty = |name: &str| function.locals[function.local_named(name).unwrap()].ty.clone();
    assert_eq!([ty("_3"), ty("_4"), ty("_6")], [Type::Own, Type::Own, Type::Int]);
    assert_eq!(ty("_5"), Type::Aggregate([Type::Own, Type::Own].into()));
    let ops = &function.blocks[function.entry()].insts;
    assert!(matches!(&ops[0].op, Op::Move(_)) && matches!(&ops[1].op, Op::Move(_)));
    assert!(matches!(&ops[2].op, Op::Opaque(_)) && matches!(&ops[3].op, Op::Opaque(_)));
    assert_eq!(block(function, "bb0")[..3], ["_4 <- _3", "~_5 <- _4", "_6 <- _5"]);
}

#[test]
fn a_part_of_an_owned_local_is_passed_without_moving_it() {
    let text = wrap("        _4 = f(copy (_3.0: A), move _5) -> [return: bb1, unwind: bb4];");
    let text = text.replacen("return;", "drop(_3) -> [return: bb2, unwind continue];", 1);
    let function = &clean(&text).program.functions[0];
    assert_eq!(block(function, "bb0"), ["<- _3", "_5 => _4: bb1 bb4"]);
}

#[test]
fn word_arithmetic_is_the_same_arithmetic() {
    let text = |ty: &str, line: &str| {
        let head = format!(
            "fn f(_1: {ty}, _2: {ty}) -> {ty} {{\n    let mut _0: {ty};\n    let _3: bool;\n"
        );
        format!("{head}\n    bb0: {{\n        {line};\n        return;\n    }}\n}}\n")
    };
    for (ty, line, real) in [
        ("u64", "_0 = Add(copy _1, const 1_u64)", true),
        ("usize", "_0 = SubUnchecked(copy _1, copy _2)", true),
        ("i64", "_3 = Ge(copy _1, const -1_i64)", true),
        ("i32", "_0 = Add(copy _1, const 1_i32)", false),
        ("i32", "_3 = Lt(copy _1, copy _2)", false),
        ("u64", "_0 = AddWithOverflow(copy _1, copy _2)", false),
        ("u64", "_0 = Cmp(copy _1, copy _2)", false),
        ("f64", "_0 = Mul(copy _1, copy _2)", false),
    ] {
        let text = text(ty, line);
        let function = &clean(&text).program.functions[0];
        let op = &function.blocks[function.entry()].insts[0].op;
        assert_eq!(matches!(op, Op::Binary(..)), real, "{ty}: {line}");
    }
}
