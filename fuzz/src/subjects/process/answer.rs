//! Understands an answer: one line of JSON, by the names of the function that was asked about.
//!
//! Everything that the protocol does not know is nonsense, so that a misspelt field can't pass for
//! one that was left out.

mod constants;
mod drops;

pub(super) use constants::constants;
pub(super) use drops::drops;

use super::said::excerpt;
use backedge_core::ir::{Block, Function, Local};
use backedge_oracle::subject::{
    BlockLiveness, CfgAnswer, EdgeLiveness, LivenessAnswer, Locals, LoopAnswer, NoAnswer,
};
use rustc_hash::FxHashMap;
use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

/// What was asked: the number of the question, and the function with its names.
pub(super) struct Asked<'f> {
    id: u64,
    function: &'f Function,
    blocks: FxHashMap<&'f str, Block>,
    locals: FxHashMap<&'f str, Local>,
}

impl<'f> Asked<'f> {
    pub(super) fn new(id: u64, function: &'f Function) -> Asked<'f> {
        let blocks = function.blocks.iter().map(|(block, data)| (data.name.as_str(), block));
        let locals = function.locals.iter().map(|(local, data)| (data.name.as_str(), local));
        Asked { id, function, blocks: blocks.collect(), locals: locals.collect() }
    }

    fn block(&self, name: &Word) -> Result<Block, String> {
        self.blocks.get(&*name.0).copied().ok_or_else(|| format!("unknown block `{}`", name.0))
    }

    fn blocks<C: FromIterator<Block>>(&self, names: &[Word]) -> Result<C, String> {
        names.iter().map(|name| self.block(name)).collect()
    }

    fn locals(&self, names: &[Word]) -> Result<Locals, String> {
        let local = |name: &Word| {
            self.locals.get(&*name.0).copied().ok_or_else(|| format!("unknown value `{}`", name.0))
        };
        let mut locals = names.iter().map(local).collect::<Result<Locals, String>>()?;
        locals.sort_unstable();
        locals.dedup();
        Ok(locals)
    }

    /// One list of sets for every block.
    fn points(&self, what: &str, given: &Points) -> Result<Vec<Vec<Locals>>, String> {
        let mut points: Vec<Option<Vec<Locals>>> = vec![None; self.function.blocks.len()];
        for (name, lists) in &given.0 {
            let block = self.block(name)?;
            let expected = self.function.blocks[block].insts.len() + 1;
            if lists.len() != expected {
                let got = lists.len();
                return Err(format!(
                    "`{what}` has {got} lists for the {expected} instructions of `{}`",
                    name.0
                ));
            }
            let sets = lists.iter().map(|names| self.locals(names)).collect::<Result<_, _>>()?;
            put(&mut points, block, sets, &name.0)?;
        }
        let missing = points.iter().position(Option::is_none);
        if let Some(missing) = missing {
            let name = &self.function.blocks[Block::from_u32(missing as u32)].name;
            return Err(format!("`{what}` leaves out block `{name}`"));
        }
        Ok(points.into_iter().flatten().collect())
    }
}

fn put<T>(facts: &mut [Option<T>], block: Block, fact: T, name: &str) -> Result<(), String> {
    match facts[block.as_u32() as usize].replace(fact) {
        None => Ok(()),
        Some(_) => Err(format!("block `{name}` is answered twice")),
    }
}

/// A string, borrowed from the line where it has no escapes.
#[derive(Deserialize)]
#[serde(transparent)]
struct Word<'a>(#[serde(borrow)] Cow<'a, str>);

type Words<'a> = Vec<Word<'a>>;
type Points<'a> = Entries<Word<'a>, Vec<Words<'a>>>;

/// An object, in the order of the line, with duplicate keys.
struct Entries<K, V>(Vec<(K, V)>);

impl<'de, K: Deserialize<'de>, V: Deserialize<'de>> Deserialize<'de> for Entries<K, V> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Object(PhantomData))
    }
}

struct Object<K, V>(PhantomData<(K, V)>);

impl<'de, K: Deserialize<'de>, V: Deserialize<'de>> Visitor<'de> for Object<K, V> {
    type Value = Entries<K, V>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("an object by block")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut entries = Vec::new();
        while let Some(entry) = map.next_entry()? {
            entries.push(entry);
        }
        Ok(Entries(entries))
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Reply<'a, T> {
    id: u64,
    answer: Option<T>,
    #[serde(borrow)]
    skip: Option<Word<'a>>,
    #[serde(borrow)]
    error: Option<Word<'a>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LivenessReply<'a> {
    #[serde(borrow)]
    blocks: Entries<Word<'a>, BlockReply<'a>>,
    #[serde(borrow)]
    edges: Option<Vec<EdgeReply<'a>>>,
    #[serde(borrow)]
    after: Option<Points<'a>>,
    #[serde(borrow)]
    before: Option<Points<'a>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct BlockReply<'a> {
    #[serde(borrow)]
    live_in: Words<'a>,
    #[serde(borrow)]
    live_out: Option<Words<'a>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct EdgeReply<'a> {
    #[serde(borrow)]
    from: Word<'a>,
    #[serde(borrow)]
    to: Word<'a>,
    slot: Option<u32>,
    #[serde(borrow)]
    live: Words<'a>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CfgReply<'a> {
    #[serde(borrow)]
    edges: Vec<(Word<'a>, Word<'a>)>,
    #[serde(borrow)]
    reachable: Option<Words<'a>>,
    #[serde(borrow)]
    postorder: Option<Words<'a>>,
    #[serde(borrow)]
    idom: Option<Entries<Word<'a>, Word<'a>>>,
    #[serde(borrow)]
    loops: Option<Vec<LoopReply<'a>>>,
    reducible: Option<bool>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LoopReply<'a> {
    #[serde(borrow)]
    header: Word<'a>,
    #[serde(borrow)]
    blocks: Words<'a>,
}

/// The answer in a line, if it is one.
fn reply<'a, T: Deserialize<'a>>(line: &'a [u8], id: u64) -> Result<T, NoAnswer> {
    let nonsense = |why: String| Err(NoAnswer::Nonsense(format!("{why}: {}", excerpt(line))));
    let reply: Reply<T> = match serde_json::from_slice(line) {
        Ok(reply) => reply,
        Err(error) => return nonsense(error.to_string()),
    };
    if reply.id != id {
        return nonsense(format!("`id` is {} where {id} was asked", reply.id));
    }
    match (reply.answer, reply.skip, reply.error) {
        (Some(answer), None, None) => Ok(answer),
        (None, Some(why), None) => Err(NoAnswer::Skip(why.0.into_owned())),
        (None, None, Some(message)) => Err(NoAnswer::Error(message.0.into_owned())),
        _ => nonsense("not exactly one of `answer`, `skip` and `error`".to_owned()),
    }
}

/// Reads the answer to `liveness`.
pub(super) fn liveness(line: &[u8], asked: &Asked) -> Result<LivenessAnswer, NoAnswer> {
    let reply: LivenessReply = reply(line, asked.id)?;
    liveness_by_number(&reply, asked).map_err(NoAnswer::Nonsense)
}

fn liveness_by_number(reply: &LivenessReply, asked: &Asked) -> Result<LivenessAnswer, String> {
    let mut blocks = vec![None; asked.function.blocks.len()];
    for (name, facts) in &reply.blocks.0 {
        let live_out = facts.live_out.as_ref().map(|names| asked.locals(names)).transpose()?;
        let fact = BlockLiveness { live_in: asked.locals(&facts.live_in)?, live_out };
        put(&mut blocks, asked.block(name)?, fact, &name.0)?;
    }
    let edge = |edge: &EdgeReply| {
        Ok::<_, String>(EdgeLiveness {
            from: asked.block(&edge.from)?,
            to: asked.block(&edge.to)?,
            slot: edge.slot,
            live: asked.locals(&edge.live)?,
        })
    };
    let edges = |edges: &Vec<EdgeReply>| edges.iter().map(edge).collect::<Result<Vec<_>, _>>();
    Ok(LivenessAnswer {
        blocks,
        edges: reply.edges.as_ref().map(edges).transpose()?,
        after: reply.after.as_ref().map(|given| asked.points("after", given)).transpose()?,
        before: reply.before.as_ref().map(|given| asked.points("before", given)).transpose()?,
    })
}

/// Reads the answer to `cfg`.
pub(super) fn cfg(line: &[u8], asked: &Asked) -> Result<CfgAnswer, NoAnswer> {
    let reply: CfgReply = reply(line, asked.id)?;
    cfg_by_number(&reply, asked).map_err(NoAnswer::Nonsense)
}

fn cfg_by_number(reply: &CfgReply, asked: &Asked) -> Result<CfgAnswer, String> {
    let pair = |(a, b): &(Word, Word)| Ok::<_, String>((asked.block(a)?, asked.block(b)?));
    let nest = |nest: &LoopReply| {
        let (header, blocks) = (asked.block(&nest.header)?, asked.blocks(&nest.blocks)?);
        Ok::<_, String>(LoopAnswer { header, blocks })
    };
    let idom = |idom: &Entries<Word, Word>| idom.0.iter().map(pair).collect::<Result<Vec<_>, _>>();
    let loops = |loops: &Vec<LoopReply>| loops.iter().map(nest).collect::<Result<Vec<_>, _>>();
    Ok(CfgAnswer {
        edges: reply.edges.iter().map(pair).collect::<Result<_, _>>()?,
        reachable: reply.reachable.as_ref().map(|names| asked.blocks(names)).transpose()?,
        postorder: reply.postorder.as_ref().map(|names| asked.blocks(names)).transpose()?,
        idom: reply.idom.as_ref().map(idom).transpose()?,
        loops: reply.loops.as_ref().map(loops).transpose()?,
        reducible: reply.reducible,
    })
}
