//! Worked examples of destination propagation, under `corpus/filetests/destprop`.
//!
//! A file says with `;; merged: a -> b, ..` what is merged in its function `@f`, with `;; refused: ..` why
//! what is left is, and gives what `@f` becomes as `@f_after`: by the method that saves liveness. The
//! others merge the same locals, perhaps under another name, or fewer of them: live ranges meet where both
//! locals of a copy are read later. What is live in both functions is said as in
//! every other file, and judged with those.

use backedge::generate::{Config, from_seed};
use backedge_core::destprop::{Method, propagate};
use backedge_core::ir::text::{parse, print};
use backedge_core::ir::{Function, Program};
use backedge_oracle::check::{self, Verdict};
use backedge_oracle::core_subject::Core;
use backedge_tests::filetest::files;
use std::collections::{BTreeMap, BTreeSet};

/// The function as a text, by another name, without locals that do not occur.
fn text(mut function: Function) -> String {
    function.name = "f".into();
    function.canonicalize();
    print(&Program { functions: vec![function], ..Program::default() })
}

/// What stands after a directive, `a, b`, sorted.
fn listed(program: &Program, key: &str) -> Option<Vec<String>> {
    let directive = program.directives(key).next()?;
    let names = directive.value.split(',').map(|name| name.trim().to_owned());
    let mut names: Vec<String> = names.filter(|name| !name.is_empty()).collect();
    names.sort();
    Some(names)
}

/// The locals that are one, by what each `a -> b` says.
fn classes(merges: &[String]) -> BTreeSet<BTreeSet<&str>> {
    let mut classes: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (from, into) in merges.iter().filter_map(|merge| merge.split_once(" -> ")) {
        classes.entry(into).or_default().extend([from, into]);
    }
    classes.into_values().collect()
}

#[test]
fn functions_become_what_files_say() {
    for (path, source) in files("destprop", "cfg") {
        let program =
            parse(&source).unwrap_or_else(|wrong| panic!("{}: {wrong:?}", path.display()));
        let [before, after] = ["f", "f_after"]
            .map(|name| program.function(name).unwrap_or_else(|| panic!("@{name} is missing")));
        let expected = listed(&program, "merged").expect("the file says what is merged");
        for method in Method::ALL {
            let at = format!("{} by {}", path.display(), method.name());
            let propagation = propagate(before, method);
            let name = |local| &before.locals[local].name;
            let merges = propagation.merges.iter();
            let mut merged: Vec<String> =
                merges.map(|(from, into)| format!("{} -> {}", name(*from), name(*into))).collect();
            merged.sort();
            let (found, all) = (classes(&merged), classes(&expected));
            if method == Method::LiveRanges {
                let within = |class: &BTreeSet<&str>| all.iter().any(|all| all.is_superset(class));
                assert!(found.iter().all(within), "{at}: {found:?}");
            } else {
                assert_eq!(found, all, "{at}");
            }
            if method != Method::Saved {
                continue;
            }
            assert_eq!(merged, expected, "{at}");
            assert_eq!(text(propagation.function), text(after.clone()), "{at}");
            if let Some(expected) = listed(&program, "refused") {
                let refused = propagation.refused.iter().map(|(_, why)| why.name().to_owned());
                let mut refused: Vec<String> = refused.collect();
                refused.sort();
                assert_eq!(refused, expected, "{at}");
            }
        }
    }
}

/// What comes of merges is a program as any other: it is compiled, and runs on the tapes of its case.
#[test]
fn merged_programs_pass_every_check() {
    let first = std::env::var("FIRST_SEED").map_or(0, |seed| seed.parse().expect("a number"));
    for seed in first..first + 200 {
        let original = from_seed(seed, &Config::default()).case;
        for method in Method::ALL {
            let mut case = original.clone();
            for function in &mut case.program.functions {
                *function = propagate(function, method).function;
            }
            for check in check::all() {
                let verdict = check.judge(&case, &mut Core::default());
                let is_right = matches!(verdict, Verdict::Pass | Verdict::Skip(_));
                assert!(is_right, "seed {seed}, {}: {verdict:?}", method.name());
            }
        }
    }
}
