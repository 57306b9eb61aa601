//! Tapes for a case: each takes its run where the earlier ones have not been.
//!
//! A tape is written while the program runs on it. When an answer is needed, [`Guide`] looks what the
//! block at hand does with it: where the answer decides the way out, it takes the edge that no run has
//! taken, or else the one that is nearest to such an edge, and once there is none, to a way out.

use super::seed::SplitMix;
use backedge_core::diagnostic::Span;
use backedge_core::ir::{Block, Directive, Function, Op, Operand, Program, TerminatorKind};
use backedge_oracle::reference::interpreter::{Coverage, Interpreter, Observer, View};
use backedge_oracle::run::Limits;
use backedge_oracle::tape::{Answer, REGISTERS, TAPE, Tape};
use cranelift_entity::EntityRef;
use std::collections::VecDeque;

/// The most tapes of a case.
const MOST_TAPES: usize = 32;
/// The most answers of a tape.
const MOST_ANSWERS: usize = 256;
/// How many tapes in a row may find nothing new.
const MOST_IN_VAIN: usize = 3;
/// When the writing of a tape is given up: a run that asks for nothing more can't be guided.
const LIMITS: Limits = Limits { steps: 4000, depth: 16 };
/// Numbers of registers to allocate with; few more often than all.
const REGISTER_COUNTS: [&str; 8] = ["3", "4", "6", "24", "3", "24", "4", "24"];
/// What is worth answering: corners of arithmetic, and small numbers, which conditions tell apart.
const ANSWERS: [i64; 24] = [
    0,
    1,
    -1,
    2,
    -2,
    3,
    5,
    7,
    8,
    10,
    63,
    64,
    65,
    127,
    255,
    256,
    i64::MAX,
    i64::MIN,
    i64::MIN + 1,
    1 << 31,
    1 << 32,
    (1 << 32) - 1,
    -(1 << 31),
    0x0123_4567_89ab_cdef,
];

/// Adds tapes to a program that can be run, and the number of registers to allocate it with.
pub(super) fn add(program: &mut Program, seed: u64) {
    let mut random = SplitMix::new(seed);
    let mut tapes = Vec::new();
    {
        let interpreter = Interpreter::new(program);
        let mut guide = Guide::new(program, random.clone());
        let mut in_vain = 0;
        while tapes.len() < MOST_TAPES && in_vain < MOST_IN_VAIN && !guide.has_all() {
            let before = guide.coverage.found();
            guide.begin();
            interpreter.run_observed(&Tape::default(), LIMITS, &mut guide);
            if guide.coverage.found() > before {
                tapes.push(std::mem::take(&mut guide.answers));
                in_vain = 0;
            } else {
                in_vain += 1;
            }
        }
    }
    let directive =
        |key: &str, value: String| Directive { key: key.into(), value, span: Span::NONE };
    let count = REGISTER_COUNTS[random.next() as usize % REGISTER_COUNTS.len()];
    program.directives.push(directive(REGISTERS, count.to_owned()));
    for answers in tapes {
        program.directives.push(directive(TAPE, Tape(answers).to_string()));
    }
}

/// Answers a run so that it gets to what no run has got to.
struct Guide<'p> {
    program: &'p Program,
    random: SplitMix,
    coverage: Coverage,
    /// By function and block: how many edges it is to one that was not taken.
    distances: Vec<Vec<u32>>,
    /// How much was found when that was measured.
    looked_at: usize,
    /// By function and block: how many edges it is to a way out.
    exits: Vec<Vec<u32>>,
    answers: Vec<Answer>,
    /// Where the run is; `None` before its first step, when parameters are asked for.
    at: Option<(usize, Block, usize)>,
}

const FAR: u32 = u32::MAX;

impl<'p> Guide<'p> {
    fn new(program: &'p Program, random: SplitMix) -> Guide<'p> {
        let exits = program.functions.iter().map(|function| {
            let returns = |&block: &Block| {
                matches!(function.blocks[block].term.kind, TerminatorKind::Return(_))
            };
            distances(function, function.blocks.keys().filter(returns))
        });
        Guide {
            program,
            random,
            coverage: Coverage::new(program),
            distances: Vec::new(),
            looked_at: usize::MAX,
            exits: exits.collect(),
            answers: Vec::new(),
            at: None,
        }
    }

    /// Starts a tape.
    fn begin(&mut self) {
        self.answers.clear();
        self.at = None;
    }

    /// Whether every edge of every function was taken.
    fn has_all(&self) -> bool {
        let functions = self.program.functions.iter();
        let edges = functions.flat_map(|function| function.blocks.values());
        let edges: usize = edges.map(|data| data.term.kind.targets().len()).sum();
        let found = (0..self.program.functions.len()).map(|index| self.coverage.of_function(index));
        found.map(|(_, edges)| edges).sum::<usize>() == edges && self.coverage.found() > 0
    }

    /// Measures anew, once something was found.
    fn look(&mut self) {
        if self.looked_at == self.coverage.found() {
            return;
        }
        self.looked_at = self.coverage.found();
        let functions = self.program.functions.iter().enumerate();
        let distances = functions.map(|(index, function)| {
            let blocks = function.blocks.keys();
            let open = blocks.filter(|&block| {
                let slots = function.blocks[block].term.kind.targets().len();
                (0..slots).any(|slot| !self.coverage.edge(index, block, slot))
            });
            distances(function, open)
        });
        self.distances = distances.collect();
    }

    fn any(&mut self) -> i64 {
        let random = self.random.next();
        match random >> 8 & 7 {
            0 => (random >> 16) as i64,
            _ => ANSWERS[random as usize % ANSWERS.len()],
        }
    }

    /// The slot of a terminator to leave by.
    fn choose(&mut self, function: usize, block: Block) -> usize {
        self.look();
        let term = &self.program.functions[function].blocks[block].term.kind;
        let tie = self.random.next() as usize;
        let targets = term.targets();
        let count = targets.len().max(1);
        let rank = |slot: usize| {
            let to = targets[slot].block.index();
            let open = if self.coverage.edge(function, block, slot) {
                self.distances[function][to].saturating_add(1)
            } else {
                0
            };
            (open, self.exits[function][to], (slot + tie) % count)
        };
        (0..targets.len()).min_by_key(|&slot| rank(slot)).unwrap_or(0)
    }

    /// What to answer the call at which the run stands.
    fn decide(&mut self) -> Answer {
        let Some((function, block, inst)) = self.at else { return Answer::Value(self.any()) };
        let data = &self.program.functions[function].blocks[block];
        if inst >= data.insts.len() {
            // A `try_call`: its slots are the ways it can end.
            let unwinds = self.choose(function, block) == 1;
            return if unwinds { Answer::Unwind } else { Answer::Value(self.any()) };
        }
        let Op::Call { .. } = &data.insts[inst].op else { return Answer::Value(self.any()) };
        let decided = data.insts[inst].dest.as_ref().map(|dest| Operand::Local(dest.local));
        let value = match &data.term.kind {
            TerminatorKind::Branch { cond, .. } if Some(*cond) == decided => {
                match (self.choose(function, block), self.any()) {
                    (1, _) => 0,
                    (_, 0) => 1,
                    (_, value) => value,
                }
            }
            TerminatorKind::Switch { value, cases, .. } if Some(*value) == decided => {
                match self.choose(function, block).checked_sub(1) {
                    Some(case) => cases[case].0,
                    None => self.any(),
                }
            }
            _ => self.any(),
        };
        Answer::Value(value)
    }
}

impl Observer for Guide<'_> {
    fn enter(&mut self, view: &View<'_>, block: Block) {
        Observer::enter(&mut self.coverage, view, block);
    }

    fn edge(&mut self, view: &View<'_>, block: Block, slot: usize) {
        Observer::edge(&mut self.coverage, view, block, slot);
    }

    fn before(&mut self, view: &View<'_>, block: Block, inst: usize) {
        self.at = Some((view.function, block, inst));
    }

    fn answer(&mut self) -> Option<Answer> {
        if self.answers.len() >= MOST_ANSWERS {
            return None;
        }
        let answer = self.decide();
        self.answers.push(answer);
        Some(answer)
    }
}

/// How many edges it is from each block to the nearest of some; backward, breadth first.
fn distances(function: &Function, to: impl Iterator<Item = Block>) -> Vec<u32> {
    let mut preds: Vec<Vec<usize>> = vec![Vec::new(); function.blocks.len()];
    for (block, data) in &function.blocks {
        data.term.kind.for_each_target(|to| preds[to.block.index()].push(block.index()));
    }
    let mut distances = vec![FAR; function.blocks.len()];
    let mut queue: VecDeque<usize> = to.map(|block| block.index()).collect();
    queue.iter().for_each(|&block| distances[block] = 0);
    while let Some(block) = queue.pop_front() {
        for &pred in &preds[block] {
            if distances[pred] == FAR {
                distances[pred] = distances[block] + 1;
                queue.push_back(pred);
            }
        }
    }
    distances
}
