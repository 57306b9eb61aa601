//! Live ranges at every statement of MIR, ours and rustc's.
//!
//! A range has what is live, and after each statement what it writes and, unless it is a copy, what it reads.

use crate::body::Body;
use crate::dumps::{Dumps, Set, for_each_line};
use backedge_core::cfg::{Cfg, Values};
use backedge_core::dataflow::{Liveness, PointLiveness, ValueSet};
use backedge_core::entity::Value;
use backedge_core::ir::{Block, Function, Op};
use cranelift_entity::EntityRef;
use std::collections::BTreeMap;

/// How many points have the same ranges of what is copied, if all have.
pub(crate) fn same_ranges(
    body: &Body,
    dumps: &Dumps,
    copies: &[[usize; 2]],
    theirs: &[Vec<[Set; 2]>],
) -> Result<usize, String> {
    let function = &body.function;
    let cfg = Cfg::build(function);
    let live = Liveness::solve(function, &cfg).at_points();
    let relevant: Set = copies.iter().flatten().copied().collect();
    let touched = touched(body);
    let mut points = 0;
    for (number, lines) in lines(&dumps.text).iter().enumerate() {
        let (block, rustcs) = (Block::new(number), &theirs[number]);
        if rustcs.is_empty() {
            continue;
        }
        if rustcs.len() != lines.len() {
            return Err(format!("bb{number} has {} statements, not {}", rustcs.len(), lines.len()));
        }
        let mut next = 0;
        for (at, rustc) in lines.iter().zip(rustcs) {
            let before = body.set(live.before(block, next));
            next = behind(function, block, next, *at);
            let mut after = body.set(after(&live, block, next));
            after.extend(touched.get(at).into_iter().flatten());
            for (ours, rustc, half) in [(before, &rustc[0], "before"), (after, &rustc[1], "after")]
            {
                let ours: Set = ours.intersection(&relevant).copied().collect();
                if ours != *rustc {
                    let line = &dumps.text[*at as usize..].lines().next().unwrap_or_default();
                    return Err(format!(
                        "{half} bb{number}, {line}: we say {ours:?}, rustc {rustc:?}"
                    ));
                }
                points += 1;
            }
        }
    }
    Ok(points)
}

/// By block: where its lines start in the text.
fn lines(text: &str) -> Vec<Vec<u32>> {
    let mut lines: Vec<Vec<u32>> = Vec::new();
    for_each_line(text, |block, at, line| {
        lines.resize_with(block + 1, Vec::new);
        if !line.starts_with("//") {
            lines[block].push(at as u32);
        }
    });
    lines
}

/// The first instruction of the block from `first` on that does not come of the line.
fn behind(function: &Function, block: Block, first: usize, line: u32) -> usize {
    let insts = &function.blocks[block].insts[first.min(function.blocks[block].insts.len())..];
    let of_line = insts.iter().take_while(|inst| inst.span.start == line).count();
    let is_terminator = function.blocks[block].term.span.start == line;
    first + of_line + usize::from(is_terminator)
}

/// What is live before an instruction; behind the terminator, what the block hands over.
fn after<'l>(live: &'l PointLiveness<'_, Function>, block: Block, inst: usize) -> ValueSet<'l> {
    match inst < live.inst_count(block) {
        true => live.before(block, inst),
        false => live.at_end(block),
    }
}

/// By line: what it writes, and what it reads unless it is a copy.
fn touched(body: &Body) -> BTreeMap<u32, Set> {
    let function = &body.function;
    let mut touched: BTreeMap<u32, Set> = BTreeMap::new();
    for (block, data) in &function.blocks {
        let term = data.insts.len();
        for inst in 0..=term {
            let (line, is_copy) = match data.insts.get(inst) {
                Some(inst) => (inst.span.start, body.is_copy_line(inst)),
                None => (data.term.span.start, false),
            };
            let set = touched.entry(line).or_default();
            let mut add = |value: Value| set.extend(body.numbers[value.index()]);
            function.defs(block, inst, &mut add);
            if let Some(Op::Opaque(does)) = data.insts.get(inst).map(|inst| &inst.op) {
                does.partial.iter().for_each(|&local| add(local.into()));
            }
            if !is_copy {
                function.uses(block, inst, &mut add);
            }
        }
        let mut slot = 0;
        data.term.kind.for_each_target(|_| {
            let set = touched.entry(data.term.span.start).or_default();
            function.edge_defs(block, slot, |value| set.extend(body.numbers[value.index()]));
            slot += 1;
        });
    }
    touched
}
