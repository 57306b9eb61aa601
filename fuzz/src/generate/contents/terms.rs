//! Terminators.

use super::body::{Body, Spread};
use super::types::Ty;
use crate::generate::graph::{Hint, Node};
use backedge_core::ir::{Operand, TerminatorKind};

/// What a terminator reads: its kind, what it tests or calls, and what its edges pass.
type Bytes = [u8; 8];

impl Body<'_> {
    /// The terminator of a block, with a slot for each successor.
    pub(super) fn terminator(&mut self, node: Node, bytes: Bytes) -> TerminatorKind {
        let data = &self.graph.nodes[node];
        let [kind, ..] = bytes;
        match data.succs.as_slice() {
            [] if data.hint == Hint::Landing => TerminatorKind::Resume,
            [] => self.exit(bytes),
            &[to] if kind < 244 => TerminatorKind::Jump(self.target(to, &mut Spread::new(&bytes))),
            &[first, second] => {
                let kind = if data.hint == Hint::Try { 192 + kind / 4 } else { kind };
                let other = match kind {
                    0..152 => None,
                    152..176 => Some(self.switch(&data.succs, bytes)),
                    176..236 => self.try_call(first, second, bytes),
                    236.. => self.try_drop(first, second, bytes),
                };
                other.unwrap_or_else(|| self.branch(first, second, bytes))
            }
            targets => self.switch(targets, bytes),
        }
    }

    fn branch(&mut self, first: Node, second: Node, bytes: Bytes) -> TerminatorKind {
        let [_, cond, rest @ ..] = bytes;
        let mut bytes = Spread::new(&rest);
        TerminatorKind::Branch {
            cond: self.operand(cond),
            then_to: self.target(first, &mut bytes),
            else_to: self.target(second, &mut bytes),
        }
    }

    fn switch(&mut self, targets: &[Node], bytes: Bytes) -> TerminatorKind {
        let [_, value, stride, rest @ ..] = bytes;
        let mut bytes = Spread::new(&rest);
        // Keys in a row mostly, far apart and in falling order at times.
        let stride = [1, 1, 1, 7, -1, 1 << 40][stride as usize % 6];
        let value = self.operand(value);
        let default = self.target(targets[0], &mut bytes);
        let cases = targets[1..].iter().enumerate();
        let cases = cases.map(|(index, &to)| (index as i64 * stride, self.target(to, &mut bytes)));
        TerminatorKind::Switch { value, default, cases: cases.collect() }
    }

    /// A call with an edge for each way it can end; `None` where nothing can be called.
    fn try_call(&mut self, normal: Node, unwind: Node, bytes: Bytes) -> Option<TerminatorKind> {
        let [_, which, dest, rest @ ..] = bytes;
        let mut bytes = Spread::new(&rest);
        let callee = self.unwinding_callee(which)?;
        let taken = callee.ret.filter(|&ty| ty != Ty::INT || dest < 232);
        let dest = taken.and_then(|ty| self.scope.write(ty, dest)).map(Into::into);
        let args = self.args(callee, &mut bytes);
        self.scope.enter_edge(normal);
        let normal = self.target(normal, &mut bytes);
        self.scope.leave_edge();
        let unwind = self.target(unwind, &mut bytes);
        let callee = callee.name.clone();
        Some(TerminatorKind::TryCall { dest, callee, args, normal, unwind })
    }

    /// A drop with an edge for each way it can end; `None` where there is nothing to drop.
    fn try_drop(&mut self, normal: Node, unwind: Node, bytes: Bytes) -> Option<TerminatorKind> {
        let [_, which, byte, rest @ ..] = bytes;
        let mut bytes = Spread::new(&rest);
        let (place, _) = self.owned_place(which, byte)?;
        let normal = self.target(normal, &mut bytes);
        let unwind = self.target(unwind, &mut bytes);
        Some(TerminatorKind::TryDrop { place, normal, unwind })
    }

    /// A terminator without successors.
    fn exit(&mut self, bytes: Bytes) -> TerminatorKind {
        let [kind, byte, ..] = bytes;
        match kind {
            0..200 => self.return_value(byte),
            200..222 => TerminatorKind::Unreachable,
            222..238 => TerminatorKind::Resume,
            238.. => match self.scope.read(Ty::THUNK, byte) {
                Some(thunk) => TerminatorKind::Enter(Operand::Local(thunk)),
                None => self.return_value(byte),
            },
        }
    }

    /// Returns what the signature says, if there is such a value here.
    fn return_value(&mut self, byte: u8) -> TerminatorKind {
        match self.ret {
            None => TerminatorKind::Return(None),
            Some(ty) => match self.value(ty, byte) {
                Some(value) => TerminatorKind::Return(Some(value)),
                None => TerminatorKind::Unreachable,
            },
        }
    }
}
