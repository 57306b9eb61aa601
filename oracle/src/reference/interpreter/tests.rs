//! What small programs do, event by event.

use super::*;
use backedge_core::ir::text::parse;

fn program(text: &str) -> Program {
    parse(text).unwrap_or_else(|wrong| panic!("{wrong:?} in\n{text}"))
}

/// Runs a program: its events and its ending, a line each, and its leaks.
fn told(text: &str, tape: &str) -> String {
    let tape = Tape::parse(tape).expect("it is a tape");
    let run = run(&program(text), &tape, Limits::default());
    let mut told: Vec<String> = run.trace.iter().map(Event::to_string).collect();
    told.push(run.ending.to_string());
    if !run.leaks.is_empty() {
        told.push(format!("leaks {:?}", run.leaks));
    }
    told.join("; ")
}

const LOOP: &str = "extern @probe(int) -> int\nfn @main(%n: int) -> int {\nentry:\n  jump head(0, 0)\n\
    head(%i: int, %sum: int):\n  %more = slt %i, %n\n  branch %more, body, done\n\
    body:\n  %v = call @probe(%i)\n  %sum2 = add %sum, %v\n  %i2 = add %i, 1\n  jump head(%i2, %sum2)\n\
    done:\n  return %sum\n}\n";

#[test]
fn parameters_and_externs_are_answered_by_the_tape() {
    assert_eq!(told(LOOP, "3, 10, 20, 30"), "@probe(0); @probe(1); @probe(2); returned 60");
    assert_eq!(told(LOOP, "unwind"), "returned 0");
    assert_eq!(told(LOOP, ""), "ran out of tape");
    assert_eq!(told(LOOP, "2, 5"), "@probe(0); @probe(1); ran out of tape");
    assert_eq!(told(LOOP, "2, 5, unwind"), "@probe(0); @probe(1); unwound");
}

#[test]
fn edges_bind_all_parameters_at_once() {
    let text = "extern @go() -> int\nextern @tell(int, int)\nfn @main() {\nentry:\n  jump head(1, 2)\n\
        head(%a: int, %b: int):\n  call @tell(%a, %b)\n  %c = call @go()\n  branch %c, head(%b, %a), out\n\
        out:\n  return\n}\n";
    assert_eq!(told(text, "0, 1, 0, 0"), "@tell(1, 2); @go(); @tell(2, 1); @go(); returned");
}

#[test]
fn unwinding_ends_at_a_call_that_catches_it() {
    let text = "extern @f() -> int\nfn @main() -> int {\nentry:\n  %r = const 1\n\
        try_call %r = @middle(), fine, unwind lost(%r)\n\
        fine:\n  return %r\nlost(%old: int):\n  %n = add %old, 100\n  return %n\n}\n\
        fn @middle() -> int {\nentry:\n  try_call %v = @f(), fine, unwind again\n\
        fine:\n  %w = mul %v, 2\n  return %w\nagain:\n  resume\n}\n";
    assert_eq!(told(text, "21"), "@f(); returned 42");
    assert_eq!(told(text, "unwind"), "@f(); returned 101");
}

#[test]
fn an_unwind_that_reaches_a_plain_call_ends_the_run() {
    let text = "extern @f()\nfn @main() {\nentry:\n  try_call @outer(), fine, unwind lost\n\
        fine:\n  return\nlost:\n  return\n}\n\
        fn @outer() {\nentry:\n  call @inner()\n  return\n}\n\
        fn @inner() {\nentry:\n  try_call @f(), fine, unwind again\nfine:\n  return\nagain:\n  resume\n}\n";
    assert_eq!(told(text, "0"), "@f(); returned");
    assert_eq!(told(text, "unwind"), "@f(); unwound");
}

#[test]
fn resuming_from_the_first_function_unwinds() {
    assert_eq!(told("fn @main() {\nentry:\n  resume\n}\n", ""), "unwound");
    assert_eq!(told("fn @main() {\nentry:\n  unreachable\n}\n", ""), "reached `unreachable`");
}

#[test]
fn runs_end_when_fuel_or_depth_do() {
    let spin = program("fn @main() {\nentry:\n  jump entry\n}\n");
    let limits = Limits { steps: 77, depth: 5 };
    let done = run(&spin, &Tape::default(), limits);
    assert_eq!((done.ending, done.steps), (Ending::OutOfFuel, 77));
    let deep = program("fn @main() {\nentry:\n  call @main()\n  return\n}\n");
    let done = run(&deep, &Tape::default(), limits);
    assert_eq!((done.ending, done.steps), (Ending::OutOfFuel, 5));
    let done = run(&deep, &Tape::default(), Limits { steps: 1_000_000, depth: 500_000 });
    assert_eq!((done.ending, done.steps), (Ending::OutOfFuel, 500_000));
}

#[test]
fn what_was_not_assigned_is_undefined() {
    let text = "fn @main(%n: int) -> int {\nentry:\n  branch %n, set, join\nset:\n  %x = const 3\n  jump join\n\
        join:\n  return %x\n}\n";
    assert_eq!(told(text, "1"), "returned 3");
    assert_eq!(told(text, "0"), "is undefined: %x is not assigned");
}

#[test]
fn memory_is_addressed_modulo_its_size() {
    let text = "memory 8\nfn @main(%a: int) -> int {\nentry:\n  store %a, 5\n  %x = load 1\n  return %x\n}\n";
    for (address, value) in [(1, 5), (9, 5), (-7, 5), (2, 0), (i64::MIN + 1, 5)] {
        assert_eq!(told(text, &address.to_string()), format!("returned {value}"));
    }
    let done = run(&program(text), &Tape::parse("-1").expect("a tape"), Limits::default());
    assert_eq!(done.memory, [0, 0, 0, 0, 0, 0, 0, 5]);
}

#[test]
fn a_case_of_a_switch_is_its_own_slot() {
    let text = "fn @main(%v: int) -> int {\nentry:\n  switch %v, join(0), [3: join(30), -1: join(10)]\n\
        join(%r: int):\n  return %r\n}\n";
    let results = ["3", "-1", "7"].map(|tape| told(text, tape));
    assert_eq!(results, ["returned 30", "returned 10", "returned 0"]);
}

#[test]
fn resources_are_dropped_leaf_by_leaf_and_leak_when_forgotten() {
    let text = "extern @take(own{own, own})\nextern @give() -> own\nfn @main(%n: int) {\nentry:\n\
        %p: own{own, own{own, own}} = new\n  %q: own = move %p.1.0\n  branch %n, drops, forgets\n\
        drops:\n  drop %p\n  drop %p\n  drop %q\n  return\n\
        forgets:\n  %q = call @give()\n  %t: own{own, own} = new\n  call @take(%t)\n  return\n}\n";
    assert_eq!(told(text, "1"), "drop #0; drop #2; drop #1; returned");
    let expected = "@give(); @take(4, 5); returned; leaks [0, 1, 2, 3]";
    assert_eq!(told(text, "0, 0, 0"), expected);
}

#[test]
fn what_was_moved_is_undefined_to_use() {
    let body = |body: &str| {
        let text =
            format!("fn @main() {{\nentry:\n  %p: own{{own, own}} = new\n{body}  return\n}}\n");
        told(&text, "")
    };
    let undefined = "is undefined: %p is not initialized";
    assert_eq!(body("  %q: own = move %p.0\n  destroy %p\n"), undefined);
    assert_eq!(body("  %q: own{own, own} = move %p\n  %r: own = move %p.1\n"), undefined);
    assert_eq!(body("  %q: own = move %p.0\n  destroy %p.1\n"), "drop #1; returned; leaks [0]");
    assert_eq!(
        body("  destroy %p\n  %p.0 = new\n  drop %p\n"),
        "drop #0; drop #1; drop #2; returned"
    );
}

#[test]
fn a_drop_that_unwinds_has_dropped_all_there_is() {
    let text = "fn @main(%n: int) -> int {\nentry:\n  branch %n, make, end\nmake:\n  %p: own{own, own} = new\n  jump end\n\
        end:\n  try_drop %p, fine, unwind lost\nfine:\n  return 1\nlost:\n  return 2\n}\n";
    assert_eq!(told(text, "1, 0"), "drop #0; drop #1; returned 1");
    assert_eq!(told(text, "1, unwind"), "drop #0; drop #1; returned 2");
    assert_eq!(told(text, "0, unwind"), "returned 1");
}

#[test]
fn a_thunk_goes_where_it_was_bound() {
    let text = "fn @main(%n: int) -> int {\nentry:\n  branch %n, a, b\n\
        a:\n  %t: thunk = bind out(10, %n)\n  jump join\nb:\n  %t = bind other\n  jump join\n\
        join:\n  enter %t\nother:\n  return 7\nout(%x: int, %y: int):\n  %z = add %x, %y\n  return %z\n}\n";
    assert_eq!(told(text, "5"), "returned 15");
    assert_eq!(told(text, "0"), "returned 7");
    let twice =
        "fn @main() {\nentry:\n  %t: thunk = bind again\n  jump again\nagain:\n  enter %t\n}\n";
    assert_eq!(told(twice, ""), "is undefined: %t is not assigned");
}

#[test]
fn coverage_counts_what_runs_get_to() {
    let program = program(LOOP);
    let mut coverage = Coverage::new(&program);
    let interpreter = Interpreter::new(&program);
    let mut cover = |tape: &str| {
        let tape = Tape::parse(tape).expect("a tape");
        interpreter.run_observed(&tape, Limits::default(), &mut coverage);
        coverage.of_function(0)
    };
    assert_eq!(cover("0"), (3, 2));
    assert_eq!(cover("1"), (4, 3));
    assert_eq!(cover("1, 0"), (4, 4));
    assert_eq!(coverage.found(), 8);
}

/// What an observer is shown, in order.
#[derive(Default)]
struct Log(Vec<String>);

impl Observer for Log {
    fn enter(&mut self, view: &View<'_>, block: Block) {
        self.0.push(format!("enter {} {block}", view.function));
    }

    fn before(&mut self, view: &View<'_>, _: Block, inst: usize) {
        self.0.push(format!("before {inst} depth {}", view.depth));
    }

    fn after(&mut self, view: &View<'_>, _: Block, inst: usize) {
        let local = backedge_core::ir::Local::from_u32(0);
        self.0.push(format!("after {inst} {:?}", view.int(local)));
    }

    fn edge(&mut self, view: &View<'_>, block: Block, slot: usize) {
        self.0.push(format!("edge {} {block} {slot}", view.function));
    }
}

#[test]
fn observers_see_every_step() {
    let program = program(
        "fn @main() -> int {\nentry:\n  %x = call @two()\n  jump out\nout:\n  return %x\n}\n\
         fn @two() -> int {\nentry:\n  return 2\n}\n",
    );
    let mut log = Log::default();
    Interpreter::new(&program).run_observed(&Tape::default(), Limits::default(), &mut log);
    let expected = [
        "enter 0 block0",
        "before 0 depth 1",
        "enter 1 block0",
        "before 0 depth 2",
        "after 0 Some(2)",
        "before 1 depth 1",
        "edge 0 block0 0",
        "enter 0 block1",
        "before 0 depth 1",
    ];
    assert_eq!(log.0, expected);
}
