//! Damaged texts: parsing never panics, always says where a mistake is, and what is read all the
//! same can be printed and read again.

use super::round_trip::ALL;
use super::*;
use crate::ir::text::lexer::{Lexer, TokenKind};
use proptest::prelude::*;

/// What the parser rewrites.
const SUGAR: &str = "\
ssa fn @f(%n: int) -> int {
a: branch %n, b, c
b: %x = const 1
  jump d(%n)
c: jump d(2)
d(%y: int): %z = phi int [b: %x], [c: 3]
  for %i = %z, 0x10, 2 {
    for %j = 0, %i, 1 { branch %j, e, f
    e: call @g()
      jump f
    f:
    }
  }
  return %y
}
extern @g()
";

/// A change of a text that is cut into pieces.
#[derive(Clone, Debug)]
enum Change {
    Delete(usize),
    Duplicate(usize),
    Swap(usize, usize),
    Put(usize, &'static str),
}

/// What is put into a text.
const PIECES: [&str; 33] = [
    "\n",
    " ",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ",",
    ":",
    "=",
    "->",
    "%n",
    "%p.0",
    "@g",
    "\"",
    "x",
    "own{",
    "own",
    "int",
    "for",
    "phi",
    "fn",
    "ssa",
    "local",
    "0",
    "-1",
    "9223372036854775808",
    ";",
    ";;",
    "\\",
    "é",
    ".",
];

fn change() -> impl Strategy<Value = Change> {
    prop_oneof![
        any::<usize>().prop_map(Change::Delete),
        any::<usize>().prop_map(Change::Duplicate),
        (any::<usize>(), any::<usize>()).prop_map(|(a, b)| Change::Swap(a, b)),
        (any::<usize>(), prop::sample::select(&PIECES[..])).prop_map(|(a, b)| Change::Put(a, b)),
    ]
}

fn apply(pieces: &mut Vec<&str>, changes: &[Change]) -> String {
    for change in changes {
        let count = pieces.len().max(1);
        match *change {
            _ if pieces.is_empty() => {}
            Change::Delete(at) => drop(pieces.remove(at % count)),
            Change::Duplicate(at) => pieces.insert(at % count, pieces[at % count]),
            Change::Swap(a, b) => pieces.swap(a % count, b % count),
            Change::Put(at, piece) => pieces.insert(at % count, piece),
        }
    }
    pieces.concat()
}

/// The tokens with the blanks and comments between them.
fn tokens(text: &str) -> Vec<&str> {
    let mut lexer = Lexer::new(text, 0);
    let mut pieces = Vec::new();
    let mut end = 0;
    loop {
        let token = lexer.next();
        let span = token.span.start as usize..token.span.end as usize;
        pieces.push(&text[end..span.start]);
        pieces.push(&text[span.clone()]);
        end = span.end;
        if token.kind == TokenKind::End {
            return pieces;
        }
    }
}

fn check(text: &str) {
    match parse(text) {
        Ok(program) => {
            let printed = print(&program);
            assert_eq!(parse(&printed).as_ref(), Ok(&program), "{text}\n----\n{printed}");
            assert_eq!(print(&program), printed);
            assert_eq!(validate::validate(&program), []);
        }
        Err(diagnostics) => {
            assert!(!diagnostics.is_empty() && diagnostics.len() <= Sink::LIMIT + 1);
            for diagnostic in diagnostics {
                let (start, end) = (diagnostic.span.start as usize, diagnostic.span.end as usize);
                assert!(text.get(start..end).is_some(), "{text}\n----\n{diagnostic:?}");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(400) })]

    #[test]
    fn tokens_can_be_changed(
        text in prop::sample::select(&[ALL, SUGAR][..]),
        changes in prop::collection::vec(change(), 1..6),
    ) {
        check(&apply(&mut tokens(text), &changes));
    }

    #[test]
    fn characters_can_be_changed(
        text in prop::sample::select(&[ALL, SUGAR][..]),
        changes in prop::collection::vec(change(), 1..6),
    ) {
        let mut pieces: Vec<&str> = text.split_inclusive(|_| true).collect();
        check(&apply(&mut pieces, &changes));
    }

    #[test]
    fn lines_can_be_changed(
        text in prop::sample::select(&[ALL, SUGAR][..]),
        changes in prop::collection::vec(change(), 1..6),
    ) {
        let mut pieces: Vec<&str> = text.split_inclusive('\n').collect();
        check(&apply(&mut pieces, &changes));
    }

    #[test]
    fn a_text_can_be_any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        if let Err(diagnostics) = parse_bytes(&bytes) {
            prop_assert!(diagnostics.iter().all(|d| d.span.end as usize <= bytes.len()));
        }
        check(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn a_text_can_be_any_tokens(changes in prop::collection::vec(change(), 0..60)) {
        let put = |change: &Change| if let Change::Put(_, piece) = change { *piece } else { " " };
        let text: String = changes.iter().map(put).collect();
        check(&text);
        check(&format!("fn @f() {{\nx: {text}"));
    }
}

#[test]
fn the_texts_to_be_changed_are_fine() {
    assert!(parse(ALL).is_ok() && parse(SUGAR).is_ok());
    assert_eq!(tokens(SUGAR).concat(), SUGAR);
}

#[test]
fn some_changes_leave_a_valid_program() {
    let valid = (0..ALL.lines().count()).filter(|&line| {
        let mut lines: Vec<&str> = ALL.split_inclusive('\n').collect();
        parse(&apply(&mut lines, &[Change::Delete(line)])).is_ok()
    });
    assert!(valid.count() > 20);
}
