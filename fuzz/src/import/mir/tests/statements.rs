//! Each kind of statement.

use super::statement;

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
