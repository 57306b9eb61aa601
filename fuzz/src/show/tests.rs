//! Every format holds what it should, of every kind of function.

use super::*;
use crate::generate::{Config, from_seed};
use backedge_core::ir::text::parse;
use backedge_oracle::check::At;

const ALL: [Show; 3] = [Show::Liveness, Show::Dominators, Show::Loops];

const LOOP: &str = "fn @f(%n: int) -> int {
entry:
  %i = const 0
  jump head
head:
  %c = slt %i, %n
  branch %c, body, done
body:
  %i = add %i, 1
  jump head
done:
  return %i
lost:
  jump done
}
";

fn program(text: &str) -> Program {
    parse(text).unwrap_or_else(|report| panic!("{report:#?}"))
}

fn show(text: &str, format: Format, facts: &[Show]) -> String {
    render(&program(text), format, facts).unwrap()
}

#[test]
fn constants_are_comments() {
    let text = "fn @f(%n: int) -> int {\na:\n  %x = const 3\n  branch %x, b, c\nb:\n  return %n\nc:\n  \
                return %x\n}\n";
    let program = parse(text).expect("the text is right");
    let shown = render(&program, Format::Text, &[Show::Constants]).expect("it is small");
    let said: Vec<&str> =
        shown.lines().filter_map(|line| line.split("; ").nth(1)).map(str::trim).collect();
    assert!(shown.contains("; constant: none; overdefined: %n"), "{shown}");
    assert!(shown.contains("; constant: %x = 3; overdefined: %n"), "{shown}");
    assert!(said.contains(&"never reached"), "{shown}");
}

#[test]
fn drops_are_comments() {
    let text = "fn @f(%c: int) {\na:\n  %p = new\n  branch %c, b, d\nb:\n  %q = move %p\n  jump d\nd:\n  \
                drop %q\n  drop %p\n  return\ne:\n  drop %p\n  return\n}\n";
    let shown = show(text, Format::Text, &[Show::Drops]);
    for said in ["; perhaps: %p, %q", "drop %p            ; drop: conditional", "never reached"] {
        assert!(shown.contains(said), "{said}\n{shown}");
    }
    assert!(shown.contains("drop: unclassified"), "{shown}");
}

#[test]
fn what_becomes_of_copies_is_a_comment() {
    let text = "fn @f(%n: int) -> int {\na:\n  %x = copy %n\n  %n = add %x, 1\n  %y = add %n, %x\n  jump b(%y)\n\
                b(%z: int):\n  return %z\n}\n";
    let shown = show(text, Format::Text, &[Show::Destprop]);
    for said in ["; %x = %n stays: destination-live", "; %z = %y goes: both are %z"] {
        assert!(shown.contains(said), "{said}\n{shown}");
    }
}

#[test]
fn facts_are_comments() {
    let expected = "fn @f(%n: int) -> int {
entry:                   ; live in: %n
  %i = const 0           ; live: %n, %i
  jump head              ; live out: %n, %i
                         ; to head: live: %n, %i
head:                    ; live in: %n, %i
                         ; idom: entry
                         ; loop header, depth 1
  %c = slt %i, %n        ; live: %n, %i, %c
  branch %c, body, done  ; live out: %n, %i
                         ; then to body: live: %n, %i
                         ; else to done: critical, live: %i
body:                    ; live in: %n, %i
                         ; idom: head
                         ; in the loop of head, depth 1
  %i = add %i, 1         ; live: %n, %i
  jump head              ; live out: %n, %i
                         ; to head: back edge, live: %n, %i
done:                    ; live in: %i
                         ; idom: head
  return %i              ; live out: none
lost:                    ; unreachable
                         ; live in: %i
  jump done              ; live out: %i
                         ; to done: live: %i
}
";
    assert_eq!(show(LOOP, Format::Text, &ALL), expected);
    let plain = show(LOOP, Format::Text, &[]);
    assert!(plain.contains("back edge") && !plain.contains("live"), "{plain}");
}

#[test]
fn an_annotated_program_is_still_that_program() {
    for seed in 0..40 {
        let program = from_seed(seed, &Config::default()).case.program;
        let text = render(&program, Format::Text, &ALL).unwrap();
        let again = parse(&text).unwrap_or_else(|report| panic!("{seed}: {report:?}"));
        assert!(print(&again) == print(&program), "{seed}");
    }
}

#[test]
fn solvers_and_references_draw_the_same() {
    let fact = |facts: &Facts| format!("{facts:?}");
    for seed in 0..40 {
        for function in from_seed(seed, &Config::default()).case.program.functions {
            let (solved, right) =
                (Facts::solved(&function, &ALL), Facts::reference(&function, &ALL));
            assert_eq!(fact(&solved), fact(&right), "{seed}");
        }
    }
}

/// Whether every tag is closed by its like, and every special character escaped.
fn assert_well_formed(xml: &str) {
    let mut open = Vec::new();
    let mut rest = xml;
    while let Some(start) = rest.find('<') {
        assert!(!rest[..start].contains('>'), "{}", &rest[..start]);
        let end = rest.find('>').expect("a tag ends");
        let tag = &rest[start + 1..end];
        assert!(!tag.contains('<'), "{tag}");
        assert_eq!(tag.matches('"').count() % 2, 0, "{tag}");
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name), "{tag}");
        } else if !tag.ends_with('/') && !tag.starts_with('!') && !tag.starts_with("meta") {
            open.push(tag.split(' ').next().unwrap());
        }
        rest = &rest[end + 1..];
    }
    assert_eq!(open, [""; 0]);
    for piece in xml.split('&').skip(1) {
        let name = piece.split(';').next().unwrap();
        assert!(matches!(name, "amp" | "lt" | "gt" | "quot"), "&{name}");
    }
}

const ODD: &str = r#"fn @"f<>&\"\u{0}"(%"<a&b>": int, %"\\n\n": int) {
"<entry>":
  %x = opaque "<script>alert(\"&\")</script>"(%"<a&b>", %"\\n\n")
  switch %x, "<entry>", [0: "]]>", 1: "]]>"]
"]]>":
  return
}
"#;

#[test]
fn names_with_special_characters_are_escaped() {
    let svg = show(ODD, Format::Svg, &ALL);
    assert_well_formed(&svg);
    assert!(svg.contains("&lt;script&gt;") && !svg.contains("<script"));
    let html = show(ODD, Format::Html, &ALL);
    assert_well_formed(&html);
    let dot = show(ODD, Format::Dot, &ALL);
    for line in dot.lines() {
        let escapes = line.replace("\\\\", "").replace("\\\"", "");
        assert_eq!(escapes.matches('"').count() % 2, 0, "{line}");
    }
    assert_eq!(parse(&show(ODD, Format::Text, &ALL)), Ok(program(ODD)));
}

#[test]
fn drawings_of_generated_programs_are_well_formed() {
    for seed in 0..15 {
        let program = from_seed(seed, &Config::default()).case.program;
        assert_well_formed(&render(&program, Format::Svg, &ALL).unwrap());
        assert_well_formed(&render(&program, Format::Html, &[]).unwrap());
    }
}

#[test]
fn colors_tell_what_is_special() {
    let svg = show(LOOP, Format::Svg, &ALL);
    for (class, name) in
        [("e b", "back edge"), ("e c", "critical edge"), ("h", "loop header"), ("u", "unreachable")]
    {
        assert!(svg.contains(&format!("class=\"{class}\"")), "{class}");
        assert!(svg.contains(&format!(">{name}<")), "{name}");
    }
    assert!(!svg.contains(">wrong<") && !svg.contains(">unwind<"));
    let dot = show(LOOP, Format::Dot, &ALL);
    assert!(
        dot.contains("f0b2 -> f0b1 [label=\"%n, %i\\l\", color=\"#7a3fb5\", style=dashed];"),
        "{dot}"
    );
}

#[test]
fn several_functions_are_drawn_below_one_another() {
    let two = format!("{LOOP}\nfn @g() {{\nentry:\n  return\n}}\n");
    let svg = show(&two, Format::Svg, &[]);
    assert!(svg.contains(">fn @f(%n: int) -&gt; int<") && svg.contains(">fn @g()<"));
    assert_well_formed(&svg);
    assert!(show(&two, Format::Dot, &[]).contains("cluster_1"));
}

fn mark(at: &At) -> String {
    let wrong =
        Wrong { check: "liveness", function: "f", at, expected: "live: %n", answered: "<none>" };
    let drawing = finding_drawing(&program(LOOP), &wrong);
    assert_well_formed(&drawing);
    drawing
}

#[test]
fn a_finding_is_marked_where_it_is() {
    let block = |block: &str| At::Block(block.to_owned());
    let marked = mark(&block("body"));
    assert_eq!(marked.matches("<g class=\"x\"><rect x").count(), 2, "a box and the legend");
    assert!(marked.contains(">answered &lt;none&gt;<"));
    let inst = mark(&At::Inst { block: "head".into(), index: 1 });
    assert!(inst.contains("class=\"w\" xml:space=\"preserve\">  branch"));
    let edge = |slot| At::Edge { from: "head".into(), to: "done".into(), slot };
    for slot in [None, Some(1)] {
        assert!(mark(&edge(slot)).contains("class=\"e x\""));
    }
    for nowhere in
        [block("none"), At::Function, edge(Some(0)), At::Inst { block: "head".into(), index: 2 }]
    {
        assert!(!mark(&nowhere).contains("answered"), "{nowhere:?}");
    }
    let other =
        Wrong { check: "cfg", function: "g", at: &At::Function, expected: "", answered: "" };
    assert_eq!(finding_drawing(&program(LOOP), &other), "");
}

#[test]
fn a_finding_in_a_block_that_only_the_subject_saw_is_marked() {
    let text = "fn @f(%c: int) -> int {\nentry:\n  branch %c, join(1), join(2)\njoin(%p: int):\n  return %p\n}\n";
    let at = At::Block("entry_edge1".into());
    let wrong = Wrong { check: "liveness", function: "f", at: &at, expected: "a", answered: "b" };
    assert!(finding_drawing(&program(text), &wrong).contains(">answered b<"));
}
