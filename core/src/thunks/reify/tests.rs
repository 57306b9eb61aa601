use super::{reify, unreify};
use crate::ir::{Function, text};
use crate::thunks::{RegionProgram, text as regions, validate};

fn function(source: &str) -> Function {
    text::parse(source).unwrap_or_else(|mistakes| panic!("{mistakes:#?}")).functions.swap_remove(0)
}

/// The thunk form of a function, which is valid, is read back, and gives the function back.
fn check(source: &str, expected: &str) {
    let program = text::parse(source).unwrap_or_else(|mistakes| panic!("{mistakes:#?}"));
    let thunks = reify(&program.functions[0]).unwrap();
    let out = RegionProgram {
        externs: program.externs.clone(),
        functions: vec![thunks.clone()],
        ..RegionProgram::default()
    };
    assert_eq!(validate::validate(&out), []);
    let printed = regions::print_function(&thunks);
    assert_eq!(regions::parse(&regions::print(&out)).as_ref(), Ok(&out));
    if !expected.is_empty() {
        assert_eq!(printed, expected);
    }
    assert_eq!(unreify(&thunks).as_ref(), Some(&program.functions[0]));
}

#[test]
fn a_branch_becomes_a_selection_of_thunks() {
    check(
        "fn @f(%c: int) -> int {\nentry:\n  %x = add %c, 1\n  branch %c, left(%x), right\n\
         left(%a: int):\n  jump right\nright:\n  return %x\n}\n",
        "\
region fn @f(%c: int) -> int {
  region entry {
    %x = add %c, 1
    (%t: thunk) = if %c {
      %t1: thunk = bind left(%x)
      yield %t1
    } else {
      %t2: thunk = bind right
      yield %t2
    }
    enter %t
  }
  region left(%a: int) {
    %t3: thunk = bind right
    enter %t3
  }
  region right {
    %t4: thunk = bind return(%x)
    enter %t4
  }
}
",
    );
}

/// Each terminator, parallel edges, an entry with predecessors, blocks that can't be reached.
#[test]
fn every_terminator_comes_back() {
    check(
        "extern @g(int) -> int\n\nfn @f(%n: int, %t: own) -> int {\nentry:\n  \
         switch %n, next(1), [3: next(%n), -1: next(3), 0: entry]\nnext(%i: int):\n  \
         branch %i, next(1), next(2)\ndead:\n  try_call %d = @g(%i), next(%d), unwind other\n\
         other:\n  try_drop %t, done, unwind bad\ndone:\n  return 7\nbad:\n  resume\nlost:\n  \
         unreachable\nreturn:\n  jump return\nresume:\n  jump resume\n}\n",
        "",
    );
}

#[test]
fn thunks_in_locals_are_refused() {
    let kept = function("fn @f() {\na:\n  %t = bind a\n  enter %t\n}\n");
    assert!(reify(&kept).is_err());
}
