//! A naive analysis of drops with a switch per fault, and elaborations that are spoiled afterwards.
//!
//! Blocks whose state changed wait in a queue. States only grow, in a finite set, so it ends; a fault may
//! shrink them, so that visits are limited as well.

use crate::reference::initialized::{drops_of, named_parts, resources_of};
use crate::subject::{
    DropClass, DropClassifier, DropsAnswer, Maybe, NoAnswer, Resources, Subject, Unwinding,
};
use backedge_core::diagnostic::Span;
use backedge_core::ir::{
    Block, Function, Inst, LocalData, Op, Operand, Place, TerminatorKind, Type,
};
use cranelift_entity::EntityRef;
use std::collections::VecDeque;

/// What can be wrong with the analysis or the elaboration.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum DropsFault {
    /// Paths meet in what holds on both.
    JoinByIntersection,
    /// What is moved out of a part is not seen.
    MovedPartIgnored,
    /// What is assigned again may still be uninitialized.
    ReinitializationForgotten,
    /// The result of a call is there on its unwind edge too.
    ResultOnUnwind,
    /// A block's first state is final.
    FirstVisitFinal,
    /// Classes are those of the first visit.
    ClassifiedTooEarly,
    /// What a value is moved to is not initialized by that.
    DestinationForgotten,
    /// Every block is reached.
    AllReached,
    /// Blocks that only an unwind leads to are not reached.
    UnwindingForgotten,
    /// A flag is not set again where its place is initialized anew.
    FlagNotSetAgain,
    /// A flag is not cleared where its place is moved out.
    FlagNotCleared,
    /// Drops are left as they are.
    DropsLeft,
    /// There is a flag for every drop.
    FlagForEachDrop,
    /// Where a flag should be asked, it is entered as if it were a thunk.
    FlagEntered,
}

use DropsFault::*;

/// The analysis as a subject.
#[derive(Clone, Debug)]
pub struct Naive {
    name: &'static str,
    fault: Option<DropsFault>,
}

impl Naive {
    /// An analysis with this fault; with none, it is right.
    pub fn new(name: &'static str, fault: Option<DropsFault>) -> Naive {
        Naive { name, fault }
    }
}

impl Subject for Naive {
    fn name(&self) -> &str {
        self.name
    }

    fn drops(&mut self) -> Option<&mut dyn DropClassifier> {
        Some(self)
    }
}

impl DropClassifier for Naive {
    fn drops(
        &mut self,
        function: &Function,
        unwinding: Unwinding,
    ) -> Result<DropsAnswer, NoAnswer> {
        let mut solver = Solver::new(function, unwinding, self.fault);
        solver.solve();
        Ok(solver.answer())
    }

    fn elaborate(&mut self, function: &Function) -> Result<Option<Function>, NoAnswer> {
        let mut elaborated = backedge_core::drops::elaborate(function);
        spoil(function, &mut elaborated, self.fault);
        Ok(Some(elaborated))
    }
}

/// Flags come behind the locals of the original, by name.
fn spoil(original: &Function, elaborated: &mut Function, fault: Option<DropsFault>) {
    let known = |name: &str| original.local_named(name).is_some();
    let flags: Vec<bool> =
        elaborated.locals.values().map(|data| data.ty == Type::Int && !known(&data.name)).collect();
    let entry = elaborated.entry();
    let mut drop_writes = |value: i64| {
        for (block, data) in &mut elaborated.blocks {
            data.insts.retain(|inst| {
                let is_flag = inst.dest.as_ref().is_some_and(|dest| flags[dest.local.index()]);
                !(is_flag && inst.op == Op::Const(value) && block != entry)
            });
        }
    };
    match fault {
        Some(FlagNotSetAgain) => drop_writes(1),
        Some(FlagNotCleared) => drop_writes(0),
        Some(DropsLeft) => *elaborated = original.clone(),
        Some(FlagForEachDrop) => {
            for (block, data) in &original.blocks {
                for _ in 0..drops_of(original, block).len() {
                    let name = format!("{}_spare{}", data.name, elaborated.locals.len()).into();
                    let data = LocalData { name, ty: Type::Int, span: Span::NONE };
                    let flag = elaborated.locals.push(data);
                    let op = Op::Const(1);
                    let write = Inst { dest: Some(flag.into()), op, span: Span::NONE };
                    elaborated.blocks[entry].insts.insert(0, write);
                }
            }
        }
        Some(FlagEntered) => {
            for data in elaborated.blocks.values_mut() {
                if let TerminatorKind::Branch { cond: Operand::Local(local), .. } =
                    &mut data.term.kind
                    && flags[local.index()]
                {
                    data.term.kind = TerminatorKind::Enter(Operand::Local(*local));
                }
            }
        }
        _ => {}
    }
}

type State = Resources;

struct Solver<'f> {
    function: &'f Function,
    unwinding: Unwinding,
    fault: Option<DropsFault>,
    count: usize,
    entry: Vec<State>,
    early: DropsAnswer,
    queue: VecDeque<Block>,
}

impl<'f> Solver<'f> {
    fn new(function: &'f Function, unwinding: Unwinding, fault: Option<DropsFault>) -> Solver<'f> {
        let ends = function.locals.keys().map(|local| resources_of(function, &local.into()).end);
        Solver {
            function,
            unwinding,
            fault,
            count: ends.max().unwrap_or(0),
            entry: vec![None; function.blocks.len()],
            early: DropsAnswer::default(),
            queue: VecDeque::new(),
        }
    }

    fn is(&self, fault: DropsFault) -> bool {
        self.fault == Some(fault)
    }

    fn solve(&mut self) {
        self.start();
        let mut visits = 100 + 40 * self.function.blocks.len() * (1 + self.count);
        while let Some(block) = self.queue.pop_front() {
            visits -= 1;
            if visits == 0 {
                return;
            }
            if self.is(ClassifiedTooEarly) {
                self.classify_early(block);
            }
            let Some(mut state) = self.entry[block.index()].clone() else { continue };
            for inst in &self.function.blocks[block].insts {
                self.step(inst, &mut state);
            }
            let term = &self.function.blocks[block].term.kind;
            for (slot, target) in term.targets().into_iter().enumerate() {
                if let Some(state) = self.over(term, slot, &state) {
                    self.merge(target.block, state);
                }
            }
        }
    }

    fn start(&mut self) {
        let function = self.function;
        let mut state = vec![Maybe { initialized: false, uninitialized: true }; self.count];
        for &param in &function.params {
            self.set(&param.into(), true, &mut state);
        }
        self.merge(function.entry(), state);
        for block in crate::reference::constants::thunk_entries(function) {
            let mut state = vec![Maybe { initialized: true, uninitialized: true }; self.count];
            for &param in &function.blocks[block].params {
                self.set(&param.into(), true, &mut state);
            }
            self.merge(block, state);
        }
        if self.is(AllReached) {
            for block in function.blocks.keys() {
                self.merge(block, vec![Maybe::default(); self.count]);
            }
        }
    }

    fn merge(&mut self, block: Block, from: Vec<Maybe>) {
        let old = self.entry[block.index()].clone();
        let new = match &old {
            None => from,
            Some(_) if self.is(FirstVisitFinal) => return,
            Some(old) => {
                let both = old.iter().zip(&from);
                let joined = both.map(|(a, b)| match self.is(JoinByIntersection) {
                    false => Maybe {
                        initialized: a.initialized | b.initialized,
                        uninitialized: a.uninitialized | b.uninitialized,
                    },
                    true => Maybe {
                        initialized: a.initialized & b.initialized,
                        uninitialized: a.uninitialized & b.uninitialized,
                    },
                });
                joined.collect()
            }
        };
        if old.as_ref() != Some(&new) {
            self.entry[block.index()] = Some(new);
            self.queue.push_back(block);
        }
    }

    fn set(&self, place: &Place, to: bool, state: &mut [Maybe]) {
        for resource in resources_of(self.function, place) {
            let stays = to && self.is(ReinitializationForgotten) && state[resource].uninitialized;
            state[resource] = Maybe { initialized: to, uninitialized: !to || stays };
        }
    }

    fn moved(&self, operands: &[Operand], state: &mut [Maybe]) {
        for local in operands.iter().filter_map(|operand| operand.local()) {
            self.set(&local.into(), false, state);
        }
    }

    fn step(&self, inst: &Inst, state: &mut [Maybe]) {
        match &inst.op {
            Op::Copy(a) | Op::Load(a) => self.moved(&[*a], state),
            Op::Select(c, a, b) => self.moved(&[*c, *a, *b], state),
            Op::Binary(_, a, b) => self.moved(&[*a, *b], state),
            Op::Store { addr, value } => self.moved(&[*addr, *value], state),
            Op::Call { args, .. } => self.moved(args, state),
            Op::Bind(target) => self.moved(&target.args, state),
            Op::Move(place) if !place.is_whole() && self.is(MovedPartIgnored) => {}
            Op::Move(place) | Op::Drop(place) | Op::Destroy(place) => {
                self.set(place, false, state);
            }
            Op::Opaque(opaque) => {
                opaque.defs.iter().for_each(|&local| self.set(&local.into(), true, state));
                for &local in &opaque.partial {
                    for resource in resources_of(self.function, &local.into()) {
                        state[resource].initialized = true;
                    }
                }
            }
            Op::Const(_) | Op::New => {}
        }
        let forgotten = self.is(DestinationForgotten) && matches!(inst.op, Op::Move(_));
        if let Some(dest) = inst.dest.as_ref().filter(|_| !forgotten) {
            self.set(dest, true, state);
        }
    }

    /// At the start of an edge's target; `None` where the edge is not there.
    fn over(&self, term: &TerminatorKind, slot: usize, state: &[Maybe]) -> Option<Vec<Maybe>> {
        let mut state = state.to_vec();
        match term {
            TerminatorKind::TryCall { .. } if slot == 1 && self.is(UnwindingForgotten) => {
                return None;
            }
            TerminatorKind::TryCall { args, dest, .. } => {
                self.moved(args, &mut state);
                let is_there = slot == 0 || self.is(ResultOnUnwind);
                if let Some(dest) = dest.as_ref().filter(|_| is_there) {
                    self.set(dest, true, &mut state);
                }
            }
            TerminatorKind::TryDrop { place, .. } => {
                let held = resources_of(self.function, place).any(|at| state[at].initialized);
                if slot == 1 && !held && self.unwinding == Unwinding::WhereInitialized {
                    return None;
                }
                self.set(place, false, &mut state);
            }
            _ => {}
        }
        let target = term.target(slot)?;
        self.moved(&target.args, &mut state);
        for &param in &self.function.blocks[target.block].params {
            self.set(&param.into(), true, &mut state);
        }
        Some(state)
    }

    fn classify_early(&mut self, block: Block) {
        for (at, class) in self.classes(block) {
            self.early.classes.entry((block, at)).or_insert(class);
        }
    }

    fn classes(&self, block: Block) -> Vec<(usize, DropClass)> {
        let named = named_parts(self.function);
        let points = self.points(block);
        let of = |(at, place): (usize, &Place)| {
            let has_parts = named.iter().any(|(local, path)| {
                let inside = path.len() > place.path.len() && path.starts_with(&place.path);
                *local == place.local && inside
            });
            let Some(state) = &points[at] else { return (at, DropClass::Unclassified) };
            let resources = || resources_of(self.function, place).map(|resource| state[resource]);
            let any = resources().any(|maybe| maybe.initialized);
            let lacks = resources().any(|maybe| maybe.uninitialized);
            let class = match (any, lacks) {
                (true, false) => DropClass::Static,
                (false, _) => DropClass::Dead,
                _ if has_parts => DropClass::Open,
                _ => DropClass::Conditional,
            };
            (at, class)
        };
        drops_of(self.function, block).into_iter().map(of).collect()
    }

    /// The states before each instruction of a block.
    fn points(&self, block: Block) -> Vec<State> {
        let mut state = self.entry[block.index()].clone();
        let mut points = Vec::new();
        for inst in &self.function.blocks[block].insts {
            points.push(state.clone());
            if let Some(state) = &mut state {
                self.step(inst, state);
            }
        }
        points.push(state);
        points
    }

    fn answer(self) -> DropsAnswer {
        let blocks = || self.function.blocks.keys();
        let mut classes = self.early.classes.clone();
        for block in blocks() {
            for (at, class) in self.classes(block) {
                classes.entry((block, at)).or_insert(class);
            }
        }
        DropsAnswer {
            classes,
            entry: Some(self.entry.clone()),
            before: Some(blocks().map(|block| self.points(block)).collect()),
        }
    }
}
