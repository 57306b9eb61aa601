//! Makes owned values of a function behave as those of a compiler's input do: dropped where scopes end, and,
//! in a case that can be run, never used where they may be moved out.
//!
//! What may be initialized where is asked of the reference, which is right by definition. A use of what may
//! be not is preceded by a drop of the rest and a new value; one local named twice in one breath is
//! replaced by a fresh one.

use crate::generate::graph::Graph;
use backedge_core::diagnostic::Span;
use backedge_core::ir::{
    Block, Function, Inst, Local, LocalData, Op, Operand, Place, TerminatorKind,
};
use backedge_oracle::reference::initialized;
use backedge_oracle::subject::{Maybe, Resources, Unwinding};
use cranelift_entity::EntityRef;
use smallvec::SmallVec;

/// Drops locals in reverse order of their declaration wherever the function is left, each in every other
/// place, but not in blocks that are to be empty.
pub(super) fn end_scopes(function: &mut Function, graph: &Graph) {
    let owned = function.locals.iter().filter(|(_, data)| data.ty.is_owned());
    let owned: Vec<Local> = owned.map(|(local, _)| local).collect();
    let filled = |block: Block| !graph.nodes[block.index()].empty;
    for (block, data) in function.blocks.iter_mut().filter(|&(block, _)| filled(block)) {
        let returned = match &data.term.kind {
            TerminatorKind::Return(value) => value.and_then(Operand::local),
            TerminatorKind::Resume => None,
            _ => continue,
        };
        for &local in owned.iter().rev() {
            let is_left = (7 * local.index() + 3 * block.index()) % 4 < 2;
            if Some(local) != returned && !is_left {
                data.insts.push(inst(None, Op::Drop(local.into())));
            }
        }
    }
}

fn inst(dest: Option<Place>, op: Op) -> Inst {
    Inst { dest, op, span: Span::NONE }
}

/// Largest functions that are repaired, in instructions times locals.
const LARGEST: usize = 1 << 20;

/// Sees to it that nothing is used that may be moved out, unless the function is too large to know.
pub(super) fn repair(function: &mut Function) {
    let points = function.inst_count() + function.blocks.len();
    if points * function.locals.len() > LARGEST {
        return;
    }
    let states = initialized::drops(function, Unwinding::Always).before.unwrap_or_default();
    let blocks: Vec<Block> = function.blocks.keys().collect();
    for (block, states) in blocks.into_iter().zip(states) {
        repair_block(function, block, &states);
    }
}

fn repair_block(function: &mut Function, block: Block, states: &[Resources]) {
    let old = std::mem::take(&mut function.blocks[block].insts);
    let mut insts = Vec::with_capacity(old.len() + 4);
    for (mut of, state) in old.into_iter().zip(states) {
        let mut fix =
            Fix { function, insts: &mut insts, state: state.as_deref(), used: SmallVec::new() };
        match &mut of.op {
            Op::Call { args, .. } => args.iter_mut().for_each(|arg| fix.operand(arg)),
            Op::Move(place) | Op::Destroy(place) => fix.place(place),
            _ => {}
        }
        insts.push(of);
    }
    let mut term = function.blocks[block].term.clone();
    let state = states.last().and_then(|state| state.as_deref());
    let mut fix = Fix { function, insts: &mut insts, state, used: SmallVec::new() };
    fix.terminator(&mut term.kind);
    function.blocks[block].term = term;
    function.blocks[block].insts = insts;
}

/// Repairs one instruction or terminator.
struct Fix<'a> {
    function: &'a mut Function,
    insts: &'a mut Vec<Inst>,
    /// Before it; `None` where control never gets.
    state: Option<&'a [Maybe]>,
    /// Locals that it has moved already.
    used: SmallVec<[Local; 4]>,
}

impl Fix<'_> {
    fn terminator(&mut self, term: &mut TerminatorKind) {
        let mut result = None;
        match term {
            TerminatorKind::TryCall { dest, args, .. } => {
                args.iter_mut().for_each(|arg| self.operand(arg));
                result = dest.as_ref().filter(|dest| dest.is_whole()).map(|dest| dest.local);
            }
            TerminatorKind::TryDrop { place, .. } => self.used.push(place.local),
            TerminatorKind::Return(Some(value)) => self.operand(value),
            _ => {}
        }
        let used = self.used.clone();
        let mut slot = 0;
        term.for_each_target_mut(|target| {
            self.used = used.clone();
            for arg in &mut target.args {
                // The result of a call is there on its normal edge, once.
                if slot == 0 && arg.local().is_some() && arg.local() == result {
                    result = None;
                } else {
                    self.operand(arg);
                }
            }
            slot += 1;
        });
    }

    fn operand(&mut self, operand: &mut Operand) {
        let Operand::Local(local) = *operand else { return };
        let ty = self.function.locals[local].ty.clone();
        if !ty.is_owned() {
            return;
        }
        if self.used.contains(&local) {
            let data = LocalData { name: Default::default(), ty, span: Span::NONE };
            let fresh = self.function.locals.push(data);
            self.insts.push(inst(Some(fresh.into()), Op::New));
            *operand = Operand::Local(fresh);
            return;
        }
        self.used.push(local);
        self.place(&Place::from(local));
    }

    /// Makes sure of a place.
    fn place(&mut self, place: &Place) {
        let Some(state) = self.state else { return };
        let resources = initialized::resources_of(self.function, place);
        // Locals that were added here come behind all that the states are of.
        let maybe = || resources.clone().filter_map(|resource| state.get(resource));
        if maybe().all(|maybe| !maybe.uninitialized) {
            return;
        }
        if maybe().any(|maybe| maybe.initialized) {
            self.insts.push(inst(None, Op::Drop(place.clone())));
        }
        self.insts.push(inst(Some(place.clone()), Op::New));
    }
}
