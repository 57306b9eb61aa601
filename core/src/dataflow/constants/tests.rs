use super::*;
use crate::ir::text::{parse, print_function};
use crate::ir::{BinaryOp, builder};

fn parsed(text: &str) -> Function {
    parse(text).expect("the text is right").functions.remove(0)
}

/// What is known of each local where a block starts: `x=3 n=* y=?`, or `never`.
fn at_entry(constants: &Constants<'_>, block: &str) -> String {
    let function = constants.function;
    let block = function.block_named(block).expect("there is this block");
    let shown = function.locals.iter().map(|(local, data)| {
        let known = match constants.at_entry(block, local)? {
            Lattice::Undefined => "?".to_owned(),
            Lattice::Constant(value) => value.to_string(),
            Lattice::Overdefined => "*".to_owned(),
        };
        Some(format!("{}={known}", data.name))
    });
    shown.collect::<Option<Vec<_>>>().map_or("never".to_owned(), |all| all.join(" "))
}

#[test]
fn joins_keep_what_is_equal_and_lose_what_is_not() {
    let function = parsed(
        "fn @f(%c: int) -> int {\na:\n  branch %c, b, d\nb:\n  %x = const 1\n  %y = const 2\n  jump e\n\
         d:\n  %x = const 1\n  %y = const 3\n  jump e\ne:\n  return %x\n}\n",
    );
    let cfg = Cfg::build(&function);
    let constants = Constants::solve(&function, &cfg);
    assert_eq!(at_entry(&constants, "a"), "c=* x=? y=?");
    assert_eq!(at_entry(&constants, "e"), "c=* x=1 y=*");
}

#[test]
fn what_only_a_dead_edge_brings_does_not_count() {
    let function = parsed(
        "fn @f(%n: int) -> int {\na:\n  jump head(0, 1)\nhead(%i: int, %x: int):\n  branch %x, body, odd\n\
         odd:\n  %x = copy %n\n  jump body\nbody:\n  %i = add %i, %x\n  %go = slt %i, %n\n  \
         branch %go, head(%i, %x), done\ndone:\n  return %i\n}\n",
    );
    let cfg = Cfg::build(&function);
    let constants = Constants::solve(&function, &cfg);
    assert_eq!(at_entry(&constants, "odd"), "never");
    assert_eq!(at_entry(&constants, "done"), "n=* i=* x=1 go=*");
    let head = function.block_named("head").expect("there is this block");
    assert_eq!(constants.decided(head), Some(0));
    let taken: Vec<bool> = cfg.succs(head).map(|edge| constants.is_taken(&cfg, edge)).collect();
    assert_eq!(taken, [true, false]);
}

#[test]
fn divisions_fold_to_what_the_machine_computes() {
    use BinaryOp::{Sdiv, Srem, Udiv, Urem};
    assert_eq!(evaluate(Sdiv, 7, 0), -1);
    assert_eq!(evaluate(Udiv, 7, 0), -1);
    assert_eq!(evaluate(Srem, 7, 0), 7);
    assert_eq!(evaluate(Urem, -7, 0), -7);
    assert_eq!(evaluate(Sdiv, i64::MIN, -1), i64::MIN);
    assert_eq!(evaluate(Srem, i64::MIN, -1), 0);
    assert_eq!(evaluate(Udiv, -1, 2), i64::MAX);
    assert_eq!(evaluate(BinaryOp::Shl, 1, 64), 1);
    assert_eq!(evaluate(BinaryOp::Ashr, -8, 1), -4);
    assert_eq!(evaluate(BinaryOp::Ult, -1, 1), 0);
    assert_eq!(evaluate(BinaryOp::Slt, -1, 1), 1);
}

#[test]
fn folding_puts_constants_in_and_leaves_effects() {
    let function = parsed(
        "extern @e(int) -> int\nfn @f() -> int {\na:\n  %x = add 2, 3\n  %y = call @e(%x)\n  %z = mul %x, %x\n  \
         branch %z, b(%x, %y), b(%y, %x)\nb(%p: int, %q: int):\n  %r = sub %p, %q\n  return %r\n}\n",
    );
    let folded = print_function(&fold(&function));
    let expected = "fn @f() -> int {\na:\n  %x = const 5\n  %y = call @e(5)\n  %z = const 25\n  \
                    jump b(5, %y)\nb(%p: int, %q: int):\n  %r = sub 5, %q\n  return %r\n}\n";
    assert_eq!(folded, expected);
}

/// A thunk may lead to a block from anywhere, with anything.
#[test]
fn blocks_that_thunks_lead_to_know_nothing() {
    let function = parsed(
        "fn @f() {\na:\n  %x = const 1\n  %t = bind b(2)\n  enter %t\nb(%p: int):\n  return\n}\n",
    );
    let cfg = Cfg::build(&function);
    let constants = Constants::solve(&function, &cfg);
    assert_eq!(at_entry(&constants, "b"), "x=* t=* p=*");
}

/// Every block of a chain of diamonds is visited a few times, however long it is.
#[test]
fn visits_do_not_grow_with_the_depth() {
    let function = builder::diamond();
    let cfg = Cfg::build(&function);
    let constants = Constants::solve(&function, &cfg);
    assert!(constants.solution.visits() <= 2 * function.blocks.len());
}
