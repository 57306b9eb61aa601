//! The gallery: what each shape of a graph becomes, and what it comes back as.

use super::tests::{parse, structured};
use crate::thunks::{lower, text as regions};

/// Splits a file of examples: a title, a graph, its structured form and its lowered form.
fn examples() -> impl Iterator<Item = [&'static str; 4]> {
    include_str!("gallery.txt").split("==== ").skip(1).map(|example| {
        let (title, rest) = example.split_once('\n').expect("a title ends with its line");
        let parts: Vec<&str> = rest.split("----\n").collect();
        let [graph, form, lowered] = parts[..] else { panic!("{title} has three parts") };
        [title, graph, form, lowered]
    })
}

/// With `BLESS` in the environment, prints the file as it would be right.
#[test]
fn the_gallery_is_right() {
    let bless = std::env::var_os("BLESS").is_some();
    for [title, graph, expected, lowered] in examples() {
        let program = parse(graph);
        let form = structured(&program);
        let shown = regions::print_function(&form);
        let back = crate::ir::text::print_function(&lower(&form));
        if bless {
            eprint!("==== {title}\n{graph}----\n{shown}----\n{back}");
        } else {
            assert_eq!(shown, expected, "{title}");
            assert_eq!(back, lowered, "{title}");
        }
    }
}
