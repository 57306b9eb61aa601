//! Understands the answer to `constants`.
//!
//! Blocks that are left out are never reached, and values that are left out of a block are undefined
//! there. An edge is named by its ends; where two edges share both, the slot tells them apart, and
//! without it nothing is said of edges.

use super::{Asked, Entries, Word, put, reply};
use backedge_core::ir::Block;
use backedge_oracle::subject::{ConstantsAnswer, Known, KnownLocals, NoAnswer};
use cranelift_entity::EntityRef;
use serde::Deserialize;
use std::collections::BTreeSet;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ConstantsReply<'a> {
    #[serde(borrow)]
    blocks: Entries<Word<'a>, BlockReply<'a>>,
    #[serde(borrow)]
    edges: Option<Vec<EdgeReply<'a>>>,
    #[serde(borrow)]
    folds: Option<Vec<(Word<'a>, usize, i64)>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct BlockReply<'a> {
    #[serde(borrow)]
    entry: Entries<Word<'a>, Value<'a>>,
    #[serde(borrow)]
    exit: Option<Entries<Word<'a>, Value<'a>>>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum EdgeReply<'a> {
    Ends(#[serde(borrow)] Word<'a>, #[serde(borrow)] Word<'a>),
    Slot(#[serde(borrow)] Word<'a>, #[serde(borrow)] Word<'a>, u32),
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Value<'a> {
    Constant(i64),
    #[serde(borrow)]
    Word(Word<'a>),
}

/// Reads the answer to `constants`.
pub(in crate::subjects::process) fn constants(
    line: &[u8],
    asked: &Asked,
) -> Result<ConstantsAnswer, NoAnswer> {
    let reply: ConstantsReply = reply(line, asked.id)?;
    by_number(&reply, asked).map_err(NoAnswer::Nonsense)
}

fn by_number(reply: &ConstantsReply, asked: &Asked) -> Result<ConstantsAnswer, String> {
    let count = asked.function.blocks.len();
    let mut entry: Vec<KnownLocals> = vec![None; count];
    let mut exit: Vec<KnownLocals> = vec![None; count];
    let mut has_exits = true;
    for (name, facts) in &reply.blocks.0 {
        let block = asked.block(name)?;
        put(&mut entry, block, known(&facts.entry, asked)?, &name.0)?;
        match &facts.exit {
            Some(facts) => exit[block.index()] = Some(known(facts, asked)?),
            None => has_exits = false,
        }
    }
    let folds = reply.folds.as_ref().map(|folds| {
        let fold =
            |(name, inst, value): &(Word, usize, i64)| Ok((asked.block(name)?, *inst, *value));
        folds.iter().map(fold).collect::<Result<BTreeSet<_>, String>>()
    });
    Ok(ConstantsAnswer {
        entry,
        exit: has_exits.then_some(exit),
        edges: reply.edges.as_ref().map(|edges| slots(edges, asked)).transpose()?.flatten(),
        foldable: folds.transpose()?,
        decided: None,
    })
}

fn known(given: &Entries<Word, Value>, asked: &Asked) -> Result<Vec<Known>, String> {
    // What is no integer is not asked about.
    let of_type = |data: &backedge_core::ir::LocalData| match data.ty {
        backedge_core::ir::Type::Int => Known::Undefined,
        _ => Known::Overdefined,
    };
    let mut known: Vec<Known> = asked.function.locals.values().map(of_type).collect();
    for (name, value) in &given.0 {
        let local = asked.locals(std::slice::from_ref(name))?;
        let value = match value {
            Value::Constant(value) => Known::Constant(*value),
            Value::Word(word) if word.0 == "overdefined" => Known::Overdefined,
            Value::Word(word) if word.0 == "undefined" => Known::Undefined,
            Value::Word(word) => {
                let form = "a number of 64 bits, `overdefined` or `undefined`";
                return Err(format!("`{}` is `{}`, not {form}", name.0, word.0));
            }
        };
        local.iter().for_each(|local| known[local.index()] = value);
    }
    Ok(known)
}

/// The edges by slot; `None` where it is not told which are meant.
fn slots(edges: &[EdgeReply], asked: &Asked) -> Result<Option<BTreeSet<(Block, u32)>>, String> {
    let mut found = BTreeSet::new();
    let mut is_clear = true;
    for edge in edges {
        let (from, to, slot) = match edge {
            EdgeReply::Ends(from, to) => (from, to, None),
            EdgeReply::Slot(from, to, slot) => (from, to, Some(*slot)),
        };
        let (from, to) = (asked.block(from)?, asked.block(to)?);
        let targets = asked.function.blocks[from].term.kind.targets();
        let meant: Vec<u32> = (0..targets.len() as u32)
            .filter(|&at| targets[at as usize].block == to && slot.is_none_or(|slot| slot == at))
            .collect();
        match meant[..] {
            [] => return Err("it names an edge that there is not".to_owned()),
            [slot] => _ = found.insert((from, slot)),
            _ => is_clear = false,
        }
    }
    Ok(is_clear.then_some(found))
}
