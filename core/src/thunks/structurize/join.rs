//! Ends the arms of a selection.
//!
//! If all paths lead to one target, its inputs are the selection's outputs. If they lead to several, each
//! path assigns the inputs of its target and says in the tag which it is. What follows depends on where
//! the selection stands: at the end of a loop's body, each path yields whether to go on; at the end of the
//! function, each path leaves it.

use super::emit::{Arms, Emitter, Tail};
use super::forest::{LoopId, Target};
use super::pending::{Jump, State, Targets};
use crate::diagnostic::Span;
use crate::ir::{Inst, Local, Op, Operand, Operands, Place, Type};
use crate::thunks::form::{End, Node, On, Region, Select};
use rustc_hash::FxHashMap;
use smallvec::smallvec;

/// How an arm ends.
#[derive(Copy, Clone)]
enum Form {
    Direct(Jump),
    Held(Target),
    Tagged,
}

impl Emitter<'_> {
    /// Puts a selection into its region, and tells what is pending after it.
    pub(super) fn join(&mut self, arms: Arms) -> State {
        match arms.tail {
            Tail::Nothing => self.join_plain(arms),
            Tail::Function => {
                let Arms { on, region, done, .. } = arms;
                let regions = done.iter().map(|(arm, _)| *arm).collect();
                for (arm, state) in done {
                    self.leave(arm, state);
                }
                self.push_select(on, region, regions, Vec::new());
                State::Dead
            }
            Tail::Loop(of) => self.join_at_loop_end(arms, of),
        }
    }

    fn push_select(&mut self, on: On, region: Region, arms: Vec<Region>, outputs: Vec<Local>) {
        let span = self.out.regions[region].end_span;
        self.push(region, Node::Select(Select { on, arms, outputs, span }));
    }

    fn join_plain(&mut self, arms: Arms) -> State {
        let Arms { on, region, done, guard, .. } = arms;
        let regions: Vec<Region> = done.iter().map(|(arm, _)| *arm).collect();
        let mut all: Option<Targets> = None;
        let mut live = Vec::new();
        for (arm, state) in done {
            let state = state.unwrap_or(State::Dead);
            let form = match &state {
                State::Dead => continue,
                State::Direct(jump) => Form::Direct(*jump),
                _ => state.single().map_or(Form::Tagged, Form::Held),
            };
            live.push((arm, form));
            all = union(all, state.targets());
        }
        let (outputs, state) = match all {
            None => (Vec::new(), State::Dead),
            Some(Targets::One(target)) => {
                (self.join_one(&live, target, guard), State::Held(target))
            }
            Some(targets) => {
                for (arm, form) in live {
                    self.tag_arm(arm, form);
                    self.end(arm, End::Yield(Operands::new()));
                }
                (Vec::new(), State::Tagged(targets))
            }
        };
        self.push_select(on, region, regions, outputs);
        state
    }

    /// Ends arms that all lead to one target, and gives the outputs.
    fn join_one(&mut self, live: &[(Region, Form)], target: Target, guard: bool) -> Vec<Local> {
        let direct = live.iter().any(|(_, form)| matches!(form, Form::Direct(_)));
        let yields =
            direct && !guard && self.lazy(target).is_none() && self.many_entries(target).is_none();
        let outputs = if yields { self.inputs(target) } else { Vec::new() };
        for &(arm, form) in live {
            let values = match form {
                Form::Direct(jump) if yields => self.args(jump),
                Form::Direct(jump) => {
                    self.commit(arm, jump, false);
                    Operands::new()
                }
                _ => outputs.iter().map(|&output| output.into()).collect(),
            };
            self.end(arm, End::Yield(values));
        }
        outputs
    }

    /// Says at the end of an arm which target it leads to, whose inputs are assigned.
    fn tag_arm(&mut self, arm: Region, form: Form) {
        match form {
            Form::Direct(jump) => self.commit(arm, jump, true),
            Form::Held(target) => self.set_tag(arm, target),
            Form::Tagged => {}
        }
    }

    fn join_at_loop_end(&mut self, arms: Arms, of: LoopId) -> State {
        let Arms { on, region, done, .. } = arms;
        let regions: Vec<Region> = done.iter().map(|(arm, _)| *arm).collect();
        let mut all: Option<Targets> = None;
        let (mut values, mut live) = (Vec::new(), Vec::new());
        for (arm, state) in done {
            let state = state.unwrap_or(State::Dead);
            if let Some(again) = self.decide(arm, &state, of) {
                values.push(again);
                live.push(arm);
                all = union(all, state.targets());
            }
        }
        let Some(all) = all else {
            self.push_select(on, region, regions, Vec::new());
            return State::Dead;
        };
        let same = matches!(values[0], Operand::Const(_)) && values.iter().all(|v| *v == values[0]);
        for (&arm, &again) in live.iter().zip(&values) {
            let yields = if same { Operands::new() } else { smallvec![again] };
            self.end(arm, End::Yield(yields));
        }
        if same {
            self.push_select(on, region, regions, Vec::new());
            return State::Decided(all, values[0]);
        }
        let empty = regions.iter().all(|&arm| self.out.regions[arm].nodes.is_empty());
        if let (On::If(cond), [Operand::Const(1), Operand::Const(0)], true) =
            (&on, &values[..], empty)
        {
            return State::Decided(all, *cond);
        }
        let again = self.again(of);
        self.push_select(on, region, regions, vec![again]);
        State::Decided(all, again.into())
    }

    /// Whether a path goes on with the loop at whose end it is; `None` if it never gets there.
    pub(super) fn decide(&mut self, region: Region, state: &State, of: LoopId) -> Option<Operand> {
        let back = Target::Back(of);
        let many = self.plan.many_exits[of];
        match state {
            State::Dead => None,
            State::Decided(_, again) => Some(*again),
            State::Direct(jump) => {
                self.commit(region, *jump, many && jump.target != back);
                Some(Operand::Const((jump.target == back).into()))
            }
            State::Held(target) => {
                if many && *target != back {
                    self.set_tag(region, *target);
                }
                Some(Operand::Const((*target == back).into()))
            }
            State::Tagged(targets) => Some(match (targets.single(), targets.contains(back)) {
                (Some(target), _) => Operand::Const((target == back).into()),
                (None, false) => Operand::Const(0),
                (None, true) => self.is_tagged(region, back, of),
            }),
        }
    }

    /// A selection that asks the tag for the next round of a loop.
    fn is_tagged(&mut self, region: Region, back: Target, of: LoopId) -> Operand {
        let on = On::Switch(self.tag().into(), vec![self.number(back)]);
        let arms = [1, 0].map(|value| {
            let arm = self.region();
            self.end(arm, End::Yield(smallvec![Operand::Const(value)]));
            arm
        });
        let again = self.again(of);
        self.push_select(on, region, arms.to_vec(), vec![again]);
        again.into()
    }

    /// Leaves the function at the end of a region.
    pub(super) fn leave(&mut self, region: Region, state: Option<State>) {
        let single = state.as_ref().and_then(State::single);
        let end = match (state, single) {
            (None | Some(State::Dead), _) => return,
            (Some(State::Direct(jump)), Some(Target::Return)) => {
                End::Return(self.args(jump).first().copied())
            }
            (_, Some(Target::Return)) => self.return_held(),
            (_, Some(_)) => End::Resume,
            (_, None) => {
                let on = On::Switch(self.tag().into(), vec![self.number(Target::Return)]);
                let arms = [self.region(), self.region()];
                let held = self.return_held();
                self.end(arms[0], held);
                self.end(arms[1], End::Resume);
                return self.push_select(on, region, arms.to_vec(), Vec::new());
            }
        };
        self.end(region, end);
    }

    fn return_held(&mut self) -> End {
        End::Return(self.inputs(Target::Return).first().map(|&local| local.into()))
    }

    /// Assigns what a jump gives to its target, unless that can wait, and says which target it is.
    pub(super) fn commit(&mut self, region: Region, jump: Jump, tag: bool) {
        if self.lazy(jump.target).is_none() {
            self.assign_inputs(region, jump);
        }
        if tag {
            self.set_tag(region, jump.target);
        }
    }

    /// Assigns what a jump gives to its target.
    pub(super) fn assign_inputs(&mut self, region: Region, jump: Jump) {
        let args = self.args(jump);
        let (locals, entry) = self.assigned(jump);
        self.assign(region, &locals, &args);
        if let Some((of, number)) = entry {
            let selector = self.selector(of);
            self.inst(region, selector, Op::Const(number));
        }
    }

    fn set_tag(&mut self, region: Region, target: Target) {
        let (tag, number) = (self.tag(), self.number(target));
        self.inst(region, tag, Op::Const(number));
    }

    fn inst(&mut self, region: Region, dest: Local, op: Op) {
        let inst = Inst { dest: Some(Place::from(dest)), op, span: Span::NONE };
        self.push(region, Node::Inst(inst));
    }

    /// Assigns to several locals at once. What one of them holds before, and a later one is assigned, is
    /// kept in a local of its own.
    fn assign(&mut self, region: Region, locals: &[Local], args: &[Operand]) {
        let places: FxHashMap<Local, usize> =
            locals.iter().enumerate().map(|(index, &local)| (local, index)).collect();
        let mut values: Operands = args.iter().copied().collect();
        for (index, value) in values.iter_mut().enumerate() {
            let Operand::Local(local) = *value else { continue };
            if places.get(&local).is_some_and(|&place| place < index) {
                let ty = self.out.locals[local].ty.clone();
                let kept = self.fresh.local(&mut self.out.locals, "kept", ty);
                self.copy(region, kept, *value);
                *value = kept.into();
            }
        }
        for (&local, value) in locals.iter().zip(values) {
            // A resource moves even to where it is, so that every edge is seen to give it.
            if value != Operand::Local(local) || self.out.locals[local].ty.is_owned() {
                self.copy(region, local, value);
            }
        }
    }

    fn copy(&mut self, region: Region, dest: Local, value: Operand) {
        let op = match value {
            Operand::Const(value) => Op::Const(value),
            Operand::Local(local) => match self.out.locals[local].ty {
                Type::Own | Type::Aggregate(_) => Op::Move(local.into()),
                Type::Int | Type::Thunk => Op::Copy(value),
            },
        };
        self.inst(region, dest, op);
    }
}

fn union(all: Option<Targets>, more: Option<Targets>) -> Option<Targets> {
    match (all, more) {
        (Some(a), Some(b)) => Some(a.union(b)),
        (a, b) => a.or(b),
    }
}
