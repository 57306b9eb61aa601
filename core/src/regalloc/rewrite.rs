//! Carries an allocation out: the function with physical registers, and moves where they belong.
//!
//! Moves on an edge go to the end of its source if that has no other way out, to the start of its
//! target if that has no other way in, and else into a block of their own: so an edge is split exactly
//! if it is critical and something happens on it.

use super::{Allocation, Edit, Location, Point};
use crate::cfg::Cfg;
use crate::entity::{Block, Edge};
use crate::machine::{
    FrameSlot, MBlock, MFunction, MInst, MOp, MTarget, MTerm, MTermKind, Reg, RegOperand,
    RegOperands,
};
use cranelift_entity::EntityRef;
use smallvec::SmallVec;

/// Why an answer can't be carried out: it is none for this function.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Malformed {
    /// A block, an instruction or a parameter has too few or too many registers.
    #[error("block {0} has other operands or parameters")]
    Shape(Block),
    /// A register is none of the machine's.
    #[error("{0} is not a physical register")]
    Virtual(Reg),
    /// There is no such place for a move.
    #[error("there is no point {0:?}")]
    Point(Point),
    /// A move has a slot on both sides.
    #[error("a move from {0} to {1} has no register")]
    Slots(Location, Location),
}

/// The function as the allocation has it. Moves from a register to itself are gone.
///
/// # Errors
/// When the allocation does not fit the function. Whether it is right is not looked at.
pub fn rewrite(function: &MFunction, allocation: &Allocation) -> Result<MFunction, Malformed> {
    let cfg = Cfg::build(function);
    let mut edits = Edits::new(function, &cfg, &allocation.edits)?;
    let mut result = MFunction {
        name: function.name.clone(),
        virtuals: 0,
        blocks: function.blocks.clone(),
        outgoing_words: function.outgoing_words,
        spill_bytes: allocation.spill_bytes,
        saved: allocation.saved,
    };
    if allocation.operands.len() != function.blocks.len()
        || allocation.params.len() != function.blocks.len()
    {
        return Err(Malformed::Shape(function_entry()));
    }
    for (block, data) in &mut result.blocks {
        let operands = &allocation.operands[block.index()];
        let params = allocation.params[block.index()].len();
        if operands.len() != data.insts.len() + 1 || params != data.params.len() {
            return Err(Malformed::Shape(block));
        }
        rewrite_block(data, operands, &mut edits, block)?;
    }
    split_edges(&mut result, &cfg, edits)?;
    Ok(result)
}

fn function_entry() -> Block {
    Block::new(0)
}

/// Moves by where they go.
struct Edits {
    /// Before an instruction, by block and instruction, in order.
    before: Vec<(Block, u32, Edit)>,
    /// How many of them are done.
    done: usize,
    /// At the start and the end of blocks.
    start: Vec<Vec<Edit>>,
    end: Vec<Vec<Edit>>,
    /// On critical edges, by edge.
    split: Vec<(Edge, Edit)>,
}

impl Edits {
    fn new(function: &MFunction, cfg: &Cfg<'_>, edits: &[Edit]) -> Result<Edits, Malformed> {
        let blocks = function.blocks.len();
        let mut all = Edits {
            before: Vec::with_capacity(edits.len()),
            done: 0,
            start: vec![Vec::new(); blocks],
            end: vec![Vec::new(); blocks],
            split: Vec::new(),
        };
        for &edit in edits {
            match edit.at {
                Point::Before { block, inst } => {
                    let data = function.blocks.get(block).ok_or(Malformed::Point(edit.at))?;
                    if inst as usize > data.insts.len() {
                        return Err(Malformed::Point(edit.at));
                    }
                    all.before.push((block, inst, edit));
                }
                Point::OnEdge(edge) if edge.index() < cfg.edge_count() => {
                    all.on_edge(function, cfg, edge, edit);
                }
                Point::OnEdge(_) => return Err(Malformed::Point(edit.at)),
            }
        }
        all.before.sort_by_key(|&(block, inst, _)| (block, inst));
        all.split.sort_by_key(|&(edge, _)| edge);
        Ok(all)
    }

    fn on_edge(&mut self, function: &MFunction, cfg: &Cfg<'_>, edge: Edge, edit: Edit) {
        let data = cfg.edge(edge);
        // A terminator that reads a register must find it as it was.
        let reads = !function.blocks[data.from].term.regs.is_empty();
        if cfg.succs(data.from).len() == 1 && !reads {
            self.end[data.from.index()].push(edit);
        } else if cfg.preds(data.to).len() == 1 && data.to != cfg.entry() {
            self.start[data.to.index()].push(edit);
        } else {
            self.split.push((edge, edit));
        }
    }

    /// The moves before an instruction, which is the next that has any.
    fn take_before(&mut self, block: Block, inst: usize) -> &[(Block, u32, Edit)] {
        let from = self.done;
        let is_here =
            |&(at, number, _): &(Block, u32, Edit)| (at, number as usize) == (block, inst);
        self.done += self.before[from..].iter().take_while(|edit| is_here(edit)).count();
        &self.before[from..self.done]
    }
}

fn rewrite_block(
    data: &mut MBlock,
    operands: &[SmallVec<[Reg; 4]>],
    edits: &mut Edits,
    block: Block,
) -> Result<(), Malformed> {
    let old = std::mem::take(&mut data.insts);
    let mut insts = Vec::with_capacity(old.len() + 8);
    add_all(&mut insts, edits.start[block.index()].iter().copied())?;
    for (index, mut inst) in old.into_iter().enumerate() {
        add_all(&mut insts, edits.take_before(block, index).iter().map(|(_, _, edit)| *edit))?;
        replace(&mut inst.regs, &operands[index], block)?;
        if inst.as_move().is_none_or(|(to, from)| to != from) {
            insts.push(inst);
        }
    }
    let last = operands.len() - 1;
    add_all(&mut insts, edits.take_before(block, last).iter().map(|(_, _, edit)| *edit))?;
    add_all(&mut insts, edits.end[block.index()].iter().copied())?;
    replace(&mut data.term.regs, &operands[last], block)?;
    data.term.kind.for_each_target_mut(|to| to.args.clear());
    data.params.clear();
    data.insts = insts;
    Ok(())
}

fn replace(operands: &mut RegOperands, regs: &[Reg], block: Block) -> Result<(), Malformed> {
    if operands.len() != regs.len() {
        return Err(Malformed::Shape(block));
    }
    for (operand, &reg) in operands.iter_mut().zip(regs) {
        operand.reg = physical(reg)?;
    }
    Ok(())
}

fn physical(reg: Reg) -> Result<Reg, Malformed> {
    if reg.is_physical() { Ok(reg) } else { Err(Malformed::Virtual(reg)) }
}

fn add_all(insts: &mut Vec<MInst>, edits: impl Iterator<Item = Edit>) -> Result<(), Malformed> {
    for edit in edits {
        if edit.from != edit.to {
            insts.push(instruction(edit)?);
        }
    }
    Ok(())
}

/// The instruction that does a move.
fn instruction(edit: Edit) -> Result<MInst, Malformed> {
    let inst = match (edit.from, edit.to) {
        (Location::Reg(from), Location::Reg(to)) => {
            let regs = [RegOperand::writes(physical(to)?), RegOperand::reads(physical(from)?)];
            MInst::new(MOp::Move, regs)
        }
        (Location::Slot(offset), Location::Reg(to)) => {
            let slot = FrameSlot::Spill(offset);
            MInst::new(MOp::FrameLoad(slot), [RegOperand::writes(physical(to)?)])
        }
        (Location::Reg(from), Location::Slot(offset)) => {
            let slot = FrameSlot::Spill(offset);
            MInst::new(MOp::FrameStore(slot), [RegOperand::reads(physical(from)?)])
        }
        (from, to) => return Err(Malformed::Slots(from, to)),
    };
    Ok(inst)
}

/// Puts a block with its moves on each critical edge that has some.
fn split_edges(function: &mut MFunction, cfg: &Cfg<'_>, edits: Edits) -> Result<(), Malformed> {
    for group in edits.split.chunk_by(|(a, _), (b, _)| a == b) {
        let data = cfg.edge(group[0].0);
        let mut insts = Vec::with_capacity(group.len());
        add_all(&mut insts, group.iter().map(|(_, edit)| *edit))?;
        if insts.is_empty() {
            continue;
        }
        let blocks = &function.blocks;
        let name = format!("{}_{}_{}", blocks[data.from].name, data.slot, blocks[data.to].name);
        let kind = MTermKind::Jump(MTarget { block: data.to, args: SmallVec::new() });
        let term = MTerm { kind, regs: RegOperands::new() };
        let params = Vec::new();
        let split = function.blocks.push(MBlock { name: name.into(), params, insts, term });
        let mut slot = 0;
        function.blocks[data.from].term.kind.for_each_target_mut(|to| {
            if slot == data.slot {
                to.block = split;
            }
            slot += 1;
        });
    }
    Ok(())
}

#[cfg(test)]
mod tests;
