//! Which blocks can be cleanup blocks of MIR, and which unwind edges can be unwind edges there.
//!
//! In MIR, control comes into a cleanup block by unwinding alone, and never leaves by returning. Our unwind edges
//! may lead anywhere. So a block is a cleanup block if each edge into it is an unwind edge or comes from one,
//! if all that follow it are, and if it does not return. This is the largest such set: all blocks are taken for
//! cleanup, and those that break a rule are taken out, with what follows from that, until none is left that
//! does. What unwinds elsewhere is told rustc as an ordinary branch.

use backedge_core::ir::{Block, Function, TerminatorKind};

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
        let unwinds = |(block, data): (Block, &backedge_core::ir::BlockData)| match &data.term.kind
        {
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

/// The largest set of blocks that can be cleanup blocks.
fn largest(function: &Function, drops_unwind: bool) -> Vec<bool> {
    let mut is_cleanup = vec![true; function.blocks.len()];
    let at = |block: Block| block.as_u32() as usize;
    let mut changed = true;
    is_cleanup[0] = false;
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
}
