mod errors;
mod mutations;
mod round_trip;
mod semantic_errors;
mod sugar;

use super::*;

/// The code, line and column of each diagnostic of a bad text.
fn mistakes(text: &str) -> Vec<(&'static str, usize, usize)> {
    let diagnostics = parse(text).err().unwrap_or_default();
    diagnostics.iter().map(|d| (d.code, line_of(text, d), column_of(text, d))).collect()
}

fn line_of(text: &str, diagnostic: &Diagnostic) -> usize {
    text[..diagnostic.span.start as usize].matches('\n').count() + 1
}

fn column_of(text: &str, diagnostic: &Diagnostic) -> usize {
    let before = &text[..diagnostic.span.start as usize];
    before.chars().rev().take_while(|&c| c != '\n').count() + 1
}

/// Checks what is wrong with a text, mistake by mistake.
fn check_text(text: &str, expected: &[(&str, usize, usize)]) {
    assert_eq!(mistakes(text), expected, "in\n{text}");
}

/// Checks what is wrong with the body of a function `@f(%n: int) -> int`, which starts at line 1,
/// in a program that has more to call and to use.
fn check_body(body: &str, expected: &[(&str, usize, usize)]) {
    let head = "fn @f(%n: int, %o: own, %q: own{own, own}) -> int { ";
    let rest = "\n}\nextern @g(int, own) -> int\nextern @none()\nmemory 8\n";
    let text = format!("{head}{body}{rest}");
    let shifted: Vec<_> = mistakes(&text)
        .into_iter()
        .map(|(code, line, column)| {
            (code, line, if line == 1 { column - head.len() } else { column })
        })
        .collect();
    assert_eq!(shifted, expected, "in\n{text}");
}
