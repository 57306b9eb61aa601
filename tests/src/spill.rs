//! The simplest allocator that is right: every value has a slot of its own, is loaded for each use and
//! stored after each definition. Where code by it goes wrong, no allocator is to blame.

use backedge_core::cfg::Cfg;
use backedge_core::entity::Block;
use backedge_core::ir::{Function, Program};
use backedge_core::machine::{MFunction, Reg, RegSet};
use backedge_core::regalloc::{Allocation, Edit, Location, Point, Registers};
use backedge_oracle::core_subject::Core;
use backedge_oracle::subject::{Lowering, NoAnswer, RegisterAllocator, Subject};

/// Core's lowering, with every value spilled.
#[derive(Copy, Clone, Debug, Default)]
pub struct Spilled;

impl Subject for Spilled {
    fn name(&self) -> &str {
        "spilled"
    }

    fn lowering(&mut self) -> Option<&mut dyn Lowering> {
        Some(self)
    }

    fn allocators(&mut self) -> Vec<&mut dyn RegisterAllocator> {
        vec![self]
    }
}

impl Lowering for Spilled {
    fn lower(&mut self, program: &Program, function: &Function) -> Result<MFunction, NoAnswer> {
        Lowering::lower(&mut Core::default(), program, function)
    }
}

/// `s1` to `s4`, which no convention names: as many as an instruction has operands.
const REGISTERS: [Reg; 4] =
    [Reg::physical(9), Reg::physical(18), Reg::physical(19), Reg::physical(20)];

impl RegisterAllocator for Spilled {
    fn name(&self) -> &str {
        "spill-everything"
    }

    fn allocate(&mut self, function: &MFunction, _: &Registers) -> Result<Allocation, NoAnswer> {
        let mut answer = Allocation { saved: RegSet::of(REGISTERS), ..Allocation::default() };
        for (block, data) in &function.blocks {
            answer.params.push(data.params.iter().map(|&param| slot(param)).collect());
            spill_block(function, block, &mut answer);
        }
        let most = spill_edges(function, &mut answer);
        answer.spill_bytes = 8 * (function.virtuals + most);
        Ok(answer)
    }
}

fn slot(reg: Reg) -> Location {
    Location::Slot(8 * (reg.number() - Reg::virtual_register(0).number()))
}

fn spill_block(function: &MFunction, block: Block, answer: &mut Allocation) {
    let mut operands = Vec::new();
    for inst in 0..=function.blocks[block].insts.len() {
        let mut free = REGISTERS.iter();
        let mut regs = Vec::new();
        for operand in function.operands(block, inst) {
            let reg = match free.next() {
                Some(&reg) if operand.reg.is_virtual() => reg,
                _ => {
                    regs.push(operand.reg);
                    continue;
                }
            };
            regs.push(reg);
            let [here, there] = [Location::Reg(reg), slot(operand.reg)];
            let after = u32::from(operand.is_def());
            let at = Point::Before { block, inst: inst as u32 + after };
            let (from, to) = if operand.is_def() { (here, there) } else { (there, here) };
            answer.edits.push(Edit { at, from, to });
        }
        operands.push(regs.into_iter().collect());
    }
    answer.operands.push(operands);
}

/// Every argument goes by a slot that is no parameter's, so that none is lost in a permutation. How many
/// such slots there are.
fn spill_edges(function: &MFunction, answer: &mut Allocation) -> u32 {
    let cfg = Cfg::build(function);
    let between = Location::Reg(REGISTERS[0]);
    let mut most = 0;
    for (edge, data) in cfg.edges() {
        let target = function.blocks[data.from].term.kind.target(data.slot as usize);
        let args = target.map(|target| &target.args[..]).unwrap_or_default();
        let params = &function.blocks[data.to].params;
        let aside = |index: usize| Location::Slot(8 * (function.virtuals + index as u32));
        let aside_first = args.iter().enumerate().map(|(index, &arg)| (slot(arg), aside(index)));
        let then_there = params.iter().enumerate().map(|(index, &to)| (aside(index), slot(to)));
        for (from, to) in aside_first.chain(then_there) {
            let at = Point::OnEdge(edge);
            answer.edits.push(Edit { at, from, to: between });
            answer.edits.push(Edit { at, from: between, to });
        }
        most = most.max(args.len() as u32);
    }
    most
}
