//! Jump threading: an edge to a block without instructions goes on to where that block leads, if it is
//! known on the edge.
//!
//! What is known on an edge: the arguments that are constants, and the constants that its source has
//! assigned to locals that such blocks ask ([`Facts::known`]). A block can be passed if nobody misses its
//! parameters: they are not live where the edge ends, or assigned again there. Blocks that only jump
//! are followed once and for all ([`Facts::forward`]), and chains of guards that ask one local are looked
//! up by its value ([`chains`](super::chains)), so that an edge takes a few steps however long the way.
//!
//! What the header of a loop asks is asked of every round, even if an edge knows the answer: else the loop
//! would get a second entry. So what was reducible stays so.

use super::chains::Chains;
use super::facts::Facts;
use crate::cfg::Cfg;
use crate::dataflow::liveness::Liveness;
use crate::entity::Block;
use crate::ir::{Function, Local, Operand, Operands, Target, TerminatorKind};
use cranelift_entity::{EntityRef, PrimaryMap};

/// Threads every edge, and leaves out what can't be reached any more. With `ends`, a jump to a block that
/// only returns, resumes or can't be reached becomes that itself.
pub(super) fn thread(function: &mut Function, ends: bool) {
    remove_unreachable(function);
    let terms: Vec<TerminatorKind> = {
        let cfg = Cfg::build(&*function);
        let liveness = Liveness::solve(&*function, &cfg);
        let facts = Facts::new(function, &cfg, &liveness);
        let threader = Threader { function, ends, chains: Chains::new(function, &facts), facts };
        function.blocks.keys().map(|block| threader.terminator(block)).collect()
    };
    for (data, kind) in function.blocks.values_mut().zip(terms) {
        data.term.kind = kind;
    }
    remove_unreachable(function);
}

struct Threader<'f> {
    function: &'f Function,
    ends: bool,
    facts: Facts<'f>,
    chains: Chains,
}

impl Threader<'_> {
    fn terminator(&self, block: Block) -> TerminatorKind {
        let mut kind = self.function.blocks[block].term.kind.clone();
        kind.for_each_target_mut(|target| *target = self.follow(block, target));
        let kind = simplify(kind);
        let TerminatorKind::Jump(to) = &kind else { return kind };
        if !self.ends {
            return kind;
        }
        let data = &self.function.blocks[to.block];
        match &data.term.kind {
            TerminatorKind::Return(value) if data.insts.is_empty() => {
                TerminatorKind::Return(value.map(|value| substitute(value, &data.params, &to.args)))
            }
            TerminatorKind::Resume if data.insts.is_empty() => TerminatorKind::Resume,
            TerminatorKind::Unreachable if data.insts.is_empty() => TerminatorKind::Unreachable,
            _ => kind,
        }
    }

    /// Where an edge from `from` ends.
    fn follow(&self, from: Block, target: &Target) -> Target {
        let mut at = target.clone();
        // A circle of blocks without instructions has no end.
        for _ in 0..=self.function.blocks.len() {
            let params = &self.function.blocks[at.block].params;
            if let Some(forward) = self.facts.forward(at.block) {
                at = apply(&forward.target, params, &at.args);
                if forward.header {
                    return at;
                }
            } else if self.facts.is_header(at.block) {
                return at;
            } else if let Some(next) = self.decide(from, &at) {
                at = next;
            } else {
                return at;
            }
        }
        target.clone()
    }

    /// Where an edge goes on from a block that asks what is known.
    fn decide(&self, from: Block, at: &Target) -> Option<Target> {
        let data = &self.function.blocks[at.block];
        if !data.insts.is_empty() {
            return None;
        }
        let known = |operand: Operand| match substitute(operand, &data.params, &at.args) {
            Operand::Const(value) => Some(value),
            Operand::Local(local) => self.facts.known(from, local),
        };
        let next = match &data.term.kind {
            TerminatorKind::Branch { cond, then_to, else_to } => {
                if known(*cond)? != 0 {
                    then_to
                } else {
                    else_to
                }
            }
            TerminatorKind::Switch { value, .. } => {
                let value = known(*value)?;
                let asked = self.chains.skip(at.block, value);
                let TerminatorKind::Switch { default, cases, .. } =
                    &self.function.blocks[asked].term.kind
                else {
                    return None;
                };
                cases.iter().find(|(key, _)| *key == value).map_or(default, |(_, to)| to)
            }
            _ => return None,
        };
        let passed = self.facts.can_pass(self.function, &data.params, next);
        passed.then(|| apply(next, &data.params, &at.args))
    }
}

/// A target with the arguments for `params` put in.
pub(super) fn apply(target: &Target, params: &[Local], args: &[Operand]) -> Target {
    let args: Operands = target.args.iter().map(|&arg| substitute(arg, params, args)).collect();
    Target { block: target.block, args }
}

/// What an operand is where `params` are `args`.
pub(super) fn substitute(operand: Operand, params: &[Local], args: &[Operand]) -> Operand {
    let Operand::Local(local) = operand else { return operand };
    match params.iter().position(|&param| param == local) {
        Some(index) => args.get(index).copied().unwrap_or(operand),
        None => operand,
    }
}

/// A selection that selects nothing is a jump.
fn simplify(kind: TerminatorKind) -> TerminatorKind {
    match kind {
        TerminatorKind::Branch { cond: Operand::Const(cond), then_to, else_to } => {
            TerminatorKind::Jump(if cond != 0 { then_to } else { else_to })
        }
        TerminatorKind::Branch { then_to, else_to, .. } if then_to == else_to => {
            TerminatorKind::Jump(then_to)
        }
        TerminatorKind::Switch { value: Operand::Const(value), default, cases } => {
            let case = cases.into_iter().find(|(key, _)| *key == value);
            TerminatorKind::Jump(case.map_or(default, |(_, to)| to))
        }
        TerminatorKind::Switch { default, cases, .. }
            if cases.iter().all(|(_, to)| *to == default) =>
        {
            TerminatorKind::Jump(default)
        }
        kind => kind,
    }
}

/// Leaves out blocks that the entry does not reach; the others stay in order.
pub(super) fn remove_unreachable(function: &mut Function) {
    let mut reached = vec![false; function.blocks.len()];
    let mut work: Vec<Block> = function.blocks.keys().take(1).collect();
    while let Some(block) = work.pop() {
        if !std::mem::replace(&mut reached[block.index()], true) {
            function.blocks[block].term.kind.for_each_target(|target| work.push(target.block));
        }
    }
    keep(function, &reached);
}

/// Leaves out blocks that nothing kept leads to.
pub(super) fn keep(function: &mut Function, kept: &[bool]) {
    let mut new = vec![Block::from_u32(0); function.blocks.len()];
    let old = std::mem::replace(&mut function.blocks, PrimaryMap::new());
    for (block, data) in old {
        if kept[block.index()] {
            new[block.index()] = function.blocks.push(data);
        }
    }
    for data in function.blocks.values_mut() {
        data.term.kind.for_each_target_mut(|target| target.block = new[target.block.index()]);
    }
}
