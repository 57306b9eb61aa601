//! Understands the answer to `drops`.
//!
//! A resource goes by its local and the parts that lead to it, `q.0.1`; a place that has several names all of
//! them. Blocks that are left out of `entry` are never reached.

use super::{Asked, Entries, Word, Words, put, reply};
use backedge_oracle::check::drops::resource_names;
use backedge_oracle::subject::{DropClass, DropsAnswer, Maybe, NoAnswer, Resources};
use serde::Deserialize;
use std::collections::BTreeMap;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct DropsReply<'a> {
    #[serde(borrow)]
    classes: Vec<(Word<'a>, usize, Word<'a>)>,
    #[serde(borrow)]
    entry: Option<Entries<Word<'a>, StateReply<'a>>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StateReply<'a> {
    #[serde(borrow)]
    maybe_init: Words<'a>,
    #[serde(borrow)]
    maybe_uninit: Words<'a>,
}

/// Reads the answer to `drops`.
pub(in crate::subjects::process) fn drops(
    line: &[u8],
    asked: &Asked,
) -> Result<DropsAnswer, NoAnswer> {
    let reply: DropsReply = reply(line, asked.id)?;
    by_number(&reply, asked).map_err(NoAnswer::Nonsense)
}

fn by_number(reply: &DropsReply, asked: &Asked) -> Result<DropsAnswer, String> {
    let mut classes = BTreeMap::new();
    for (block, inst, class) in &reply.classes {
        let at = (asked.block(block)?, *inst);
        let known = DropClass::ALL.into_iter().find(|known| known.name() == class.0);
        let known = known.ok_or_else(|| format!("`{}` is no class of a drop", class.0))?;
        if classes.insert(at, known).is_some() {
            return Err(format!("the drop at {inst} of `{}` is answered twice", block.0));
        }
    }
    let names = resource_names(asked.function);
    let entry = reply.entry.as_ref().map(|given| -> Result<Vec<Resources>, String> {
        let mut entry: Vec<Option<Resources>> = vec![None; asked.function.blocks.len()];
        for (name, state) in &given.0 {
            let block = asked.block(name)?;
            put(&mut entry, block, Some(resources(state, &names)?), &name.0)?;
        }
        Ok(entry.into_iter().map(Option::flatten).collect())
    });
    Ok(DropsAnswer { classes, entry: entry.transpose()?, before: None })
}

fn resources(state: &StateReply, names: &[String]) -> Result<Vec<Maybe>, String> {
    let mut resources = vec![Maybe { initialized: false, uninitialized: false }; names.len()];
    mark(&state.maybe_init, names, |at| resources[at].initialized = true)?;
    mark(&state.maybe_uninit, names, |at| resources[at].uninitialized = true)?;
    Ok(resources)
}

/// Calls `visit` for each resource within the places.
fn mark(places: &[Word], names: &[String], mut visit: impl FnMut(usize)) -> Result<(), String> {
    for place in places {
        let is_within = |name: &String| {
            let rest = name.strip_prefix(&*place.0);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        let mut within = (0..names.len()).filter(|&at| is_within(&names[at])).peekable();
        if within.peek().is_none() {
            return Err(format!("unknown resource `{}`", place.0));
        }
        within.for_each(&mut visit);
    }
    Ok(())
}
