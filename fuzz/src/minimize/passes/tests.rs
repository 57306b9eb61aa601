//! Every pass on generated programs: what it makes is valid, and says what its text says.

use super::*;
use crate::generate::{Config, from_seed};
use crate::minimize::tidy::tidy;
use backedge_core::ir::{text, validate::validate};

/// Generated programs without `ssa`, which alone an edit may break.
fn programs() -> impl Iterator<Item = Program> {
    let config = Config { max_blocks: 24, ..Config::default() };
    (0..24).map(move |seed| {
        let mut program = from_seed(seed, &config).case.program;
        program.functions.iter_mut().for_each(|function| function.ssa = false);
        program
    })
}

fn all() -> impl Iterator<Item = &'static Pass> {
    ROUND.iter().chain(ESCAPES)
}

/// Some ranges of sites, large and small.
fn ranges(pass: &Pass, sites: usize) -> Vec<Range<usize>> {
    let single = [0, sites / 3, sites / 2, sites.saturating_sub(1)].map(|site| site..site + 1);
    let mut ranges: Vec<_> = single.into_iter().filter(|range| range.end <= sites).collect();
    if pass.granularity == Granularity::Ranges {
        ranges.extend([0..sites, 0..sites / 2, sites / 2..sites, sites / 4..sites / 2]);
    }
    ranges
}

#[test]
fn edits_leave_valid_programs() {
    let mut invalid = Vec::new();
    for program in programs() {
        for pass in all() {
            for range in ranges(pass, pass.sites(&program)) {
                let mut edited = program.clone();
                (pass.edit)(&mut edited, &mut Pick::of(range.clone()));
                tidy(&mut edited);
                let mistakes = validate(&edited);
                if let Some(first) = mistakes.first() {
                    invalid.push(format!("{} {range:?}: {}", pass.name, first.message));
                    continue;
                }
                assert_eq!(text::parse(&text::print(&edited)).as_ref(), Ok(&edited));
            }
        }
    }
    println!("{}", invalid.join("\n"));
    assert!(invalid.is_empty());
}

#[test]
fn nothing_picked_is_nothing_changed() {
    for program in programs() {
        for pass in all() {
            let mut edited = program.clone();
            (pass.edit)(&mut edited, &mut Pick::of(0..0));
            assert_eq!(edited, program, "{}", pass.name);
        }
    }
}
