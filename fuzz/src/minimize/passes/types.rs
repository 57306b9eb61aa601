//! Turns values of other types into integers, for failures that their types have no part in.
//!
//! Where a value flows its type goes with it, so locals, parameters and results that pass values to
//! each other change together. They are found by union-find over the whole program.

use super::Pick;
use super::reads::return_local;
use backedge_core::ir::{
    Block, Function, Inst, Local, Name, Op, Operand, Place, Program, Target, TerminatorKind, Type,
};
use cranelift_entity::EntityRef;
use rustc_hash::FxHashMap;

/// Sites: sets of locals, parameters and results that are no integers and pass values to each other. They
/// become integers: what makes one becomes `const 0`, what takes or drops one a copy, and the
/// terminators that read one become a branch or a return of it.
pub(super) fn forget(program: &mut Program, pick: &mut Pick) {
    let mut flow = Flow::of(program);
    let mut picked: FxHashMap<usize, bool> = FxHashMap::default();
    for slot in 0..flow.parents.len() {
        if !flow.is_int[slot] {
            picked.entry(flow.root(slot)).or_insert_with(|| pick.site());
        }
    }
    if !picked.values().any(|&picked| picked) {
        return;
    }
    let mut is_picked = |slot: usize| picked.get(&flow.root(slot)).is_some_and(|&picked| picked);
    let mut slot = 0;
    for function in &mut program.functions {
        let first = slot;
        slot += function.locals.len() + 1;
        let locals: Vec<bool> = (first..slot - 1).map(&mut is_picked).collect();
        let result = is_picked(slot - 1);
        to_integers(function, &|local: Local| locals[local.index()], result);
    }
    for external in &mut program.externs {
        for ty in external.params.iter_mut().chain(external.ret.as_mut()) {
            if is_picked(slot) {
                *ty = Type::Int;
            }
            slot += 1;
        }
    }
}

/// Slots are what has a type: of each function its locals, then its result; of each extern its
/// parameters, then its result if it has one.
struct Flow {
    parents: Vec<usize>,
    is_int: Vec<bool>,
    /// By callee: the slots of its parameters, and of its result.
    callees: FxHashMap<Name, (Vec<usize>, usize)>,
}

impl Flow {
    /// Joins all slots that pass values to each other.
    fn of(program: &Program) -> Flow {
        let mut flow =
            Flow { parents: Vec::new(), is_int: Vec::new(), callees: FxHashMap::default() };
        let mut firsts = Vec::new();
        for function in &program.functions {
            let first = flow.parents.len();
            firsts.push(first);
            function.locals.values().for_each(|local| flow.add(Some(&local.ty)));
            let result = flow.parents.len();
            flow.add(function.ret.as_ref());
            let params = function.params.iter().map(|param| first + param.index()).collect();
            flow.callees.insert(function.name.clone(), (params, result));
        }
        for external in &program.externs {
            let first = flow.parents.len();
            external.params.iter().chain(&external.ret).for_each(|ty| flow.add(Some(ty)));
            let result = first + external.params.len();
            flow.callees.insert(external.name.clone(), ((first..result).collect(), result));
        }
        for (function, first) in program.functions.iter().zip(firsts) {
            flow.join_function(function, first);
        }
        flow
    }

    fn add(&mut self, ty: Option<&Type>) {
        self.parents.push(self.parents.len());
        self.is_int.push(ty.is_none_or(|ty| *ty == Type::Int));
    }

    fn root(&mut self, mut slot: usize) -> usize {
        while self.parents[slot] != slot {
            self.parents[slot] = self.parents[self.parents[slot]];
            slot = self.parents[slot];
        }
        slot
    }

    /// Integers pass to nothing else but integers, and are left alone.
    fn join(&mut self, one: usize, other: usize) {
        if !self.is_int[one] && !self.is_int[other] {
            let (one, other) = (self.root(one), self.root(other));
            self.parents[one.max(other)] = one.min(other);
        }
    }

    fn join_function(&mut self, function: &Function, first: usize) {
        let slot = |local: Local| first + local.index();
        for block in function.blocks.values() {
            for inst in &block.insts {
                self.join_inst(function, first, inst);
            }
            let kind = &block.term.kind;
            kind.for_each_target(|target| self.join_target(function, first, target));
            if let TerminatorKind::TryCall { dest, callee, args, .. } = kind {
                self.join_call(first, callee, args, dest.as_ref());
            }
            if let TerminatorKind::Return(Some(Operand::Local(value))) = kind {
                self.join(slot(*value), first + function.locals.len());
            }
        }
    }

    fn join_inst(&mut self, function: &Function, first: usize, inst: &Inst) {
        match &inst.op {
            Op::Call { callee, args } => self.join_call(first, callee, args, inst.dest.as_ref()),
            Op::Bind(target) => self.join_target(function, first, target),
            Op::Opaque(_) => {}
            _ => {
                let mut before = inst.dest.as_ref().map(|dest| first + dest.local.index());
                inst.for_each_use(|local| {
                    let slot = first + local.index();
                    self.join(*before.get_or_insert(slot), slot);
                });
            }
        }
    }

    fn join_target(&mut self, function: &Function, first: usize, target: &Target) {
        let params = &function.blocks[target.block].params;
        for (param, arg) in params.iter().zip(&target.args) {
            if let Operand::Local(arg) = arg {
                self.join(first + param.index(), first + arg.index());
            }
        }
    }

    fn join_call(&mut self, first: usize, callee: &Name, args: &[Operand], dest: Option<&Place>) {
        let Some((params, result)) = self.callees.get(callee).cloned() else { return };
        for (param, arg) in params.into_iter().zip(args) {
            if let Operand::Local(arg) = arg {
                self.join(param, first + arg.index());
            }
        }
        if let Some(dest) = dest {
            self.join(result, first + dest.local.index());
        }
    }
}

fn to_integers(function: &mut Function, is_picked: &impl Fn(Local) -> bool, result: bool) {
    if result {
        function.ret = Some(Type::Int);
    }
    let blocks: Vec<Block> = function.blocks.keys().collect();
    for block in blocks {
        let data = &mut function.blocks[block];
        data.insts.iter_mut().for_each(|inst| plain_inst(inst, is_picked));
        match &mut data.term.kind {
            TerminatorKind::TryDrop { place, normal, unwind } if is_picked(place.local) => {
                data.term.kind = branch(place.local, normal, unwind);
            }
            TerminatorKind::TryCall { dest: Some(dest), .. } if is_picked(dest.local) => {
                dest.path.clear();
            }
            TerminatorKind::Enter(Operand::Local(thunk)) if is_picked(*thunk) => {
                let thunk = *thunk;
                if matches!(function.ret, None | Some(Type::Int)) {
                    return_local(function, block, thunk);
                } else {
                    data.term.kind = TerminatorKind::Unreachable;
                }
            }
            _ => {}
        }
    }
    for (local, data) in function.locals.iter_mut() {
        if is_picked(local) {
            data.ty = Type::Int;
        }
    }
}

fn branch(cond: Local, then_to: &Target, else_to: &Target) -> TerminatorKind {
    let (then_to, else_to) = (then_to.clone(), else_to.clone());
    TerminatorKind::Branch { cond: Operand::Local(cond), then_to, else_to }
}

fn plain_inst(inst: &mut Inst, is_picked: &impl Fn(Local) -> bool) {
    match &inst.op {
        Op::New | Op::Bind(_) if inst.dest.as_ref().is_some_and(|dest| is_picked(dest.local)) => {
            inst.op = Op::Const(0);
        }
        Op::Move(place) if is_picked(place.local) => {
            inst.op = Op::Copy(Operand::Local(place.local));
        }
        Op::Drop(place) | Op::Destroy(place) if is_picked(place.local) => {
            let local = place.local;
            (inst.dest, inst.op) = (Some(local.into()), Op::Copy(Operand::Local(local)));
        }
        _ => {}
    }
    if let Some(dest) = &mut inst.dest
        && is_picked(dest.local)
    {
        dest.path.clear();
    }
}
