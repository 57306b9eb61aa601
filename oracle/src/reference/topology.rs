//! Whether Machine IR has the control flow of the IR that it was lowered from.
//!
//! Block for block and slot for slot the successors have to be the same, with two liberties: the
//! normal way out of a `try_call` may lead through one new block that goes on to the target (where the
//! result is assigned), and the entry may be parted in two, where arguments are taken in and where
//! branches to the entry lead. Keys of a switch have to be the same in the same order.

use backedge_core::ir::{Block, Function, TerminatorKind};
use backedge_core::machine::{MFunction, MTermKind};
use cranelift_entity::EntityRef;

/// A difference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// The block of the IR.
    pub block: Block,
    /// Where it goes by the IR, in words.
    pub expected: String,
    /// Where it goes in Machine IR.
    pub found: String,
}

/// Compares the two.
///
/// # Errors
/// At the first block that goes elsewhere.
pub fn compare(function: &Function, machine: &MFunction) -> Result<(), Mismatch> {
    if machine.blocks.len() < function.blocks.len() {
        let expected = format!("{} blocks", function.blocks.len());
        let found = format!("{} blocks", machine.blocks.len());
        return Err(Mismatch { block: function.entry(), expected, found });
    }
    let body = body_of_entry(function, machine);
    for (block, data) in &function.blocks {
        let place = if block == function.entry() { body } else { block };
        let expected = ways(&data.term.kind);
        let catches = matches!(data.term.kind, TerminatorKind::TryCall { .. });
        let found = lowered_ways(function, machine, place, catches.then_some(body));
        let home = |to: Block| if to == function.entry() { body } else { to };
        let wanted = expected.iter().map(|way| Way { to: home(way.to), ..way.clone() });
        if !wanted.eq(found.iter().cloned()) {
            let expected = words(&expected, |to| function.blocks[to].name.to_string());
            let name =
                |to: Block| machine.blocks.get(to).map_or("?".into(), |to| to.name.to_string());
            return Err(Mismatch { block, expected, found: words(&found, name) });
        }
    }
    Ok(())
}

/// A way out of a block.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Way {
    /// The key of a switch's case.
    key: Option<i64>,
    to: Block,
}

fn way(to: Block) -> Way {
    Way { key: None, to }
}

fn ways(term: &TerminatorKind) -> Vec<Way> {
    let mut ways: Vec<Way> = Vec::new();
    term.for_each_target(|to| ways.push(way(to.block)));
    if let TerminatorKind::Switch { cases, .. } = term {
        for (way, (key, _)) in ways[1..].iter_mut().zip(cases) {
            way.key = Some(*key);
        }
    }
    ways
}

/// The ways out of a block of Machine IR, to blocks of the IR. Of a `try_call` the first leads to where a
/// landing block goes on to; the body of the entry, which it is told of then, is none.
fn lowered_ways(
    function: &Function,
    machine: &MFunction,
    block: Block,
    catches: Option<Block>,
) -> Vec<Way> {
    let is_new = |to: Block| to.index() >= function.blocks.len();
    let through = |to: Block| match machine.blocks.get(to).map(|data| &data.term.kind) {
        Some(MTermKind::Jump(next)) if is_new(to) && catches != Some(to) => next.block,
        _ => to,
    };
    let kind = &machine.blocks[block].term.kind;
    let mut ways: Vec<Way> = Vec::new();
    kind.for_each_target(|to| {
        let is_first = ways.is_empty();
        ways.push(way(if catches.is_some() && is_first { through(to.block) } else { to.block }));
    });
    if let MTermKind::Switch { cases, .. } = kind {
        for (way, (key, _)) in ways[1..].iter_mut().zip(cases) {
            way.key = Some(*key);
        }
    }
    ways
}

/// Where branches to the entry lead: to the entry, or to what the entry jumps to if that is new and the
/// IR's entry is branched to.
fn body_of_entry(function: &Function, machine: &MFunction) -> Block {
    let entry = function.entry();
    let is_target = function.blocks.values().any(|data| {
        let mut found = false;
        data.term.kind.for_each_target(|to| found |= to.block == entry);
        found
    });
    match machine.blocks.get(entry).map(|data| &data.term.kind) {
        Some(MTermKind::Jump(to)) if is_target && to.block.index() >= function.blocks.len() => {
            to.block
        }
        _ => entry,
    }
}

fn words(ways: &[Way], name: impl Fn(Block) -> String) -> String {
    let each = ways.iter().map(|way| match way.key {
        Some(key) => format!("{key}: {}", name(way.to)),
        None => name(way.to),
    });
    let all: Vec<String> = each.collect();
    if all.is_empty() { "nowhere".to_owned() } else { all.join(", ") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use backedge_core::ir::text::parse;
    use backedge_core::machine::{MTarget, lower};
    use smallvec::SmallVec;

    const TEXT: &str = "extern @f() -> int\n\
        fn @main(%n: int) -> int {\n\
        entry:\n  switch %n, a, [3: b, 5: entry]\n\
        a:\n  try_call %r = @f(), b, unwind c\n\
        b:\n  branch %n, entry, d\n\
        c:\n  resume\n\
        d:\n  return %n\n}\n";

    fn both() -> (Function, MFunction) {
        let program = parse(TEXT).expect("it is right");
        let machine = lower(&program, &program.functions[0]).expect("it is lowered");
        (program.functions[0].clone(), machine)
    }

    #[test]
    fn lowered_code_goes_where_the_code_goes() {
        let (function, machine) = both();
        assert_eq!(compare(&function, &machine), Ok(()));
    }

    /// Every way that a terminator can go wrong is told.
    #[test]
    fn whatever_goes_elsewhere_is_told() {
        let (function, machine) = both();
        let blocks: Vec<Block> = machine.blocks.keys().collect();
        let mut tried = 0;
        for &block in &blocks {
            let mut count = 0;
            machine.blocks[block].term.kind.for_each_target(|_| count += 1);
            for (slot, &wrong) in
                (0..count).flat_map(|slot| blocks.iter().map(move |to| (slot, to)))
            {
                let mut other = machine.clone();
                let mut at = 0;
                other.blocks[block].term.kind.for_each_target_mut(|to| {
                    if at == slot {
                        *to = MTarget { block: wrong, args: SmallVec::new() };
                    }
                    at += 1;
                });
                let same = other.blocks[block].term.kind.target(slot).map(|to| to.block)
                    == machine.blocks[block].term.kind.target(slot).map(|to| to.block);
                // The landing block of the call jumps to `b`: to go there at once skips the result,
                // which is no matter of topology.
                let skips = block == Block::new(1) && slot == 0 && wrong == Block::new(2);
                tried += 1;
                assert_eq!(
                    compare(&function, &other).is_ok(),
                    same || skips,
                    "{block} {slot} {wrong}"
                );
            }
        }
        assert!(tried > 50);
    }

    #[test]
    fn keys_are_compared() {
        let (function, mut machine) = both();
        let body = body_of_entry(&function, &machine);
        if let MTermKind::Switch { cases, .. } = &mut machine.blocks[body].term.kind {
            cases[1].0 = 6;
        }
        let wrong = compare(&function, &machine).expect_err("a key is wrong");
        assert_eq!(wrong.expected, "a, 3: b, 5: entry");
        assert_eq!(wrong.found, "a, 3: b, 6: entry_body");
    }
}
