use super::{Bound, structurize_blocks};
use crate::ir::{Program, text};
use crate::thunks::families;
use crate::thunks::testing::{Dice, agree, run, run_regions};
use crate::thunks::{RegionFunction, RegionProgram, text as regions, validate};

fn parse(source: &str) -> Program {
    text::parse(source).unwrap_or_else(|mistakes| panic!("{mistakes:#?}\n{source}"))
}

/// The structured form of the first function: valid, within the bound, and read back.
fn structured(program: &Program) -> RegionFunction {
    let function = &program.functions[0];
    let structured = structurize_blocks(function).unwrap();
    let bound = Bound::of(function);
    let nodes: usize = structured.regions.values().map(|data| data.nodes.len()).sum();
    assert!(nodes <= bound.nodes, "{nodes} nodes, {bound:?}");
    assert!(structured.regions.len() <= bound.regions, "{bound:?}");
    let out = RegionProgram {
        externs: program.externs.clone(),
        memory: program.memory,
        functions: vec![structured.clone()],
        ..RegionProgram::default()
    };
    assert_eq!(validate::validate(&out), [], "{}", regions::print(&out));
    structured
}

fn show(name: &str, source: &str) {
    let program = parse(source);
    let form = structured(&program);
    eprintln!("=== {name}\n{}", regions::print_function(&form));
}

#[test]
fn gallery() {
    show(
        "diamond",
        "fn @f(%c: int) -> int {\nentry:\n  branch %c, left, right\nleft:\n  jump join(1)\nright:\n  jump join(%c)\njoin(%x: int):\n  return %x\n}\n",
    );
    show(
        "break and continue",
        "extern @g() -> int\nfn @f(%n: int) -> int {\nentry:\n  jump head(0, 0)\nhead(%i: int, %s: int):\n  %more = slt %i, %n\n  branch %more, body, done(%s)\nbody:\n  %i2 = add %i, 1\n  %x = call @g()\n  branch %x, head(%i2, %s), next\nnext:\n  %y = call @g()\n  branch %y, done(0), last\nlast:\n  %s2 = add %s, %x\n  jump head(%i2, %s2)\ndone(%r: int):\n  return %r\n}\n",
    );
    show(
        "while",
        "fn @f(%n: int) -> int {\nentry:\n  jump head(0, 0)\nhead(%i: int, %s: int):\n  %more = slt %i, %n\n  branch %more, body, done\nbody:\n  %i2 = add %i, 1\n  %s2 = add %s, %i\n  jump head(%i2, %s2)\ndone:\n  return %s\n}\n",
    );
    show(
        "two-level exit",
        "extern @g() -> int\nfn @f() -> int {\nentry:\n  jump outer\nouter:\n  jump inner\ninner:\n  %a = call @g()\n  switch %a, inner, [0: next, 1: out]\nnext:\n  %b = call @g()\n  branch %b, outer, out\nout:\n  return %a\n}\n",
    );
    show(
        "switch with fallthrough",
        "extern @g(int)\nfn @f(%n: int) {\nentry:\n  switch %n, d, [0: a, 1: b, 2: c]\na:\n  call @g(0)\n  jump b\nb:\n  call @g(1)\n  jump c\nc:\n  call @g(2)\n  jump d\nd:\n  return\n}\n",
    );
    show(
        "two-entry loop",
        "extern @g() -> int\nfn @f(%n: int) -> int {\nentry:\n  branch %n, a(1), b(2)\na(%x: int):\n  %c = call @g()\n  branch %c, b(%x), out\nb(%y: int):\n  %d = call @g()\n  branch %d, a(%y), out\nout:\n  return 3\n}\n",
    );
    show(
        "K3",
        "extern @g() -> int\nfn @f() -> int {\nentry:\n  %a = call @g()\n  switch %a, x, [0: y, 1: z]\nx:\n  %b = call @g()\n  branch %b, y, z\ny:\n  %c = call @g()\n  switch %c, x, [0: z]\nz:\n  %d = call @g()\n  switch %d, x, [0: y, 1: out]\nout:\n  return 3\n}\n",
    );
    show(
        "infinite in loop",
        "extern @g() -> int\nfn @f() -> int {\nentry:\n  jump outer\nouter:\n  %a = call @g()\n  switch %a, outer, [0: inf, 1: out]\ninf:\n  %b = call @g()\n  jump inf\nout:\n  return 3\n}\n",
    );
    show(
        "false arm",
        "extern @g() -> int\nfn @f() -> int {\nentry:\n  jump l\nl:\n  %a = call @g()\n  branch %a, l, out\nout:\n  return 3\n}\n",
    );
    show(
        "join of three",
        "fn @f(%n: int) -> int {\nentry:\n  branch %n, a, b\na:\n  branch %n, j(1), k\nb:\n  branch %n, j(2), k\nk:\n  %x = add %n, 1\n  jump j(%x)\nj(%r: int):\n  return %r\n}\n",
    );
    show(
        "parallel",
        "extern @g() -> int\nfn @f(%n: int) -> int {\nentry:\n  branch %n, h(1), h(2)\nh(%x: int):\n  %c = call @g()\n  switch %c, h(%x), [0: h(5), 1: out]\nout:\n  return %x\n}\n",
    );
    show(
        "entry with preds, never",
        "extern @g() -> int\nfn @f(%n: int) -> int {\nentry:\n  %c = call @g()\n  branch %c, entry, b\nb:\n  jump entry\n}\n",
    );
    show(
        "early return",
        "extern @g() -> int\nfn @f(%n: int) -> int {\nentry:\n  switch %n, a, [0: b, 1: c]\na:\n  return 1\nb:\n  jump d(1)\nc:\n  jump d(2)\nd(%x: int):\n  return %x\n}\n",
    );
    show(
        "swap",
        "extern @g() -> int\nfn @f(%n: int) -> int {\nentry:\n  jump h(1, 2)\nh(%a: int, %b: int):\n  %c = call @g()\n  switch %c, h(%b, %a), [0: h(%b, %b), 1: m]\nm:\n  return %a\n}\n",
    );
}

/// Structured forms of any graphs do as the graphs do, on any tape.
#[test]
fn any_graph_does_the_same() {
    for seed in 0..3_000 {
        let mut dice = Dice(seed);
        let program = dice.function(if seed % 4 == 0 { 12 } else { 6 });
        let structured = structured(&program);
        for _ in 0..6 {
            let tape = dice.tape();
            let [original, other] =
                [run(&program.functions[0], &tape), run_regions(&structured, &tape)];
            assert!(
                agree(&original, &other),
                "seed {seed}, {tape:?}: {original:?}\n{other:?}\n{}\n{}",
                text::print(&program),
                regions::print_function(&structured)
            );
        }
    }
}

/// The families at full size: within the bound, and within seconds all the way.
#[test]
fn hard_families_stay_linear() {
    let all = [
        families::chain(100_000),
        families::diamonds(33_000),
        families::ladder(50_000),
        families::nest(10_000),
        families::nest(50_000),
        families::irreducible_nest(3_000),
        families::complete(300),
        families::fallthrough(10_000),
        families::fallthrough(100_000),
        families::early_exits(100_000),
    ];
    for function in all {
        let external = crate::ir::Extern {
            name: "g".into(),
            params: vec![crate::ir::Type::Int],
            ret: Some(crate::ir::Type::Int),
            span: Default::default(),
        };
        let program =
            Program { externs: vec![external], functions: vec![function], ..Program::default() };
        let function = &program.functions[0];
        let start = std::time::Instant::now();
        let form = structurize_blocks(function).unwrap();
        let middle = std::time::Instant::now();
        let lowered = crate::thunks::lower(&form);
        eprintln!(
            "{}: {} blocks, {} regions, {} blocks, {:?}, {:?}",
            function.name,
            function.blocks.len(),
            form.regions.len(),
            lowered.blocks.len(),
            middle - start,
            middle.elapsed(),
        );
        structured(&program);
    }
}
