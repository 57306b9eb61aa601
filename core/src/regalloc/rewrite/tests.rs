use super::*;
use crate::ir::text::parse;
use crate::machine::lower;
use crate::machine::validate::{Stage, validate};

/// Branches with a critical edge from `entry` to `join`.
const TEXT: &str = "fn @f(%n: int) -> int {\nentry:\n  branch %n, side, join(1)\n\
    side:\n  jump join(2)\njoin(%x: int):\n  return %x\n}\n";

fn lowered() -> MFunction {
    let program = parse(TEXT).expect("it is right");
    lower(&program, &program.functions[0]).expect("it is lowered")
}

const T1: Reg = Reg::physical(6);

/// Everything virtual in `t1`, and moves as given.
fn all_in_one(function: &MFunction, edits: Vec<Edit>) -> Allocation {
    let place = |reg: Reg| if reg.is_virtual() { T1 } else { reg };
    let operands = function.blocks.iter().map(|(block, data)| {
        let each = (0..=data.insts.len()).map(|inst| {
            function.operands(block, inst).iter().map(|operand| place(operand.reg)).collect()
        });
        each.collect()
    });
    let params = function
        .blocks
        .values()
        .map(|data| data.params.iter().map(|_| Location::Reg(T1)).collect());
    let (operands, params) = (operands.collect(), params.collect());
    Allocation { operands, params, edits, spill_bytes: 16, ..Allocation::default() }
}

fn edit(at: Point, from: Location, to: Location) -> Edit {
    Edit { at, from, to }
}

#[test]
fn moves_go_where_no_other_path_passes() {
    let function = lowered();
    let (slot, t1) = (Location::Slot(8), Location::Reg(T1));
    let edges: Vec<Edge> = Cfg::build(&function).edges().map(|(edge, _)| edge).collect();
    let before = Point::Before { block: Block::new(2), inst: 0 };
    let edits = vec![
        edit(Point::OnEdge(edges[1]), t1, slot),
        edit(Point::OnEdge(edges[2]), slot, t1),
        edit(Point::OnEdge(edges[0]), t1, Location::Reg(Reg::A1)),
        edit(Point::OnEdge(edges[1]), slot, t1),
        edit(before, t1, t1),
    ];
    let code = rewrite(&function, &all_in_one(&function, edits)).expect("it fits");
    assert_eq!(validate(&code, Stage::Allocated), Ok(()), "{code}");
    let expected = "@f: 16 bytes spilled
entry:
  t1 = mv a0
  t1 = li 1
  bne t1, zero, side, entry_1_join
side:
  a1 = mv t1
  t1 = li 2
  t1 = ld [8]
  j join
join:
  a0 = mv t1
  a1 = li 0
  ret {a0, a1}
entry_1_join:
  sd [8] t1
  t1 = ld [8]
  j join
";
    assert_eq!(code.to_string(), expected);
}

#[test]
fn moves_behind_a_terminator_that_reads_get_a_block() {
    let text = "fn @f(%n: int) -> int {\nentry:\n  switch %n, out(%n), []\nout(%x: int):\n  return %x\n}\n";
    let program = parse(text).expect("it is right");
    let mut function = lower(&program, &program.functions[0]).expect("it is lowered");
    // A second way in, so that the moves can't go there either.
    let again = function.blocks[Block::new(1)].clone();
    let unreachable = function.blocks.push(again);
    function.blocks[unreachable].params.clear();
    function.blocks[unreachable].term = function.blocks[Block::new(0)].term.clone();
    let edge = Edge::new(0);
    let edits = vec![edit(Point::OnEdge(edge), Location::Reg(T1), Location::Reg(Reg::A1))];
    let code = rewrite(&function, &all_in_one(&function, edits)).expect("it fits");
    assert!(code.to_string().contains("switch t1, entry_0_out\n"), "{code}");
}

#[test]
fn what_is_no_answer_is_refused() {
    let function = lowered();
    let good = all_in_one(&function, Vec::new());
    assert!(rewrite(&function, &good).is_ok());
    let wrong = |change: &dyn Fn(&mut Allocation)| {
        let mut allocation = good.clone();
        change(&mut allocation);
        rewrite(&function, &allocation).expect_err("it does not fit").to_string()
    };
    let (slot, t1) = (Location::Slot(0), Location::Reg(T1));
    let inst = |inst| Point::Before { block: Block::new(1), inst };
    assert!(wrong(&|of| of.operands.clear()).contains("other operands"));
    assert!(wrong(&|of| of.params[2].clear()).contains("block2 has other"));
    assert!(wrong(&|of| of.operands[1][0].clear()).contains("block1 has other"));
    assert!(wrong(&|of| of.operands[0][0][0] = Reg::virtual_register(1)).contains("v1 is not"));
    assert!(wrong(&|of| of.edits.push(edit(inst(9), t1, t1))).contains("no point"));
    assert!(
        wrong(&|of| of.edits.push(edit(Point::OnEdge(Edge::new(3)), t1, t1))).contains("no point")
    );
    assert!(
        wrong(&|of| of.edits.push(edit(inst(0), slot, Location::Slot(8)))).contains("no register")
    );
}
