//! Bril programs as its tools write them, and what is wrong with others.

use super::read;
use crate::bril::{export, json, prepare};
use crate::generate::{Config, from_seed};
use backedge_core::ir::{Function, text};
use backedge_oracle::reference::graph::Graph;
use backedge_oracle::reference::liveness::Liveness;
use std::collections::BTreeMap;

/// The text of the only function that these instructions make.
fn body(instrs: &str) -> String {
    let json = format!(r#"{{"functions":[{{"name":"f","instrs":[{instrs}]}}]}}"#);
    let program = match read(&json) {
        Ok(program) => program,
        Err(report) => panic!("{report:#?}"),
    };
    let text = text::print_function(&program.functions[0]);
    text.lines().skip(1).filter(|line| *line != "}").map(|line| format!("{line}\n")).collect()
}

fn codes(json: &str) -> Vec<(&'static str, String)> {
    let report = read(json).expect_err("it is wrong");
    let here = |span: backedge_core::diagnostic::Span| {
        json.get(span.start as usize..span.end as usize).expect("a span of the text").to_owned()
    };
    report.into_iter().map(|d| (d.code, here(d.span))).collect()
}

fn code(instrs: &str) -> &'static str {
    let json = format!(r#"{{"functions":[{{"name":"f","instrs":[{instrs}]}}]}}"#);
    match codes(&json)[..] {
        [(code, _)] => code,
        ref other => panic!("{other:?}"),
    }
}

#[test]
fn core_operations_become_those_of_the_ir() {
    let text = body(
        r#"{"op":"const","dest":"a","type":"int","value":-3},
        {"op":"const","dest":"t","type":"bool","value":true},
        {"op":"id","dest":"b","type":"int","args":["a"]},
        {"op":"div","dest":"c","type":"int","args":["a","b"]},
        {"op":"gt","dest":"g","type":"bool","args":["a","b"]},
        {"op":"ge","dest":"h","type":"bool","args":["a","b"]},
        {"op":"not","dest":"n","type":"bool","args":["g"]},
        {"op":"call","dest":"r","type":"int","funcs":["g"],"args":["a"]},
        {"op":"ret"}"#,
    );
    let expected = "entry:
  %a = const -3
  %t = const 1
  %b = copy %a
  %c = sdiv %a, %b
  %g = slt %b, %a
  %h = sle %b, %a
  %n = eq %g, 0
  %r = call @g(%a)
  return
";
    assert_eq!(text, expected);
}

#[test]
fn other_operations_are_opaque() {
    let text = body(
        r#"{"op":"const","dest":"x","type":"float","value":1.5},
        {"op":"fadd","dest":"y","type":"float","args":["x","x"]},
        {"op":"print","args":["y","x"]},
        {"op":"nop"},
        {"op":"alloc","dest":"p","type":{"ptr":"int"},"args":["y"]},
        {"op":"store","args":["p","x"]},
        {"op":"load","dest":"z","type":"int","args":["p"]},
        {"op":"const","dest":"c","type":"char","value":"c"}"#,
    );
    let expected = "entry:
  %x = opaque \"const 1.5\"()
  %y = opaque \"fadd\"(%x, %x)
  opaque \"print\"(%y, %x)
  opaque \"nop\"()
  %p = opaque \"alloc\"(%y)
  opaque \"store\"(%p, %x)
  %z = opaque \"load\"(%p)
  %c = opaque \"const \\\"c\\\"\"()
  return
";
    assert_eq!(text, expected);
}

#[test]
fn blocks_are_where_labels_and_terminators_say() {
    let text = body(
        r#"{"op":"nop"},{"label":"a"},{"label":"b"},{"op":"jmp","labels":["b"]},
        {"op":"nop"},{"op":"guard","args":["c"],"labels":["a"]},{"op":"ret"},{"label":"end"}"#,
    );
    let expected = "entry:
  opaque \"nop\"()
  jump a
a:
  jump b
b:
  jump b
block3:
  opaque \"nop\"()
  branch %c, block4, a
block4:
  return
end:
  return
";
    assert_eq!(text, expected);
    assert_eq!(body(""), "entry:\n  return\n");
    assert_eq!(body(r#"{"label":"a"}"#), "a:\n  return\n");
    let guard = r#"{"label":"entry"},{"op":"guard","args":["c"],"labels":["entry"]}"#;
    assert_eq!(body(guard), "entry:\n  branch %c, block1, entry\nblock1:\n  return\n");
}

#[test]
fn phis_become_parameters() {
    let text = body(
        r#"{"label":"a"},{"op":"br","args":["c"],"labels":["b","join"]},{"label":"b"},
        {"label":"join"},{"op":"phi","dest":"x.0","type":"int","args":["u","v"],"labels":["a","b"]},
        {"op":"phi","dest":"y","type":"int","args":["w"],"labels":["b"]},{"op":"ret"}"#,
    );
    let expected = "a:
  branch %c, b, join(%u, 0)
b:
  jump join(%v, %w)
join(%\"x.0\": int, %y: int):
  return
";
    assert_eq!(text, expected);
    let entry = r#"{"label":"a"},{"op":"phi","dest":"x","type":"int","args":["x"],"labels":["a"]},
        {"op":"jmp","labels":["a"]}"#;
    assert_eq!(body(entry), "entry:\n  jump a(0)\na(%x: int):\n  jump a(%x)\n");
}

#[test]
fn get_reads_what_set_assigned() {
    let text = body(
        r#"{"op":"set","args":["x","a"]},{"label":"l"},{"op":"get","dest":"x","type":"int"},
        {"op":"set","args":["x","x"]},{"op":"jmp","labels":["l"]}"#,
    );
    let expected = "entry:
  %\"x.shadow\" = opaque \"set\"(%a)
  jump l
l:
  %x = opaque \"get\"(%\"x.shadow\")
  %\"x.shadow\" = opaque \"set\"(%x)
  jump l
";
    assert_eq!(text, expected);
}

#[test]
fn calls_declare_what_is_not_there() {
    let json = r#"{"functions":[
        {"name":"main","args":[{"name":"n","type":"int"}],"instrs":[
          {"op":"call","dest":"r","type":"bool","funcs":["g"],"args":["n"]},
          {"op":"call","funcs":["h"],"args":[]},
          {"op":"call","funcs":["k"],"args":["n"]},
          {"op":"call","dest":"k","type":"int","funcs":["k"],"args":["r"]}]},
        {"name":"g","type":"bool","args":[{"name":"x","type":"int"}],"instrs":[
          {"op":"ret","args":["x"]}]}]}"#;
    let program = read(json).unwrap();
    assert!(
        text::print(&program)
            .starts_with("extern @h()\nextern @k(int) -> int\n\nfn @main(%n: int) {\n")
    );
}

#[test]
fn a_function_alone_is_a_program() {
    let program = read(r#"{"name":"f","instrs":[{"op":"ret"}]}"#).unwrap();
    assert_eq!(program.functions.len(), 1);
}

#[test]
fn mistakes_are_named_where_they_are() {
    let json = "{\"functions\": [\n  {\"name\": \"f\", \"instrs\": [\n    {\"op\": \"jmp\", \"labels\": [\"nowhere\"]},\n    {\"op\": 7},\n    {\"op\": \"add\", \"args\": [\"a\"], \"dest\": \"b\"}\n  ]}\n]}";
    let found = codes(json);
    assert_eq!(found[0].0, "dangling-target");
    assert_eq!(found[0].1, r#"{"op": "jmp", "labels": ["nowhere"]}"#);
    assert_eq!(found[1].0, "bad-shape");
    assert!("7}".contains(&found[1].1), "{found:?}");
    assert_eq!(found[2], ("wrong-operands", r#"{"op": "add", "args": ["a"], "dest": "b"}"#.into()));
    assert_eq!(found.len(), 3);
}

#[test]
fn each_mistake_has_its_code() {
    assert_eq!(code(r#"{"label":"a"},{"label":"a"}"#), "duplicate-block");
    assert_eq!(code(r#"{}"#), "bad-shape");
    assert_eq!(code(r#"{"op":"const","dest":"x"}"#), "missing-value");
    assert_eq!(code(r#"{"op":"const","value":1}"#), "missing-dest");
    assert_eq!(code(r#"{"op":"br","args":["c"],"labels":[]}"#), "wrong-labels");
    assert_eq!(code(r#"{"op":"weird","labels":["a"]},{"label":"a"}"#), "unknown-terminator");
    assert_eq!(
        code(r#"{"op":"nop"},{"op":"phi","dest":"x","args":[],"labels":[]}"#),
        "phi-not-at-head"
    );
    let phi = |args: &str, labels: &str| {
        code(&format!(
            r#"{{"label":"a"}},{{"label":"b"}},{{"op":"phi","dest":"x","args":[{args}],"labels":[{labels}]}}"#
        ))
    };
    assert_eq!(phi(r#""u""#, r#""b""#), "phi-extra-predecessor");
    assert_eq!(phi(r#""u","v""#, r#""a","a""#), "phi-duplicate-predecessor");
    assert_eq!(phi(r#""u","v""#, r#""a""#), "phi-operands");
    assert_eq!(code(r#"{"op":"move","dest":"x","place":[0]}"#), "bad-place");
}

#[test]
fn what_is_no_program_is_told() {
    assert_eq!(codes("")[0].0, "bad-json");
    assert_eq!(codes("{\"functions\": [")[0].0, "bad-json");
    assert_eq!(codes("[]")[0].0, "bad-shape");
    assert_eq!(codes("{}")[0].0, "bad-shape");
    assert_eq!(codes("\u{e4}\u{e4}")[0].0, "bad-json");
    let deep = format!("{{\"functions\":{}", "[".repeat(1_000_000));
    assert_eq!(codes(&deep)[0].0, "bad-json");
    let deep = format!("{}\"int\"{}", r#"{"own":["#.repeat(50_000), "]}".repeat(50_000));
    let deep = format!(r#"{{"name":"f","args":[{{"name":"x","type":{deep}}}],"instrs":[]}}"#);
    assert_eq!(codes(&deep)[0].0, "bad-json");
}

/// Live-in by names, so that the numbers of locals don't matter.
fn live_in(function: &Function) -> BTreeMap<String, Vec<String>> {
    let liveness = Liveness::new(function, &Graph::new(function));
    let names = |block| {
        let mut names: Vec<String> = liveness
            .live_in(block)
            .iter()
            .map(|&local| function.locals[local].name.to_string())
            .collect();
        names.sort();
        names
    };
    function.blocks.iter().map(|(block, data)| (data.name.to_string(), names(block))).collect()
}

#[test]
fn export_is_read_back() {
    let config = Config { max_blocks: 12, ..Config::default() };
    for seed in 0..100 {
        let mut program = from_seed(seed, &config).case.program;
        for function in &mut program.functions {
            if let Some(prepared) = prepare(function) {
                *function = prepared;
            }
        }
        let text = json(&program);
        let back = read(&text).unwrap_or_else(|report| panic!("{seed}: {report:#?}\n{text}"));
        assert!(export(&back) == export(&program), "{seed}");
        for (old, new) in program.functions.iter().zip(&back.functions) {
            assert_eq!(live_in(old), live_in(new), "{seed}");
            let (old, new) = (text::print_function(old), text::print_function(new));
            // A variable that occurs nowhere is not written.
            let used = |line: &&str| !line.starts_with("  local ");
            let pairs = old.lines().filter(used).zip(new.lines().filter(used));
            assert_eq!(pairs.into_iter().find(|(old, new)| old != new), None, "{seed}");
        }
    }
}

#[test]
fn broken_texts_never_panic() {
    let program = from_seed(3, &Config::default()).case.program;
    let text = json(&program);
    for cut in (0..text.len()).step_by(37).filter(|&cut| text.is_char_boundary(cut)) {
        let _ = read(&text[..cut]);
        let mut bytes = text.clone().into_bytes();
        bytes[cut] = b"{}[]\",:x0"[cut % 9];
        let _ = read(&String::from_utf8_lossy(&bytes));
    }
}
