use super::*;
use crate::ir::text::{parse, print_function};

fn parsed(text: &str) -> Function {
    parse(text).expect("the text is right").functions.remove(0)
}

/// Classes by name, in order.
fn classes(text: &str) -> Vec<&'static str> {
    let classes = classify(&parsed(text), Unwinding::WhereInitialized);
    classes.into_iter().map(|(_, class)| class.name()).collect()
}

const HEAD: &str = "extern @e(own)\nextern @go() -> int\n";

#[test]
fn a_class_is_what_both_bits_say() {
    let text = format!(
        "{HEAD}fn @f(%c: int) {{\na:\n  %p = new\n  %q = new\n  call @e(%q)\n  branch %c, b, d\nb:\n  \
         call @e(%p)\n  jump d\nd:\n  drop %p\n  drop %q\n  %q = new\n  drop %q\n  return\nz:\n  drop %p\n  return\n}}\n"
    );
    assert_eq!(classes(&text), ["conditional", "dead", "static", "unclassified"]);
}

/// A place is open where a part of it is named, and only where the bits of its parts differ or are in
/// doubt.
#[test]
fn parts_open_a_drop() {
    let text = |middle: &str| {
        format!(
            "{HEAD}fn @f(%c: int) {{\na:\n  %p: own{{own, own}} = new\n  {middle}\n  drop %p\n  return\n}}\n"
        )
    };
    assert_eq!(classes(&text("%q = move %p.0")), ["open"]);
    assert_eq!(classes(&text("%q = move %p.0\n  %p.0 = move %q")), ["static"]);
    assert_eq!(classes(&text("%q = move %p.0\n  %r = move %p.1")), ["dead"]);
    assert_eq!(classes(&text("%q = new")), ["static"]);
}

/// The two readings differ where what is dropped is never there.
#[test]
fn a_drop_of_nothing_unwinds_in_one_reading_alone() {
    let function = parsed(
        "fn @f() {\na:\n  %q = new\n  try_drop %p, b, unwind d\nb:\n  return\nd:\n  drop %q\n  resume\n\
         z:\n  %p = new\n  return\n}\n",
    );
    let class = |unwinding| classify(&function, unwinding)[1].1;
    assert_eq!(class(Unwinding::Always), DropClass::Static);
    assert_eq!(class(Unwinding::WhereInitialized), DropClass::Unclassified);
}

fn elaborated(text: &str) -> String {
    print_function(&elaborate(&parsed(text)))
}

#[test]
fn sure_drops_need_no_flag() {
    let text = format!(
        "{HEAD}fn @f() {{\na:\n  %p = new\n  drop %q\n  drop %p\n  %q = new\n  drop %q\n  return\n}}\n"
    );
    let expected = "fn @f() {\na:\n  %p: own = new\n  destroy %p\n  %q: own = new\n  destroy %q\n  return\n}\n";
    assert_eq!(elaborated(&text), expected);
}

/// Set where it is made, cleared where it is given away; nothing else writes it.
#[test]
fn a_conditional_drop_has_one_flag() {
    let text = format!(
        "{HEAD}fn @f(%c: int) {{\na:\n  %p = new\n  branch %c, b, d\nb:\n  call @e(%p)\n  jump d\nd:\n  \
         drop %p\n  return\n}}\n"
    );
    let expected = "fn @f(%c: int) {\na:\n  %p: own = new\n  %p_flag = const 1\n  branch %c, b, d\nb:\n  \
                    call @e(%p)\n  %p_flag = const 0\n  jump d\nd:\n  branch %p_flag, d_drop, d_next\n\
                    d_drop:\n  destroy %p\n  jump d_next\nd_next:\n  return\n}\n";
    assert_eq!(elaborated(&text), expected);
}

/// The part in doubt is asked for, the others are not; the order is that of the type.
#[test]
fn an_open_drop_is_a_ladder() {
    let text = format!(
        "{HEAD}fn @f(%c: int) {{\na:\n  %p: own{{own, own, own}} = new\n  branch %c, b, d\nb:\n  \
         %q = move %p.1\n  destroy %q\n  jump d\nd:\n  drop %p\n  return\n}}\n"
    );
    let shown = elaborated(&text);
    let tail = &shown[shown.find("d:\n").expect("there is this block")..];
    let expected = "d:\n  destroy %p.0\n  branch %p_flag_1, d_drop, d_next\nd_drop:\n  destroy %p.1\n  \
                    jump d_next\nd_next:\n  destroy %p.2\n  return\n}\n";
    assert_eq!(tail, expected);
}

/// If control comes back to the entry, flags get their first values before it.
#[test]
fn an_entry_with_predecessors_is_split() {
    let text = format!(
        "{HEAD}fn @f() {{\na:\n  %go = call @go()\n  branch %go, b, d\nb:\n  %p = new\n  jump a\nd:\n  \
         drop %p\n  return\n}}\n"
    );
    let shown = elaborated(&text);
    assert!(shown.starts_with("fn @f() {\na:\n  %p_flag = const 0\n  jump a_body\n"), "{shown}");
    assert_eq!(shown.matches("a_body").count(), 3, "{shown}");
}

/// The result of a call is there on its normal edge alone, and so is the write of its flag.
#[test]
fn flags_are_written_on_edges() {
    let text = "extern @make() -> own\nfn @f() {\na:\n  try_call %p = @make(), b, unwind b\nb:\n  drop %p\n  \
                return\n}\n";
    let shown = elaborated(text);
    assert!(shown.contains("try_call %p: own = @make(), a_edge, unwind b"), "{shown}");
    assert!(shown.contains("a_edge:\n  %p_flag = const 1\n  jump b\n"), "{shown}");
}
