//! On dumps that stand in the corpus, so that no rustc is needed: `fixture.rs` beside them is what they are of.

use super::*;
use backedge_oracle::core_subject::Core;
use backedge_oracle::expect;

fn dumped() -> Elaboration {
    let read = |end: &str| {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../corpus/mir/elaboration/fixture.pick");
        std::fs::read_to_string(format!("{folder}.{end}")).expect("the dumps are there")
    };
    Elaboration {
        before: read("2-2-004.ElaborateDrops.before.mir").into_bytes(),
        after: read("2-2-004.ElaborateDrops.after.mir"),
        maybe_init: read("-------.maybe_init.elaborate_drops.dot"),
        maybe_uninit: read("-------.maybe_uninit.elaborate_drops.dot"),
    }
}

/// How many expectations reference and core do not meet.
fn unmet(dumped: &Elaboration) -> usize {
    let imported = read(dumped);
    assert!(imported.diagnostics.is_empty(), "{:?}", imported.diagnostics);
    expect::judge(&imported.program, &mut Core::default()).len()
}

#[test]
fn variants_that_are_not_there_have_no_drops() {
    let imported = read(&dumped());
    let said = |key: &str| {
        let mut all = imported.program.directives.iter();
        all.find(|said| said.key == key).map(|said| said.value.as_str())
    };
    // `E::A` and `E::B` are parts, and what is left of the enum is the last.
    assert_eq!(said("maybe_init bb3"), Some("_1.2, _1.1.1, _1.1.0"));
    assert_eq!(said("maybe_init bb4"), Some("_1.2, _1.0.1, _1.0.0"));
    assert_eq!(said("drop bb3 4"), Some("dead"));
    assert_eq!(said("drop bb7 0"), Some("open"));
    assert_eq!(said("drop bb9 0"), Some("unclassified"));
    assert_eq!(unmet(&dumped()), 0);
}

#[test]
fn what_rustc_might_have_said_otherwise_is_a_difference() {
    let mut class = dumped();
    // As if `_3`, whose value was moved out, were to be dropped.
    let block = class.after.find("    bb4: {").expect("the block is there");
    let end = block + class.after[block..].find("goto -> bb5;").expect("it goes on so");
    class.after.replace_range(end..end + "goto -> bb5;".len(), "drop(_3) -> bb5;");
    assert!(unmet(&class) > 0);
    let mut state = dumped();
    // As if `_3` might be there where the function returns.
    let at = state.maybe_init.find("bb_8[").expect("the block is drawn");
    let at = at + state.maybe_init[at..].find("{_0}").expect("it starts so");
    state.maybe_init.replace_range(at..at + 4, "{_0, _3}");
    assert!(unmet(&state) > 0);
}

#[test]
fn what_can_not_be_read_is_told() {
    let none = Elaboration { maybe_init: "digraph {}".into(), ..dumped() };
    let strange = Elaboration { after: dumped().after.replace("goto", "jump"), ..dumped() };
    let nothing = Elaboration { before: b"nothing".to_vec(), ..dumped() };
    for dumped in [none, strange, nothing] {
        let imported = read(&dumped);
        assert!(imported.program.functions.is_empty());
        assert!(!imported.diagnostics.is_empty());
    }
}
