//! Exact reads, writes and edges, line by line and for whole bodies.

use super::{Imported, read};
use backedge_core::ir::{Function, Inst, Local, Op, TerminatorKind, Type};
use proptest::prelude::*;

/// Ten locals, and a block for each that a case may name.
fn wrap(lines: &str) -> String {
    let mut text = String::from("fn f(_1: usize, _2: usize) -> T {\n    let mut _0: T;\n");
    (3..10).for_each(|number| text += &format!("    let mut _{number}: T;\n"));
    text += &format!("\n    bb0: {{\n{lines}\n    }}\n");
    (1..4).for_each(|number| text += &format!("\n    bb{number}: {{\n        return;\n    }}\n"));
    text + "\n    bb4 (cleanup): {\n        resume;\n    }\n}\n"
}

fn clean(text: &str) -> Imported {
    let imported = read(text.as_bytes());
    assert_eq!(imported.diagnostics, [], "{text}");
    imported
}

fn names(function: &Function, locals: impl IntoIterator<Item = Local>) -> String {
    let names: Vec<&str> =
        locals.into_iter().map(|local| function.locals[local].name.as_str()).collect();
    names.join(" ")
}

/// `defs ~partial <- uses`
fn effect(function: &Function, inst: &Inst) -> String {
    let [mut uses, mut defs] = [Vec::new(), Vec::new()];
    inst.for_each_use(|local| uses.push(local));
    inst.for_each_def(|local| defs.push(local));
    let mut written = names(function, defs);
    let partial = match (&inst.op, &inst.dest) {
        (Op::Opaque(opaque), _) => names(function, opaque.partial.iter().copied()),
        (_, Some(dest)) if !dest.is_whole() => names(function, [dest.local]),
        _ => String::new(),
    };
    if !partial.is_empty() {
        written += &format!("~{partial}");
    }
    format!("{written} <- {}", names(function, uses)).trim().to_owned()
}

/// `uses => targets`, a definition on an edge before its target.
fn leads(function: &Function, kind: &TerminatorKind) -> String {
    let mut uses = Vec::new();
    kind.for_each_use(|local| uses.push(local));
    let mut text = format!("{} =>", names(function, uses));
    for (slot, target) in kind.targets().iter().enumerate() {
        if let Some(def) = kind.edge_def(slot) {
            text += &format!(" {}:", function.locals[def].name);
        }
        text += &format!(" {}", function.blocks[target.block].name);
    }
    text.trim().to_owned()
}

/// Every instruction of a block, and its terminator.
fn block(function: &Function, name: &str) -> Vec<String> {
    let block = function.block_named(name).expect("the block exists");
    let data = &function.blocks[block];
    let mut lines: Vec<String> = data.insts.iter().map(|inst| effect(function, inst)).collect();
    lines.push(leads(function, &data.term.kind));
    lines
}

fn statement(line: &str) -> String {
    let text = wrap(&format!("        {line};\n        goto -> bb1;"));
    let imported = clean(&text);
    let mut lines = block(&imported.program.functions[0], "bb0");
    assert_eq!(lines.pop().as_deref(), Some("=> bb1"));
    lines.join("; ")
}

fn terminator(line: &str) -> String {
    let imported = clean(&wrap(&format!("        {line};")));
    block(&imported.program.functions[0], "bb0").join("; ")
}

fn complaint(line: &str) -> String {
    let imported = read(wrap(&format!("        {line};\n        return;")).as_bytes());
    assert!(imported.program.functions.is_empty(), "{line}");
    let [diagnostic] = &imported.diagnostics[..] else {
        panic!("one diagnostic for {line}: {:?}", imported.diagnostics)
    };
    diagnostic.message.clone()
}

#[test]
fn statements_without_effect_vanish() {
    for line in [
        "StorageLive(_3)",
        "StorageDead(_3)",
        "nop",
        "ConstEvalCounter",
        "Coverage::VirtualCounter(bcb0)",
        "AscribeUserType(_3, o, UserTypeProjection { base: UserType(0), projs: [] })",
        "BackwardIncompatibleDropHint(_3)",
    ] {
        assert_eq!(statement(line), "", "{line}");
    }
}

#[test]
fn statements_that_only_read() {
    for (line, effect) in [
        ("FakeRead(ForLet(Some(DefId(0:5 ~ a[1]::b, c))), _3)", "<- _3"),
        ("FakeRead(ForMatchedPlace(None), (*_3))", "<- _3"),
        ("PlaceMention(_3)", "<- _3"),
        ("PlaceMention((_3.0: &str))", "<- _3"),
        ("Retag([fn entry] _3)", "<- _3"),
        ("Retag(_3)", "<- _3"),
        ("assume(copy _3)", "<- _3"),
        (
            "copy_nonoverlapping(dst = copy _3, src = move (_4.0: *const u8), count = const 3_usize)",
            "<- _3 _4",
        ),
    ] {
        assert_eq!(statement(line), effect, "{line}");
    }
}

#[test]
fn writes_to_wholes_parts_and_behind_pointers() {
    for (line, effect) in [
        ("_3 = const 5_i32", "_3 <-"),
        ("(_3.0: i32) = const 5_i32", "~_3 <-"),
        ("((_3 as Some).0: i32) = move _4", "~_3 <- _4"),
        ("(*_3) = const 5_i32", "<- _3"),
        ("((*_3).1: [u8; 4]) = copy _4", "<- _4 _3"),
        ("(*(_3.0: &mut i32)) = const 5_i32", "<- _3"),
        ("_3[_4] = const 5_i32", "~_3 <- _4"),
        ("(*_3)[_4] = const 5_i32", "<- _3 _4"),
        ("_3[1 of 3] = const 5_i32", "~_3 <-"),
        ("discriminant(_3) = 2", "~_3 <-"),
        ("discriminant((*_3)) = 2", "<- _3"),
        ("Deinit(_3)", "_3 <-"),
        ("Deinit((_3.1: A))", "~_3 <-"),
    ] {
        assert_eq!(statement(line), effect, "{line}");
    }
}

#[test]
fn operands_and_casts() {
    for (line, effect) in [
        ("_3 = copy _4", "_3 <- _4"),
        ("_3 = move _4", "_3 <- _4"),
        ("_3 = no_retag copy (*_4)", "_3 <- _4"),
        ("_3 = copy (*_4)[_5]", "_3 <- _4 _5"),
        ("_3 = copy (*_4)[_5][_6]", "_3 <- _4 _5 _6"),
        ("_3 = copy _4[-1 of 2]", "_3 <- _4"),
        ("_3 = copy _4[1:-2]", "_3 <- _4"),
        ("_3 = copy _4[1:]", "_3 <- _4"),
        ("_3 = copy _4[:-2]", "_3 <- _4"),
        ("_3 = copy _4[1..3]", "_3 <- _4"),
        ("_3 = copy (((*_4) as Named).1: (fn(A) -> B, [u8; 4]))", "_3 <- _4"),
        ("_3 = copy ((_4 as variant#3).0: u8)", "_3 <- _4"),
        ("_3 = copy ((_4.0: A) as impl Fn(A) -> B)", "_3 <- _4"),
        ("_3 = copy unwrap_binder!(_4; &'a u8)", "_3 <- _4"),
        ("_3 = wrap_binder!(move _4; &'a u8)", "_3 <- _4"),
        ("_3 = move _4 as usize (IntToInt)", "_3 <- _4"),
        ("_3 = move _4 as fn(u8) -> bb3 (Transmute)", "_3 <- _4"),
        ("_3 = copy (_4.0: f32) as std::vec::Vec<f64> (FloatToFloat)", "_3 <- _4"),
        ("_3 = const 5_i32 as u8 (IntToInt)", "_3 <-"),
        (
            "_3 = foo::<fn(A) -> B> as fn(i32) -> i32 (PointerCoercion(ReifyFnPointer(Safe), Implicit))",
            "_3 <-",
        ),
        ("_3 = deref_copy (*_4)", "_3 <- _4"),
        ("_3 = deref_copy (_4.0: &u8)", "_3 <- _4"),
        ("_3 = UbChecks", "_3 <-"),
        ("_3 = _4", "_3 <- _4"),
        ("_3 = (_4.0: u8)", "_3 <- _4"),
        ("_3 = &/*tls*/ mut tls::COUNTER", "_3 <-"),
    ] {
        assert_eq!(statement(line), effect, "{line}");
    }
}

#[test]
fn borrows_read() {
    for line in [
        "_3 = &_4",
        "_3 = &mut _4",
        "_3 = &mut (*_4)",
        "_3 = &fake shallow _4",
        "_3 = &fake _4",
        "_3 = &raw const _4",
        "_3 = &raw mut (*_4)",
        "_3 = &raw const (fake) (*_4)",
        "_3 = &(((*_4) as Some).0: u8)",
        "_3 = &'?5 mut (_4.0: u8)",
        "_3 = &'{erased} _4",
    ] {
        assert_eq!(statement(line), "_3 <- _4", "{line}");
    }
}

#[test]
fn operations_and_aggregates() {
    for (line, effect) in [
        ("_3 = Add(copy _4, const 1_i32)", "_3 <- _4"),
        ("_3 = AddWithOverflow(copy _4, copy _5)", "_3 <- _4 _5"),
        ("_3 = Offset(copy _4, move _5)", "_3 <- _4 _5"),
        ("_3 = Lt(const 1_i32, copy _5)", "_3 <- _5"),
        ("_3 = Not(move _4)", "_3 <- _4"),
        ("_3 = PtrMetadata(copy _4)", "_3 <- _4"),
        ("_3 = Len((*_4))", "_3 <- _4"),
        ("_3 = discriminant((*_4))", "_3 <- _4"),
        ("_3 = SizeOf([T; 4])", "_3 <-"),
        ("_3 = OffsetOf((A, B), [(0, 1)])", "_3 <-"),
        ("_3 = ShallowInitBox(move _4, [u8; 4])", "_3 <- _4"),
        ("_3 = ()", "_3 <-"),
        ("_3 = (move _4,)", "_3 <- _4"),
        ("_3 = (move _4, const 1_i32, copy (_5.0: A))", "_3 <- _4 _5"),
        ("_3 = (copy (*_4), move _5)", "_3 <- _4 _5"),
        ("_3 = []", "_3 <-"),
        ("_3 = [move _4; 3]", "_3 <- _4"),
        ("_3 = [const 0_u8; 3]", "_3 <-"),
        ("_3 = [move _4, const 3_u8, copy _5]", "_3 <- _4 _5"),
        ("_3 = Option::<fn(A) -> B>::Some(copy _4)", "_3 <- _4"),
        ("_3 = Option::<()>::None", "_3 <-"),
        ("_3 = Shape::Named { a: move _4, _1: const 2_u8 }", "_3 <- _4"),
        ("_3 = Pair { a: const 1_u8, b: move _4 }", "_3 <- _4"),
        ("_3 = Deep { a: const Foo {{ x: 1_u8 }}, b: move _4 }", "_3 <- _4"),
        ("_3 = {closure@src/lib.rs:1:2: 3:4}", "_3 <-"),
        ("_3 = {closure@src/lib.rs:1:2: 3:4} { a: move _4, b: copy _5 }", "_3 <- _4 _5"),
        ("_3 = {coroutine@src/lib.rs:1:2: 3:4 (#0)} { a: move _4 }", "_3 <- _4"),
        ("_3 = *const dyn A + B from (copy _4, move _5)", "_3 <- _4 _5"),
        ("_3 = <T as Tr<(A, B)>>::Out { f: copy _4 }", "_3 <- _4"),
        ("_3 = f::<'{', 3> as fn() (PointerCoercion(ReifyFnPointer(Safe), Implicit))", "_3 <-"),
        ("_3 = Some(g::<A, B>)", "_3 <-"),
    ] {
        assert_eq!(statement(line), effect, "{line}");
    }
}

#[test]
fn literals_hide_what_looks_like_mir() {
    for (line, effect) in [
        (r#"_3 = const "move _4, (_5.0: A) } // \" ; -> bb3""#, "_3 <-"),
        (r#"_3 = (const "a\\", move _4)"#, "_3 <- _4"),
        (r#"_3 = const b"\"; } -> [return: bb1]""#, "_3 <-"),
        ("_3 = [const '{', const '\\'', const '\"', const '(', copy _4]", "_3 <- _4"),
        ("_3 = (const 'é', const '\\u{7f}', move _4)", "_3 <- _4"),
        ("_3 = Foo::<'a, 'b, '>'>(move _4)", "_3 <- _4"),
        ("_3 = const {alloc1: &str}", "_3 <-"),
        ("_3 = (const <A<'a> as B>::C, move _4)", "_3 <- _4"),
    ] {
        assert_eq!(statement(line), effect, "{line}");
    }
}

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
        ("goto -> bb9", "there is no block `bb9`"),
        ("goto", "this needs one target"),
        ("_3 = f()", "a call that leads nowhere"),
        ("_3 = f() -> [return: bb1, unwind perhaps]", "unknown unwind action at `perhaps`"),
        ("switchInt(copy _3) -> [1: bb1, 1: bb2, otherwise: bb3]", "a switch with one value twice"),
        ("drop(_3)", "a drop that leads nowhere"),
        ("halt", "unknown terminator at `halt`"),
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

#[test]
fn deep_and_long_lines_are_no_trouble() {
    let depth = 100_000;
    let place = format!("{}_4{}", "(*".repeat(depth), ")".repeat(depth));
    assert_eq!(statement(&format!("_3 = copy {place}")), "_3 <- _4");
    let elements = vec!["copy _4"; depth].join(", ");
    assert_eq!(statement(&format!("_3 = [{elements}]")).matches("_4").count(), depth);
    let generic = format!("{}u8{}", "A<".repeat(depth), ">".repeat(depth));
    assert_eq!(statement(&format!("_3 = {generic}(move _4)")), "_3 <- _4");
}

/// Lines of many kinds, for mutation.
fn sample() -> String {
    wrap(
        "        _3 = const \"a -> [return: bb1] { }\";\n        (_4.0: A) = Foo { a: move _3, b: const '{' };\n        \
         _5 = [copy (*_3)[_4], const 2_u8];\n        discriminant(_6) = 2;\n        \
         asm!(\"nop\n# \", inout(reg) copy _3 => _4, options()) -> [return: bb1, unwind: bb4];",
    )
    .replacen(
        "return;",
        "_7 = <F as Fn<(A,)>>::call(move _3, copy (_5.0: B)) -> [return: bb2, unwind: bb4];",
        1,
    )
    .replacen("return;", "switchInt(copy _3) -> [0: bb1, 9: bb2, otherwise: bb3];", 1)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_bytes_panic(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        read(&bytes);
    }

    #[test]
    fn no_mutation_panics(
        edits in proptest::collection::vec((any::<prop::sample::Index>(), 0u8..3, any::<u8>()), 1..12),
    ) {
        let mut text = sample().into_bytes();
        for (at, kind, byte) in edits {
            let at = at.index(text.len());
            let from_sample = sample().as_bytes()[byte as usize];
            match kind {
                0 => text[at] = byte,
                1 => text.insert(at, from_sample),
                _ => drop(text.remove(at)),
            }
        }
        read(&text);
    }

    #[test]
    fn no_soup_of_tokens_panics(picks in proptest::collection::vec(0usize..24, 0..60)) {
        let tokens = [
            "_1", "_3", "(", ")", "[", "]", "{", "}", "<", ">", " -> ", "bb1", ": ", ", ", " = ",
            "move ", "const ", "\"", "'", "asm!(\"", " as ", "(*", "é", ";",
        ];
        let line: String = picks.into_iter().map(|pick| tokens[pick]).collect();
        read(wrap(&format!("        {line};\n        {line}\n        return;")).as_bytes());
        read(wrap(&format!("        _3 = {line};\n        return;")).as_bytes());
        read(wrap(&format!("        {line};")).as_bytes());
    }
}
