//! What code does to what it owns: initialize it, or move it out.
//!
//! One account for the analysis, the classes and the elaboration. What is named as an operand is moved, and
//! so is what is dropped; results and parameters are initialized. `try_drop` is told of on its edges, since
//! whether one of them is there may depend on what it drops; so is the result of `try_call`.

use crate::ir::{Function, Inst, Local, Op, Operand, Place, TerminatorKind};

/// What happens to a place.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// All of it is initialized.
    Init,
    /// Perhaps some of it is: another language assigns a part.
    Perhaps,
    /// None of it is any more.
    Uninit,
}

struct Teller<'v, 'f> {
    function: &'f Function,
    visit: &'v mut dyn FnMut(&Place, Effect),
}

impl Teller<'_, '_> {
    fn local(&mut self, local: Local, effect: Effect) {
        if self.function.locals[local].ty.is_owned() {
            (self.visit)(&Place::from(local), effect);
        }
    }

    fn place(&mut self, place: &Place, effect: Effect) {
        if self.function.locals[place.local].ty.is_owned() {
            (self.visit)(place, effect);
        }
    }

    fn moved(&mut self, operands: &[Operand]) {
        for local in operands.iter().filter_map(|operand| operand.local()) {
            self.local(local, Effect::Uninit);
        }
    }
}

/// What an instruction does, in order.
pub fn of_inst(function: &Function, inst: &Inst, visit: &mut dyn FnMut(&Place, Effect)) {
    let mut tell = Teller { function, visit };
    match &inst.op {
        Op::Copy(a) | Op::Load(a) => tell.moved(&[*a]),
        Op::Select(c, a, b) => tell.moved(&[*c, *a, *b]),
        Op::Binary(_, a, b) => tell.moved(&[*a, *b]),
        Op::Store { addr, value } => tell.moved(&[*addr, *value]),
        Op::Call { args, .. } => tell.moved(args),
        Op::Bind(target) => tell.moved(&target.args),
        Op::Move(place) | Op::Drop(place) | Op::Destroy(place) => tell.place(place, Effect::Uninit),
        Op::Const(_) | Op::New => {}
        Op::Opaque(opaque) => {
            opaque.defs.iter().for_each(|&local| tell.local(local, Effect::Init));
            opaque.partial.iter().for_each(|&local| tell.local(local, Effect::Perhaps));
        }
    }
    if let Some(dest) = &inst.dest {
        tell.place(dest, Effect::Init);
    }
}

/// What a terminator does before control takes an edge.
pub fn of_term(function: &Function, term: &TerminatorKind, visit: &mut dyn FnMut(&Place, Effect)) {
    let mut tell = Teller { function, visit };
    match term {
        TerminatorKind::TryCall { args, .. } => tell.moved(args),
        TerminatorKind::Return(Some(value)) => tell.moved(&[*value]),
        _ => {}
    }
}

/// What happens on the edge in a slot, in order; parameters of the target last.
pub fn of_edge(
    function: &Function,
    term: &TerminatorKind,
    slot: usize,
    visit: &mut dyn FnMut(&Place, Effect),
) {
    let mut tell = Teller { function, visit };
    match term {
        TerminatorKind::TryDrop { place, .. } => tell.place(place, Effect::Uninit),
        TerminatorKind::TryCall { dest: Some(dest), .. } if slot == 0 => {
            tell.place(dest, Effect::Init);
        }
        _ => {}
    }
    if let Some(target) = term.target(slot) {
        tell.moved(&target.args);
        let params = &function.blocks[target.block].params;
        params.iter().for_each(|&param| tell.local(param, Effect::Init));
    }
}
