//! What may be initialized, and what may be not, at every point.
//!
//! Forward, on the one solver. A state is a set of facts: that control gets there, and for each move path
//! that it may be initialized and that it may be uninitialized. States are ordered by inclusion and
//! paths join in the union. A block's state only ever grows, in a finite set of facts, and every transfer is
//! monotone: so it ends.
//!
//! Where control enters, parameters are initialized and nothing else is. A block that a thunk is bound
//! to is entered with anything, if the function enters thunks at all, but with its own parameters
//! initialized.

use super::effects::{self, Effect};
use super::paths::{Path, Paths};
use super::{DropClass, Unwinding};
use crate::cfg::{Cfg, Direction, EdgeData};
use crate::dataflow::ValueSet;
use crate::dataflow::sets::{Dense, Sets, Shared};
use crate::dataflow::solver::{Analysis, Solution, solve};
use crate::entity::{Block, Edge, Value};
use crate::ir::{Function, Op, Place, TerminatorKind};

/// That control gets there.
const REACHED: u32 = 0;

fn init(path: Path) -> Value {
    Value::from_u32(1 + 2 * path)
}

fn uninit(path: Path) -> Value {
    Value::from_u32(2 + 2 * path)
}

/// What is known at a point.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct State<'s>(ValueSet<'s>);

impl State<'_> {
    /// Whether control gets there at all.
    pub fn is_reached(self) -> bool {
        self.0.contains(Value::from_u32(REACHED))
    }

    /// Whether what the path stands for may be initialized.
    pub fn maybe_initialized(self, path: Path) -> bool {
        self.0.contains(init(path))
    }

    /// Whether it may be not.
    pub fn maybe_uninitialized(self, path: Path) -> bool {
        self.0.contains(uninit(path))
    }
}

/// The states of a function.
pub struct Initialized<'f> {
    function: &'f Function,
    paths: Paths,
    form: Form,
}

/// Small sets are fastest as bits; large ones mostly have their parts in common.
enum Form {
    Dense(Dense, Solution<<Dense as Sets>::Set>),
    Shared(Shared, Solution<<Shared as Sets>::Set>),
}

/// Dense sets may take this many words in all (8 MiB).
const DENSE_WORDS: usize = 1 << 20;

impl<'f> Initialized<'f> {
    /// Solves them on the function's graph.
    pub fn solve(function: &'f Function, cfg: &Cfg<'f>, unwinding: Unwinding) -> Initialized<'f> {
        let paths = Paths::new(function);
        let facts = 1 + 2 * paths.len();
        let is_small = facts.div_ceil(64).saturating_mul(2 * cfg.block_count()) <= DENSE_WORDS;
        let form = if is_small {
            let mut flow = Flow::new(function, &paths, unwinding, Dense::new(facts));
            let solution = solve(&mut flow, cfg);
            Form::Dense(flow.sets, solution)
        } else {
            let mut flow = Flow::new(function, &paths, unwinding, Shared::new(facts));
            let solution = solve(&mut flow, cfg);
            Form::Shared(flow.sets, solution)
        };
        Initialized { function, paths, form }
    }

    /// The move paths that the states are about.
    pub fn paths(&self) -> &Paths {
        &self.paths
    }

    /// Where a block starts, its parameters bound.
    pub fn at_entry(&self, block: Block) -> State<'_> {
        match &self.form {
            Form::Dense(sets, solution) => State(sets.view(solution.incoming(block))),
            Form::Shared(sets, solution) => State(sets.view(solution.incoming(block))),
        }
    }

    /// Calls `visit` with the state before each instruction of some blocks; the terminator is the last.
    pub fn walk(
        &self,
        blocks: impl Iterator<Item = Block>,
        visit: impl FnMut(Block, usize, State<'_>),
    ) {
        match &self.form {
            Form::Dense(sets, solution) => self.walk_in(sets.clone(), solution, blocks, visit),
            Form::Shared(sets, solution) => self.walk_in(sets.clone(), solution, blocks, visit),
        }
    }

    /// The store of the sets grows on the way, and is a copy for that reason: one for all blocks.
    fn walk_in<S: Sets>(
        &self,
        mut sets: S,
        solution: &Solution<S::Set>,
        blocks: impl Iterator<Item = Block>,
        mut visit: impl FnMut(Block, usize, State<'_>),
    ) {
        let mut state = sets.empty();
        for block in blocks {
            state.clone_from(solution.incoming(block));
            let reached = State(sets.view(&state)).is_reached();
            let insts = &self.function.blocks[block].insts;
            for (index, inst) in insts.iter().enumerate() {
                visit(block, index, State(sets.view(&state)));
                if reached {
                    effects::of_inst(self.function, inst, &mut |place, effect| {
                        apply(&mut sets, &self.paths, &mut state, place, effect);
                    });
                    sets.settle(&mut state);
                }
            }
            visit(block, insts.len(), State(sets.view(&state)));
        }
    }

    /// The class of a drop of a place in a state.
    pub fn class(&self, place: &Place, state: State<'_>) -> DropClass {
        if !state.is_reached() {
            return DropClass::Unclassified;
        }
        let wholes = self.paths.wholes(self.function, place);
        let maybe_init = wholes.iter().any(|&(_, path)| state.maybe_initialized(path));
        let maybe_uninit = wholes.iter().any(|&(_, path)| state.maybe_uninitialized(path));
        match (maybe_init, maybe_uninit) {
            (true, false) => DropClass::Static,
            (false, _) => DropClass::Dead,
            (true, true) if self.paths.within(place).len() > 1 => DropClass::Open,
            (true, true) => DropClass::Conditional,
        }
    }
}

/// The problem that the solver is given.
struct Flow<'f, S> {
    function: &'f Function,
    paths: &'f Paths,
    unwinding: Unwinding,
    sets: S,
    /// Blocks that control can enter by way of a thunk.
    bound: Vec<Block>,
}

impl<'f, S: Sets> Flow<'f, S> {
    fn new(function: &'f Function, paths: &'f Paths, unwinding: Unwinding, sets: S) -> Flow<'f, S> {
        Flow { function, paths, unwinding, sets, bound: bound(function) }
    }

    fn set(&mut self, state: &mut S::Set, path: Path, [is_init, is_uninit]: [bool; 2]) {
        self.sets.set(state, init(path), is_init);
        self.sets.set(state, uninit(path), is_uninit);
    }

    fn is_reached(&self, state: &S::Set) -> bool {
        State(self.sets.view(state)).is_reached()
    }
}

fn bound(function: &Function) -> Vec<Block> {
    let blocks = || function.blocks.values();
    if !blocks().any(|data| matches!(data.term.kind, TerminatorKind::Enter(_))) {
        return Vec::new();
    }
    let bound = blocks().flat_map(|data| &data.insts).filter_map(|inst| match &inst.op {
        Op::Bind(target) => Some(target.block),
        _ => None,
    });
    bound.collect()
}

fn apply<S: Sets>(sets: &mut S, paths: &Paths, state: &mut S::Set, place: &Place, effect: Effect) {
    for path in paths.within(place) {
        match effect {
            Effect::Init | Effect::Uninit => {
                sets.set(state, init(path), effect == Effect::Init);
                sets.set(state, uninit(path), effect == Effect::Uninit);
            }
            Effect::Perhaps => sets.set(state, init(path), true),
        }
    }
}

impl<S: Sets> Analysis for Flow<'_, S> {
    const DIRECTION: Direction = Direction::Forward;
    type State = S::Set;

    fn bottom(&mut self) -> S::Set {
        self.sets.empty()
    }

    fn boundary(&mut self, block: Block, state: &mut S::Set) {
        let mut start = self.sets.empty();
        self.sets.set(&mut start, Value::from_u32(REACHED), true);
        let by_thunk = self.bound.contains(&block);
        let by_caller = block == self.function.entry();
        for path in 0..self.paths.len() as Path {
            let local = self.paths.place(path).local;
            let given = self.function.params.contains(&local);
            let bound = self.function.blocks[block].params.contains(&local);
            let is_init = by_caller && given || by_thunk;
            let is_uninit = by_caller && !given || by_thunk && !bound;
            self.set(&mut start, path, [is_init, is_uninit]);
        }
        self.sets.settle(&mut start);
        self.sets.unite(state, &start);
    }

    fn other_entries(&self) -> Vec<Block> {
        self.bound.clone()
    }

    fn join(&mut self, into: &mut S::Set, from: &S::Set) -> bool {
        self.sets.unite(into, from)
    }

    fn transfer_block(&mut self, block: Block, state: &mut S::Set) {
        if !self.is_reached(state) {
            return;
        }
        let data = &self.function.blocks[block];
        let (sets, paths) = (&mut self.sets, self.paths);
        let mut visit = |place: &Place, effect| apply(sets, paths, state, place, effect);
        for inst in &data.insts {
            effects::of_inst(self.function, inst, &mut visit);
        }
        effects::of_term(self.function, &data.term.kind, &mut visit);
        self.sets.settle(state);
    }

    fn transfer_edge(&mut self, _: Edge, data: EdgeData, state: &mut S::Set) {
        let term = &self.function.blocks[data.from].term.kind;
        let slot = data.slot as usize;
        if let (TerminatorKind::TryDrop { place, .. }, 1) = (term, slot)
            && self.unwinding == Unwinding::WhereInitialized
        {
            let known = State(self.sets.view(state));
            let wholes = self.paths.wholes(self.function, place);
            if !wholes.iter().any(|&(_, path)| known.maybe_initialized(path)) {
                *state = self.sets.empty();
            }
        }
        if !self.is_reached(state) {
            return;
        }
        let (sets, paths) = (&mut self.sets, self.paths);
        effects::of_edge(self.function, term, slot, &mut |place, effect| {
            apply(sets, paths, state, place, effect);
        });
        self.sets.settle(state);
    }
}
