//! Nothing panics, and nothing is too deep.

use super::{statement, wrap};
use crate::import::mir::read;
use proptest::prelude::*;

#[test]
fn deep_and_long_lines_are_no_trouble() {
    let depth = 100_000;
    let place = format!("{}_4{}", "(*".repeat(depth), ")".repeat(depth));
    assert_eq!(statement(&format!("_3 = copy {place}")), "_3 <- _4");
    let elements = vec!["copy _4"; depth].join(", ");
    assert_eq!(statement(&format!("_3 = [{elements}]")).matches("_4").count(), depth);
    let generic = format!("{}u8{}", "A<".repeat(depth), ">".repeat(depth));
    assert_eq!(statement(&format!("_3 = {generic}(move _4)")), "_3 <- _4");
}

/// Lines of many kinds, for mutation.
fn sample() -> String {
    wrap(
        "        _3 = const \"a -> [return: bb1] { }\";\n        (_4.0: A) = Foo { a: move _3, b: const '{' };\n        \
         _5 = [copy (*_3)[_4], const 2_u8];\n        discriminant(_6) = 2;\n        \
         asm!(\"nop\n# \", inout(reg) copy _3 => _4, options()) -> [return: bb1, unwind: bb4];",
    )
    .replacen(
        "return;",
        "_7 = <F as Fn<(A,)>>::call(move _3, copy (_5.0: B)) -> [return: bb2, unwind: bb4];",
        1,
    )
    .replacen("return;", "switchInt(copy _3) -> [0: bb1, 9: bb2, otherwise: bb3];", 1)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_bytes_panic(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        read(&bytes);
    }

    #[test]
    fn no_mutation_panics(
        edits in proptest::collection::vec((any::<prop::sample::Index>(), 0u8..3, any::<u8>()), 1..12),
    ) {
        let mut text = sample().into_bytes();
        for (at, kind, byte) in edits {
            let at = at.index(text.len());
            let from_sample = sample().as_bytes()[byte as usize];
            match kind {
                0 => text[at] = byte,
                1 => text.insert(at, from_sample),
                _ => drop(text.remove(at)),
            }
        }
        read(&text);
    }

    #[test]
    fn no_soup_of_tokens_panics(picks in proptest::collection::vec(0usize..24, 0..60)) {
        let tokens = [
            "_1", "_3", "(", ")", "[", "]", "{", "}", "<", ">", " -> ", "bb1", ": ", ", ", " = ",
            "move ", "const ", "\"", "'", "asm!(\"", " as ", "(*", "é", ";",
        ];
        let line: String = picks.into_iter().map(|pick| tokens[pick]).collect();
        read(wrap(&format!("        {line};\n        {line}\n        return;")).as_bytes());
        read(wrap(&format!("        _3 = {line};\n        return;")).as_bytes());
        read(wrap(&format!("        {line};")).as_bytes());
    }
}
