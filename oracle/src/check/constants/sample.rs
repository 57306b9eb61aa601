//! Does what is claimed of a block's start bear what is claimed behind it?
//!
//! Every block that control is said to get to is run a few times by itself, from drawn values that fit
//! the claim: any value where a local is overdefined, none where it is undefined. What loads, calls and
//! other languages give is drawn as well. All that comes of it has to fit the other claims. A run that
//! reads what is not assigned has no meaning from there on.

use super::precision::at_slot;
use super::words;
use crate::check::At;
use crate::check::report::{Report, at_block, at_inst};
use crate::reference::constants::thunk_entries;
use crate::reference::interpreter::evaluate;
use crate::subject::{ConstantsAnswer, Known, KnownLocals};
use backedge_core::ir::{Block, Function, Inst, Local, Op, Operand, TerminatorKind, Type};
use cranelift_entity::EntityRef;

/// How often each block is run.
const RUNS: u64 = 6;

/// What locals hold; `None` where nothing is assigned. What is no integer holds nothing.
type Values = Vec<Option<i64>>;

pub(super) fn judge(report: &mut Report<'_>, answer: &ConstantsAnswer) {
    let function = report.function;
    let mut draw = Draw(0x9e37_79b9_7f4a_7c15);
    let mut sampler = Sampler { report, function, answer };
    for _ in 0..RUNS {
        let start = sampler.at_start(&mut draw);
        let at = at_block(function, function.entry());
        sampler.fits(&answer.entry[0], &start, "missing-edge", at);
        for block in thunk_entries(function) {
            let any = function.locals.keys().map(|local| sampler.int(local, &mut draw)).collect();
            let at = at_block(function, block);
            sampler.fits(&answer.entry[block.index()], &any, "missing-edge", at);
        }
        for block in function.blocks.keys() {
            sampler.run(block, &mut draw);
        }
    }
}

/// Corner values, small ones and any: a xorshift generator.
struct Draw(u64);

impl Draw {
    fn bits(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn value(&mut self) -> i64 {
        const CORNERS: [i64; 8] = [0, 1, -1, 2, i64::MIN, i64::MAX, 63, 1 << 32];
        let bits = self.bits();
        match bits >> 60 {
            0..=7 => CORNERS[(bits >> 32) as usize % CORNERS.len()],
            8..=11 => (bits >> 32 & 15) as i64,
            _ => bits as i64,
        }
    }
}

struct Sampler<'r, 'f, 'a> {
    report: &'r mut Report<'f>,
    function: &'f Function,
    answer: &'a ConstantsAnswer,
}

impl Sampler<'_, '_, '_> {
    fn int(&self, local: Local, draw: &mut Draw) -> Option<i64> {
        (self.function.locals[local].ty == Type::Int).then(|| draw.value())
    }

    /// Coming from the caller.
    fn at_start(&self, draw: &mut Draw) -> Values {
        let params = &self.function.params;
        let of = |local| if params.contains(&local) { self.int(local, draw) } else { None };
        self.function.locals.keys().map(of).collect()
    }

    fn run(&mut self, block: Block, draw: &mut Draw) {
        let Some(claim) = &self.answer.entry[block.index()] else { return };
        let drawn = self.function.locals.keys().zip(claim).map(|(local, known)| match known {
            Known::Undefined => None,
            Known::Constant(value) => Some(*value),
            Known::Overdefined => self.int(local, draw),
        });
        let mut values: Values = drawn.collect();
        let data = &self.function.blocks[block];
        for (index, inst) in data.insts.iter().enumerate() {
            if self.step(inst, &mut values, draw).is_none() {
                return;
            }
            self.judge_fold(block, index, inst, &values);
        }
        if let Some(exit) = &self.answer.exit {
            self.fits(
                &exit[block.index()],
                &values,
                "missing-edge",
                at_block(self.function, block),
            );
        }
        self.leave(block, &values, draw);
    }

    /// Behind an instruction; `None` where the run has no meaning.
    fn step(&self, inst: &Inst, values: &mut Values, draw: &mut Draw) -> Option<()> {
        let read = |operand: Operand| match operand {
            Operand::Const(value) => Some(value),
            Operand::Local(local) => values[local.index()],
        };
        let result = match &inst.op {
            Op::Const(value) => Some(*value),
            Op::Copy(a) if self.is_int(*a) => Some(read(*a)?),
            Op::Select(cond, a, b) if self.is_int(*a) => {
                let (cond, a, b) = (read(*cond)?, read(*a)?, read(*b)?);
                Some(if cond != 0 { a } else { b })
            }
            Op::Binary(op, a, b) => Some(evaluate(*op, read(*a)?, read(*b)?)),
            _ => None,
        };
        if let Some(dest) = &inst.dest {
            let drawn = self.int(dest.local, draw);
            values[dest.local.index()] = drawn.map(|drawn| result.unwrap_or(drawn));
        }
        if let Op::Opaque(opaque) = &inst.op {
            for &local in opaque.defs.iter().chain(&opaque.partial) {
                values[local.index()] = self.int(local, draw);
            }
        }
        Some(())
    }

    fn is_int(&self, operand: Operand) -> bool {
        operand.local().is_none_or(|local| self.function.locals[local].ty == Type::Int)
    }

    fn judge_fold(&mut self, block: Block, index: usize, inst: &Inst, values: &Values) {
        let mut folds = self.answer.foldable.iter().flatten();
        let Some(&(.., claimed)) = folds.find(|&&(b, i, _)| (b, i) == (block, index)) else {
            return;
        };
        let at = at_inst(self.function, block, index);
        let computes = matches!(inst.op, Op::Copy(_) | Op::Select(..) | Op::Binary(..));
        let dest = inst.dest.as_ref().and_then(|dest| values[dest.local.index()]);
        match dest.filter(|_| computes) {
            Some(value) if value == claimed => {}
            Some(value) => {
                self.report.add("wrong-fold", at, value.to_string(), format!("always {claimed}"));
            }
            None => {
                let expected = "no operation that only computes".to_owned();
                self.report.add("wrong-fold", at, expected, format!("always {claimed}"));
            }
        }
    }

    /// Over every edge that is taken.
    fn leave(&mut self, block: Block, values: &Values, draw: &mut Draw) {
        let term = &self.function.blocks[block].term.kind;
        let read = |operand: Operand| match operand {
            Operand::Const(value) => Some(value),
            Operand::Local(local) => values[local.index()],
        };
        let all = 0..term.targets().len();
        let taken = match term {
            TerminatorKind::Branch { cond, .. } => match read(*cond) {
                Some(cond) => usize::from(cond == 0)..usize::from(cond == 0) + 1,
                None => return,
            },
            TerminatorKind::Switch { value, cases, .. } => match read(*value) {
                Some(value) => {
                    let slot = cases.iter().position(|case| case.0 == value);
                    let slot = slot.map_or(0, |slot| slot + 1);
                    slot..slot + 1
                }
                None => return,
            },
            _ => all,
        };
        for slot in taken {
            self.take(block, slot, values, draw);
        }
    }

    fn take(&mut self, block: Block, slot: usize, values: &Values, draw: &mut Draw) {
        let at = at_slot(self.function, block, slot as u32);
        let is_claimed = |edges: &std::collections::BTreeSet<(Block, u32)>| {
            edges.contains(&(block, slot as u32))
        };
        if !self.answer.edges.as_ref().is_none_or(is_claimed) {
            self.report.add(
                "missing-edge",
                at.clone(),
                "may be taken".into(),
                "never taken".into(),
            );
        }
        let mut decided = self.answer.decided.iter().flatten();
        if let Some(&(_, other)) = decided.find(|&&(b, s)| b == block && s as usize != slot) {
            let answered = format!("always slot {other}");
            self.report.add("wrong-decision", at.clone(), "may be taken".into(), answered);
        }
        let term = &self.function.blocks[block].term.kind;
        let mut values = values.clone();
        if let Some(local) = term.edge_def(slot) {
            values[local.index()] = self.int(local, draw);
        }
        let Some(target) = term.target(slot) else { return };
        let read = |operand: &Operand| match operand {
            Operand::Const(value) => Some(*value),
            Operand::Local(local) => values[local.index()],
        };
        let args: Values = target.args.iter().map(read).collect();
        for ((&param, arg), operand) in
            self.function.blocks[target.block].params.iter().zip(args).zip(&target.args)
        {
            if arg.is_none() && self.is_int(*operand) {
                return;
            }
            values[param.index()] = arg;
        }
        self.fits(&self.answer.entry[target.block.index()], &values, "missing-edge", at);
    }

    /// Holds values against a claim.
    fn fits(&mut self, claim: &KnownLocals, values: &Values, unreached: &'static str, at: At) {
        let Some(claim) = claim else {
            self.report.add(unreached, at, "may be reached".into(), "never reached".into());
            return;
        };
        for ((local, value), &known) in self.function.locals.keys().zip(values).zip(claim) {
            let Some(value) = *value else { continue };
            let fits = match known {
                Known::Undefined => false,
                Known::Constant(claimed) => claimed == value,
                Known::Overdefined => true,
            };
            if !fits {
                let name = &self.function.locals[local].name;
                let expected = format!("%{name} may be {value}");
                let answered = format!("%{name} = {}", words(known));
                self.report.add("unjustified-constant", at, expected, answered);
                return;
            }
        }
    }
}
