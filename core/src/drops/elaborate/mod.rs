//! Elaboration: the program in which every drop knows what it has to do.
//!
//! A dead drop vanishes, and a static one becomes `destroy`. What may be initialized or not is destroyed
//! where a flag says so: an integer that is 1 while what a move path stands for is initialized. A
//! conditional drop has one, an open one is a ladder over its parts, in the order of the type, each
//! destroyed, skipped or asked for as its own state says. `try_drop` keeps its meaning, since it says what
//! comes after; it is skipped where flags say that there is nothing to drop.
//!
//! Flags are written where the place is initialized or moved, on the edge where that happens on an edge,
//! and 0 or 1 where control enters. What changes nothing, by the states, is not written, and what nobody
//! reads goes in the end ([`flags`]).
//! Drops in unreachable code vanish.

mod edges;
mod flags;
mod ladder;

use super::effects::{self, Effect};
use super::{DropClass, Initialized, Unwinding, dropped};
use crate::cfg::Cfg;
use crate::diagnostic::Span;
use crate::ir::{
    Block, BlockData, Function, Inst, Local, Op, Operand, Place, Target, Terminator, TerminatorKind,
};
use flags::Flags;
use rustc_hash::{FxHashMap, FxHashSet};

/// What to do about one largest place that is initialized as a whole or not at all.
#[derive(Clone, Debug)]
enum Part {
    Destroy(Place),
    /// Where the flag of the path says so.
    Ask(Place, u32),
}

/// What to do instead of a drop.
#[derive(Clone, Debug)]
struct Step {
    class: DropClass,
    /// What may be initialized, in the order of the type.
    parts: Vec<Part>,
}

/// The function with its drops elaborated. Its locals are numbered anew.
pub fn elaborate(function: &Function) -> Function {
    let cfg = Cfg::build(function);
    let initialized = Initialized::solve(function, &cfg, Unwinding::WhereInitialized);
    let steps = steps(function, &initialized);
    if steps.is_empty() {
        return function.clone();
    }
    let asked = steps.values().flat_map(|step| &step.parts).filter_map(|part| match part {
        Part::Ask(_, path) => Some(*path),
        Part::Destroy(_) => None,
    });
    let mut result = function.clone();
    let flags = Flags::new(&mut result, initialized.paths(), asked);
    let idle = flags.idle(function, &initialized);
    let names = result.blocks.values().map(|data| data.name.clone()).collect();
    let (done, current, insts) = (FxHashSet::default(), function.entry(), Vec::new());
    let mut elaboration =
        Elaboration { function, steps, flags, idle, result, names, done, current, insts };
    function.blocks.keys().for_each(|block| elaboration.block(block));
    elaboration.edges(&cfg);
    elaboration.entry(&cfg);
    let Elaboration { mut result, flags, .. } = elaboration;
    flags.tidy(&mut result);
    result.canonicalize();
    result
}

/// What to do at each drop, by block and position.
fn steps(function: &Function, initialized: &Initialized<'_>) -> FxHashMap<(Block, usize), Step> {
    let mut steps = FxHashMap::default();
    initialized.walk(function.blocks.keys(), |block, inst, state| {
        let Some(place) = dropped(function, block, inst) else { return };
        let class = initialized.class(place, state);
        let wholes = initialized.paths().wholes(function, place).into_iter();
        let parts = wholes.filter_map(|(part, path)| {
            match (state.maybe_initialized(path), state.maybe_uninitialized(path)) {
                (false, _) => None,
                (true, false) => Some(Part::Destroy(part)),
                (true, true) => Some(Part::Ask(part, path)),
            }
        });
        let parts = match class {
            DropClass::Static => vec![Part::Destroy(place.clone())],
            _ => parts.collect(),
        };
        steps.insert((block, inst), Step { class, parts });
    });
    steps
}

/// An elaboration under way.
struct Elaboration<'f> {
    function: &'f Function,
    steps: FxHashMap<(Block, usize), Step>,
    flags: Flags,
    /// Writes that would change nothing.
    idle: FxHashSet<(Block, usize, Local)>,
    result: Function,
    names: FxHashSet<crate::ir::Name>,
    /// Blocks whose edges have been seen to.
    done: FxHashSet<Block>,
    /// The block that is being written, and what is in it so far.
    current: Block,
    insts: Vec<Inst>,
}

fn inst(dest: Option<Place>, op: Op) -> Inst {
    Inst { dest, op, span: Span::NONE }
}

fn write(flag: Local, value: bool) -> Inst {
    inst(Some(flag.into()), Op::Const(i64::from(value)))
}

impl Elaboration<'_> {
    /// Writes a block anew: it, and what it is split into.
    fn block(&mut self, block: Block) {
        self.current = block;
        self.insts = Vec::new();
        let data = &self.function.blocks[block];
        for &param in &data.params {
            self.write_flags(&Place::from(param), Effect::Init);
        }
        for (index, inst) in data.insts.iter().enumerate() {
            match self.steps.remove(&(block, index)) {
                Some(step) => self.ladder(step),
                None => self.insts.push(inst.clone()),
            }
            let function = self.function;
            effects::of_inst(function, inst, &mut |place, effect| {
                let writes = self.flags.writes(place, effect).into_iter();
                let flag_of = |write: &Inst| write.dest.as_ref().map(|dest| dest.local);
                let is_idle = |write: &Inst| {
                    flag_of(write).is_some_and(|flag| self.idle.contains(&(block, index, flag)))
                };
                self.insts.extend(writes.filter(|write| !is_idle(write)));
            });
        }
        let term = data.term.clone();
        let function = self.function;
        effects::of_term(function, &term.kind, &mut |place, effect| {
            self.write_flags(place, effect);
        });
        match self.steps.remove(&(block, data.insts.len())) {
            Some(step) => self.try_drop(step, term),
            None => self.finish(term),
        }
    }

    /// The flags of a place take the value that an effect gives it.
    fn write_flags(&mut self, place: &Place, effect: Effect) {
        let writes = self.flags.writes(place, effect);
        self.insts.extend(writes);
    }

    /// Ends the block that is being written.
    fn finish(&mut self, term: impl Into<Terminator>) {
        let data = &mut self.result.blocks[self.current];
        data.insts = std::mem::take(&mut self.insts);
        data.term = term.into();
    }

    /// A block to be written, named after another.
    fn new_block(&mut self, after: Block, what: &str) -> Block {
        let base = self.result.blocks[after].name.clone();
        let mut number = 0;
        let name = loop {
            let name = crate::ir::Name::from(match number {
                0 => format!("{base}_{what}"),
                _ => format!("{base}_{what}{number}"),
            });
            if self.names.insert(name.clone()) {
                break name;
            }
            number += 1;
        };
        self.result.blocks.push(BlockData {
            name,
            params: Vec::new(),
            insts: Vec::new(),
            term: TerminatorKind::Unreachable.into(),
            span: Span::NONE,
        })
    }

    /// Flags get their first values before anything else. If control comes back to the entry, what it
    /// holds moves to a block of its own.
    fn entry(&mut self, cfg: &Cfg<'_>) {
        let params = &self.function.params;
        let inits: Vec<Inst> =
            self.flags.all().map(|(flag, local)| write(flag, params.contains(&local))).collect();
        let entry = self.function.entry();
        let is_bound = |inst: &Inst| matches!(&inst.op, Op::Bind(target) if target.block == entry);
        let mut insts = self.function.blocks.values().flat_map(|data| &data.insts);
        if cfg.preds(entry).is_empty() && !insts.any(is_bound) {
            self.result.blocks[entry].insts.splice(0..0, inits);
            return;
        }
        let body = self.new_block(entry, "body");
        for data in self.result.blocks.values_mut() {
            data.term.kind.for_each_target_mut(|target| {
                if target.block == entry {
                    target.block = body;
                }
            });
            for inst in &mut data.insts {
                if let Op::Bind(target) = &mut inst.op
                    && target.block == entry
                {
                    target.block = body;
                }
            }
        }
        let jump = Terminator::from(TerminatorKind::Jump(Target::new(body)));
        let old = &mut self.result.blocks[entry];
        let insts = std::mem::replace(&mut old.insts, inits);
        let term = std::mem::replace(&mut old.term, jump);
        self.result.blocks[body].insts = insts;
        self.result.blocks[body].term = term;
    }
}

/// A branch on a flag.
fn ask(flag: Local, then_to: Block, else_to: Block) -> Terminator {
    let cond = Operand::Local(flag);
    let (then_to, else_to) = (Target::new(then_to), Target::new(else_to));
    TerminatorKind::Branch { cond, then_to, else_to }.into()
}
