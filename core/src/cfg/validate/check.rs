//! Finds the mistakes of an outline: one pass for names and edges, one for what each block claims.
//! Time is `O(n log n)` in its size.

use super::{Control, Mistake, MistakeKind, Outline, OutlineBlock, Site};
use rustc_hash::FxHashMap;
use smol_str::SmolStr;

/// Everything that is wrong, block by block.
pub(super) fn check(outline: &Outline) -> Vec<Mistake> {
    let mut checker = Checker::new(outline);
    checker.entry();
    for (index, block) in outline.blocks.iter().enumerate() {
        checker.insts(index, block);
        checker.end(index, block);
        // Edges to a second block of a name are edges to the first, so its lists can't be right.
        if checker.name(index, block) {
            checker.lists(index, block);
            checker.phis(index, block);
        }
    }
    checker.mistakes
}

struct Checker<'o> {
    outline: &'o Outline,
    /// The first block of each name.
    blocks: FxHashMap<&'o str, usize>,
    /// By block: the names of the blocks that go to it, sorted, each once.
    preds: Vec<Vec<&'o str>>,
    /// The block of each instruction that was seen.
    owners: FxHashMap<u64, usize>,
    mistakes: Vec<Mistake>,
}

impl<'o> Checker<'o> {
    fn new(outline: &'o Outline) -> Checker<'o> {
        let mut blocks = FxHashMap::default();
        for (index, block) in outline.blocks.iter().enumerate() {
            blocks.entry(block.name.as_str()).or_insert(index);
        }
        let mut preds = vec![Vec::new(); outline.blocks.len()];
        for block in &outline.blocks {
            for target in block.targets() {
                if let Some(&to) = blocks.get(target.as_str()) {
                    preds[to].push(block.name.as_str());
                }
            }
        }
        preds.iter_mut().for_each(tidy);
        Checker { outline, blocks, preds, owners: FxHashMap::default(), mistakes: Vec::new() }
    }

    fn report(&mut self, at: Site, kind: MistakeKind) {
        self.mistakes.push(Mistake { kind, at });
    }

    fn entry(&mut self) {
        let blocks = self.outline.blocks.iter().enumerate();
        let mut entries = blocks.filter(|(_, block)| block.is_entry);
        let Some((_, first)) = entries.next() else {
            return self.report(Site::Code, MistakeKind::NoEntry);
        };
        for (index, _) in entries {
            let first = first.name.clone();
            self.report(Site::Block(index), MistakeKind::SecondEntry { first });
        }
    }

    /// Whether the block is the first of its name.
    fn name(&mut self, index: usize, block: &OutlineBlock) -> bool {
        let is_first = self.blocks.get(block.name.as_str()) == Some(&index);
        if !is_first {
            let name = block.name.clone();
            self.report(Site::Block(index), MistakeKind::DuplicateBlock { name });
        }
        is_first
    }

    fn insts(&mut self, index: usize, block: &OutlineBlock) {
        for (at, inst) in block.insts.iter().enumerate() {
            let site = Site::Inst(index, at);
            if let Some(&owner) = self.owners.get(&inst.id) {
                let first = self.outline.blocks[owner].name.clone();
                self.report(site, MistakeKind::InstructionInTwoBlocks { first });
            } else {
                self.owners.insert(inst.id, index);
            }
            if inst.control != Control::Next && at + 1 < block.insts.len() {
                self.report(site, MistakeKind::TerminatorNotLast { block: block.name.clone() });
            }
            if let Control::MayGoTo(targets) | Control::GoesTo(targets) = &inst.control {
                targets.iter().for_each(|target| self.target(site, target));
            }
        }
    }

    /// How the block ends, and where it falls.
    fn end(&mut self, index: usize, block: &OutlineBlock) {
        let site = match block.insts.len() {
            0 => Site::Block(index),
            count => Site::Inst(index, count - 1),
        };
        let ends =
            matches!(block.insts.last(), Some(last) if matches!(last.control, Control::GoesTo(_)));
        match (&block.falls_to, ends) {
            (Some(into), true) => {
                let (block, into) = (block.name.clone(), into.clone());
                self.report(site, MistakeKind::FallthroughAfterJump { block, into });
            }
            (Some(into), false) => self.target(site, into),
            (None, true) => {}
            (None, false) => {
                self.report(site, MistakeKind::MissingTerminator { block: block.name.clone() });
            }
        }
    }

    fn target(&mut self, site: Site, target: &SmolStr) {
        if !self.blocks.contains_key(target.as_str()) {
            self.report(site, MistakeKind::DanglingTarget { target: target.clone() });
        }
    }

    /// The block's own lists of predecessors and successors.
    fn lists(&mut self, index: usize, block: &OutlineBlock) {
        let site = Site::Block(index);
        if let Some(listed) = &block.preds {
            let (missing, extra) = differences(&self.preds[index], listed);
            let block = &block.name;
            for pred in missing {
                let block = block.clone();
                self.report(site, MistakeKind::UnlistedPredecessor { block, pred });
            }
            for pred in extra {
                let block = block.clone();
                self.report(site, MistakeKind::ExtraPredecessor { block, pred });
            }
        }
        if let Some(listed) = &block.succs {
            let mut targets: Vec<&str> = block.targets().map(SmolStr::as_str).collect();
            tidy(&mut targets);
            let (missing, extra) = differences(&targets, listed);
            let block = &block.name;
            for succ in missing {
                let block = block.clone();
                self.report(site, MistakeKind::UnlistedSuccessor { block, succ });
            }
            for succ in extra {
                let block = block.clone();
                self.report(site, MistakeKind::ExtraSuccessor { block, succ });
            }
        }
    }

    fn phis(&mut self, index: usize, block: &OutlineBlock) {
        for (at, phi) in block.phis.iter().enumerate() {
            let site = Site::Phi(index, at);
            let (missing, extra) = differences(&self.preds[index], &phi.inputs);
            let name = &phi.name;
            for pred in missing {
                self.report(site, MistakeKind::MissingPhiInput { phi: name.clone(), pred });
            }
            for pred in extra {
                self.report(site, MistakeKind::ExtraPhiInput { phi: name.clone(), pred });
            }
            let mut inputs: Vec<&SmolStr> = phi.inputs.iter().collect();
            inputs.sort_unstable();
            for pair in inputs.windows(2).filter(|pair| pair[0] == pair[1]) {
                let (phi, pred) = (name.clone(), pair[0].clone());
                self.report(site, MistakeKind::DuplicatePhiInput { phi, pred });
            }
        }
    }
}

fn tidy(names: &mut Vec<&str>) {
    names.sort_unstable();
    names.dedup();
}

/// What is in `actual` but not `listed`, and the other way round. `actual` is sorted.
fn differences(actual: &[&str], listed: &[SmolStr]) -> (Vec<SmolStr>, Vec<SmolStr>) {
    let mut sorted: Vec<&str> = listed.iter().map(SmolStr::as_str).collect();
    tidy(&mut sorted);
    let less = |from: &[&str], taken: &[&str]| {
        let kept = from.iter().filter(|name| taken.binary_search(name).is_err());
        kept.map(|name| SmolStr::new(*name)).collect()
    };
    (less(actual, &sorted), less(&sorted, actual))
}
