//! Turns a body into a function that owns what rustc tracks.

use super::dumps::{States, class};
use super::effects::{Effect, moves, statement};
use super::path::{MovePath, path};
use super::places::Places;
use super::variants::{Graph, switch};
use crate::import::mir::body::{RawBlock, RawBody};
use crate::import::mir::edges::{Edges, Unwind};
use crate::import::mir::place::Scope;
use crate::import::mir::scan::Cursor;
use crate::import::mir::terminator::split;
use backedge_core::diagnostic::Span;
use backedge_core::ir::builder::FunctionBuilder;
use backedge_core::ir::{Block, Directive, Function, Local, Op, Place, Type};
use backedge_oracle::subject::DropClass;
use std::collections::{BTreeMap, BTreeSet};

/// A function, and what rustc made of its drops.
pub(super) struct Lowered {
    pub(super) function: Function,
    places: Places,
    /// Name of the block, position, class.
    drops: Vec<(String, usize, DropClass)>,
}

/// What a line is that can't be read, and why.
type Unreadable = (Span, String);

/// What rustc knew, and what it did.
pub(super) struct Known<'d> {
    pub(super) init: &'d States,
    /// By block: its last line after elaboration.
    pub(super) after: BTreeMap<u32, &'d str>,
}

impl Known<'_> {
    /// The class of the drop that block `at` ends in, and that goes on at `next`.
    fn class(&self, at: u32, next: u32, has_parts: bool) -> Option<DropClass> {
        if !self.init.contains_key(&at) {
            return Some(DropClass::Unclassified);
        }
        class(self.after.get(&at)?, next, has_parts)
    }
}

/// Lowers a body.
pub(super) fn lower(
    raw: &RawBody<'_>,
    scope: &Scope,
    tracked: &BTreeSet<MovePath>,
    known: &Known<'_>,
) -> Result<Lowered, Unreadable> {
    let ends: Vec<End<'_>> =
        raw.blocks.iter().map(|block| end(block, raw, scope)).collect::<Result<_, _>>()?;
    let outline = outline(raw, &ends);
    let graph = Graph::new(&outline);
    let places = Places::new(raw, tracked);
    let mut lower = Lower::new(raw, &places, known);
    for (index, block) in raw.blocks.iter().enumerate() {
        lower.builder.at(Block::from_u32(index as u32));
        lower.at = (block.number, 0);
        for line in &block.lines[..block.lines.len() - 1] {
            lower.effects(&statement(line.text));
        }
        let inactive = match switch(block, &places) {
            Some(switch) => switch.inactive(raw, &graph, &ends[index].ways()),
            None => Vec::new(),
        };
        let last = block.lines[block.lines.len() - 1];
        lower.end(&ends[index], &inactive).map_err(|message| (last.span, message))?;
    }
    let Lower { builder, drops, .. } = lower;
    Ok(Lowered { function: builder.finish(), places, drops })
}

/// How a block ends.
struct End<'t> {
    /// The terminator without its targets.
    head: &'t str,
    edges: Edges,
}

impl End<'_> {
    /// The ways but unwinding, each with the value that it is taken for; the default has none.
    fn ways(&self) -> Vec<(Option<u128>, Block)> {
        let way = |(label, to): &(String, Block)| (label.parse().ok(), *to);
        self.edges.ways.iter().map(way).collect()
    }
}

fn end<'t>(block: &RawBlock<'t>, raw: &RawBody<'t>, scope: &Scope) -> Result<End<'t>, Unreadable> {
    let last = block.lines.last().ok_or((block.span, "this block is empty".to_owned()))?;
    if ["asm!(", "yield("].iter().any(|word| last.text.contains(word)) {
        return Err((last.span, "assembly and coroutines are not read for their drops".into()));
    }
    let (head, mut edges) = split(last.text, scope).map_err(|message| (last.span, message))?;
    edges.settle(|to| {
        !block.cleanup && raw.blocks.get(to.as_u32() as usize).is_some_and(|to| to.cleanup)
    });
    Ok(End { head, edges })
}

/// A function with the edges of the body.
fn outline(raw: &RawBody<'_>, ends: &[End<'_>]) -> Function {
    let mut builder = FunctionBuilder::new(raw.name);
    let way = builder.param("way", Type::Int);
    raw.blocks.iter().for_each(|block| _ = builder.block(format!("bb{}", block.number)));
    for (index, end) in ends.iter().enumerate() {
        builder.at(Block::from_u32(index as u32));
        go(&mut builder, way, &end.edges.targets().collect::<Vec<_>>());
    }
    builder.finish()
}

/// Goes to one of the targets.
fn go(builder: &mut FunctionBuilder, way: Local, targets: &[Block]) {
    match targets {
        [] => builder.return_nothing(),
        [only] => builder.jump(*only),
        [cases @ .., default] => {
            let cases = cases.iter().enumerate().map(|(key, &to)| (key as i64, to));
            builder.switch(way, *default, cases)
        }
    };
}

struct Lower<'p> {
    known: &'p Known<'p>,
    builder: FunctionBuilder,
    places: &'p Places,
    locals: BTreeMap<u32, Local>,
    /// Says where to go.
    way: Local,
    /// The number of the block at hand, and of the instructions that have been appended to it.
    at: (u32, usize),
    /// Name of the block at hand, once it has been split.
    part: Option<String>,
    drops: Vec<(String, usize, DropClass)>,
    blocks: usize,
}

impl<'p> Lower<'p> {
    fn new(raw: &RawBody<'_>, places: &'p Places, known: &'p Known<'p>) -> Lower<'p> {
        let mut builder = FunctionBuilder::new(raw.name);
        let way = builder.param("way", Type::Int);
        let is_param = |number: u32| raw.params.iter().any(|param| param.number == number);
        let mut locals = BTreeMap::new();
        for number in places.locals() {
            let (name, ty) = (format!("_{number}"), places.ty(&MovePath::of_local(number)));
            let local =
                if is_param(number) { builder.param(name, ty) } else { builder.local(name, ty) };
            locals.insert(number, local);
        }
        raw.blocks.iter().for_each(|block| _ = builder.block(format!("bb{}", block.number)));
        let blocks = raw.blocks.len();
        Lower {
            known,
            builder,
            places,
            locals,
            way,
            at: (0, 0),
            part: None,
            drops: Vec::new(),
            blocks,
        }
    }

    /// Our place of a path, if it is tracked.
    fn place(&self, path: &MovePath) -> Option<Place> {
        let parts = self.places.of(path)?;
        Some(Place { local: *self.locals.get(&path.local)?, path: parts.into() })
    }

    fn effects(&mut self, effects: &[(MovePath, Effect)]) {
        for (path, effect) in effects {
            let path = &self.places.resolved(path);
            let Some(place) = self.place(path) else { continue };
            match effect {
                Effect::Init => self.push(Some(place), Op::New),
                Effect::Uninit => self.push(None, Op::Destroy(place)),
                Effect::Perhaps if self.places.has_parts(path) => self.perhaps(place),
                // What is borrowed as a whole is there.
                Effect::Perhaps => {}
            }
        }
    }

    fn push(&mut self, dest: Option<Place>, op: Op) {
        self.builder.inst(dest, op);
        self.at.1 += 1;
    }

    /// A block besides those of the body.
    fn extra(&mut self, what: &str) -> (Block, String) {
        let name = format!("bb{}_{what}{}", self.at.0, self.blocks);
        self.blocks += 1;
        (self.builder.block(name.clone()), name)
    }

    /// Initializes a place on one of two ways.
    fn perhaps(&mut self, place: Place) {
        let [(yes, _), (after, name)] = [self.extra("changed"), self.extra("after")];
        go(&mut self.builder, self.way, &[yes, after]);
        self.builder.at(yes).inst(place, Op::New);
        self.builder.jump(after);
        self.builder.at(after);
        self.part = Some(name);
        self.at.1 = 0;
    }

    /// A block that does something on the way to `to`.
    fn on_the_way(&mut self, to: Block, work: &[(Option<Place>, Op)]) -> Block {
        if work.is_empty() {
            return to;
        }
        let (block, _) = self.extra("edge");
        self.blocks_on_the_way(block, to, work);
        block
    }

    fn blocks_on_the_way(&mut self, block: Block, to: Block, work: &[(Option<Place>, Op)]) {
        self.builder.at(block);
        work.iter().for_each(|(dest, op)| _ = self.builder.inst(dest.clone(), op.clone()));
        self.builder.jump(to);
    }

    fn end(&mut self, end: &End<'_>, inactive: &[Vec<&MovePath>]) -> Result<(), String> {
        let name = self.part.take().unwrap_or_else(|| format!("bb{}", self.at.0));
        let dropped = end.head.strip_prefix("drop(").and_then(|p| path(&mut Cursor::new(p)));
        if let Some(dropped) = dropped.map(|dropped| self.places.resolved(&dropped))
            && let Some(place) = self.place(&dropped)
        {
            return self.drop(&name, end, &dropped, place);
        }
        let mut cursor = Cursor::new(end.head);
        let dest = path(&mut cursor).filter(|_| cursor.eat(" = "));
        self.effects(&moves(if dest.is_some() { cursor.rest() } else { end.head }));
        let here = self.current();
        let result = dest.and_then(|dest| self.place(&self.places.resolved(&dest)));
        let mut targets = Vec::new();
        for (index, &(_, to)) in end.edges.ways.iter().enumerate() {
            let gone = inactive.get(index).into_iter().flatten();
            let gone = gone.filter_map(|path| Some((None, Op::Destroy(self.place(path)?))));
            let mut work: Vec<_> = gone.collect();
            work.extend(result.clone().map(|place| (Some(place), Op::New)));
            targets.push(self.on_the_way(to, &work));
        }
        if let Unwind::To(to) = end.edges.unwind {
            targets.push(to);
        }
        self.builder.at(here);
        match end.head {
            "unreachable" => _ = self.builder.unreachable(),
            "resume" => _ = self.builder.resume(),
            _ => go(&mut self.builder, self.way, &targets),
        }
        Ok(())
    }

    fn current(&self) -> Block {
        self.builder.current().expect("the block at hand has no terminator yet")
    }

    fn drop(
        &mut self,
        name: &str,
        end: &End<'_>,
        path: &MovePath,
        place: Place,
    ) -> Result<(), String> {
        let Some(&(_, next)) = end.edges.ways.first() else {
            return Err("this drop goes on nowhere".to_owned());
        };
        let number = self.builder.function().blocks[next].name.trim_start_matches("bb").parse();
        let has_parts = self.places.has_parts(path);
        let class = number.ok().and_then(|next| self.known.class(self.at.0, next, has_parts));
        let class = class.ok_or("what rustc made of this drop can't be read")?;
        self.drops.push((name.to_owned(), self.at.1, class));
        if let Unwind::To(unwind) = end.edges.unwind {
            self.builder.try_drop(place, next, unwind);
        } else {
            self.builder.drop_place(place).jump(next);
        }
        Ok(())
    }
}

impl Lowered {
    /// What rustc says, as expectations. Blocks that it says nothing of can't be reached.
    pub(super) fn expectations(&self, init: &States, uninit: &States) -> Vec<Directive> {
        let mut said = Vec::new();
        let mut say = |key: String, value: String| {
            said.push(Directive { key, value, span: Span::NONE });
        };
        for (what, states) in [("maybe_init", init), ("maybe_uninit", uninit)] {
            // Only the states of what may be initialized tell what can be reached.
            for (number, paths) in states.iter().filter(|(number, _)| init.contains_key(number)) {
                let names: Vec<String> = paths
                    .iter()
                    .filter_map(|path| self.places.resource(&self.places.resolved(path)))
                    .collect();
                say(format!("{what} bb{number}"), names.join(", "));
            }
        }
        for (block, inst, class) in &self.drops {
            say(format!("drop {block} {inst}"), class.name().to_owned());
        }
        said
    }
}
