use super::*;
use crate::core_subject::Core;
use backedge_core::ir::text::parse;

fn judged(text: &str) -> Verdict {
    let program = parse(text).expect("the text is right");
    StructurizeCheck.judge(&Case { program }, &mut Core::default())
}

/// Graphs that structurizers are known to be wrong on.
#[test]
fn core_passes_the_known_hard_ones() {
    let graphs = [
        "a:\n  branch %c, b, d\nb:\n  jump d\nd:\n  return\n",
        // A loop whose only exit is the false arm of its back edge.
        "a:\n  jump b\nb:\n  branch %c, b, d\nd:\n  return\n",
        // Two entries.
        "a:\n  branch %c, b, d\nb:\n  branch %c, d, e\nd:\n  branch %c, b, e\ne:\n  return\n",
        // Every two of three.
        "a:\n  switch %c, b, [1: d, 2: e]\nb:\n  branch %c, d, e\nd:\n  branch %c, b, e\n\
         e:\n  branch %c, b, d\n",
        // The entry has predecessors.
        "a:\n  branch %c, a, b\nb:\n  branch %c, a, b\n",
        // An endless loop in a loop.
        "a:\n  jump b\nb:\n  branch %c, d, e\nd:\n  jump d\ne:\n  jump b\n",
        // Out of two loops at once.
        "a:\n  jump b\nb:\n  jump d\nd:\n  switch %c, d, [1: b, 2: e]\ne:\n  return\n",
        // Fallthrough.
        "a:\n  switch %c, z, [1: b, 2: d, 3: e]\nb:\n  jump d\nd:\n  jump e\ne:\n  jump z\n\
         z:\n  return\n",
        "a:\n  return\nb:\n  jump b\n",
        "a:\n  unreachable\n",
    ];
    for graph in graphs {
        let text = format!("fn @f(%c: int) {{\n{graph}}}\n");
        assert_eq!(judged(&text), Verdict::Pass, "{text}");
    }
}
