//! From the IR to Machine IR.
//!
//! Block `b` of the IR is block `b` here, with the same successors in the same slots. Two things need
//! blocks of their own, which follow those of the IR: the result of a `try_call`, which is assigned on
//! the normal edge alone ([`term`]), and an entry that has predecessors, since arguments are taken in
//! once. In that case block 0 takes them in and jumps to the entry's body.
//!
//! Local `i` is virtual register `i`; what an operation needs in between gets registers from there on.
//! A local that may be read before it is assigned is set to 0 in the entry, so that every register is
//! defined on all paths to its uses. No instruction needs more than three registers at once.
//!
//! The cost is linear in the function, but for the liveness that tells which locals to set.

mod call;
mod compare;
mod inst;
mod term;
#[cfg(test)]
mod tests;

use super::{FrameSlot, RegSet};
use super::{
    MBlock, MFunction, MInst, MOp, MTarget, MTerm, MTermKind, Reg, RegOperand, RegOperands,
};
use crate::cfg::Cfg;
use crate::dataflow::Liveness;
use crate::entity::Block;
use crate::ir::{Function, Inst, Local, Operand, Program, Target, Type};
use cranelift_entity::{EntityRef, EntitySet, PrimaryMap, SecondaryMap};
use smallvec::SmallVec;

/// Why a function has no Machine IR.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what} can't be lowered")]
pub struct Unsupported {
    /// What Machine IR can't say.
    pub what: &'static str,
}

/// The function, one of the program's, in Machine IR.
///
/// # Errors
/// For owned values, thunks and opaque operations; and for an access to memory if the program has none.
pub fn lower(program: &Program, function: &Function) -> Result<MFunction, Unsupported> {
    if let Some(local) = function.locals.values().find(|local| local.ty != Type::Int) {
        let what = if local.ty.is_owned() { "an owned value" } else { "a thunk" };
        return Err(Unsupported { what });
    }
    let mut lowering = Lowering::new(program, function);
    let body = lowering.entry();
    lowering.take_arguments();
    if body != function.entry() {
        lowering.end(MTermKind::Jump(MTarget { block: body, args: SmallVec::new() }), []);
    }
    for (block, data) in &function.blocks {
        lowering.current = if block == function.entry() { body } else { block };
        lowering.insts(&data.insts, &data.term.kind)?;
        lowering.terminator(&data.term.kind)?;
    }
    Ok(lowering.finish())
}

/// A function on its way.
struct Lowering<'p> {
    program: &'p Program,
    function: &'p Function,
    /// Where back edges to the entry go.
    entry: Block,
    /// The block that instructions are added to.
    current: Block,
    blocks: PrimaryMap<Block, MBlock>,
    virtuals: u32,
    outgoing_words: u32,
    /// How often each local is read.
    reads: SecondaryMap<Local, u32>,
    /// The comparison that the terminator at hand does itself.
    fused: Option<&'p Inst>,
}

impl<'p> Lowering<'p> {
    fn new(program: &'p Program, function: &'p Function) -> Lowering<'p> {
        let blocks = function.blocks.values().map(|data| MBlock {
            name: data.name.clone(),
            params: data.params.iter().map(|&param| register(param)).collect(),
            insts: Vec::with_capacity(data.insts.len() + 4),
            term: MTerm { kind: MTermKind::Unreachable, regs: RegOperands::new() },
        });
        Lowering {
            program,
            function,
            entry: function.entry(),
            current: function.entry(),
            blocks: blocks.collect(),
            virtuals: function.locals.len() as u32,
            outgoing_words: 0,
            reads: count_reads(function),
            fused: None,
        }
    }

    /// The block for the entry's own code: the entry, or a new one if the entry is branched to.
    fn entry(&mut self) -> Block {
        let mut is_target = false;
        for block in self.function.blocks.values() {
            block.term.kind.for_each_target(|to| is_target |= to.block == self.function.entry());
        }
        if is_target {
            let name = self.function.blocks[self.function.entry()].name.clone();
            self.entry = self.new_block(format!("{name}_body"));
        }
        self.entry
    }

    /// Moves the arguments to where the parameters are, and sets what may be read before it is
    /// assigned.
    fn take_arguments(&mut self) {
        for (index, &param) in self.function.params.iter().enumerate() {
            let to = RegOperand::writes(register(param));
            match Reg::argument(index) {
                Some(from) => self.add(MOp::Move, [to, RegOperand::reads(from)]),
                None => {
                    let slot = FrameSlot::Incoming(index as u32 - 8);
                    self.add(MOp::FrameLoad(slot), [to]);
                }
            }
        }
        let cfg = Cfg::build(self.function);
        let live = Liveness::solve(self.function, &cfg);
        let mut params = EntitySet::with_capacity(self.function.locals.len());
        params.extend(self.function.params.iter().copied());
        for local in live.live_in(self.function.entry()).iter().map(Local::from) {
            if !params.contains(local) {
                self.add(MOp::LoadImm(0), [RegOperand::writes(register(local))]);
            }
        }
    }

    fn add(&mut self, op: MOp, regs: impl IntoIterator<Item = RegOperand>) {
        self.blocks[self.current].insts.push(MInst::new(op, regs));
    }

    fn end(&mut self, kind: MTermKind, regs: impl IntoIterator<Item = RegOperand>) {
        self.blocks[self.current].term = MTerm { kind, regs: regs.into_iter().collect() };
    }

    /// An empty block behind all others.
    fn new_block(&mut self, name: String) -> Block {
        let term = MTerm { kind: MTermKind::Unreachable, regs: RegOperands::new() };
        self.blocks.push(MBlock { name: name.into(), params: Vec::new(), insts: Vec::new(), term })
    }

    fn temporary(&mut self) -> Reg {
        self.virtuals += 1;
        Reg::virtual_register(self.virtuals - 1)
    }

    /// A register that holds the operand: that of a local, `zero`, or a new one.
    fn operand(&mut self, operand: Operand) -> Reg {
        match operand {
            Operand::Local(local) => register(local),
            Operand::Const(0) => Reg::ZERO,
            Operand::Const(value) => self.constant(value),
        }
    }

    /// A new register with a constant in it.
    fn constant(&mut self, value: i64) -> Reg {
        let reg = self.temporary();
        self.add(MOp::LoadImm(value), [RegOperand::writes(reg)]);
        reg
    }

    /// A successor; constants among its arguments are put into registers first.
    fn target(&mut self, to: &Target) -> MTarget {
        let args = to.args.iter().map(|&arg| match arg {
            Operand::Local(local) => register(local),
            Operand::Const(value) => self.constant(value),
        });
        let args = args.collect();
        let block = if to.block == self.function.entry() { self.entry } else { to.block };
        MTarget { block, args }
    }

    fn finish(self) -> MFunction {
        MFunction {
            name: self.function.name.clone(),
            virtuals: self.virtuals,
            blocks: self.blocks,
            outgoing_words: self.outgoing_words,
            spill_bytes: 0,
            saved: RegSet::EMPTY,
        }
    }
}

/// The register of a local.
fn register(local: Local) -> Reg {
    Reg::virtual_register(local.index() as u32)
}

fn count_reads(function: &Function) -> SecondaryMap<Local, u32> {
    let mut reads = SecondaryMap::with_capacity(function.locals.len());
    for block in function.blocks.values() {
        block.insts.iter().for_each(|inst| inst.for_each_use(|local| reads[local] += 1));
        block.term.kind.for_each_use(|local| reads[local] += 1);
        block.term.kind.for_each_target(|to| {
            to.args.iter().filter_map(|arg| arg.local()).for_each(|local| reads[local] += 1);
        });
    }
    reads
}
