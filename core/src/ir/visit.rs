//! Every occurrence of a local, in the order in which the text form shows them.

use super::{Inst, Local, Op, Operand, Target, TerminatorKind};

fn operand(operand: &mut Operand, visit: &mut impl FnMut(&mut Local)) {
    if let Operand::Local(local) = operand {
        visit(local);
    }
}

fn operands(operands: &mut [Operand], visit: &mut impl FnMut(&mut Local)) {
    operands.iter_mut().for_each(|o| operand(o, visit));
}

impl Target {
    /// Calls `visit` on each local among the arguments.
    pub fn for_each_local_mut(&mut self, visit: &mut impl FnMut(&mut Local)) {
        operands(&mut self.args, visit);
    }
}

impl Inst {
    /// Calls `visit` on each local that occurs, whether read or written, whole or in part.
    pub fn for_each_local_mut(&mut self, visit: &mut impl FnMut(&mut Local)) {
        if let Some(dest) = &mut self.dest {
            visit(&mut dest.local);
        }
        match &mut self.op {
            Op::Const(_) | Op::New => {}
            Op::Copy(a) | Op::Load(a) => operand(a, visit),
            Op::Select(c, a, b) => [c, a, b].into_iter().for_each(|o| operand(o, visit)),
            Op::Binary(_, a, b) | Op::Store { addr: a, value: b } => {
                [a, b].into_iter().for_each(|o| operand(o, visit));
            }
            Op::Call { args, .. } => operands(args, visit),
            Op::Bind(target) => target.for_each_local_mut(visit),
            Op::Move(place) | Op::Drop(place) | Op::Destroy(place) => visit(&mut place.local),
            Op::Opaque(opaque) => {
                opaque.defs.iter_mut().for_each(&mut *visit);
                opaque.uses.iter_mut().for_each(&mut *visit);
                opaque.partial.iter_mut().for_each(visit);
            }
        }
    }
}

impl TerminatorKind {
    /// Calls `visit` on each local that occurs, arguments of edges among them.
    pub fn for_each_local_mut(&mut self, visit: &mut impl FnMut(&mut Local)) {
        match self {
            TerminatorKind::Branch { cond: read, .. }
            | TerminatorKind::Switch { value: read, .. }
            | TerminatorKind::Enter(read)
            | TerminatorKind::Return(Some(read)) => operand(read, visit),
            TerminatorKind::TryCall { dest, args, .. } => {
                if let Some(dest) = dest {
                    visit(&mut dest.local);
                }
                operands(args, visit);
            }
            TerminatorKind::TryDrop { place, .. } => visit(&mut place.local),
            TerminatorKind::Jump(_)
            | TerminatorKind::Return(None)
            | TerminatorKind::Unreachable
            | TerminatorKind::Resume => {}
        }
        self.for_each_target_mut(|target| target.for_each_local_mut(visit));
    }
}
