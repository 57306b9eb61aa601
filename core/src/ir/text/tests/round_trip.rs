use super::*;
use crate::ir::builder::{FunctionBuilder, diamond};
use crate::ir::{Directive, Extern, Op, Place, TerminatorKind, Type};
use smallvec::smallvec;

/// Every construct, in canonical form.
pub(super) const ALL: &str = r#";; check: liveness
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
  try_drop %q.0, empty, unwind bad
empty:
  switch 3, bad, []
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
  %add = add %a, 1
  %sub = sub %a, 1
  %mul = mul %a, 1
  %sdiv = sdiv %a, 1
  %udiv = udiv %a, 1
  %srem = srem %a, 1
  %urem = urem %a, 1
  %and = and %a, 1
  %or = or %a, 1
  %xor = xor %a, 1
  %shl = shl %a, 1
  %lshr = lshr %a, 1
  %ashr = ashr %a, 1
  %eq = eq %a, 1
  %ne = ne %a, 1
  %slt = slt %a, 1
  %sle = sle %a, 1
  %ult = ult %a, 1
  %ule = ule 9223372036854775807, -1
  %copy = copy 3
  try_call @f(%ule), entry, unwind entry
}
"#;

#[test]
fn canonical_text_is_printed_as_it_was_read() {
    let program = parse(ALL).unwrap();
    assert_eq!(print(&program), ALL);
    assert_eq!(parse(&print(&program)).unwrap(), program);
}

/// Parses a text that is not canonical, and compares its canonical text.
fn check(text: &str, canonical: &str) {
    let program = parse(text).unwrap_or_else(|mistakes| panic!("{mistakes:#?}"));
    assert_eq!(print(&program), canonical);
    assert_eq!(parse(canonical).unwrap(), program);
}

#[test]
fn layout_does_not_matter() {
    check(
        "memory 0x10 ; words\r\nfn @f(\n  %a,\n  ; a comment\n  %b: own{own,\n own}, ) { entry : jump a ( \
         %a,\n\t-0x10)\n\n a(%x, %y):%q=move %b.0 ; ;\n switch %x, b, [\n 1: b,\n 2: b,\n ]\n b: return }\
         extern @g()->own",
        "extern @g() -> own\nmemory 16\n\nfn @f(%a: int, %b: own{own, own}) {\nentry:\n  \
         jump a(%a, -16)\na(%x: int, %y: int):\n  %q: own = move %b.0\n  \
         switch %x, b, [1: b, 2: b]\nb:\n  return\n}\n",
    );
}

#[test]
fn types_follow_from_definitions_wherever_they_stand() {
    check(
        "fn @f(%p: own{own, own{own}}) {\nentry:\n  %c = copy %b\n  %b = move %a.0\n  %a = move %p.1\n  \
         %d = call @g()\n  try_call %e = @g(), x, unwind x\nx:\n  %l = copy %l\n  %k = copy %l\n  \
         %t = bind x\n  %s = select 1, %t, %t\n  return\n}\nfn @g() -> own {\nentry:\n  return %o\n late:\n \
         %o = new\n unreachable }\n",
        "fn @f(%p: own{own, own{own}}) {\nentry:\n  %c: own = copy %b\n  %b: own = move %a.0\n  \
         %a: own{own} = move %p.1\n  %d: own = call @g()\n  try_call %e: own = @g(), x, unwind x\n\
         x:\n  %l = copy %l\n  %k = copy %l\n  %t: thunk = bind x\n  \
         %s: thunk = select 1, %t, %t\n  return\n}\n\nfn @g() -> own {\nentry:\n  return %o\nlate:\n  \
         %o: own = new\n  unreachable\n}\n",
    );
}

#[test]
fn a_declaration_that_says_nothing_new_is_left_out() {
    check(
        "fn @f() {\n  local %b: own\n  local %a\n  local %c: own\nx:\n  %a = const 1\n  %b = new\n  \
         drop %c\n  return\n}\n",
        "fn @f() {\n  local %c: own\nx:\n  %a = const 1\n  %b: own = new\n  drop %c\n  return\n}\n",
    );
}

#[test]
fn integers_are_read_at_the_ends_of_their_range() {
    check(
        "fn @f() {\nx:\n  %a = const -9223372036854775808\n  %a = const 9223372036854775807\n  \
         %a = const 0xffffffffffffffff\n  %a = const -0x8000000000000000\n  %a = const -0\n  \
         %a = const 007\n  return\n}",
        "fn @f() {\nx:\n  %a = const -9223372036854775808\n  %a = const 9223372036854775807\n  \
         %a = const -1\n  %a = const -9223372036854775808\n  %a = const 0\n  %a = const 7\n  return\n}\n",
    );
}

#[test]
fn directives_are_collected_from_everywhere() {
    let text = ";; a: 1\n;;\n;;; no\nfn @f() {\n\t;; b\nx:\n  return ;; no: 1\n;;c:d:e\n}\n;; \"k\"  : \"v\" \
                x\r\n;;:\n";
    let program = parse(text).unwrap();
    let read: Vec<_> = program.directives.iter().map(|d| (&*d.key, &*d.value)).collect();
    assert_eq!(read, [("a", "1"), ("b", ""), ("c", "d:e"), ("k", "\"v\" x"), ("", "")]);
    assert_eq!(parse(&print(&program)).unwrap(), program);
}

/// Texts that are hard on a grammar.
const HARD: [&str; 22] = [
    "",
    " ",
    "a b",
    "%",
    "@",
    "\"",
    "\\",
    "\n",
    "\r\n",
    "\t",
    ";",
    ";;",
    ":",
    "a:b",
    "->",
    "-",
    "é",
    "\u{202e}x",
    "\0",
    "a.0",
    "fn",
    "}",
];

#[test]
fn every_string_can_be_a_name_or_a_directive() {
    for first in HARD {
        for second in HARD {
            let text = format!("{first}{second}");
            let mut b = FunctionBuilder::new(&*text);
            let local = b.param(&*text, Type::Own);
            let block = b.block(&*text);
            let opaque = crate::ir::Opaque {
                text: (&*text).into(),
                defs: smallvec![],
                uses: smallvec![local],
                partial: smallvec![],
            };
            b.at(block).inst(None, Op::Opaque(Box::new(opaque)));
            b.inst(None, Op::Drop(local.into())).jump(block);
            let mut program = Program { functions: vec![b.finish()], ..Program::default() };
            let span = Span::NONE;
            program.directives.push(Directive { key: text.clone(), value: first.into(), span });
            program.directives.push(Directive { key: second.into(), value: text, span });
            let printed = print(&program);
            assert_eq!(parse(&printed).as_ref(), Ok(&program), "{printed}");
            assert_eq!(print(&program), printed);
        }
    }
}

#[test]
fn what_is_built_in_memory_is_read_back() {
    let external = Extern { name: "g".into(), params: vec![], ret: None, span: Span::NONE };
    let program =
        Program { externs: vec![external], functions: vec![diamond()], ..Program::default() };
    assert_eq!(parse(&print(&program)).unwrap(), program);
}

#[test]
fn locals_get_canonical_numbers() {
    let mut b = FunctionBuilder::new("f");
    let [last, idle, first] = ["last", "idle", "first"].map(|name| b.local(name, Type::Int));
    let undefined = b.local("undefined", Type::Own);
    let param = b.param("param", Type::Int);
    let entry = b.block("entry");
    b.at(entry).inst(Place::from(first), Op::Copy(param.into()));
    b.inst(Place::from(last), Op::Copy(first.into())).inst(None, Op::Drop(undefined.into()));
    b.terminate(TerminatorKind::Return(None));
    let mut function = b.finish();
    let names = |f: &crate::ir::Function| -> Vec<String> {
        f.locals.values().map(|data| data.name.to_string()).collect()
    };
    let text = print_function(&function);
    function.renumber();
    assert_eq!(names(&function), ["param", "idle", "undefined", "first", "last"]);
    assert_eq!(print_function(&function), text);
    assert_eq!(parse(&text).unwrap().functions[0], function);
    function.canonicalize();
    assert_eq!(names(&function), ["param", "undefined", "first", "last"]);
    assert_eq!(parse(&print_function(&function)).unwrap().functions[0], function);
    let _ = idle;
}

#[test]
fn an_invalid_program_can_be_printed() {
    let mut function = diamond();
    let blocks = function.blocks.values().take(3).cloned().collect();
    function.blocks = blocks;
    let cond = crate::ir::Local::from_u32(9);
    let data = &mut function.blocks[crate::ir::Block::from_u32(0)];
    data.term.kind.for_each_local_mut(&mut |local| *local = cond);
    assert_eq!(
        print_function(&function),
        "fn @diamond(%c: int) {\nhead:\n  branch %\"?9\", left, right\nleft:\n  jump \"?3\"\nright:\n  \
         jump \"?3\"\n}\n"
    );
}
