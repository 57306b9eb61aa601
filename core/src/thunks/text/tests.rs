use super::{parse, print};

/// Every construct, in canonical form.
pub(crate) const ALL: &str = r#";; form: structured

extern @probe(int) -> int
extern @take(own)
memory 8

region fn @structured(%n: int, %o: own) -> int {
  local %q: own{own, own}
  %c = slt %n, 10
  (%x, %p: own) = if %c {
    store %c, 1
    yield 3, %o
  } else {
    %new: own = new
    yield %n, %new
  }
  (%r, %s) = loop (%i: int = 0, %sum: int = %x) {
    %i2 = add %i, 1
    %again = slt %i2, %n
    repeat %again (%i2, %sum) else (%i, %sum)
  }
  loop {
    repeat 0
  }
  switch %r case 1 {
    yield
  } case -2 {
    loop {
      unreachable
    }
    unreachable
  } default {
    yield
  }
  (%u) = try_call %d = @probe(%r) {
    yield %d
  } unwind {
    yield 0
  }
  try_drop %p {
    yield
  } unwind {
    yield
  }
  try_drop %q.0 {
    return %u
  } unwind {
    resume
  }
  unreachable
}

ssa region fn @thunks(%n: int) -> int {
  region "my entry" {
    (%t: thunk) = if %n {
      %t1: thunk = bind "return"(%n)
      yield %t1
    } else {
      (%t2: thunk) = switch %n case 0 {
        %t3: thunk = bind resume
        yield %t3
      } default {
        unreachable
      }
      yield %t2
    }
    enter %t
  }
  region "return"(%m: int) {
    %t4: thunk = bind return(%m)
    enter %t4
  }
}

region fn @matched(%n: int) -> int {
  %t: thunk = bind head(%n)
  (%u: thunk) = loop match %t case head(%i: int) {
    %t1: thunk = bind tail
    yield %t1
  } case tail {
    (%t2: thunk) = if %i {
      %t3: thunk = bind head(0)
      yield %t3
    } else {
      %t4: thunk = bind return(%i)
      yield %t4
    }
    yield %t2
  }
  enter %u
}
"#;

#[test]
fn canonical_text_is_printed_as_it_was_read() {
    let program = parse(ALL).unwrap_or_else(|mistakes| panic!("{mistakes:#?}"));
    assert_eq!(print(&program), ALL);
    assert_eq!(parse(&print(&program)).unwrap(), program);
}

#[test]
fn layout_does_not_matter() {
    let text =
        "region fn @f(%n) { if %n { yield } else { loop { repeat %n } \n yield }\n\n return }";
    let canonical = "region fn @f(%n: int) {\n  if %n {\n    yield\n  } else {\n    loop {\n      \
                     repeat %n\n    }\n    yield\n  }\n  return\n}\n";
    let program = parse(text).unwrap_or_else(|mistakes| panic!("{mistakes:#?}"));
    assert_eq!(print(&program), canonical);
    assert_eq!(parse(canonical).unwrap(), program);
}

/// The code, line and column of each mistake.
fn mistakes(text: &str) -> Vec<(&'static str, usize, usize)> {
    let at = |start: u32| {
        let before = &text[..start as usize];
        let column = before.chars().rev().take_while(|&c| c != '\n').count() + 1;
        (before.matches('\n').count() + 1, column)
    };
    let diagnostics = parse(text).err().unwrap_or_default();
    diagnostics.iter().map(|d| (d.code, at(d.span.start).0, at(d.span.start).1)).collect()
}

#[test]
fn mistakes_are_where_they_are() {
    let check = |body: &str, expected: &[(&str, usize, usize)]| {
        let text = format!("region fn @f(%n: int) -> int {{\n{body}\n}}\n");
        assert_eq!(mistakes(&text), expected, "in\n{text}");
    };
    check("  return 1", &[]);
    check("  %x = add %n, %o2 1\n  return 1", &[("syntax", 2, 20)]);
    check("  jump x\n", &[("syntax", 2, 3)]);
    check("  %x = phi int [a: 1]\n  return 1", &[("not-in-region", 2, 3)]);
    check("  if %n { yield } els { yield }\n  return 1", &[("syntax", 2, 19)]);
    check("  switch %n case x { yield }", &[("bad-integer", 2, 18)]);
    check("  return 1\n  return 2", &[("syntax", 3, 3)]);
    check("  %t = bind nowhere\n  enter %t", &[("dangling-target", 2, 13)]);
    check("  (%a, %b) = match %n case x { unreachable }", &[("match-output", 2, 3)]);
    check("  (%a) = add %n, 1\n  return 1", &[("unknown-operation", 2, 10)]);
    check("  region a { unreachable }\n  region a { unreachable }", &[("duplicate-region", 3, 10)]);
    check("  %n = const 1", &[("syntax", 3, 1)]);
    check("  %x: own = const 1\n  return 1", &[("destination-type", 2, 3)]);
    check("  %x = call @g()\n  return 1", &[("dangling-callee", 2, 13)]);
}

#[test]
fn one_mistake_a_function_and_the_rest_is_read() {
    let text = "region fn @f( {\n  if %n {\n    yield\n}\nregion fn @g() {\n  retrun\n}\n\
                region fn @h() {\n  yield\n}\nfn @i() {\nentry:\n  return\n}\nmemory 3\n";
    assert_eq!(
        mistakes(text),
        [
            ("syntax", 1, 15),
            ("unknown-operation", 6, 3),
            ("misplaced-end", 9, 3),
            ("syntax", 11, 1),
            ("bad-memory", 15, 8)
        ]
    );
}

/// A nest as deep as it gets: nothing recurses.
#[test]
fn depth_costs_no_stack() {
    let depth = 50_000;
    let mut text = String::from("region fn @f(%n: int) {\n");
    for level in 0..depth {
        text.push_str(if level % 2 == 0 { "if %n {\n" } else { "loop {\n" });
    }
    for level in (0..depth).rev() {
        let close = if level % 2 == 0 { "yield\n} else {\nyield\n}\n" } else { "repeat %n\n}\n" };
        text.push_str(close);
    }
    text.push_str("return\n}\n");
    let program = parse(&text).unwrap_or_else(|mistakes| panic!("{mistakes:#?}"));
    let printed = print(&program);
    assert_eq!(parse(&printed).as_ref(), Ok(&program));
}
