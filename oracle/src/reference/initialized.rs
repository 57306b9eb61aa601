//! What may be initialized, by searching all pairs of a point and a state.
//!
//! A resource, a leaf of an owned local, is initialized or not. For each of them, every pair of a point
//! and one of the two states is looked for that some path leads to: from the entry, where the function's
//! parameters are initialized and nothing else is, instruction by instruction and edge by edge. A pair is
//! visited once, so that the search ends. Paths are those of the graph, whatever a run would make of
//! them.
//!
//! Whether a `try_drop` may unwind depends on the states, in one of two readings
//! ([`Unwinding`]). Then the search starts without such edges, and over again with those for which it found
//! something that may be initialized, until it finds none.

use super::interpreter::{leaves, leaves_at};
use crate::subject::{DropClass, DropsAnswer, Maybe, Resources, Unwinding};
use backedge_core::ir::{
    Block, BlockData, Function, Inst, Local, Op, Operand, Place, TerminatorKind,
};
use cranelift_entity::EntityRef;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// States, and what they say of the drops.
pub fn drops(function: &Function, unwinding: Unwinding) -> DropsAnswer {
    let leaves = Leaves::new(function);
    let mut open: BTreeSet<Block> = BTreeSet::new();
    if unwinding == Unwinding::Always {
        open.extend(function.blocks.keys());
    }
    loop {
        let found = Search::run(function, &leaves, &open);
        let reached = function.blocks.iter().filter(|&(block, data)| {
            let TerminatorKind::TryDrop { place, .. } = &data.term.kind else { return false };
            let end = &found[block.index()][data.insts.len()];
            leaves.of(function, place).any(|leaf| end[leaf].initialized)
        });
        let more: BTreeSet<Block> = reached.map(|(block, _)| block).collect();
        if more.is_subset(&open) {
            return answer(function, &leaves, found);
        }
        open.extend(more);
    }
}

/// The resources of a function by number; one more, which is always initialized, shows what is reached.
struct Leaves {
    /// By local: the first.
    starts: Vec<usize>,
    count: usize,
}

impl Leaves {
    fn new(function: &Function) -> Leaves {
        let mut count = 0;
        let starts = function.locals.values().map(|data| {
            let start = count;
            count += if data.ty.is_owned() { leaves(&data.ty) } else { 0 };
            start
        });
        Leaves { starts: starts.collect(), count }
    }

    /// Those of a place.
    fn of(&self, function: &Function, place: &Place) -> Range<usize> {
        let ty = &function.locals[place.local].ty;
        let start = self.starts[place.local.index()];
        match leaves_at(ty, &place.path).filter(|_| ty.is_owned()) {
            Some(range) => start + range.start..start + range.end,
            None => start..start,
        }
    }

    fn of_local(&self, function: &Function, local: Local) -> Range<usize> {
        self.of(function, &Place::from(local))
    }
}

/// The resources of a place, by number.
pub fn resources_of(function: &Function, place: &Place) -> Range<usize> {
    Leaves::new(function).of(function, place)
}

/// What happens to some resources: `None` where they may be initialized by it or not.
type Touch = (Range<usize>, Option<bool>);

/// By block, then by point before each instruction, then by resource.
type Found = Vec<Vec<Vec<Maybe>>>;

struct Search<'a> {
    function: &'a Function,
    leaves: &'a Leaves,
    /// Blocks whose `try_drop` may unwind.
    open: &'a BTreeSet<Block>,
    found: Found,
    /// Block, point, resource, and whether it is initialized.
    pending: Vec<(Block, usize, usize, bool)>,
}

impl<'a> Search<'a> {
    fn run(function: &'a Function, leaves: &'a Leaves, open: &'a BTreeSet<Block>) -> Found {
        let points =
            |data: &BlockData| vec![vec![Maybe::default(); leaves.count + 1]; data.insts.len() + 1];
        let found = function.blocks.values().map(points).collect();
        let mut search = Search { function, leaves, open, found, pending: Vec::new() };
        search.start();
        while let Some((block, point, leaf, state)) = search.pending.pop() {
            search.step(block, point, leaf, state);
        }
        search.found
    }

    fn visit(&mut self, block: Block, point: usize, leaf: usize, state: bool) {
        let maybe = &mut self.found[block.index()][point][leaf];
        let seen = if state { &mut maybe.initialized } else { &mut maybe.uninitialized };
        if !std::mem::replace(seen, true) {
            self.pending.push((block, point, leaf, state));
        }
    }

    fn start(&mut self) {
        let function = self.function;
        let entry = function.entry();
        self.visit(entry, 0, self.leaves.count, true);
        for local in function.locals.keys() {
            for leaf in self.leaves.of_local(function, local) {
                self.visit(entry, 0, leaf, function.params.contains(&local));
            }
        }
        for block in super::constants::thunk_entries(function) {
            self.visit(block, 0, self.leaves.count, true);
            for local in function.locals.keys() {
                for leaf in self.leaves.of_local(function, local) {
                    self.visit(block, 0, leaf, true);
                    if !function.blocks[block].params.contains(&local) {
                        self.visit(block, 0, leaf, false);
                    }
                }
            }
        }
    }

    /// What follows from a pair.
    fn step(&mut self, block: Block, point: usize, leaf: usize, state: bool) {
        let data = &self.function.blocks[block];
        if let Some(inst) = data.insts.get(point) {
            let touches = self.of_inst(inst);
            for state in after(&touches, leaf, state) {
                self.visit(block, point + 1, leaf, state);
            }
            return;
        }
        let before_edges = self.of_term(&data.term.kind);
        for state in after(&before_edges, leaf, state) {
            for (slot, target) in data.term.kind.targets().into_iter().enumerate() {
                let unwinds = matches!(data.term.kind, TerminatorKind::TryDrop { .. }) && slot == 1;
                if unwinds && !self.open.contains(&block) {
                    continue;
                }
                let touches = self.of_edge(&data.term.kind, slot);
                for state in after(&touches, leaf, state) {
                    self.visit(target.block, 0, leaf, state);
                }
            }
        }
    }

    fn moved(&self, operands: &[Operand], touches: &mut Vec<Touch>) {
        let locals = operands.iter().filter_map(|operand| operand.local());
        touches
            .extend(locals.map(|local| (self.leaves.of_local(self.function, local), Some(false))));
    }

    fn place(&self, place: &Place, to: Option<bool>, touches: &mut Vec<Touch>) {
        touches.push((self.leaves.of(self.function, place), to));
    }

    fn of_inst(&self, inst: &Inst) -> Vec<Touch> {
        let mut touches = Vec::new();
        match &inst.op {
            Op::Copy(a) | Op::Load(a) => self.moved(&[*a], &mut touches),
            Op::Select(c, a, b) => self.moved(&[*c, *a, *b], &mut touches),
            Op::Binary(_, a, b) => self.moved(&[*a, *b], &mut touches),
            Op::Store { addr, value } => self.moved(&[*addr, *value], &mut touches),
            Op::Call { args, .. } => self.moved(args, &mut touches),
            Op::Bind(target) => self.moved(&target.args, &mut touches),
            Op::Move(place) | Op::Drop(place) | Op::Destroy(place) => {
                self.place(place, Some(false), &mut touches);
            }
            Op::Opaque(opaque) => {
                for &local in &opaque.defs {
                    self.place(&local.into(), Some(true), &mut touches);
                }
                for &local in &opaque.partial {
                    self.place(&local.into(), None, &mut touches);
                }
            }
            Op::Const(_) | Op::New => {}
        }
        if let Some(dest) = &inst.dest {
            self.place(dest, Some(true), &mut touches);
        }
        touches
    }

    fn of_term(&self, term: &TerminatorKind) -> Vec<Touch> {
        let mut touches = Vec::new();
        if let TerminatorKind::TryCall { args, .. } = term {
            self.moved(args, &mut touches);
        }
        touches
    }

    fn of_edge(&self, term: &TerminatorKind, slot: usize) -> Vec<Touch> {
        let mut touches = Vec::new();
        match term {
            TerminatorKind::TryDrop { place, .. } => self.place(place, Some(false), &mut touches),
            TerminatorKind::TryCall { dest: Some(dest), .. } if slot == 0 => {
                self.place(dest, Some(true), &mut touches);
            }
            _ => {}
        }
        if let Some(target) = term.target(slot) {
            self.moved(&target.args, &mut touches);
            for &param in &self.function.blocks[target.block].params {
                self.place(&param.into(), Some(true), &mut touches);
            }
        }
        touches
    }
}

/// The states that one resource may be in behind all that happens.
fn after(touches: &[Touch], leaf: usize, state: bool) -> BTreeSet<bool> {
    let mut states = BTreeSet::from([state]);
    for (_, to) in touches.iter().filter(|(range, _)| range.contains(&leaf)) {
        match to {
            Some(to) => states = BTreeSet::from([*to]),
            None => _ = states.insert(true),
        }
    }
    states
}

/// Places that are named by themselves: parts of locals.
pub fn named_parts(function: &Function) -> BTreeSet<(Local, Vec<u32>)> {
    let mut named = BTreeSet::new();
    let mut name = |place: &Place| _ = named.insert((place.local, place.path.to_vec()));
    for data in function.blocks.values() {
        for inst in &data.insts {
            inst.dest.iter().for_each(&mut name);
            if let Op::Move(place) | Op::Drop(place) | Op::Destroy(place) = &inst.op {
                name(place);
            }
        }
        match &data.term.kind {
            TerminatorKind::TryCall { dest: Some(place), .. }
            | TerminatorKind::TryDrop { place, .. } => name(place),
            _ => {}
        }
    }
    named.retain(|(_, path)| !path.is_empty());
    named
}

/// The drops of a block's code, by position.
pub fn drops_of(function: &Function, block: Block) -> Vec<(usize, &Place)> {
    let data = &function.blocks[block];
    let insts = data.insts.iter().enumerate().filter_map(|(index, inst)| match &inst.op {
        Op::Drop(place) => Some((index, place)),
        _ => None,
    });
    let last = match &data.term.kind {
        TerminatorKind::TryDrop { place, .. } => Some((data.insts.len(), place)),
        _ => None,
    };
    insts.chain(last).collect()
}

fn answer(function: &Function, leaves: &Leaves, found: Found) -> DropsAnswer {
    let named = named_parts(function);
    let mut classes = BTreeMap::new();
    for block in function.blocks.keys() {
        for (point, place) in drops_of(function, block) {
            let state = &found[block.index()][point];
            let of_place = leaves.of(function, place).map(|leaf| state[leaf]);
            let has_parts = named.iter().any(|(local, path)| {
                *local == place.local
                    && path.len() > place.path.len()
                    && path.starts_with(&place.path)
            });
            let reached = state[leaves.count].initialized;
            classes.insert((block, point), class(reached, of_place, has_parts));
        }
    }
    let resources = |point: &Vec<Maybe>| -> Resources {
        point[leaves.count].initialized.then(|| point[..leaves.count].to_vec())
    };
    let of_block = |points: &Vec<Vec<Maybe>>| points.iter().map(resources).collect();
    DropsAnswer {
        classes,
        entry: Some(found.iter().map(|points| resources(&points[0])).collect()),
        before: Some(found.iter().map(of_block).collect()),
    }
}

/// A class by its definition.
fn class(reached: bool, of_place: impl Iterator<Item = Maybe>, has_parts: bool) -> DropClass {
    let mut any = Maybe::default();
    for maybe in of_place {
        any.initialized |= maybe.initialized;
        any.uninitialized |= maybe.uninitialized;
    }
    match (reached, any.initialized, any.uninitialized) {
        (false, ..) => DropClass::Unclassified,
        (_, true, false) => DropClass::Static,
        (_, false, _) => DropClass::Dead,
        _ if has_parts => DropClass::Open,
        _ => DropClass::Conditional,
    }
}
