//! Begins and ends loops.
//!
//! A loop with one entry has that block's parameters as its loop-carried values. One with several begins
//! with a switch over its entries; every edge to one of them, from outside and from inside, has assigned
//! the entry's parameters and the selector that the switch asks. The body ends in whether to go on.

use super::emit::{Arrival, Emitter};
use super::forest::{LoopId, Target};
use super::pending::{State, Targets};
use crate::ir::{Operand, Operands};
use crate::thunks::form::{End, Loop, Node, Region};

/// A loop whose body is being made.
pub(super) struct Open {
    pub(super) of: LoopId,
    pub(super) body: Region,
    /// Where the loop stands.
    pub(super) region: Region,
    pub(super) inits: Operands,
}

impl Emitter<'_> {
    /// Gives a loop's body its inputs, and tells what they are the first time.
    pub(super) fn loop_inits(
        &mut self,
        of: LoopId,
        region: Region,
        body: Region,
        arrival: Arrival,
    ) -> Operands {
        let inputs = self.inputs(Target::Back(of));
        let inits = match arrival {
            Arrival::Jump(jump) if self.plan.has_entries(of) => {
                self.assign_inputs(region, jump);
                Operands::new()
            }
            Arrival::Jump(jump) => self.args(jump),
            Arrival::Assigned => inputs.iter().map(|&input| input.into()).collect(),
        };
        self.out.regions[body].inputs = inputs;
        inits
    }

    /// Ends the body of a loop, and tells what is pending after the loop.
    pub(super) fn loop_end(&mut self, open: Open, state: State) -> State {
        let Open { of, body, region, inits } = open;
        let back = Target::Back(of);
        let again = self.decide(body, &state, of);
        let left = state.targets().and_then(|targets| targets.without(back));
        let (mut outputs, mut values) = (Vec::new(), Operands::new());
        if let Some(Targets::One(target)) = left
            && let Some(jump) = self.lazy(target)
        {
            (outputs, values) = (self.inputs(target), self.args(jump));
            self.settled.insert(target);
        }
        if let Some(again) = again {
            let again = if left.is_none() { Operand::Const(1) } else { again };
            let carried = match self.lazy(back) {
                Some(jump) => self.args(jump),
                None => self.inputs(back).iter().map(|&input| input.into()).collect(),
            };
            self.end(body, End::Repeat { again, carried, outputs: values });
        }
        let span = self.out.regions[body].span;
        self.push(region, Node::Loop(Loop { body, inits, outputs, span }));
        match left {
            None => State::Dead,
            Some(Targets::One(target)) => State::Held(target),
            Some(targets) => State::Tagged(targets),
        }
    }
}
