//! Gathers what is wrong with the answer on one function, and puts it in words.

use super::{At, Finding, Verdict};
use crate::reference::graph::GraphEdge;
use crate::subject::NoAnswer;
use backedge_core::ir::{Block, Function, Local};
use std::collections::BTreeSet;

/// How many names of a set are listed.
const MOST_NAMES: usize = 24;

/// The findings on one function: the first of each kind.
pub(super) struct Report<'f> {
    check: &'static str,
    kinds: &'static [&'static str],
    /// The function that the subject is asked about.
    pub(super) function: &'f Function,
    findings: Vec<Finding>,
}

impl<'f> Report<'f> {
    pub(super) fn new(
        check: &'static str,
        kinds: &'static [&'static str],
        function: &'f Function,
    ) -> Report<'f> {
        Report { check, kinds, function, findings: Vec::new() }
    }

    /// Adds a finding, unless there is one of its kind.
    pub(super) fn add(&mut self, kind: &'static str, at: At, expected: String, answered: String) {
        debug_assert!(self.kinds.contains(&kind), "{kind} is not among the check's kinds");
        if !self.has(kind) {
            let function = self.function.name.to_string();
            let finding = Finding { check: self.check, kind, function, at, expected, answered };
            self.findings.push(finding);
        }
    }

    fn has(&self, kind: &str) -> bool {
        self.findings.iter().any(|finding| finding.kind == kind)
    }

    /// Adds what is missing from a set of locals and what is too much.
    ///
    /// # Errors
    /// `Nonsense` if `answered` is not a sorted set of the function's locals.
    pub(super) fn compare(
        &mut self,
        [missing, extra]: [&'static str; 2],
        at: impl Fn(&Function) -> At,
        expected: &[Local],
        answered: &[Local],
    ) -> Result<(), NoAnswer> {
        if expected == answered {
            return Ok(());
        }
        self.check_set(answered)?;
        let lacks = |set: &[Local], local: &Local| set.binary_search(local).is_err();
        let is_missing = expected.iter().any(|local| lacks(answered, local));
        let is_extra = answered.iter().any(|local| lacks(expected, local));
        for (kind, wrong) in [(missing, is_missing), (extra, is_extra)] {
            if wrong && !self.has(kind) {
                let [expected, answered] = self.sets(expected, answered);
                self.add(kind, at(self.function), expected, answered);
            }
        }
        Ok(())
    }

    fn check_set(&self, set: &[Local]) -> Result<(), NoAnswer> {
        if let Some(&local) = set.iter().find(|&&local| !self.function.locals.is_valid(local)) {
            return Err(NoAnswer::Nonsense(format!("there is no {local:?}")));
        }
        match set.windows(2).find(|pair| pair[0] >= pair[1]) {
            Some(pair) => {
                let [a, b] = [pair[0], pair[1]].map(|local| &self.function.locals[local].name);
                Err(NoAnswer::Nonsense(format!("a set lists `{a}` before `{b}`")))
            }
            None => Ok(()),
        }
    }

    /// Two sets of locals in words: all of both, or of big ones only where they differ.
    fn sets(&self, expected: &[Local], answered: &[Local]) -> [String; 2] {
        let full = expected.len().max(answered.len()) <= MOST_NAMES;
        let show = |set: &[Local], other: &[Local]| {
            let listed = |local: &&Local| full || other.binary_search(local).is_err();
            let names = set.iter().filter(listed).map(|&local| self.local(local));
            let shared = set.len() - set.iter().filter(listed).count();
            braces(names, shared)
        };
        [show(expected, answered), show(answered, expected)]
    }

    fn local(&self, local: Local) -> &'f str {
        &self.function.locals[local].name
    }

    /// A block's name.
    pub(super) fn block(&self, block: Block) -> &'f str {
        &self.function.blocks[block].name
    }

    /// Blocks in words.
    pub(super) fn blocks(&self, blocks: impl IntoIterator<Item = Block>) -> String {
        braces(blocks.into_iter().map(|block| self.block(block)), 0)
    }

    /// # Errors
    /// `Nonsense` if the function has no such block.
    pub(super) fn check_block(&self, block: Block) -> Result<(), NoAnswer> {
        if self.function.blocks.is_valid(block) {
            Ok(())
        } else {
            Err(NoAnswer::Nonsense(format!("there is no {block:?}")))
        }
    }

    /// # Errors
    /// `Nonsense` if a list of blocks names one that there is not, or one twice.
    pub(super) fn check_distinct(
        &self,
        what: &str,
        blocks: impl IntoIterator<Item = Block>,
    ) -> Result<(), NoAnswer> {
        let mut seen = BTreeSet::new();
        for block in blocks {
            self.check_block(block)?;
            if !seen.insert(block) {
                let name = self.block(block);
                return Err(NoAnswer::Nonsense(format!("{what} names `{name}` twice")));
            }
        }
        Ok(())
    }

    /// Pass, or the findings in the order of the check's kinds.
    pub(super) fn verdict(mut self) -> Verdict {
        if self.findings.is_empty() {
            return Verdict::Pass;
        }
        let rank = |kind| self.kinds.iter().position(|&other| other == kind);
        self.findings.sort_by_key(|finding| rank(finding.kind));
        Verdict::Findings(self.findings)
    }

    /// The verdict where there is no answer, and whether the subject is lost. An answer that can't
    /// be understood is not judged further.
    pub(super) fn no_answer(mut self, why: NoAnswer) -> (Verdict, bool) {
        let (kind, lost) = match why {
            NoAnswer::Skip(why) => return (Verdict::Skip(why), false),
            NoAnswer::Error(_) => ("error", false),
            NoAnswer::Nonsense(_) => ("nonsense", false),
            NoAnswer::Panic(_) => ("panic", true),
            NoAnswer::Crash(_) => ("crash", true),
            NoAnswer::Timeout(_) => ("timeout", true),
        };
        self.findings.clear();
        self.add(kind, At::Function, "an answer".into(), format!("none: it {why}"));
        (self.verdict(), lost)
    }
}

/// `{a, b}`, `{a, and 7 in both}`
fn braces<'n>(names: impl Iterator<Item = &'n str>, shared: usize) -> String {
    let mut parts: Vec<String> = names.take(MOST_NAMES + 1).map(str::to_owned).collect();
    if parts.len() > MOST_NAMES {
        parts[MOST_NAMES] = "..".into();
    }
    if shared > 0 {
        parts.push(format!("and {shared} in both"));
    }
    format!("{{{}}}", parts.join(", "))
}

/// The point of a block.
pub(super) fn at_block(function: &Function, block: Block) -> At {
    At::Block(function.blocks[block].name.to_string())
}

/// The point of an instruction.
pub(super) fn at_inst(function: &Function, block: Block, index: usize) -> At {
    At::Inst { block: function.blocks[block].name.to_string(), index }
}

/// The point of an edge. The slot is told where the ends alone do not tell the edge.
pub(super) fn at_edge(function: &Function, edge: &GraphEdge) -> At {
    let targets = function.blocks[edge.from].term.kind.targets();
    let parallel = targets.iter().filter(|target| target.block == edge.to).count() > 1;
    let [from, to] = [edge.from, edge.to].map(|block| function.blocks[block].name.to_string());
    At::Edge { from, to, slot: parallel.then_some(edge.slot as u32) }
}
