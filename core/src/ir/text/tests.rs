use super::*;

/// Every construct, in canonical form.
const ALL: &str = r#";; check: liveness
;; tape: 3, unwind, 0
;; flag:
;; "a:b": " c"

extern @probe(int) -> int
extern @make(own{own, own{own}}) -> own
extern @"core::fmt::Foo<T>"()
memory 64

fn @main(%n: int, %o: own{own, own{own}}) -> int {
  local %q: own{own, own}
  local %idle: int
entry:
  %zero = const 0
  %p: own{own, own} = new
  %p.0 = new
  %r: own = move %p.1
  drop %p.0
  destroy %r
  %w = select %zero, %n, -5
  %w = load 3
  store %w, -9223372036854775808
  %q.1 = move %p.1
  %t: thunk = bind head(%w)
  %t2: thunk = copy %t
  call @"core::fmt::Foo<T>"()
  %r = call @make(%o)
  opaque "nop"()
  %"v.1", %e = opaque "_1 = \"x\" \\ \u{7f}"(%n, %unset) partial(%q)
  try_call %d = @probe(%n), "my block"(%d), unwind bad
head(%i: int):
  switch %i, head(1), [-1: head(%i), 0: bad, 7: "my block"(%i)]
"my block"(%m: int):
  try_drop %q.0, entry, unwind bad
bad:
  resume
return:
  branch %n, return, 0
0:
  enter %t2
1:
  unreachable
2:
  return %n
}

ssa fn @f(%a: int) {
entry:
  %b = ule %a, 1
  return
}
"#;

#[test]
fn canonical_text_is_printed_as_it_was_read() {
    let program = parse(ALL).unwrap();
    assert_eq!(print(&program), ALL);
    assert_eq!(parse(&print(&program)).unwrap(), program);
}
