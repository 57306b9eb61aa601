//! SSA form for the locals that are assigned at several places.
//!
//! Block parameters are put where definitions meet (the iterated dominance frontiers) and the local is
//! live; then one walk down the dominator tree gives each definition a local of its own. A copy to such a
//! local is no definition but a name for what it copies, so that what edges assigned becomes what they
//! pass. What is read where nothing was assigned is on a path that is never taken, and becomes 0.

use crate::cfg::{Cfg, Dominators};
use crate::dataflow::liveness::Liveness;
use crate::entity::Block;
use crate::ir::{Function, Inst, Local, Op, Operand, Target, TerminatorKind, Type};
use crate::thunks::names::Fresh;
use cranelift_entity::{EntityRef, EntitySet, SecondaryMap};

/// Constructs it, and tells whether it could: a resource that a path reads before it is assigned, even if
/// that is never taken, has nothing to stand for it.
pub(super) fn construct(function: &mut Function) -> bool {
    let mut multi = assigned_twice(function);
    copied_on_edges(function, &mut multi);
    let undefined = read_undefined(function);
    if undefined.iter().any(|&local| function.locals[local].ty != Type::Int) {
        return false;
    }
    multi.extend_from_slice(&undefined);
    multi.sort_unstable();
    multi.dedup();
    if multi.is_empty() {
        return true;
    }
    separate_entry(function);
    start_as_zero(function, &undefined);
    place(function, &multi);
    let tree = {
        let cfg = Cfg::build(&*function);
        let dominators = Dominators::new(&cfg);
        let mut tree: SecondaryMap<Block, Vec<Block>> = SecondaryMap::new();
        for block in cfg.blocks() {
            if let Some(above) = dominators.idom(block) {
                tree[above].push(block);
            }
        }
        tree
    };
    let mut in_set = EntitySet::with_capacity(function.locals.len());
    in_set.extend(multi.iter().copied());
    let renamer = Renamer {
        fresh: Fresh::new(&function.locals),
        bound: needs_local(function),
        function,
        multi: in_set,
        current: SecondaryMap::new(),
        original_free: SecondaryMap::with_default(true),
        log: Vec::new(),
        on_edge: SecondaryMap::new(),
    };
    renamer.run(&tree);
    true
}

/// The locals that have several definitions.
fn assigned_twice(function: &Function) -> Vec<Local> {
    let mut counts: SecondaryMap<Local, u32> = SecondaryMap::new();
    function.params.iter().for_each(|&param| counts[param] += 1);
    for data in function.blocks.values() {
        data.params.iter().for_each(|&param| counts[param] += 1);
        data.insts.iter().for_each(|inst| inst.for_each_def(|local| counts[local] += 1));
        data.term.kind.edge_def(0).into_iter().for_each(|local| counts[local] += 1);
    }
    function.locals.keys().filter(|&local| counts[local] > 1).collect()
}

/// Adds the locals that are assigned on an edge: in a block of copies alone.
fn copied_on_edges(function: &Function, found: &mut Vec<Local>) {
    for data in function.blocks.values().skip(1) {
        let copy = |inst: &Inst| match &inst.op {
            Op::Const(_) | Op::Copy(_) => true,
            Op::Move(place) => place.is_whole(),
            _ => false,
        };
        let jumps = matches!(data.term.kind, TerminatorKind::Jump(_));
        if jumps && data.insts.iter().all(copy) {
            data.insts.iter().for_each(|inst| inst.for_each_def(|local| found.push(local)));
        }
    }
}

/// The locals that a path reads before it assigns them; with edges gone, one definition may be left that
/// does not dominate the others' uses.
fn read_undefined(function: &Function) -> Vec<Local> {
    let cfg = Cfg::build(function);
    let liveness = Liveness::solve(function, &cfg);
    let live = liveness.live_in(cfg.entry());
    let undefined = function.locals.keys().filter(|&local| live.contains(local.into()));
    undefined.filter(|local| !function.params.contains(local)).collect()
}

/// Locals that an instruction names where no constant can stand.
fn needs_local(function: &Function) -> EntitySet<Local> {
    let mut bound = EntitySet::with_capacity(function.locals.len());
    for inst in function.blocks.values().flat_map(|data| &data.insts) {
        if let Op::Opaque(opaque) = &inst.op {
            bound.extend(opaque.uses.iter().chain(&opaque.partial).copied());
        }
    }
    bound
}

/// Assigns 0, in the entry, to what a path may read undefined where no constant can stand.
fn start_as_zero(function: &mut Function, undefined: &[Local]) {
    let bound = needs_local(function);
    let entry = function.entry();
    let zeros = undefined.iter().filter(|&&local| bound.contains(local)).map(|&local| Inst {
        dest: Some(local.into()),
        op: Op::Const(0),
        span: Default::default(),
    });
    let zeros: Vec<Inst> = zeros.collect();
    function.blocks[entry].insts.splice(0..0, zeros);
}

/// Gives the entry no predecessors, so that parameters can be put where they are needed.
pub(super) fn separate_entry(function: &mut Function) {
    let entry = function.entry();
    let mut again = false;
    for data in function.blocks.values() {
        data.term.kind.for_each_target(|target| again |= target.block == entry);
    }
    if !again {
        return;
    }
    let moved = function.blocks.push(function.blocks[entry].clone());
    for data in function.blocks.values_mut() {
        data.term.kind.for_each_target_mut(|target| {
            if target.block == entry {
                target.block = moved;
            }
        });
    }
    let data = &mut function.blocks[entry];
    data.insts.clear();
    data.term = TerminatorKind::Jump(Target::new(moved)).into();
    function.blocks[moved].name = Default::default();
}

/// Puts parameters where definitions meet, with the local itself as argument.
fn place(function: &mut Function, multi: &[Local]) {
    let mut phis: Vec<(Block, Local)> = Vec::new();
    {
        let cfg = Cfg::build(&*function);
        let dominators = Dominators::new(&cfg);
        let liveness = Liveness::solve(&*function, &cfg);
        let frontiers = frontiers(&cfg, &dominators);
        let defs = definitions(function);
        for &local in multi {
            let mut placed: EntitySet<Block> = EntitySet::with_capacity(cfg.block_count());
            let mut work: Vec<Block> = defs[local].clone();
            while let Some(block) = work.pop() {
                for &join in &frontiers[block] {
                    let live = liveness.live_in(join).contains(local.into());
                    if live && !function.blocks[join].params.contains(&local) && placed.insert(join)
                    {
                        phis.push((join, local));
                        work.push(join);
                    }
                }
            }
        }
    }
    let mut added: SecondaryMap<Block, Vec<Local>> = SecondaryMap::new();
    for (block, local) in phis {
        added[block].push(local);
    }
    for (block, data) in function.blocks.iter_mut() {
        data.params.extend_from_slice(&added[block]);
        data.term.kind.for_each_target_mut(|target| {
            target.args.extend(added[target.block].iter().map(|&local| Operand::Local(local)));
        });
    }
}

/// By local: the blocks that define it; a call's result counts for the block that it returns to as well.
fn definitions(function: &Function) -> SecondaryMap<Local, Vec<Block>> {
    let mut defs: SecondaryMap<Local, Vec<Block>> = SecondaryMap::new();
    for &param in &function.params {
        defs[param].push(function.entry());
    }
    for (block, data) in &function.blocks {
        let mut add = |local: Local| {
            if defs[local].last() != Some(&block) {
                defs[local].push(block);
            }
        };
        data.params.iter().copied().for_each(&mut add);
        data.insts.iter().for_each(|inst| inst.for_each_def(&mut add));
        if let Some(local) = data.term.kind.edge_def(0) {
            add(local);
            let target = data.term.kind.target(0).map(|target| target.block);
            defs[local].extend(target);
        }
    }
    defs
}

/// By block: the joins where what it dominates ends.
fn frontiers(cfg: &Cfg<'_>, dominators: &Dominators<'_>) -> SecondaryMap<Block, Vec<Block>> {
    let mut frontiers: SecondaryMap<Block, Vec<Block>> = SecondaryMap::new();
    for join in cfg.blocks() {
        if cfg.preds(join).len() < 2 {
            continue;
        }
        let above = dominators.idom(join);
        for from in cfg.pred_blocks(join) {
            let mut at = Some(from);
            while at != above
                && let Some(block) = at
                && frontiers[block].last() != Some(&join)
            {
                frontiers[block].push(join);
                at = dominators.idom(block);
            }
        }
    }
    frontiers
}

struct Renamer<'f> {
    function: &'f mut Function,
    fresh: Fresh,
    multi: EntitySet<Local>,
    bound: EntitySet<Local>,
    /// What each local is at this point of the walk.
    current: SecondaryMap<Local, Option<Operand>>,
    /// Whether the first definition can still keep the local.
    original_free: SecondaryMap<Local, bool>,
    /// What to restore where the walk leaves a subtree.
    log: Vec<(Local, Option<Operand>)>,
    /// By block: what its call's result is called on the normal edge.
    on_edge: SecondaryMap<Block, Option<(Local, Local)>>,
}

enum Visit {
    Enter(Block),
    Leave(usize),
}

impl Renamer<'_> {
    fn run(mut self, tree: &SecondaryMap<Block, Vec<Block>>) {
        for param in self.function.params.clone() {
            if self.multi.contains(param) {
                self.original_free[param] = false;
                self.current[param] = Some(param.into());
            }
        }
        let before = results_before(self.function);
        let mut stack = vec![Visit::Enter(self.function.entry())];
        while let Some(visit) = stack.pop() {
            match visit {
                Visit::Leave(len) => {
                    for (local, value) in self.log.drain(len..).rev() {
                        self.current[local] = value;
                    }
                }
                Visit::Enter(block) => {
                    stack.push(Visit::Leave(self.log.len()));
                    if let Some(from) = before[block]
                        && let Some((local, version)) = self.on_edge[from]
                    {
                        self.set(local, version.into());
                    }
                    self.block(block);
                    stack.extend(tree[block].iter().map(|&block| Visit::Enter(block)));
                }
            }
        }
    }

    fn set(&mut self, local: Local, value: Operand) {
        let old = self.current[local].replace(value);
        self.log.push((local, old));
    }

    /// A local for a definition.
    fn define(&mut self, local: &mut Local) {
        if !self.multi.contains(*local) {
            return;
        }
        let of = *local;
        if !std::mem::replace(&mut self.original_free[of], false) {
            let data = self.function.locals[of].clone();
            *local = self.fresh.local(&mut self.function.locals, &data.name, data.ty);
        }
        self.set(of, (*local).into());
    }

    /// What a local is here.
    fn value(&self, local: Local) -> Operand {
        if !self.multi.contains(local) {
            return local.into();
        }
        match (self.current[local], &self.function.locals[local].ty) {
            (Some(value), _) => value,
            (None, Type::Int) => Operand::Const(0),
            (None, _) => local.into(),
        }
    }

    fn operand(&self, operand: Operand) -> Operand {
        operand.local().map_or(operand, |local| self.value(local))
    }

    fn block(&mut self, block: Block) {
        let mut params = std::mem::take(&mut self.function.blocks[block].params);
        params.iter_mut().for_each(|param| self.define(param));
        self.function.blocks[block].params = params;
        let mut insts = std::mem::take(&mut self.function.blocks[block].insts);
        insts.retain_mut(|inst| self.inst(inst));
        let mut term = std::mem::replace(
            &mut self.function.blocks[block].term.kind,
            TerminatorKind::Unreachable,
        );
        self.terminator(block, &mut term);
        let data = &mut self.function.blocks[block];
        (data.insts, data.term.kind) = (insts, term);
    }

    /// Renames an instruction, and tells whether it stays.
    fn inst(&mut self, inst: &mut Inst) -> bool {
        let whole = inst.dest.as_ref().filter(|dest| dest.is_whole()).map(|dest| dest.local);
        if let Some(dest) = whole.filter(|&dest| self.multi.contains(dest)) {
            let value = match &inst.op {
                // A resource that is moved is no longer where it was: that stays an instruction.
                Op::Copy(_) if self.function.locals[dest].ty.is_owned() => None,
                Op::Copy(value) => Some(self.operand(*value)),
                Op::Const(value) => Some(Operand::Const(*value)),
                _ => None,
            };
            let constant = matches!(value, Some(Operand::Const(_)));
            if let Some(value) = value.filter(|_| !constant || !self.bound.contains(dest)) {
                self.set(dest, value);
                return false;
            }
        }
        self.uses(&mut inst.op);
        match (&mut inst.dest, &mut inst.op) {
            (_, Op::Opaque(opaque)) => opaque.defs.iter_mut().for_each(|def| self.define(def)),
            (Some(dest), _) if dest.is_whole() => self.define(&mut dest.local),
            (Some(dest), _) => self.place(&mut dest.local),
            (None, _) => {}
        }
        true
    }

    fn place(&self, local: &mut Local) {
        if let Operand::Local(value) = self.value(*local) {
            *local = value;
        }
    }

    fn uses(&self, op: &mut Op) {
        let operand = |operand: &mut Operand| *operand = self.operand(*operand);
        match op {
            Op::Const(_) | Op::New => {}
            Op::Copy(a) | Op::Load(a) => operand(a),
            Op::Select(c, a, b) => [c, a, b].into_iter().for_each(operand),
            Op::Binary(_, a, b) | Op::Store { addr: a, value: b } => {
                [a, b].into_iter().for_each(operand);
            }
            Op::Call { args, .. } => args.iter_mut().for_each(operand),
            Op::Bind(to) => to.args.iter_mut().for_each(operand),
            Op::Move(place) | Op::Drop(place) | Op::Destroy(place) => self.place(&mut place.local),
            Op::Opaque(opaque) => {
                opaque.uses.iter_mut().chain(&mut opaque.partial).for_each(|l| self.place(l));
            }
        }
    }

    fn terminator(&mut self, block: Block, term: &mut TerminatorKind) {
        let operand = |operand: &mut Operand| *operand = self.operand(*operand);
        match term {
            TerminatorKind::Branch { cond: value, .. }
            | TerminatorKind::Switch { value, .. }
            | TerminatorKind::Enter(value)
            | TerminatorKind::Return(Some(value)) => operand(value),
            TerminatorKind::TryCall { args, .. } => args.iter_mut().for_each(operand),
            TerminatorKind::TryDrop { place, .. } => self.place(&mut place.local),
            TerminatorKind::Jump(_)
            | TerminatorKind::Return(None)
            | TerminatorKind::Unreachable
            | TerminatorKind::Resume => {}
        }
        let mut slot = 0;
        let (log, mut result) = (self.log.len(), None);
        if let TerminatorKind::TryCall { dest: Some(dest), .. } = term {
            if dest.is_whole() && self.multi.contains(dest.local) {
                let of = dest.local;
                self.define(&mut dest.local);
                result = Some((of, dest.local));
            } else if !dest.is_whole() {
                self.place(&mut dest.local);
            }
        }
        self.on_edge[block] = result;
        let first: Vec<Operand> = match term.target(0) {
            Some(target) => target.args.iter().map(|&arg| self.operand(arg)).collect(),
            None => Vec::new(),
        };
        // The result is there on the first edge alone.
        for (local, value) in self.log.split_off(log) {
            self.current[local] = value;
        }
        term.for_each_target_mut(|target| {
            for (index, arg) in target.args.iter_mut().enumerate() {
                *arg = if slot == 0 { first[index] } else { self.operand(*arg) };
            }
            slot += 1;
        });
    }
}

/// By block with one edge into it, which is the normal edge of a call: the block with the call.
fn results_before(function: &Function) -> SecondaryMap<Block, Option<Block>> {
    let mut edges_in: SecondaryMap<Block, u32> = SecondaryMap::new();
    for data in function.blocks.values() {
        data.term.kind.for_each_target(|target| edges_in[target.block] += 1);
    }
    let mut before = SecondaryMap::new();
    for (block, data) in &function.blocks {
        if let TerminatorKind::TryCall { dest: Some(_), normal, .. } = &data.term.kind
            && edges_in[normal.block] == 1
            && normal.block.index() > 0
        {
            before[normal.block] = Some(block);
        }
    }
    before
}
