use super::lower;
use crate::cfg::{Cfg, Dominators, Loops, Postorder};
use crate::diagnostic::Span;
use crate::ir::{Block, Function, Inst, Op, Place, Program, TerminatorKind, text, validate};
use crate::thunks::testing::{Dice, agree, run};
use crate::thunks::{reify, structurize, text as regions};

fn parse(source: &str) -> Program {
    text::parse(source).unwrap_or_else(|mistakes| panic!("{mistakes:#?}\n{source}"))
}

/// All the way through, and valid in the end.
fn through(program: &Program) -> Function {
    let structured = structurize(&reify(&program.functions[0]).unwrap()).unwrap();
    let lowered = lower(&structured);
    let out = Program { functions: vec![lowered.clone()], ..program.clone() };
    assert_eq!(
        validate::validate(&out),
        [],
        "{}\n{}\n{}",
        text::print(program),
        regions::print_function(&structured),
        text::print_function(&lowered)
    );
    lowered
}

fn branches(function: &Function) -> usize {
    let selects = |kind: &TerminatorKind| {
        matches!(kind, TerminatorKind::Branch { .. } | TerminatorKind::Switch { .. })
    };
    function.blocks.values().filter(|data| selects(&data.term.kind)).count()
}

/// Runs a function and what came of it on some tapes.
fn check_runs(program: &Program, lowered: &Function, dice: &mut Dice) {
    for _ in 0..6 {
        let tape = dice.tape();
        let [original, other] = [run(&program.functions[0], &tape), run(lowered, &tape)];
        assert!(
            agree(&original, &other),
            "{tape:?}: {original:?}\n{other:?}\n{}\n{}",
            text::print(program),
            text::print_function(lowered)
        );
    }
}

#[test]
fn any_graph_does_the_same() {
    for seed in 0..3_000 {
        let mut dice = Dice(seed);
        let program = dice.function(if seed % 4 == 0 { 12 } else { 6 });
        let lowered = through(&program);
        check_runs(&program, &lowered, &mut dice);
        assert!(reducible(&lowered), "{}", text::print_function(&lowered));
    }
}

#[test]
fn ssa_functions_come_back_in_ssa_form() {
    for seed in 0..3_000 {
        let mut dice = Dice(seed);
        let mut program = dice.function(if seed % 4 == 0 { 12 } else { 6 });
        let function = &mut program.functions[0];
        super::thread::remove_unreachable(function);
        // Everything is assigned at the start, so that nothing is read before.
        let params = function.params.clone();
        let zero =
            |local| Inst { dest: Some(Place::from(local)), op: Op::Const(0), span: Span::NONE };
        let locals = function.locals.keys().filter(|local| !params.contains(local));
        let mut insts: Vec<Inst> = locals.map(zero).collect();
        super::ssa::separate_entry(function);
        let entry = &mut function.blocks[Block::from_u32(0)].insts;
        insts.append(entry);
        *entry = insts;
        function.ssa = super::ssa::construct(function);
        assert!(function.ssa);
        super::thread::thread(function, true);
        super::merge::merge(function);
        super::blocks::name(function, 0);
        function.canonicalize();
        assert_eq!(validate::validate(&program), [], "{}", text::print(&program));
        let lowered = through(&program);
        assert!(lowered.ssa);
        let original = &program.functions[0];
        if reducible(original) {
            let shown = || {
                let structured = structurize(&reify(original).unwrap()).unwrap();
                [
                    text::print(&program),
                    regions::print_function(&structured),
                    text::print_function(&lowered),
                ]
                .join("\n")
            };
            assert!(lowered.blocks.len() <= original.blocks.len(), "{seed} {}", shown());
            assert!(branches(&lowered) <= branches(original), "{seed} {}", shown());
        }
        check_runs(&program, &lowered, &mut dice);
    }
}

fn reducible(function: &Function) -> bool {
    let cfg = Cfg::build(function);
    let loops = Loops::new(&cfg, &Postorder::new(&cfg), &Dominators::new(&cfg));
    loops.is_reducible()
}

/// Structured programs, with values passed in every way.
const STRUCTURED: [&str; 9] = [
    "fn @f(%c: int) -> int {\nentry:\n  branch %c, left, right\nleft:\n  jump join(1)\nright:\n  jump join(%c)\njoin(%x: int):\n  return %x\n}\n",
    "extern @g() -> int\nfn @f(%n: int) -> int {\nentry:\n  jump head(0, 0)\nhead(%i: int, %s: int):\n  %more = slt %i, %n\n  branch %more, body, done(%s)\nbody:\n  %i2 = add %i, 1\n  %x = call @g()\n  branch %x, head(%i2, %s), next\nnext:\n  %y = call @g()\n  branch %y, done(0), last\nlast:\n  %s2 = add %s, %x\n  jump head(%i2, %s2)\ndone(%r: int):\n  return %r\n}\n",
    "fn @f(%n: int) -> int {\nentry:\n  jump head(0, 0)\nhead(%i: int, %s: int):\n  %more = slt %i, %n\n  branch %more, body, done\nbody:\n  %i2 = add %i, 1\n  %s2 = add %s, %i\n  jump head(%i2, %s2)\ndone:\n  return %s\n}\n",
    "extern @g() -> int\nfn @f() -> int {\nentry:\n  jump outer\nouter:\n  jump inner\ninner:\n  %a = call @g()\n  switch %a, inner, [0: next, 1: out]\nnext:\n  %b = call @g()\n  branch %b, outer, out\nout:\n  return %a\n}\n",
    "extern @g(int)\nfn @f(%n: int) {\nentry:\n  switch %n, d, [0: a, 1: b, 2: c]\na:\n  call @g(0)\n  jump b\nb:\n  call @g(1)\n  jump c\nc:\n  call @g(2)\n  jump d\nd:\n  return\n}\n",
    "extern @g() -> int\nfn @f() -> int {\nentry:\n  jump l\nl:\n  %a = call @g()\n  branch %a, l, out\nout:\n  return 3\n}\n",
    "fn @f(%n: int) -> int {\nentry:\n  branch %n, a, b\na:\n  branch %n, j(1), k\nb:\n  branch %n, j(2), k\nk:\n  %x = add %n, 1\n  jump j(%x)\nj(%r: int):\n  return %r\n}\n",
    "extern @g() -> int\nfn @f(%n: int) -> int {\nentry:\n  switch %n, a, [0: b, 1: c]\na:\n  return 1\nb:\n  jump d(1)\nc:\n  jump d(2)\nd(%x: int):\n  return %x\n}\n",
    "extern @g() -> int\nfn @f(%n: int) -> int {\nentry:\n  jump h(1, 2)\nh(%a: int, %b: int):\n  %c = call @g()\n  switch %c, h(%b, %a), [0: h(%b, %b), 1: m]\nm:\n  return %a\n}\n",
];

#[test]
fn structured_programs_grow_no_blocks_and_no_branches() {
    for source in STRUCTURED {
        for ssa in [false, true] {
            let mut program = parse(source);
            program.functions[0].ssa = ssa;
            assert_eq!(validate::validate(&program), []);
            let lowered = through(&program);
            let original = &program.functions[0];
            let shown = text::print_function(&lowered);
            assert!(lowered.blocks.len() <= original.blocks.len(), "{source}\n{shown}");
            assert!(branches(&lowered) <= branches(original), "{source}\n{shown}");
        }
    }
}

/// What is reducible, and has no blocks to spare, grows neither.
#[test]
fn reducible_graphs_grow_no_blocks_and_no_branches() {
    for seed in 0..6_000 {
        let mut dice = Dice(seed);
        let mut program = dice.function(if seed % 4 == 0 { 12 } else { 6 });
        let function = &mut program.functions[0];
        super::thread::thread(function, true);
        super::merge::merge(function);
        if !reducible(function) {
            continue;
        }
        let lowered = through(&program);
        let original = &program.functions[0];
        let shown = || [text::print(&program), text::print_function(&lowered)].join("\n");
        assert!(lowered.blocks.len() <= original.blocks.len(), "{}", shown());
        assert!(branches(&lowered) <= branches(original), "{}", shown());
    }
}
