use super::*;

/// Code, and the text that each diagnostic points at.
fn mistakes(text: &str) -> Vec<(&'static str, &str)> {
    let found = TextListing::parse(text).err().unwrap_or_default();
    let at = |span: Span| &text[span.start as usize..span.end as usize];
    found.iter().map(|diagnostic| (diagnostic.code, at(diagnostic.span))).collect()
}

#[test]
fn every_value_in_an_operand_is_read() {
    let text = "add %a, %b <- 8(%sp), [%p+%q], 12, @sym, -%r.1 ; %c\n ret";
    let listing = TextListing::parse(text).expect("a listing");
    let names = |values: Vec<Value>| -> Vec<&str> {
        values.into_iter().map(|value| listing.value_name(value)).collect()
    };
    let (mut defs, mut uses) = (vec![], vec![]);
    listing.items.defs(0, |value| defs.push(value));
    listing.items.uses(0, |value| uses.push(value));
    assert_eq!(names(defs), ["a", "b"]);
    assert_eq!(names(uses), ["sp", "p", "q", "r.1"]);
    assert_eq!(listing.value_named("c"), None);
    assert_eq!(listing.value_named("p").map(|value| listing.value_name(value)), Some("p"));
}

#[test]
fn several_mistakes_of_syntax() {
    let text = "\
        a: add x <- %y\n\
        + 1\n\
        br\n\
        jump %x\n\
        jump a, b\n\
        phi <- a: %x\n\
        phi %x <- %y\n\
        add %, 1\n\
        add 1,, 2\n\
        br %c, %d\n\
        ret\n";
    assert_eq!(
        mistakes(text),
        [
            ("expected-value", "x"),
            ("expected-operation", "+ 1"),
            ("expected-label", "br"),
            ("expected-label", "%x"),
            ("expected-label", "jump"),
            ("expected-value", "phi"),
            ("expected-label", "%y"),
            ("missing-name", ""),
            ("expected-operand", ""),
            ("expected-label", "%d"),
        ]
    );
}

#[test]
fn mistakes_of_flow() {
    let text = "a:\n br %c, nowhere\n add 1\na: add 1\n jump b\nb: phi %x <- a: 1, c: 2\n ret\n";
    assert_eq!(
        mistakes(text),
        [
            ("dangling-target", "br %c, nowhere"),
            ("duplicate-block", "a"),
            ("phi-extra-predecessor", "phi %x <- a: 1, c: 2"),
        ]
    );
}

#[test]
fn odd_texts_do_not_panic() {
    let odd =
        ["\u{e9}: ret", "%", "<-", "a <- ", ":", "x:y:z:", "\r\n\r\n", "phi %a <- <>: 1", "é%é"];
    for text in odd {
        let _ = TextListing::parse(text);
    }
    assert_eq!(mistakes("é: ret"), []);
}
