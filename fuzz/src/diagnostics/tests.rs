use super::*;

fn at(start: usize, end: usize) -> Diagnostic {
    Diagnostic::new("bad-thing", Span::new(start, end), "this is bad")
}

/// The rendered text and where its header points.
fn rendered(source: &[u8], diagnostic: Diagnostic) -> (String, String) {
    let text = render("a.cfg", source, &[diagnostic], false);
    let header = text.split("[ ").nth(1).and_then(|rest| rest.split(" ]").next());
    let place = header.unwrap_or("no header").to_owned();
    (text, place)
}

#[test]
fn a_mistake_is_shown_in_its_line() {
    let source = "fn @f() {\n  jump x\n  drop %y\n}\n";
    let diagnostic = at(17, 18).note(Span::new(26, 28), "because of this").help("don't");
    let (text, _) = rendered(source.as_bytes(), diagnostic);
    let expected = "\
[bad-thing] Error: this is bad
   ╭─[ a.cfg:2:8 ]
   │
 2 │   jump x
   │        ┬
   │        ╰── here
 3 │   drop %y
   │        ─┬
   │         ╰── because of this
   │
   │ Help: don't
───╯

";
    let trimmed: String = text.lines().map(|line| format!("{}\n", line.trim_end())).collect();
    assert_eq!(trimmed, expected);
}

#[test]
fn color_is_used_only_if_it_is_asked_for() {
    assert!(render("a", b"abc", &[at(0, 1)], true).contains('\u{1b}'));
    assert!(!render("a", b"abc", &[at(0, 1)], false).contains('\u{1b}'));
}

#[test]
fn the_ends_of_lines_and_of_the_file_can_be_pointed_at() {
    for (source, start, place) in [
        ("", 0, "a.cfg:1:1"),
        ("abc", 3, "a.cfg:1:4"),
        ("abc\n", 3, "a.cfg:1:4"),
        ("abc\r\n", 4, "a.cfg:1:5"),
        ("abc\n", 4, "a.cfg:2:1"),
        ("\n\n\nabc", 2, "a.cfg:3:1"),
        ("\n\n\nabc", 4, "a.cfg:4:2"),
        ("abc", 99, "a.cfg:1:4"),
    ] {
        let (text, found) = rendered(source.as_bytes(), at(start, start));
        assert_eq!(found, place, "{source:?} {start}\n{text}");
        assert!(text.contains('┬'), "{text}");
    }
}

#[test]
fn spans_over_lines_and_within_characters_do_no_harm() {
    let source = "\té\u{2028}x\u{85}\r\ny\u{1b}[31m é\n".as_bytes();
    for start in 0..=source.len() {
        for end in start..=source.len() + 1 {
            let (text, place) = rendered(source, at(start, end).note(Span::new(end, end), "n"));
            assert!(place.starts_with("a.cfg:"), "{place}");
            assert!(text.contains("this is bad") && !text.contains('\u{1b}'), "{text}");
        }
    }
}

#[test]
fn bytes_that_are_no_text_are_shown_as_such() {
    let (text, place) = rendered(b"ab\xff\xfe cd\n", at(3, 4));
    assert_eq!(place, "a.cfg:1:4");
    assert!(text.contains("1 │ ab\u{fffd}\u{fffd} cd"), "{text}");
}

#[test]
fn of_a_long_line_only_a_part_is_shown() {
    let mut source = vec![b'x'; 10_000_000];
    source[5_000_000] = b'?';
    let (text, place) = rendered(&source, at(5_000_000, 5_000_001));
    assert_eq!(place, "a.cfg:1:5000001");
    assert!(text.contains("xx?xx") && text.len() < 2000, "{text}");
    // What else is wrong with this line lies outside of the part.
    let text = render("a.cfg", &source, &[at(0, 1), at(5_000_000, 5_000_001)], false);
    assert!(text.contains("a.cfg:1:1 ") && text.contains("a.cfg:1:5000001 "), "{text}");
}

#[test]
fn a_mistake_far_down_a_long_file_is_found() {
    let source = b"ab\n".repeat(1_000_000);
    let mistakes = [at(1, 2), at(2_999_997, 2_999_998), at(2_999_998, 2_999_999)];
    let text = render("a.cfg", &source, &mistakes, false);
    assert!(text.contains("a.cfg:1:2 ") && text.contains("a.cfg:1000000:2 "), "{text}");
}

#[test]
fn what_is_left_out_is_counted() {
    let text = render("a", b"abc", &vec![at(0, 1); Sink::LIMIT + 3], false);
    assert_eq!(text.matches("a:1:1").count(), Sink::LIMIT);
    assert!(text.ends_with("and 3 more\n"), "{text}");
    let mut parsed = vec![at(0, 1); Sink::LIMIT];
    parsed.push(Diagnostic::new("too-many-errors", Span::NONE, "and 900 more"));
    assert!(render("a", b"abc", &parsed, false).ends_with("\n\nand 900 more\n"));
}
