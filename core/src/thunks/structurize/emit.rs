//! The regions themselves: a machine with a stack of what is still to be finished.
//!
//! [`Task::Start`] emits an item at the end of a region, [`Task::Give`] hands what is pending at the
//! region's end to what waits for it on the stack:
//!
//! - [`Frame::Arms`] starts one arm of a selection after the other, and then puts the selection into its
//!   region ([`join`](super::join)).
//! - [`Frame::After`] starts what stands after an item, behind a guard if anything else is pending there.
//! - [`Frame::Body`] ends the body of a loop ([`loops`](super::loops)).
//! - [`Frame::Left`] sorts out where a loop was left for.

use super::forest::{Item, LoopId, Target};
use super::pending::{From, Jump, State};
use super::plan::Plan;
use crate::entity::Block;
use crate::ir::{Function, Local, Operand, Operands, TerminatorKind, Type};
use crate::thunks::form::{End, Node, On, Region, RegionData, RegionFunction};
use crate::thunks::names::Fresh;
use cranelift_entity::EntityRef;
use rustc_hash::{FxHashMap, FxHashSet};

/// What follows the end of a region.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Tail {
    /// More nodes.
    Nothing,
    /// The end of the function.
    Function,
    /// The end of this loop's body.
    Loop(LoopId),
}

/// How control comes to an item.
#[derive(Copy, Clone, Debug)]
pub(super) enum Arrival {
    /// By a jump, whose arguments have not been read.
    Jump(Jump),
    /// Its inputs have been assigned.
    Assigned,
}

pub(super) enum Task {
    Start { item: Item, region: Region, arrival: Arrival, tail: Tail },
    Give(State),
}

/// An arm that is to be made.
pub(super) enum Arm {
    Start(Item, Arrival),
    State(State),
}

/// A selection whose arms are being made.
pub(super) struct Arms {
    pub(super) on: On,
    pub(super) region: Region,
    pub(super) todo: std::vec::IntoIter<Arm>,
    pub(super) done: Vec<(Region, Option<State>)>,
    /// It only keeps control away from something: what else is pending passes by.
    pub(super) guard: bool,
    pub(super) tail: Tail,
}

enum Frame {
    Arms(Arms),
    After { list: List, next: usize, region: Region, tail: Tail },
    Body(super::loops::Open),
    Left { item: Item, region: Region, tail: Tail },
}

/// What stands after something.
#[derive(Copy, Clone)]
enum List {
    Item(Item),
    Entries(LoopId),
}

pub(super) struct Emitter<'f> {
    pub(super) function: &'f Function,
    pub(super) plan: Plan,
    pub(super) out: RegionFunction,
    pub(super) fresh: Fresh,
    stack: Vec<Frame>,
    tag: Option<Local>,
    tags: FxHashMap<Target, i64>,
    returned: Option<Local>,
    /// By loop: which entry is meant, and whether to go on.
    selectors: Vec<Option<Local>>,
    pub(super) agains: Vec<Option<Local>>,
    /// Targets with one edge that have got their inputs from a loop's outputs.
    pub(super) settled: FxHashSet<Target>,
}

impl<'f> Emitter<'f> {
    pub(super) fn new(function: &'f Function) -> Emitter<'f> {
        let plan = Plan::new(function);
        let loops = plan.forest.loops.len();
        let out = RegionFunction {
            name: function.name.clone(),
            ssa: function.ssa,
            params: function.params.clone(),
            ret: function.ret.clone(),
            locals: function.locals.clone(),
            regions: cranelift_entity::PrimaryMap::new(),
            roots: Vec::new(),
            span: function.span,
        };
        Emitter {
            function,
            plan,
            fresh: Fresh::new(&out.locals),
            out,
            stack: Vec::new(),
            tag: None,
            tags: FxHashMap::default(),
            returned: None,
            selectors: vec![None; loops],
            agains: vec![None; loops],
            settled: FxHashSet::default(),
        }
    }

    /// Makes the regions.
    pub(super) fn run(mut self) -> RegionFunction {
        let root = self.region();
        self.out.roots.push(root);
        let (item, arrival) = (self.plan.entry, Arrival::Assigned);
        let mut task = Task::Start { item, region: root, arrival, tail: Tail::Function };
        loop {
            task = match task {
                Task::Start { item, region, arrival, tail } => match self.plan.forest.what(item) {
                    Ok(block) => self.block(block, region, arrival, tail),
                    Err(of) => self.loop_start(of, region, arrival, tail),
                },
                Task::Give(state) => match self.stack.pop() {
                    Some(frame) => self.resume(frame, state),
                    None => {
                        self.leave(root, Some(state));
                        break;
                    }
                },
            };
        }
        self.out.renumber();
        self.out
    }

    pub(super) fn region(&mut self) -> Region {
        self.out.regions.push(RegionData::new(End::Unreachable))
    }

    pub(super) fn push(&mut self, region: Region, node: Node) {
        self.out.regions[region].nodes.push(node);
    }

    /// The end of a region that nothing follows.
    pub(super) fn end(&mut self, region: Region, end: End) {
        self.out.regions[region].end = end;
    }

    fn resume(&mut self, frame: Frame, state: State) -> Task {
        match frame {
            Frame::Arms(mut arms) => {
                if let Some(last) = arms.done.last_mut() {
                    last.1 = Some(state);
                }
                self.next_arm(arms)
            }
            Frame::After { list, next, region, tail } => {
                self.after(list, next, region, tail, state)
            }
            Frame::Body(open) => Task::Give(self.loop_end(open, state)),
            Frame::Left { item, region, tail } => self.left(item, region, tail, state),
        }
    }

    /// Emits a block at the end of a region.
    fn block(&mut self, block: Block, region: Region, arrival: Arrival, tail: Tail) -> Task {
        let function = self.function;
        if let Arrival::Jump(jump) = arrival {
            self.assign_inputs(region, jump);
        }
        let data = &function.blocks[block];
        let nodes = data.insts.iter().cloned().map(Node::Inst);
        self.out.regions[region].nodes.extend(nodes);
        self.out.regions[region].end_span = data.term.span;
        let (on, slots) = match &data.term.kind {
            TerminatorKind::Jump(_) => {
                return match self.arm(block, 0) {
                    Arm::Start(item, arrival) => Task::Start { item, region, arrival, tail },
                    Arm::State(state) => Task::Give(state),
                };
            }
            TerminatorKind::Return(value) => {
                return Task::Give(State::Direct(leave(Target::Return, *value)));
            }
            TerminatorKind::Resume => {
                return Task::Give(State::Direct(leave(Target::Resume, None)));
            }
            TerminatorKind::Unreachable | TerminatorKind::Enter(_) => {
                return Task::Give(State::Dead);
            }
            TerminatorKind::Branch { cond, .. } => (On::If(*cond), vec![0, 1]),
            TerminatorKind::Switch { value, cases, .. } => {
                let keys = cases.iter().map(|(key, _)| *key).collect();
                (On::Switch(*value, keys), (1..=cases.len()).chain([0]).collect())
            }
            TerminatorKind::TryCall { dest, callee, args, .. } => {
                let (dest, callee, args) = (dest.clone(), callee.clone(), args.clone());
                (On::Call { dest, callee, args }, vec![0, 1])
            }
            TerminatorKind::TryDrop { place, .. } => (On::Drop(place.clone()), vec![0, 1]),
        };
        let todo = slots.into_iter().map(|slot| self.arm(block, slot)).collect();
        let item = self.plan.forest.block(block);
        self.select(on, region, todo, List::Item(item), (false, tail))
    }

    /// What an edge becomes.
    fn arm(&self, block: Block, slot: usize) -> Arm {
        let target = self.plan.target(block, slot);
        let jump = Jump { target, from: From::Edge(block, slot) };
        match target {
            Target::Item(item) if self.plan.is_nested(item, block) => {
                Arm::Start(item, Arrival::Jump(jump))
            }
            _ => Arm::State(State::Direct(jump)),
        }
    }

    /// Starts a selection, and what stands after it.
    fn select(
        &mut self,
        on: On,
        region: Region,
        todo: Vec<Arm>,
        list: List,
        (guard, tail): (bool, Tail),
    ) -> Task {
        let mut inner = tail;
        if !self.list(list).is_empty() {
            self.stack.push(Frame::After { list, next: 0, region, tail });
            inner = Tail::Nothing;
        }
        let todo = todo.into_iter();
        self.next_arm(Arms { on, region, todo, done: Vec::new(), guard, tail: inner })
    }

    /// Starts the next arm that has to be made, or ends the selection.
    fn next_arm(&mut self, mut arms: Arms) -> Task {
        loop {
            let Some(arm) = arms.todo.next() else { return Task::Give(self.join(arms)) };
            let region = self.region();
            match arm {
                Arm::State(state) => arms.done.push((region, Some(state))),
                Arm::Start(item, arrival) => {
                    arms.done.push((region, None));
                    let tail = arms.tail;
                    self.stack.push(Frame::Arms(arms));
                    return Task::Start { item, region, arrival, tail };
                }
            }
        }
    }

    fn list(&self, list: List) -> &[Item] {
        match list {
            List::Item(item) => self.plan.after(item),
            List::Entries(of) => self.plan.after_entries(of),
        }
    }

    /// Starts what stands after an item, where `state` is pending.
    fn after(&mut self, list: List, next: usize, region: Region, tail: Tail, state: State) -> Task {
        let items = self.list(list);
        let Some(&item) = items.get(next) else { return Task::Give(state) };
        let last = next + 1 == items.len();
        if !last {
            self.stack.push(Frame::After { list, next: next + 1, region, tail });
        }
        let tail = if last { tail } else { Tail::Nothing };
        let target = Target::Item(item);
        if state.single() == Some(target) {
            let arrival = self.arrival(&state, target);
            return Task::Start { item, region, arrival, tail };
        }
        let on = On::Switch(self.tag().into(), vec![self.number(target)]);
        let arrival = self.arrival(&State::Held(target), target);
        let rest = state.targets().and_then(|targets| targets.without(target));
        let rest = rest.map_or(State::Dead, State::Tagged);
        let todo = vec![Arm::Start(item, arrival), Arm::State(rest)].into_iter();
        self.next_arm(Arms { on, region, todo, done: Vec::new(), guard: true, tail })
    }

    /// How control comes to the only target of a state.
    pub(super) fn arrival(&self, state: &State, target: Target) -> Arrival {
        match (state, self.lazy(target)) {
            (State::Direct(jump), _) => Arrival::Jump(*jump),
            (_, Some(jump)) => Arrival::Jump(jump),
            (_, None) => Arrival::Assigned,
        }
    }

    /// Starts the body of a loop.
    fn loop_start(&mut self, of: LoopId, region: Region, arrival: Arrival, tail: Tail) -> Task {
        let item = self.plan.forest.item(of);
        let body = self.region();
        let inits = self.loop_inits(of, region, body, arrival);
        self.stack.push(Frame::Left { item, region, tail });
        self.stack.push(Frame::Body(super::loops::Open { of, body, region, inits }));
        let entries = self.plan.forest.loops[of].entries.iter();
        let items: Vec<Item> = entries.map(|&e| self.plan.forest.entry_item(of, e)).collect();
        let (arrival, tail) = (Arrival::Assigned, Tail::Loop(of));
        if let [item] = items[..] {
            return Task::Start { item, region: body, arrival, tail };
        }
        let on = On::Switch(self.selector(of).into(), (0..items.len() as i64 - 1).collect());
        let todo = items.into_iter().map(|item| Arm::Start(item, arrival)).collect();
        self.select(on, body, todo, List::Entries(of), (false, tail))
    }

    /// Goes on where a loop was left for: to what only this loop leads to, by a switch on the tag, and
    /// then to what stands after it.
    fn left(&mut self, item: Item, region: Region, tail: Tail, state: State) -> Task {
        let list = List::Item(item);
        let exits = self.plan.exits(item).to_vec();
        match (state.single(), &exits[..]) {
            (Some(target), &[exit]) if target == Target::Item(exit) => {
                let arrival = self.arrival(&state, target);
                return Task::Start { item: exit, region, arrival, tail };
            }
            (None, [_, ..]) => {}
            _ => return self.after(list, 0, region, tail, state),
        }
        let mut rest = state.targets();
        for &exit in &exits {
            rest = rest.and_then(|targets| targets.without(Target::Item(exit)));
        }
        let mut keys = Vec::new();
        let mut todo = Vec::new();
        for exit in exits {
            let target = Target::Item(exit);
            keys.push(self.number(target));
            todo.push(Arm::Start(exit, self.arrival(&State::Held(target), target)));
        }
        let guard = rest.is_some();
        match rest {
            Some(rest) => todo.push(Arm::State(State::Tagged(rest))),
            None => drop(keys.pop()),
        }
        let on = On::Switch(self.tag().into(), keys);
        self.select(on, region, todo, list, (guard, tail))
    }

    // Locals that say where to.

    /// The one tag of the function.
    pub(super) fn tag(&mut self) -> Local {
        let Emitter { tag, fresh, out, .. } = self;
        *tag.get_or_insert_with(|| fresh.local(&mut out.locals, "tag", Type::Int))
    }

    /// What the tag is for a target.
    pub(super) fn number(&mut self, target: Target) -> i64 {
        let next = self.tags.len() as i64;
        *self.tags.entry(target).or_insert(next)
    }

    pub(super) fn selector(&mut self, of: LoopId) -> Local {
        let Emitter { selectors, fresh, out, .. } = self;
        let local = &mut selectors[of.index()];
        *local.get_or_insert_with(|| fresh.local(&mut out.locals, "entry", Type::Int))
    }

    pub(super) fn again(&mut self, of: LoopId) -> Local {
        let Emitter { agains, fresh, out, .. } = self;
        let local = &mut agains[of.index()];
        *local.get_or_insert_with(|| fresh.local(&mut out.locals, "again", Type::Int))
    }

    fn returned(&mut self) -> Option<Local> {
        let ty = self.function.ret.clone()?;
        let Emitter { returned, fresh, out, .. } = self;
        Some(*returned.get_or_insert_with(|| fresh.local(&mut out.locals, "result", ty)))
    }

    // Inputs of targets.

    /// The loop with several entries that the target is.
    pub(super) fn many_entries(&self, target: Target) -> Option<LoopId> {
        let of = match target {
            Target::Item(item) => self.plan.forest.what(item).err()?,
            Target::Back(of) => of,
            Target::Return | Target::Resume => return None,
        };
        self.plan.has_entries(of).then_some(of)
    }

    /// What a target assigns; a loop with several entries has no inputs of its own.
    pub(super) fn inputs(&mut self, target: Target) -> Vec<Local> {
        let of = match target {
            Target::Return => return self.returned().into_iter().collect(),
            Target::Resume => return Vec::new(),
            Target::Back(of) => Err(of),
            Target::Item(item) => self.plan.forest.what(item),
        };
        let block = match of {
            Ok(block) => block,
            Err(of) if self.plan.has_entries(of) => return Vec::new(),
            Err(of) => self.plan.forest.loops[of].entries[0],
        };
        self.function.blocks[block].params.clone()
    }

    /// The only jump to a target, if its arguments can be read as late as where the target is.
    pub(super) fn lazy(&self, target: Target) -> Option<Jump> {
        if self.many_entries(target).is_some() || self.settled.contains(&target) {
            return None;
        }
        let (block, slot) = self.plan.only_edge(target)?;
        Some(Jump { target, from: From::Edge(block, slot) })
    }

    /// The arguments of a jump.
    pub(super) fn args(&self, jump: Jump) -> Operands {
        match jump.from {
            From::Edge(block, slot) => {
                let target = self.function.blocks[block].term.kind.target(slot);
                target.map(|target| target.args.clone()).unwrap_or_default()
            }
            From::Leave(value) => value.into_iter().collect(),
        }
    }

    /// The locals that a jump assigns in the end, and which entry it means.
    pub(super) fn assigned(&mut self, jump: Jump) -> (Vec<Local>, Option<(LoopId, i64)>) {
        let Some(of) = self.many_entries(jump.target) else {
            return (self.inputs(jump.target), None);
        };
        let From::Edge(block, slot) = jump.from else { return (Vec::new(), None) };
        let target = self.function.blocks[block].term.kind.target(slot);
        let Some(entry) = target.map(|target| target.block) else { return (Vec::new(), None) };
        let entries = &self.plan.forest.loops[of].entries;
        let number = entries.binary_search(&entry).unwrap_or(0) as i64;
        (self.function.blocks[entry].params.clone(), Some((of, number)))
    }
}

fn leave(target: Target, value: Option<Operand>) -> Jump {
    Jump { target, from: From::Leave(value) }
}
