//! Which blocks can be cleanup blocks of MIR, and which unwind edges can be unwind edges there.
//!
//! In MIR, control comes into a cleanup block by unwinding alone, and never leaves by returning. Our unwind edges
//! may lead anywhere. So a block is a cleanup block if each edge into it is an unwind edge or comes from one,
//! if all that follow it are, and if it does not return. This is the largest such set: all blocks are taken for
//! cleanup, and those that break a rule are taken out, with what follows from that, until none is left that
//! does. What unwinds elsewhere is told rustc as an ordinary branch.
//!
//! rustc further wants cleanup blocks to be what funclets of some targets can be: with those contracted that one of
//! them dominates, each leads to one other at most, and never in a circle. All that resumes counts as one place to
//! lead to, since a pass of its own brings that together. A head that breaks this is taken out as well.

use backedge_core::cfg::{Cfg, Dominators};
use backedge_core::ir::{Block, BlockData, Function, TerminatorKind};
use std::collections::BTreeMap;

/// Which blocks are for cleaning up.
#[derive(Clone, Debug)]
pub(super) struct Cleanup {
    is_cleanup: Vec<bool>,
    /// Whether `try_drop` has an unwind edge of MIR everywhere; it has nowhere otherwise.
    pub(super) drops_unwind: bool,
}

impl Cleanup {
    pub(super) fn new(function: &Function) -> Cleanup {
        let with_drops = Cleanup { is_cleanup: largest(function, true), drops_unwind: true };
        let unwinds = |(block, data): (Block, &BlockData)| match &data.term.kind {
            TerminatorKind::TryDrop { unwind, .. } => {
                !with_drops.is_cleanup(block) && with_drops.is_cleanup(unwind.block)
            }
            _ => true,
        };
        if function.blocks.iter().all(unwinds) {
            return with_drops;
        }
        Cleanup { is_cleanup: largest(function, false), drops_unwind: false }
    }

    pub(super) fn is_cleanup(&self, block: Block) -> bool {
        self.is_cleanup[block.as_u32() as usize]
    }

    /// Whether the unwind edge from one block to another is one in MIR.
    pub(super) fn is_unwind(&self, from: Block, to: Block) -> bool {
        !self.is_cleanup(from) && self.is_cleanup(to)
    }
}

/// The largest set of blocks that can be cleanup blocks, but for heads that no funclet can have.
fn largest(function: &Function, drops_unwind: bool) -> Vec<bool> {
    let cfg = Cfg::build(function);
    let dominators = Dominators::new(&cfg);
    let mut may = vec![true; function.blocks.len()];
    may[0] = false;
    loop {
        let found = within(function, drops_unwind, may.clone());
        let Some(head) = no_funclet(function, &dominators, &found) else { return found };
        may[head.as_u32() as usize] = false;
    }
}

/// The head of cleanup blocks that lead to two others, or in a circle.
fn no_funclet(
    function: &Function,
    dominators: &Dominators<'_>,
    is_cleanup: &[bool],
) -> Option<Block> {
    let at = |block: Block| block.as_u32() as usize;
    let head = |block: Block| {
        let within = |&above: &Block| is_cleanup[at(above)];
        dominators.ancestors(block).take_while(within).last().unwrap_or(block)
    };
    // `None` is where unwinding resumes.
    let mut next: BTreeMap<Block, Option<Block>> = BTreeMap::new();
    let reached = function.blocks.iter().filter(|&(block, _)| dominators.is_reachable(block));
    for (block, data) in reached.filter(|&(block, _)| is_cleanup[at(block)]) {
        let targets = data.term.kind.targets();
        let targets = targets.iter().map(|target| Some(head(target.block)));
        let resumes = matches!(data.term.kind, TerminatorKind::Resume).then_some(None);
        let from = head(block);
        for to in targets.chain(resumes).filter(|&to| to != Some(from)) {
            if *next.entry(from).or_insert(to) != to {
                return Some(from);
            }
        }
    }
    let follow = |at: Block| next.get(&at).copied().flatten();
    let circles = |start: &&Block| {
        let mut steps = std::iter::successors(follow(**start), |&at| follow(at)).take(next.len());
        steps.any(|at| at == **start)
    };
    next.keys().find(circles).copied()
}

/// The largest set within `is_cleanup`.
fn within(function: &Function, drops_unwind: bool, mut is_cleanup: Vec<bool>) -> Vec<bool> {
    let at = |block: Block| block.as_u32() as usize;
    let mut changed = true;
    while std::mem::take(&mut changed) {
        for (block, data) in &function.blocks {
            let unwind = match &data.term.kind {
                TerminatorKind::TryCall { unwind, .. } => Some(unwind),
                TerminatorKind::TryDrop { unwind, .. } if drops_unwind => Some(unwind),
                _ => None,
            };
            let targets = data.term.kind.targets();
            let returns = matches!(data.term.kind, TerminatorKind::Return(_));
            let leaves = targets.iter().any(|target| !is_cleanup[at(target.block)]);
            if is_cleanup[at(block)] && (returns || leaves) {
                is_cleanup[at(block)] = false;
                changed = true;
            }
            if is_cleanup[at(block)] {
                continue;
            }
            for target in targets {
                let unwinds = unwind.is_some_and(|unwind| std::ptr::eq(unwind, target));
                if !unwinds && std::mem::take(&mut is_cleanup[at(target.block)]) {
                    changed = true;
                }
            }
        }
    }
    is_cleanup
}

#[cfg(test)]
mod tests {
    use super::*;
    use backedge_core::ir::text::parse;

    fn cleanup(text: &str) -> (Vec<bool>, bool) {
        let program = parse(text).expect("the text is right");
        let cleanup = Cleanup::new(&program.functions[0]);
        (cleanup.is_cleanup.clone(), cleanup.drops_unwind)
    }

    #[test]
    fn what_only_unwinding_leads_to_is_cleanup() {
        let text = "fn @f(%c: int) {\na:\n  %p = new\n  try_drop %p, b, unwind u\nb:\n  return\n\
            u:\n  branch %c, v, u\nv:\n  resume\n}\n";
        assert_eq!(cleanup(text), (vec![false, false, true, true], true));
    }

    #[test]
    fn what_returns_or_is_jumped_to_is_not() {
        let returns = "fn @f() {\na:\n  %p = new\n  try_drop %p, b, unwind u\nb:\n  return\n\
            u:\n  jump b\n}\n";
        assert_eq!(cleanup(returns), (vec![false; 3], false));
        let jumped = "fn @f() {\na:\n  %p = new\n  try_drop %p, u, unwind u\nu:\n  resume\n}\n";
        assert_eq!(cleanup(jumped), (vec![false; 2], false));
    }

    #[test]
    fn what_leads_to_two_others_is_not() {
        let text = "fn @f(%c: int) {\na:\n  %p = new\n  try_drop %p, b, unwind u\nb:\n  %p = new\n  \
            try_drop %p, r, unwind v\nr:\n  return\nu:\n  branch %c, v, w\nv:\n  resume\n\
            w:\n  branch %c, v, x\nx:\n  unreachable\n}\n";
        // `u` dominates `w` and `x`, and they lead to `v` alone.
        assert_eq!(cleanup(text), (vec![false, false, false, true, true, true, true], true));
        let two = text.replace("try_drop %p, r, unwind v", "branch %c, r, s").replace(
            "r:\n  return\n",
            "r:\n  try_drop %p, t, unwind v\ns:\n  try_drop %p, t, unwind x\nt:\n  return\n",
        );
        assert!(!cleanup(&two).1, "`u` leads to `v` and to `x`");
    }
}
