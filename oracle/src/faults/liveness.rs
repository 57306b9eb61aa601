//! A naive liveness solver with a switch per fault.
//!
//! A backward fixpoint over blocks. The state of a block is its live-in; it starts empty, only
//! grows, and a block is queued again when the state of a successor grew, so it ends.

use crate::subject::{
    BlockLiveness, EdgeLiveness, LivenessAnswer, LivenessSolver, Locals, NoAnswer, Subject,
};
use backedge_core::ir::{Block, Function, Inst, Local, Op, Operand, Target};
use cranelift_entity::EntityRef;
use std::collections::VecDeque;

/// What can be wrong with the solver.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum LivenessFault {
    /// Phi operands are read in the phi's block, on every way into it.
    PhiAsSuccessorUse,
    /// Phi operands are read nowhere.
    PhiForgotten,
    /// A phi operand is left out of the live-out of a block that assigns it.
    PhiMissingFromLiveOut,
    /// Each block is visited once, in postorder.
    SinglePass,
    /// Only the first predecessor of a changed block is queued again.
    PredecessorNotRequeued,
    /// Assignments do not end a live range.
    DefinitionDoesNotKill,
    /// In one instruction, the assignment kills the read.
    KillBeforeUse,
    /// Nothing is said of unreachable blocks.
    UnreachableWithoutFacts,
    /// The phis of the target are live on the edge.
    EdgeKeepsPhiDefinitions,
    /// The worklist starts with the exits alone.
    SeededFromExits,
    /// A block whose live-out is empty, as it was at the start, is not transferred.
    SkipsInitialState,
    /// The worklist starts with the exits and what reaches none, and goes on only from blocks whose
    /// state changed.
    StopsAtInitialState,
    /// Of several edges between two blocks, only the arguments of the first count.
    ParallelEdgesMerged,
    /// The value operand of a store is no read.
    StoreValueNoUse,
    /// The result of a `try_call` is assigned on both edges.
    UnwindKillsResult,
}

use LivenessFault::*;

/// The solver as a subject.
#[derive(Clone, Debug)]
pub struct Naive {
    name: &'static str,
    fault: Option<LivenessFault>,
}

impl Naive {
    /// A solver with this fault; with none, it is right.
    pub fn new(name: &'static str, fault: Option<LivenessFault>) -> Naive {
        Naive { name, fault }
    }
}

impl Subject for Naive {
    fn name(&self) -> &str {
        self.name
    }

    fn liveness(&mut self) -> Option<&mut dyn LivenessSolver> {
        Some(self)
    }
}

impl LivenessSolver for Naive {
    fn liveness(&mut self, function: &Function) -> Result<LivenessAnswer, NoAnswer> {
        let mut solver = Solver::new(function, self.fault);
        solver.solve();
        Ok(solver.answer())
    }
}

/// By local: whether it is in the set.
type Set = Vec<bool>;

struct Solver<'f> {
    function: &'f Function,
    fault: Option<LivenessFault>,
    preds: Vec<Vec<Block>>,
    /// The state: by block, what is live after its parameters are bound.
    live_in: Vec<Set>,
}

impl<'f> Solver<'f> {
    fn new(function: &'f Function, fault: Option<LivenessFault>) -> Solver<'f> {
        let mut preds = vec![Vec::new(); function.blocks.len()];
        for (from, data) in &function.blocks {
            data.term.kind.for_each_target(|target| preds[target.block.index()].push(from));
        }
        let live_in = vec![vec![false; function.locals.len()]; function.blocks.len()];
        Solver { function, fault, preds, live_in }
    }

    fn has(&self, fault: LivenessFault) -> bool {
        self.fault == Some(fault)
    }

    fn solve(&mut self) {
        let mut queue: VecDeque<Block> = self.seeds().into();
        let mut queued = vec![false; self.live_in.len()];
        queue.iter().for_each(|block| queued[block.index()] = true);
        let mut visited = vec![false; self.live_in.len()];
        while let Some(block) = queue.pop_front() {
            queued[block.index()] = false;
            visited[block.index()] = true;
            let changed = self.visit(block);
            let again = match self.fault {
                Some(SinglePass) => 0,
                Some(PredecessorNotRequeued) => 1,
                _ => usize::MAX,
            };
            for &pred in self.preds[block.index()].iter().take(again) {
                let first_time = self.has(SeededFromExits) && !visited[pred.index()];
                if (changed || first_time) && !std::mem::replace(&mut queued[pred.index()], true) {
                    queue.push_back(pred);
                }
            }
        }
    }

    /// Where the worklist starts.
    fn seeds(&self) -> Vec<Block> {
        let exits = |block: &Block| self.targets(*block).is_empty();
        match self.fault {
            Some(SeededFromExits) => self.function.blocks.keys().filter(exits).collect(),
            Some(StopsAtInitialState) => {
                let starts = self.function.blocks.keys().filter(exits).collect();
                let can_exit = self.flood(starts, |block| self.preds[block.index()].clone());
                let start = |&b: &Block| exits(&b) || !can_exit[b.index()];
                self.function.blocks.keys().filter(start).collect()
            }
            _ => self.postorder(),
        }
    }

    /// Brings a block's state up to date, and tells whether it changed.
    fn visit(&mut self, block: Block) -> bool {
        if self.has(SkipsInitialState) && self.live_out(block).iter().all(|&live| !live) {
            return false;
        }
        let mut live = self.before_terminator(block);
        for inst in self.function.blocks[block].insts.iter().rev() {
            self.transfer(inst, &mut live);
        }
        if self.has(PhiAsSuccessorUse) {
            for &pred in &self.preds[block.index()] {
                let targets = self.targets(pred).into_iter();
                targets
                    .filter(|target| target.block == block)
                    .for_each(|t| add(&mut live, &t.args));
            }
        }
        let changed = live != self.live_in[block.index()];
        self.live_in[block.index()] = live;
        changed
    }

    fn targets(&self, block: Block) -> Vec<&'f Target> {
        let targets = self.function.blocks[block].term.kind.targets();
        let meant = |target: &&'f Target| -> &'f Target {
            let same = |other: &&&'f Target| other.block == target.block;
            let first = targets.iter().find(same).filter(|_| self.has(ParallelEdgesMerged));
            first.copied().unwrap_or(target)
        };
        targets.iter().map(meant).collect()
    }

    fn edge_live(&self, target: &Target) -> Set {
        let mut live = self.live_in[target.block.index()].clone();
        if !self.has(EdgeKeepsPhiDefinitions) {
            let params = &self.function.blocks[target.block].params;
            params.iter().for_each(|param| live[param.index()] = false);
        }
        if !self.has(PhiForgotten) && !self.has(PhiAsSuccessorUse) {
            add(&mut live, &target.args);
        }
        live
    }

    fn live_out(&self, block: Block) -> Set {
        let mut live = vec![false; self.function.locals.len()];
        for target in self.targets(block) {
            let mut edge = self.edge_live(target);
            if self.has(PhiMissingFromLiveOut) {
                let assigned = |local: Local| self.assigns(block, local);
                let args = target.args.iter().filter_map(|argument| argument.local());
                args.filter(|&local| assigned(local)).for_each(|local| edge[local.index()] = false);
            }
            join(&mut live, &edge);
        }
        live
    }

    fn before_terminator(&self, block: Block) -> Set {
        let term = &self.function.blocks[block].term.kind;
        let mut live = vec![false; self.function.locals.len()];
        for (slot, target) in self.targets(block).into_iter().enumerate() {
            let mut edge = self.edge_live(target);
            let slot = if self.has(UnwindKillsResult) { 0 } else { slot };
            if let Some(result) = term.edge_def(slot).filter(|_| !self.has(DefinitionDoesNotKill)) {
                edge[result.index()] = false;
            }
            join(&mut live, &edge);
        }
        term.for_each_use(|local| live[local.index()] = true);
        live
    }

    /// From what is live after an instruction to what is live before it.
    fn transfer(&self, inst: &Inst, live: &mut Set) {
        let kill = |live: &mut Set| {
            if !self.has(DefinitionDoesNotKill) {
                inst.for_each_def(|local| live[local.index()] = false);
            }
        };
        if !self.has(KillBeforeUse) {
            kill(live);
        }
        match &inst.op {
            Op::Store { addr, .. } if self.has(StoreValueNoUse) => add(live, &[*addr]),
            _ => inst.for_each_use(|local| live[local.index()] = true),
        }
        if self.has(KillBeforeUse) {
            kill(live);
        }
    }

    fn assigns(&self, block: Block, local: Local) -> bool {
        let mut found = false;
        for inst in &self.function.blocks[block].insts {
            inst.for_each_def(|def| found |= def == local);
        }
        found
    }

    /// All blocks, each after those that a search from it enters first.
    fn postorder(&self) -> Vec<Block> {
        let mut entered = vec![false; self.live_in.len()];
        let mut order = Vec::new();
        for root in self.function.blocks.keys() {
            let mut path = vec![(root, 0)];
            while let Some((block, next)) = path.pop() {
                if next == 0 && std::mem::replace(&mut entered[block.index()], true) {
                    continue;
                }
                match self.targets(block).get(next) {
                    Some(target) => path.extend([(block, next + 1), (target.block, 0)]),
                    None => order.push(block),
                }
            }
        }
        order
    }

    fn flood(&self, mut open: Vec<Block>, next: impl Fn(Block) -> Vec<Block>) -> Vec<bool> {
        let mut marked = vec![false; self.live_in.len()];
        while let Some(block) = open.pop() {
            if !std::mem::replace(&mut marked[block.index()], true) {
                open.extend(next(block));
            }
        }
        marked
    }

    fn answer(&self) -> LivenessAnswer {
        let told = match self.fault {
            Some(UnreachableWithoutFacts) => self.flood(vec![self.function.entry()], |block| {
                self.targets(block).iter().map(|target| target.block).collect()
            }),
            _ => vec![true; self.live_in.len()],
        };
        let mut answer = LivenessAnswer::default();
        let (mut edges, mut before, mut after) = (Vec::new(), Vec::new(), Vec::new());
        for (block, told) in self.function.blocks.keys().zip(told) {
            if !told {
                answer.blocks.push(None);
                before.push(Vec::new());
                after.push(Vec::new());
                continue;
            }
            let live_out = locals(&self.live_out(block));
            let live_in = locals(&self.live_in[block.index()]);
            answer.blocks.push(Some(BlockLiveness { live_in, live_out: Some(live_out.clone()) }));
            edges.extend(self.edges(block));
            let points = self.points(block);
            after.push(points[1..].iter().cloned().chain([live_out]).collect());
            before.push(points);
        }
        LivenessAnswer { edges: Some(edges), before: Some(before), after: Some(after), ..answer }
    }

    fn edges(&self, from: Block) -> impl Iterator<Item = EdgeLiveness> {
        self.targets(from).into_iter().enumerate().map(move |(slot, target)| EdgeLiveness {
            from,
            to: target.block,
            slot: Some(slot as u32),
            live: locals(&self.edge_live(target)),
        })
    }

    /// What is live before each instruction.
    fn points(&self, block: Block) -> Vec<Locals> {
        let mut live = self.before_terminator(block);
        let mut points = vec![locals(&live)];
        for inst in self.function.blocks[block].insts.iter().rev() {
            self.transfer(inst, &mut live);
            points.push(locals(&live));
        }
        points.reverse();
        points
    }
}

fn add(set: &mut Set, operands: &[Operand]) {
    operands.iter().filter_map(|operand| operand.local()).for_each(|l| set[l.index()] = true);
}

fn join(set: &mut Set, other: &Set) {
    set.iter_mut().zip(other).for_each(|(live, &other)| *live |= other);
}

fn locals(set: &Set) -> Locals {
    set.iter().enumerate().filter(|(_, live)| **live).map(|(local, _)| Local::new(local)).collect()
}
