//! What is written, and that preparing changes no liveness.

use super::*;
use backedge_core::diagnostic::Span;
use backedge_core::ir::builder::{FunctionBuilder, diamond};
use backedge_core::ir::{
    BinaryOp, Block, Function, Local, Op, Operand, Target, TerminatorKind, Type,
};
use backedge_oracle::reference::graph::Graph;
use backedge_oracle::reference::liveness::Liveness;
use serde_json::json as value;

fn target(block: Block, args: &[Operand]) -> Target {
    Target { block, args: args.iter().copied().collect() }
}

/// `head` branches twice to `join` with `left` and `right`; `join` returns its parameter.
fn parallel(left: &[Operand], right: &[Operand]) -> Function {
    let mut b = FunctionBuilder::new("parallel");
    b.param("c", Type::Int);
    b.param("d", Type::Int);
    let [head, join] = ["head", "join"].map(|name| b.block(name));
    let p = b.block_param(join, "p", Type::Int);
    b.at(head).terminate(TerminatorKind::Branch {
        cond: Local::from_u32(0).into(),
        then_to: target(join, left),
        else_to: target(join, right),
    });
    b.at(join).terminate(TerminatorKind::Return(Some(p.into())));
    b.finish()
}

/// A `try_call` whose result is an argument of its own normal edge, which is a self-loop.
fn try_loop() -> Function {
    let mut b = FunctionBuilder::new("try_loop");
    let c = b.param("c", Type::Int);
    let [entry, head, unwind, taken] =
        ["entry", "head", "unwind", "head_normal"].map(|name| b.block(name));
    let p = b.block_param(head, "p", Type::Int);
    let d = b.local("d", Type::Int);
    b.at(entry).jump(target(head, &[Operand::Const(7)]));
    b.at(head).terminate(TerminatorKind::TryCall {
        dest: Some(d.into()),
        callee: "f".into(),
        args: [p.into(), Operand::Const(3)].into_iter().collect(),
        normal: target(head, &[d.into()]),
        unwind: unwind.into(),
    });
    b.at(unwind).terminate(TerminatorKind::Return(Some(d.into())));
    b.at(taken).terminate(TerminatorKind::Return(Some(c.into())));
    b.finish()
}

const C: u32 = 0;
const D: u32 = 1;

fn assert_same_liveness(function: &Function, prepared: &Function) {
    let live = |function| Liveness::new(function, &Graph::new(function));
    let (old, new) = (live(function), live(prepared));
    for (block, data) in &function.blocks {
        assert_eq!(data.name, prepared.blocks[block].name);
        assert_eq!(data.params, prepared.blocks[block].params);
        assert_eq!(data.insts, prepared.blocks[block].insts);
        for inst in 0..=data.insts.len() {
            assert_eq!(old.before(block, inst), new.before(block, inst), "{block} {inst}");
        }
        // The result of a call is live behind the terminator only where the edge defines it.
        let result = data.term.kind.edge_def(0);
        let out = new.live_out(block);
        let expected =
            old.live_out(block).iter().filter(|&&l| Some(l) != result || out.contains(&l));
        assert!(expected.eq(out), "{block}");
    }
    assert_eq!(prepare(prepared), None);
}

fn local(number: u32) -> Operand {
    Local::from_u32(number).into()
}

#[test]
fn what_can_be_written_is_left_alone() {
    assert_eq!(prepare(&diamond()), None);
    assert_eq!(prepare(&parallel(&[local(C)], &[local(C)])), None);
    assert_eq!(prepare(&parallel(&[Operand::Const(1)], &[Operand::Const(1)])), None);
}

#[test]
fn parallel_edges_with_different_arguments_are_split() {
    for (left, right) in [
        (local(C), local(D)),
        (local(C), Operand::Const(1)),
        (Operand::Const(1), Operand::Const(2)),
    ] {
        let function = parallel(&[left], &[right]);
        let prepared = prepare(&function).unwrap();
        let names: Vec<&str> = prepared.blocks.values().map(|data| data.name.as_str()).collect();
        assert_eq!(names, ["head", "join", "head_edge1"]);
        let join = Block::from_u32(1);
        let jump = TerminatorKind::Jump(target(join, &[right]));
        assert_eq!(prepared.blocks[Block::from_u32(2)].term.kind, jump);
        assert_same_liveness(&function, &prepared);
    }
}

#[test]
fn edges_with_equal_arguments_share_a_block() {
    let mut function = parallel(&[], &[]);
    let [head, join] = [0, 1].map(Block::from_u32);
    let edge = |args: u32| target(join, &[local(args)]);
    let cases =
        vec![(1, edge(D)), (2, edge(C)), (3, edge(D)), (4, target(join, &[Operand::Const(2)]))];
    let value = local(C);
    function.blocks[head].term = TerminatorKind::Switch { value, default: edge(C), cases }.into();
    let prepared = prepare(&function).unwrap();
    let to: Vec<&str> = prepared.blocks[head]
        .term
        .kind
        .targets()
        .iter()
        .map(|target| prepared.blocks[target.block].name.as_str())
        .collect();
    assert_eq!(to, ["join", "head_edge1", "join", "head_edge1", "head_edge4"]);
    assert_same_liveness(&function, &prepared);
}

#[test]
fn the_result_of_a_try_call_gets_a_block() {
    let function = try_loop();
    let prepared = prepare(&function).unwrap();
    let (_, last) = prepared.blocks.last().unwrap();
    assert_eq!((last.name.as_str(), prepared.blocks.len()), ("head_normal_", 5));
    let mut defs = Vec::new();
    last.insts[0].for_each_def(|local| defs.push(local));
    assert_eq!(defs, [Local::from_u32(2)]);
    let head = &prepared.blocks[Block::from_u32(1)].term.kind;
    assert!(matches!(head, TerminatorKind::TryCall { dest: None, .. }));
    assert_same_liveness(&function, &prepared);
}

#[test]
fn the_form_is_as_documented() {
    let json = export_function(&try_loop());
    assert_eq!(json["name"], "try_loop");
    assert_eq!(json["args"], value!([{ "name": "c", "type": "int" }]));
    let expected = value!([
        { "label": "entry" },
        { "op": "jmp", "labels": ["head"], "uses": [], "defs": [] },
        { "label": "head" },
        { "op": "phi", "dest": "p", "type": "int", "args": ["d"], "labels": ["head_normal_"],
          "consts": [["entry", 7]], "uses": [], "defs": ["p"] },
        { "op": "try_call", "args": ["p"], "labels": ["head_normal_", "unwind"], "funcs": ["f"],
          "operands": ["p", 3], "uses": ["p"], "defs": [] },
        { "label": "unwind" },
        { "op": "ret", "args": ["d"], "uses": ["d"], "defs": [] },
        { "label": "head_normal" },
        { "op": "ret", "args": ["c"], "uses": ["c"], "defs": [] },
        { "label": "head_normal_" },
        { "op": "opaque", "text": "result", "dest": "d", "type": "int", "args": [], "uses": [],
          "defs": ["d"] },
        { "op": "jmp", "labels": ["head"], "uses": [], "defs": [] },
    ]);
    assert_eq!(json["instrs"], expected);
}

#[test]
fn parts_are_neither_uses_nor_definitions() {
    let mut b = FunctionBuilder::new("parts");
    let pair = Type::Aggregate(vec![Type::Own, Type::Own].into());
    let p = b.param("p", pair);
    let part = |field| backedge_core::ir::Place { local: p, path: [field].into_iter().collect() };
    let entry = b.block("entry");
    b.at(entry).inst(part(1), Op::Move(part(0)));
    b.terminate(TerminatorKind::Return(None));
    let function = b.finish();
    let json = export_function(&function);
    assert_eq!(json["args"][0]["type"], value!({ "own": ["own", "own"] }));
    let expected = value!({ "op": "move", "args": ["p"], "place": ["p", 0], "into": ["p", 1],
        "uses": ["p"], "defs": [] });
    assert_eq!(json["instrs"][1], expected);
}

#[test]
fn a_text_has_one_instruction_a_line() {
    let mut b = FunctionBuilder::new("f");
    let x = b.local("x \"y\"", Type::Int);
    let entry = b.block("entry");
    b.at(entry).inst(Some(x.into()), Op::Binary(BinaryOp::Add, x.into(), Operand::Const(-1)));
    b.terminate(TerminatorKind::Return(None));
    let program = backedge_core::ir::Program {
        directives: vec![backedge_core::ir::Directive {
            key: "check".into(),
            value: "liveness".into(),
            span: Span::NONE,
        }],
        memory: Some(64),
        functions: vec![b.finish(), diamond()],
        ..Default::default()
    };
    let text = json(&program);
    assert_eq!(serde_json::from_str::<serde_json::Value>(&text).unwrap(), export(&program));
    assert!(text.lines().any(|line| line.trim()
        == r#"{"op":"add","dest":"x \"y\"","type":"int","args":["x \"y\""],"operands":["x \"y\"",-1],"uses":["x \"y\""],"defs":["x \"y\""]},"#));
}
