use super::*;
use crate::ir::Program;
use crate::ir::text::{parse, print};

/// The only function of a text.
fn function(text: &str) -> Function {
    let program = parse(text).unwrap_or_else(|wrong| panic!("{wrong:?}\n{text}"));
    program.functions.into_iter().next().expect("a function")
}

/// The blocks after the pass, without the indent.
fn blocks(propagation: &Propagation) -> String {
    let mut function = propagation.function.clone();
    function.canonicalize();
    let program = Program { functions: vec![function], ..Program::default() };
    let text = print(&program);
    let lines = text.lines().skip(1).map(str::trim).take_while(|line| *line != "}");
    lines.collect::<Vec<_>>().join("\n")
}

fn name(function: &Function, local: Local) -> String {
    function.locals[local].name.to_string()
}

/// `a->b` for each merge.
fn merges(function: &Function, propagation: &Propagation) -> Vec<String> {
    let arrow = |&(a, b): &(Local, Local)| format!("{}->{}", name(function, a), name(function, b));
    propagation.merges.iter().map(arrow).collect()
}

fn refused(propagation: &Propagation) -> Vec<Refused> {
    propagation.refused.iter().map(|(_, why)| *why).collect()
}

/// The same merges and the same text by every method.
fn all_give(text: &str, merged: &[&str], after: &str) {
    let function = function(text);
    for method in Method::ALL {
        let propagation = propagate(&function, method);
        assert_eq!(merges(&function, &propagation), merged, "{}", method.name());
        assert_eq!(blocks(&propagation), after, "{}", method.name());
    }
}

/// Each method merges so, and refuses for this reason.
fn each(text: &str, expected: [(&[&str], &[Refused]); 3]) {
    let function = function(text);
    for (method, (merged, why)) in Method::ALL.into_iter().zip(expected) {
        let propagation = propagate(&function, method);
        assert_eq!(merges(&function, &propagation), merged, "{}", method.name());
        assert_eq!(refused(&propagation), why, "{}", method.name());
    }
}

#[test]
fn a_chain_becomes_one_local() {
    all_give(
        "fn @f(%n: int) -> int {\na:\n %x = copy %n\n %y = copy %x\n %z = copy %y\n return %z\n}",
        &["x->n", "y->n", "z->n"],
        "a:\nreturn %n",
    );
}

#[test]
fn an_argument_is_a_copy_on_its_edge() {
    all_give(
        "fn @f(%n: int) -> int {\na:\n %z = const 0\n jump h(%z)\nh(%i: int):\n %m = add %i, 1\n \
         %c = slt %m, %n\n branch %c, h(%m), d\nd:\n return %m\n}",
        &["z->i", "m->i"],
        "a:\n%i = const 0\njump h\nh:\n%i = add %i, 1\n%c = slt %i, %n\nbranch %c, h, d\nd:\nreturn %i",
    );
}

/// The old counter is read behind the place where the new one is made.
#[test]
fn what_is_read_later_is_in_the_way() {
    let text = "fn @f(%n: int) -> int {\na:\n %z = const 0\n jump h(%z)\nh(%i: int):\n \
                %m = add %i, 1\n %c = slt %i, %n\n branch %c, h(%m), d\nd:\n return %m\n}";
    each(
        text,
        [
            (&["z->i"], &[Refused::DestinationLive]),
            (&["z->i"], &[Refused::DestinationLive]),
            (&["z->i"], &[Refused::RangesMeet]),
        ],
    );
}

/// A parameter that gets itself on one edge, and something else on another, stays.
#[test]
fn a_parameter_stays_while_one_edge_assigns_it() {
    all_give(
        "fn @f(%n: int) -> int {\na:\n jump h(0)\nh(%i: int):\n %m = add %i, 1\n branch %m, h(%m), d\nd:\n return %m\n}",
        &["m->i"],
        "a:\njump h(0)\nh(%i: int):\n%i = add %i, 1\nbranch %i, h(%i), d\nd:\nreturn %i",
    );
}

#[test]
fn parameters_of_the_function_keep_their_names() {
    let text = "fn @f(%a: int, %b: int) -> int {\ne:\n %x = copy %a\n %a = copy %b\n %s = add %x, %a\n \
                return %s\n}";
    let function = function(text);
    for method in Method::ALL {
        let propagation = propagate(&function, method);
        assert_eq!(merges(&function, &propagation), Vec::<String>::new());
        assert!(refused(&propagation).contains(&Refused::TwoParameters));
    }
}

/// Both hold the same value, so that it does not matter that both are read later. Live ranges do not see
/// that.
#[test]
fn copies_that_are_both_read_are_merged_by_what_is_written() {
    let text = "fn @f(%n: int) -> int {\na:\n %x = add %n, 1\n %y = copy %x\n %s = add %x, %y\n return %s\n}";
    each(text, [(&["x->y"], &[]), (&["x->y"], &[]), (&[], &[Refused::RangesMeet])]);
}

/// `x = copy c` stands between `b` and `x` until `b` and `c` are one.
#[test]
fn what_was_refused_for_a_copy_is_tried_again() {
    let text = "fn @f(%n: int) -> int {\na:\n %c = add %n, 1\n %b = copy %c\n %x = copy %c\n %x = copy %b\n \
                %s = add %b, %x\n %s = add %s, %c\n return %s\n}";
    let function = function(text);
    for method in [Method::Recompute, Method::Saved] {
        let propagation = propagate(&function, method);
        assert_eq!(refused(&propagation), [], "{}", method.name());
        assert_eq!(
            blocks(&propagation),
            "a:\n%x = add %n, 1\n%s = add %x, %x\n%s = add %s, %x\nreturn %s"
        );
    }
}

#[test]
fn a_dead_write_is_in_the_way() {
    let text =
        "fn @f(%n: int) -> int {\na:\n %x = add %n, 1\n %y = const 3\n %y = copy %x\n return %y\n}";
    each(
        text,
        [
            (&[], &[Refused::SourceLive]),
            (&[], &[Refused::SourceLive]),
            (&[], &[Refused::RangesMeet]),
        ],
    );
}

#[test]
fn operands_of_an_unknown_operation_stay_apart() {
    let text = "fn @f() -> int {\na:\n %x = const 1\n %y = opaque \"op\"(%x)\n branch %y, b, c\nb:\n %x = copy %y\n \
                jump c\nc:\n return %y\n}";
    let function = function(text);
    for method in Method::ALL {
        assert_eq!(refused(&propagate(&function, method)), [Refused::Interleaved]);
    }
    let known = text.replace("opaque \"op\"(%x)", "add %x, 1");
    let function = super::tests::function(&known);
    assert_eq!(refused(&propagate(&function, Method::Saved)), []);
    let every = Options { method: Method::Saved, overlap: Overlap::Every };
    assert_eq!(refused(&propagate(&function, every)), [Refused::Interleaved]);
}

/// So do arguments of a call that may unwind, and its result, where every instruction counts as unknown.
#[test]
fn a_result_stays_apart_from_arguments_if_all_may_overlap() {
    let text = "extern @g(int) -> int\nfn @f(%n: int) -> int {\na:\n %x = add %n, 1\n try_call %r = @g(%x), b, unwind c\n\
                b:\n %x = copy %r\n return %x\nc:\n return %n\n}";
    let function = function(text);
    for method in Method::ALL {
        assert_eq!(refused(&propagate(&function, method)), []);
        let every = Options { method, overlap: Overlap::Every };
        assert_eq!(refused(&propagate(&function, every)), [Refused::Interleaved]);
    }
}

/// Once one of them is no parameter any more, since all edges pass it to itself, the other is free. Only
/// a method that looks at the function again sees that.
#[test]
fn parameters_of_one_block_stay_two() {
    let text = "fn @f(%n: int) -> int {\na:\n jump b(%n, %n)\nb(%x: int, %y: int):\n %x = copy %y\n return %x\n}";
    let function = function(text);
    for method in [Method::Saved, Method::LiveRanges] {
        let propagation = propagate(&function, method);
        assert!(refused(&propagation).contains(&Refused::WrittenTogether), "{}", method.name());
    }
    let propagation = propagate(&function, Method::Recompute);
    assert_eq!(blocks(&propagation), "a:\njump b\nb:\nreturn %n");
}

/// The result is written by the call, and so before it unwinds.
#[test]
fn what_the_unwind_edge_reads_is_kept_from_the_result() {
    let text = "extern @g() -> int\nfn @f(%n: int) -> int {\na:\n %x = add %n, 1\n try_call %r = @g(), b, unwind c\n\
                b:\n %x = copy %r\n return %x\nc:\n return %x\n}";
    let function = function(text);
    for method in [Method::Recompute, Method::Saved] {
        assert_eq!(refused(&propagate(&function, method)), [Refused::LiveOnUnwind]);
    }
    assert_eq!(refused(&propagate(&function, Method::LiveRanges)), [Refused::RangesMeet]);
}

#[test]
fn what_is_not_an_integer_stays() {
    let text = "fn @f() {\na:\n %p = new\n %q = move %p\n drop %q\n return\n}";
    let text = text.replace("%p = new", "%p: own = new");
    let function = function(&text);
    for method in Method::ALL {
        assert_eq!(refused(&propagate(&function, method)), [Refused::Owned]);
    }
}

#[test]
fn copies_in_dead_code_stay() {
    let text =
        "fn @f(%n: int) -> int {\na:\n return %n\nb:\n %x = const 1\n %y = copy %x\n return %y\n}";
    let function = function(text);
    for method in Method::ALL {
        assert_eq!(refused(&propagate(&function, method)), [Refused::Unreachable]);
    }
}

/// The points of a row as `block:inst` before which a local is live.
fn live_before(propagation: &Propagation, function: &Function, local: &str) -> Vec<String> {
    use crate::dataflow::intervals::Half;
    let saved = propagation.liveness.as_ref().expect("it is saved");
    let of = |of: Local| name(function, of) == local;
    let (_, set) = saved.rows().find(|(owner, _)| of(*owner)).expect("it has a row");
    let mut found = Vec::new();
    for (block, data) in &function.blocks {
        let before =
            |inst: &usize| set.contains(saved.points().statement(block, *inst, Half::Before));
        let insts = (0..=data.insts.len()).filter(before);
        found.extend(insts.map(|inst| format!("{}:{inst}", data.name)));
    }
    found
}

/// Locals that only feed each other are live all around the loop; of the class, so is what is left.
#[test]
fn saved_liveness_is_that_of_both() {
    let text = "fn @f(%n: int) -> int {\na:\n %x = const 1\n jump h\nh:\n %y = copy %x\n %x = copy %y\n \
                branch %n, h, d\nd:\n return %n\n}";
    let function = function(text);
    let propagation = propagate(&function, Method::Saved);
    assert_eq!(merges(&function, &propagation), ["x->y"]);
    let live = live_before(&propagation, &function, "y");
    assert_eq!(live, ["a:1", "h:0", "h:1", "h:2"]);
    assert_eq!(
        blocks(&propagation),
        "a:\n%y = const 1\njump h\nh:\nbranch %n, h, d\nd:\nreturn %n"
    );
}

#[test]
fn no_copies_and_no_blocks() {
    for method in Method::ALL {
        assert!(propagate(&Function::new("f"), method).rounds <= 1);
    }
}
