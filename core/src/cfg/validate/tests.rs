use super::*;
use crate::cfg::testing::graph;

/// `a` branches to `c` and falls into `b`, which jumps to `c`, which returns.
fn sound() -> Outline {
    let inst = |id, control| OutlineInst { id, control };
    let block = |name: &str, insts, falls_to: Option<&str>| OutlineBlock {
        name: name.into(),
        insts,
        falls_to: falls_to.map(SmolStr::new),
        ..OutlineBlock::default()
    };
    let to_c = || vec!["c".into()];
    let mut blocks = vec![
        block("a", vec![inst(0, Control::MayGoTo(to_c()))], Some("b")),
        block("b", vec![inst(1, Control::Next), inst(2, Control::GoesTo(to_c()))], None),
        block("c", vec![inst(3, Control::GoesTo(vec![]))], None),
    ];
    blocks[0].is_entry = true;
    blocks[0].succs = Some(vec!["c".into(), "b".into()]);
    blocks[2].preds = Some(vec!["b".into(), "a".into()]);
    blocks[2].phis = vec![OutlinePhi { name: "x".into(), inputs: vec!["a".into(), "b".into()] }];
    Outline { blocks }
}

/// What is wrong with the sound outline after a change.
fn after(change: impl FnOnce(&mut [OutlineBlock])) -> Vec<(&'static str, Site)> {
    let mut outline = sound();
    change(&mut outline.blocks);
    outline.check().into_iter().map(|mistake| (mistake.kind.code(), mistake.at)).collect()
}

#[test]
fn a_sound_outline() {
    assert_eq!(after(|_| {}), []);
}

#[test]
fn no_entry() {
    assert_eq!(after(|blocks| blocks[0].is_entry = false), [("no-entry", Site::Code)]);
    assert_eq!(Outline::default().check().len(), 1);
}

#[test]
fn two_entries() {
    assert_eq!(after(|blocks| blocks[2].is_entry = true), [("second-entry", Site::Block(2))]);
}

#[test]
fn duplicate_name() {
    let found = after(|blocks| {
        blocks[1].name = "c".into();
        blocks[0].falls_to = Some("c".into());
        blocks[0].succs = None;
        blocks[2].preds = None;
        blocks[2].phis.clear();
    });
    assert_eq!(found, [("duplicate-block", Site::Block(2))]);
}

#[test]
fn dangling_target() {
    let found = after(|blocks| {
        blocks[0].insts[0].control = Control::MayGoTo(vec!["c".into(), "d".into()]);
        blocks[0].succs = None;
    });
    assert_eq!(found, [("dangling-target", Site::Inst(0, 0))]);
}

#[test]
fn missing_terminator() {
    let found = after(|blocks| blocks[2].insts[0].control = Control::Next);
    assert_eq!(found, [("missing-terminator", Site::Inst(2, 0))]);
    let found = after(|blocks| blocks[2].insts.clear());
    assert_eq!(found, [("missing-terminator", Site::Block(2))]);
    let found = after(|blocks| {
        blocks[0].falls_to = None;
        blocks[0].succs = None;
    });
    assert_eq!(found, [("missing-terminator", Site::Inst(0, 0))]);
}

#[test]
fn terminator_not_last() {
    let found = after(|blocks| blocks[1].insts[0].control = Control::GoesTo(vec![]));
    assert_eq!(found, [("terminator-not-last", Site::Inst(1, 0))]);
}

#[test]
fn fallthrough_after_an_unconditional_jump() {
    let found = after(|blocks| blocks[1].falls_to = Some("c".into()));
    assert_eq!(found, [("fallthrough-after-jump", Site::Inst(1, 1))]);
}

#[test]
fn an_instruction_in_two_blocks() {
    let found = after(|blocks| blocks[2].insts[0].id = 1);
    assert_eq!(found, [("instruction-in-two-blocks", Site::Inst(2, 0))]);
}

#[test]
fn predecessors_that_disagree() {
    let found = after(|blocks| blocks[2].preds = Some(vec!["a".into(), "c".into()]));
    let at = Site::Block(2);
    assert_eq!(found, [("unlisted-predecessor", at), ("extra-predecessor", at)]);
}

#[test]
fn successors_that_disagree() {
    let found = after(|blocks| blocks[0].succs = Some(vec!["a".into(), "b".into()]));
    let at = Site::Block(0);
    assert_eq!(found, [("unlisted-successor", at), ("extra-successor", at)]);
}

#[test]
fn phi_inputs_that_differ_from_the_predecessors() {
    let with = |inputs: &[&str]| {
        let inputs = inputs.iter().map(SmolStr::new).collect();
        after(|blocks| blocks[2].phis[0].inputs = inputs)
    };
    let at = Site::Phi(2, 0);
    assert_eq!(with(&["a"]), [("phi-missing-predecessor", at)]);
    assert_eq!(with(&["a", "b", "c"]), [("phi-extra-predecessor", at)]);
    assert_eq!(with(&["a", "b", "a"]), [("phi-duplicate-predecessor", at)]);
}

#[test]
fn messages_name_what_they_are_about() {
    let mut outline = sound();
    outline.blocks[2].phis[0].inputs.pop();
    let messages: Vec<String> = outline.check().iter().map(ToString::to_string).collect();
    assert_eq!(messages, ["phi `x` has no input for predecessor `b`"]);
}

#[test]
fn code_with_a_dangling_successor() {
    let outline = Outline::of(&graph(&[&[7]]));
    let codes: Vec<_> = outline.check().iter().map(|mistake| mistake.kind.code()).collect();
    assert_eq!(codes, ["dangling-target"]);
}
