use super::validate;
use crate::ir::{Inst, Op, Place, Target};
use crate::thunks::form::{End, Node, Region, RegionData, RegionProgram};
use crate::thunks::text;

/// The codes of the mistakes in a function of which `body` is the body.
fn codes(body: &str) -> Vec<&'static str> {
    let source = format!(
        "extern @take(int)\nmemory 8\nregion fn @f(%n: int, %o: own) -> int {{\n{body}\n}}\n"
    );
    let mut codes: Vec<_> = match text::parse(&source) {
        Ok(_) => Vec::new(),
        Err(mistakes) => mistakes.iter().map(|mistake| mistake.code).collect(),
    };
    codes.sort_unstable();
    codes
}

#[track_caller]
fn check(body: &str, expected: &[&str]) {
    let mut expected = expected.to_vec();
    expected.sort_unstable();
    assert_eq!(codes(body), expected, "{body}");
}

const RETURN: &str = "%t: thunk = bind return(%n)";

#[test]
fn what_is_right_is_not_reported() {
    check(&format!("{RETURN}\nenter %t"), &[]);
    check(&format!("region a {{ {RETURN}\nenter %t }}\nregion b(%x) {{ unreachable }}"), &[]);
}

#[test]
fn a_thunk_is_used_right_after_it_is_bound() {
    check(
        &format!("{RETURN}\n%x = add %n, 1\nenter %t"),
        &["thunk-not-entered", "thunk-not-bound"],
    );
    check(&format!("{RETURN}\nreturn %n"), &["thunk-not-entered"]);
    check("local %t: thunk\nenter %t", &["thunk-not-bound"]);
    check(
        "(%t: thunk) = if %n { %u = bind return(1)\nyield %u } else { %u = bind return(2)\n%x = const 1\nyield %u }\nenter %t",
        &["thunk-not-entered", "thunk-not-bound"],
    );
    // Once more, from another region.
    check(
        &format!("region a {{ {RETURN}\nenter %t }}\nregion b {{ enter %t }}"),
        &["thunk-not-bound"],
    );
}

#[test]
fn a_thunk_is_not_kept() {
    check(
        &format!("{RETURN}\n%u: thunk = copy %t\nenter %u"),
        &["thunk-not-entered", "thunk-kept", "thunk-not-bound"],
    );
    check(
        &format!("{RETURN}\n%u: thunk = select %n, %t, %t\nenter %t"),
        &["thunk-not-entered", "thunk-kept", "thunk-kept", "thunk-not-bound"],
    );
    check(
        &format!("{RETURN}\ncall @take(%t)\nunreachable"),
        &["thunk-not-entered", "argument-type", "thunk-kept"],
    );
    check(
        &format!("{RETURN}\nstore 0, %t\nunreachable"),
        &["thunk-not-entered", "operand-type", "thunk-kept"],
    );
    check(&format!("{RETURN}\nreturn %t"), &["thunk-not-entered", "return-type", "thunk-kept"]);
    check(
        &format!("{RETURN}\nloop (%i: thunk = %t) {{ repeat %n (%i) }}\nunreachable"),
        &["thunk-not-entered", "thunk-kept", "thunk-kept"],
    );
    check(
        &format!(
            "region a {{ {RETURN}\n%u = bind b(%t)\nenter %u }}\nregion b(%x: thunk) {{ unreachable }}"
        ),
        &["thunk-not-entered", "thunk-kept"],
    );
}

#[test]
fn a_selection_of_thunks_yields_nothing_else() {
    check(
        "(%t: thunk, %x) = if %n { %u = bind return(1)\nyield %u, 1 } else { unreachable }\nenter %t",
        &["thunk-beside-others"],
    );
    check(
        "(%t: thunk) = if %n { %u = bind return(1)\nyield %u } else { yield 3 }\nenter %t",
        &["value-type"],
    );
    check("(%t: thunk) = if %n { unreachable } else { unreachable }\nenter %t", &[]);
}

#[test]
fn a_bind_gives_what_its_target_takes() {
    check("region a { %t = bind b(1)\nenter %t }\nregion b { unreachable }", &["argument-count"]);
    check(
        "region a { %t = bind b(1)\nenter %t }\nregion b(%x: own) { unreachable }",
        &["argument-type"],
    );
    check("%t = bind return\nenter %t", &["argument-count"]);
    check("%t = bind resume(1)\nenter %t", &["argument-count"]);
    check("%t: int = bind resume\nenter %t", &["destination-type", "operand-type"]);
}

#[test]
fn thunk_form_is_left_by_thunks() {
    check("region a { return 1 }", &["exit-without-thunk"]);
    check("region a { resume }", &["exit-without-thunk"]);
    check("region a { if %n { return 1 } else { yield }\nunreachable }", &["exit-without-thunk"]);
    check("region a { yield }", &["misplaced-end"]);
}

#[test]
fn arms_of_matches_are_entered_there() {
    let arms =
        "case a(%x) { %u = bind return(%x)\nyield %u } case b { %u = bind return(1)\nyield %u }";
    check(&format!("%t = bind a(1)\n(%v: thunk) = match %t {arms}\nenter %v"), &[]);
    check(&format!("{RETURN}\n(%v: thunk) = match %t {arms}\nenter %v"), &[]);
    check(
        &format!(
            "region r {{ %t = bind r2\n(%v: thunk) = match %t {arms}\nenter %v }}\nregion r2 {{ %t = bind a(1)\nenter %t }}"
        ),
        &["thunk-out-of-scope"],
    );
    let round = "case a { %u = bind b\nyield %u } case b { %u = bind a\nyield %u }";
    check(&format!("%t = bind a\n(%v: thunk) = loop match %t {round}\nenter %v"), &[]);
    check(
        &format!("%t = bind a\n(%v: thunk) = match %t {round}\nenter %v"),
        &["thunk-out-of-scope"],
    );
    check(
        &format!("local %t: thunk\n(%v: thunk) = match %t {arms}\nenter %v"),
        &["thunk-not-bound"],
    );
}

#[test]
fn ends_stand_where_they_may() {
    check("if %n { return 1 } else { yield }\nreturn 2", &[]);
    check("if %n { return 1 } else { yield }\n%x = const 1\nreturn 2", &["misplaced-return"]);
    check("loop { return 1 }\nunreachable", &["misplaced-return"]);
    check("loop { resume }\nunreachable", &["misplaced-return"]);
    check("loop { yield }\nunreachable", &["misplaced-end"]);
    check("repeat %n", &["misplaced-end"]);
    check("if %n { repeat %n } else { yield }\nunreachable", &["misplaced-end"]);
    check(
        "if %n { %t = bind return(1)\nenter %t } else { yield }\nunreachable",
        &["misplaced-end"],
    );
}

#[test]
fn values_fit() {
    check("(%x) = if %n { yield } else { yield 1 }\nreturn %x", &["value-count"]);
    check("(%x) = if %n { yield %o } else { yield 1 }\nreturn %x", &["value-type"]);
    check("(%x, %x) = if %n { yield 1, 2 } else { yield 1, 2 }\nreturn %x", &["duplicate-output"]);
    check("loop (%i = %o) { repeat %n (%i) }\nreturn 1", &["value-type"]);
    check("loop (%i = 1) { repeat %n }\nreturn 1", &["value-count"]);
    check("(%x) = loop { repeat %n }\nreturn %x", &["value-count"]);
    check("loop { repeat %o }\nreturn 1", &["operand-type"]);
    check(
        "switch %n case 1 { yield } case 1 { yield } default { yield }\nreturn 1",
        &["duplicate-case"],
    );
    check("return %o", &["return-type"]);
}

/// What no text can say.
#[test]
fn mistakes_of_the_data() {
    let broken = |change: &dyn Fn(&mut RegionProgram)| {
        let source = "region fn @f(%n: int) {\n  if %n {\n    yield\n  } else {\n    yield\n  }\n  return\n}\n";
        let mut program = text::parse(source).expect("it is right");
        change(&mut program);
        validate(&program).iter().map(|mistake| mistake.code).collect::<Vec<_>>()
    };
    let arm = Region::from_u32(1);
    let root = Region::from_u32(0);
    let select = |program: &mut RegionProgram, change: &dyn Fn(&mut Vec<Region>)| {
        if let Node::Select(select) = &mut program.functions[0].regions[root].nodes[0] {
            change(&mut select.arms);
        }
    };
    assert_eq!(broken(&|_| {}), [""; 0]);
    assert_eq!(broken(&|p| p.functions[0].roots.clear()), ["no-entry"]);
    assert_eq!(broken(&|p| select(p, &|arms| arms[0] = Region::from_u32(9))), ["dangling-region"]);
    assert_eq!(broken(&|p| select(p, &|arms| arms[0] = arms[1])), ["shared-region"]);
    assert_eq!(broken(&|p| select(p, &|arms| arms.truncate(1))), ["stray-region"]);
    assert_eq!(
        broken(&|p| {
            let extra = p.functions[0].regions.push(RegionData::new(End::Unreachable));
            select(p, &|arms| arms.push(extra));
        }),
        ["arm-count"]
    );
    let name = |p: &mut RegionProgram| p.functions[0].regions[arm].name = Some("x".into());
    assert_eq!(broken(&name), ["unexpected-name"]);
    let inputs = |p: &mut RegionProgram| {
        let param = p.functions[0].params[0];
        p.functions[0].regions[arm].inputs.push(param);
    };
    assert_eq!(broken(&inputs), ["unexpected-inputs"]);
    let bind = |p: &mut RegionProgram| {
        let dest = Some(Place::from(p.functions[0].params[0]));
        let op = Op::Bind(Target::new(crate::ir::Block::from_u32(0)));
        let inst = Inst { dest, op, span: Default::default() };
        p.functions[0].regions[arm].nodes.push(Node::Inst(inst));
    };
    assert_eq!(broken(&bind), ["bind-as-instruction"]);
}
