//! The judge of merges on examples whose sets are known.

use super::conflicts::{Clash, Facts, Rule};
use super::cover::{Comparison, Cover};
use super::transform::Transformed;
use super::*;
use crate::reference::liveness::Liveness;
use backedge_core::ir::Program;
use backedge_core::ir::text::{parse, print};

fn function(text: &str) -> Function {
    let program = parse(text).unwrap_or_else(|wrong| panic!("{wrong:?}\n{text}"));
    program.functions.into_iter().next().expect("a function")
}

/// The function with merges, by name.
struct Merged {
    function: Function,
    graph: Graph,
    live: Liveness,
    phi: Phi,
}

impl Merged {
    fn new(text: &str, merges: &[(&str, &str)]) -> Merged {
        let function = function(text);
        let graph = Graph::new(&function);
        let live = Liveness::new(&function, &graph);
        let local = |name| function.local_named(name).expect(name);
        let merges: Vec<_> = merges.iter().map(|(a, b)| (local(a), local(b))).collect();
        let phi = Phi::new(&function, &merges).expect("merges");
        Merged { function, graph, live, phi }
    }

    fn facts(&self) -> Facts<'_> {
        Facts { function: &self.function, graph: &self.graph, live: &self.live }
    }

    fn clash(&self) -> Option<String> {
        let name = |local| self.function.locals[local].name.as_str();
        let Clash { written, needed, .. } = self.facts().merged_wrongly(&self.phi, None)?;
        Some(format!("{} {}", name(written), name(needed)))
    }

    fn left(&self, rule: Rule) -> Option<Spot> {
        self.facts().left(&self.phi, rule).map(|copy| copy.spot)
    }

    fn transformed(&self) -> Transformed {
        Transformed::new(&self.function, &self.graph, &self.phi)
    }

    fn cover(&self, transformed: &Transformed) -> Cover {
        let live_now = Liveness::new(&transformed.function, &self.graph);
        let Merged { function: original, graph, live, phi } = self;
        Comparison { original, graph, live, phi, transformed, live_now: &live_now }.cover()
    }
}

const COUNT: &str = "fn @f(%n: int) -> int {\ne:\n %i = const 0\n jump h\nh:\n %c = slt %i, %n\n \
                     branch %c, b, d\nb:\n %t = copy %i\n %t = add %t, 1\n %i = copy %t\n jump h\nd:\n \
                     return %i\n}";

#[test]
fn equal_where_nothing_is_dead_and_nothing_circles() {
    let merged = Merged::new(COUNT, &[("i", "t")]);
    assert_eq!(merged.clash(), None);
    assert_eq!(merged.left(Rule::Written), None);
    let transformed = merged.transformed();
    let b = Block::from_u32(2);
    assert!(transformed.is_removed(b, 0) && transformed.is_removed(b, 2));
    assert!(!transformed.is_removed(b, 1));
    assert_eq!([0, 1, 2, 3].map(|inst| transformed.position(b, inst)), [0, 0, 1, 1]);
    assert_eq!(merged.cover(&transformed), Cover { points: 9, ..Cover::default() });
}

#[test]
fn a_copy_that_could_go_is_found() {
    let merged = Merged::new(COUNT, &[]);
    let first = Spot::Inst(Block::from_u32(2), 0);
    assert_eq!(merged.left(Rule::Written), Some(first));
    assert_eq!(merged.left(Rule::Ranges), Some(first));
}

#[test]
fn a_dead_copy_and_a_cycle_are_told_apart() {
    let dead = "fn @f(%n: int) -> int {\ne:\n %x = const 1\n %d = copy %x\n return %n\n}";
    let merged = Merged::new(dead, &[("x", "d")]);
    let cover = merged.cover(&merged.transformed());
    assert_eq!(cover, Cover { points: 3, strict: 1, dead_copies: 1, ..Cover::default() });
    let cycle = "fn @f(%n: int) -> int {\ne:\n %x = const 1\n jump l\nl:\n %y = copy %x\n %x = copy %y\n \
                 branch %n, l, d\nd:\n return %n\n}";
    let merged = Merged::new(cycle, &[("x", "y")]);
    let cover = merged.cover(&merged.transformed());
    assert_eq!(cover, Cover { points: 6, strict: 4, cycles: 4, ..Cover::default() });
}

#[test]
fn a_parameter_of_a_block_feeds_itself() {
    let text = "fn @f(%n: int) {\ne:\n %x = const 1\n jump l(%x)\nl(%p: int):\n branch %n, l(%p), d\nd:\n \
                return\n}";
    let merged = Merged::new(text, &[("x", "p")]);
    let transformed = merged.transformed();
    assert!(transformed.is_param_removed(Block::from_u32(1), 0));
    let cover = merged.cover(&transformed);
    assert_eq!(cover, Cover { points: 4, strict: 2, cycles: 2, ..Cover::default() });
}

#[test]
fn what_is_live_where_the_other_is_written_is_a_conflict() {
    let text = "fn @f(%n: int) -> int {\ne:\n %x = add %n, 1\n %y = copy %x\n %x = add %n, 2\n \
                %s = add %x, %y\n return %s\n}";
    assert_eq!(Merged::new(text, &[("x", "y")]).clash(), Some("x y".into()));
    assert_eq!(Merged::new(text, &[]).left(Rule::Written), None);
    let equal = text.replace("%x = add %n, 2", "%x = copy %y");
    assert_eq!(Merged::new(&equal, &[("x", "y")]).clash(), None);
    assert!(Merged::new(&equal, &[]).left(Rule::Written).is_some());
    assert_eq!(Merged::new(&equal, &[]).left(Rule::Ranges), None);
}

#[test]
fn a_result_is_written_before_the_call_unwinds() {
    let text = "extern @g() -> int\nfn @f(%n: int) -> int {\na:\n %x = add %n, 1\n \
                try_call %r = @g(), b, unwind c\nb:\n %x = copy %r\n return %x\nc:\n return %x\n}";
    assert_eq!(Merged::new(text, &[("r", "x")]).clash(), Some("r x".into()));
}

/// A read that vanished is no cause that is known.
#[test]
fn less_live_for_no_cause_is_found() {
    let merged = Merged::new(COUNT, &[("i", "t")]);
    let transformed = merged.transformed();
    let text =
        print(&Program { functions: vec![transformed.function.clone()], ..Program::default() });
    let wrong = text.replace("return %t", "return 0");
    assert_ne!(text, wrong);
    let mut function = transformed.function.clone();
    function.blocks[Block::from_u32(3)].term =
        TerminatorKind::Return(Some(backedge_core::ir::Operand::Const(0))).into();
    assert!(transformed.has_shape_of(&function));
    let cover = merged.cover(&transformed.with(function));
    assert!(cover.unexplained.is_some());
    assert_eq!(cover.uncovered, None);
}

#[test]
fn merges_that_make_no_sense_are_told() {
    let function = function(COUNT);
    let [n, i, t] = ["n", "i", "t"].map(|name| function.local_named(name).expect(name));
    for merges in
        [&[(n, i)][..], &[(i, i)], &[(i, t), (t, i)], &[(i, t), (i, n)], &[(i, t), (t, n)]]
    {
        assert!(Phi::new(&function, merges).is_err(), "{merges:?}");
    }
    let graph = Graph::new(&function);
    let copies = copies(&function, &graph);
    let unconnected =
        |merges: &[_]| Phi::new(&function, merges).expect("merges").unconnected(&copies);
    assert_eq!(unconnected(&[(i, t)]), None);
    let c = function.local_named("c").expect("c");
    assert_eq!(unconnected(&[(i, t), (c, t)]), Some(c));
}
