use super::*;

fn check(text: &str, canonical: &str) {
    let program = parse(text).unwrap_or_else(|mistakes| panic!("{mistakes:#?}"));
    assert_eq!(print(&program), canonical);
    assert_eq!(parse(canonical).unwrap(), program);
}

#[test]
fn a_phi_is_a_parameter_with_an_argument_on_every_edge() {
    check(
        "ssa fn @f(%c: int, %o: own) {\na:\n  branch %c, b(1), c\nb(%p: int):\n  \
         %x = phi int [a: 2], [c: %y]\n  %o2 = phi own [c: %o1], [a: %o]\n  return\nc:\n  \
         %y = const 3\n  %o1 = new\n  switch %y, b(4), [1: b(5)]\n}",
        "ssa fn @f(%c: int, %o: own) {\na:\n  branch %c, b(1, 2, %o), c\n\
         b(%p: int, %x: int, %o2: own):\n  return\nc:\n  %y = const 3\n  %o1: own = new\n  \
         switch %y, b(4, %y, %o1), [1: b(5, %y, %o1)]\n}\n",
    );
}

#[test]
fn a_for_loop_is_blocks_and_branches() {
    check(
        "fn @f(%n: int) -> int {\nentry:\n  %s = const 0\n  for %i = 0, %n, 2 {\n    \
         %s = add %s, %i\n  }\n  return %s\n}",
        "fn @f(%n: int) -> int {\nentry:\n  %s = const 0\n  jump for1.head(0)\n\
         for1.head(%i: int):\n  %for1_more = slt %i, %n\n  branch %for1_more, for1.body, for1.exit\n\
         for1.body:\n  %s = add %s, %i\n  %for1_next = add %i, 2\n  jump for1.head(%for1_next)\n\
         for1.exit:\n  return %s\n}\n",
    );
}

#[test]
fn loops_nest_hold_blocks_and_avoid_names_in_use() {
    check(
        "ssa fn @f() {\nfor1.exit:\n  for %i = 0, 3, 1 {\n    for %j = %i, 9, 1 { jump x\n    x: }\n    \
         branch %i, y, for1.exit\n  y:\n    for %k = 0, 1, 1 { return }\n  }\n  unreachable\n}",
        "ssa fn @f() {\nfor1.exit:\n  jump for2.head(0)\nfor2.head(%i: int):\n  \
         %for2_more = slt %i, 3\n  branch %for2_more, for2.body, for2.exit\nfor2.body:\n  \
         jump for3.head(%i)\nfor3.head(%j: int):\n  %for3_more = slt %j, 9\n  \
         branch %for3_more, for3.body, for3.exit\nfor3.body:\n  jump x\nx:\n  \
         %for3_next = add %j, 1\n  jump for3.head(%for3_next)\nfor3.exit:\n  \
         branch %i, y, for1.exit\ny:\n  jump for4.head(0)\nfor4.head(%k: int):\n  \
         %for4_more = slt %k, 1\n  branch %for4_more, for4.body, for4.exit\nfor4.body:\n  return\n\
         for4.exit:\n  %for2_next = add %i, 1\n  jump for2.head(%for2_next)\nfor2.exit:\n  unreachable\n}\n",
    );
}
