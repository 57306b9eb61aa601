//! Mistakes that are made in a right answer.

use super::RegallocFault;
use super::lives::operands_of;
use backedge_core::ir::Block;
use backedge_core::machine::{Access, MFunction, MOp, Reg, RegSet};
use backedge_core::regalloc::{Allocation, Edit, Location, Point, Registers};
use cranelift_entity::EntityRef;

/// Makes the mistake, where there is room for it.
pub(super) fn spoil(
    function: &MFunction,
    registers: &Registers,
    allocation: &mut Allocation,
    fault: Option<RegallocFault>,
) {
    match fault {
        Some(RegallocFault::CalleeSavedNotRestored) => {
            let first = allocation.saved.intersection(RegSet::CALLEE_SAVED).iter().next();
            if let Some(first) = first {
                allocation.saved = allocation.saved.without(first);
            }
        }
        Some(RegallocFault::SlotOutsideFrame) => {
            allocation.spill_bytes = highest_slot(allocation);
        }
        Some(RegallocFault::BlockForgotten) if function.blocks.len() > 1 => {
            allocation.operands.pop();
        }
        Some(RegallocFault::MovesNeverWritten) => {
            let used: Vec<Location> = places(allocation);
            let is_new = |reg: &&Reg| !used.contains(&Location::Reg(**reg));
            let fresh = registers.allocatable.iter().find(|reg| is_new(reg) && !is_argument(**reg));
            if let Some(&fresh) = fresh {
                move_onto_use(function, allocation, fresh, |_| true);
            }
        }
        Some(RegallocFault::MovesClobbered) => {
            let is_clobbered =
                |reg: &&Reg| RegSet::CALLER_SAVED.contains(**reg) && !is_argument(**reg);
            if let Some(&clobbered) = registers.allocatable.iter().find(is_clobbered) {
                let behind_call = |inst: &MOp| matches!(inst, MOp::Call { .. });
                move_onto_use(function, allocation, clobbered, behind_call);
            }
        }
        Some(
            RegallocFault::EarlyDefinitionShares
            | RegallocFault::ResultsShare
            | RegallocFault::RegisterNotGiven
            | RegallocFault::FixedOperandMoved,
        ) => each_inst(function, allocation, fault),
        _ => {}
    }
}

fn is_argument(reg: Reg) -> bool {
    (0..8).any(|index| Reg::argument(index) == Some(reg))
}

fn highest_slot(allocation: &Allocation) -> u32 {
    let slots = places(allocation).into_iter().filter_map(|place| match place {
        Location::Slot(offset) => Some(offset),
        Location::Reg(_) => None,
    });
    slots.max().unwrap_or(0)
}

/// Everywhere that something is.
fn places(allocation: &Allocation) -> Vec<Location> {
    let params = allocation.params.iter().flatten().copied();
    let edits = allocation.edits.iter().flat_map(|edit| [edit.from, edit.to]);
    let operands = allocation.operands.iter().flatten().flatten();
    params.chain(edits).chain(operands.map(|&reg| Location::Reg(reg))).collect()
}

/// Before the first use of a virtual register that follows a fitting instruction, moves `from` onto it.
fn move_onto_use(
    function: &MFunction,
    allocation: &mut Allocation,
    from: Reg,
    fits: impl Fn(&MOp) -> bool,
) {
    for (block, data) in &function.blocks {
        for inst in 1..=data.insts.len() {
            let operands = operands_of(function, block, inst);
            let regs = &allocation.operands[block.index()][inst];
            let found = operands
                .iter()
                .zip(regs)
                .find(|(of, reg)| of.access == Access::Use && of.reg.is_virtual() && **reg != from);
            if let (Some((_, &reg)), true) = (found, fits(&data.insts[inst - 1].op)) {
                let at = Point::Before { block, inst: inst as u32 };
                let (from, to) = (Location::Reg(from), Location::Reg(reg));
                allocation.edits.push(Edit { at, from, to });
                return;
            }
        }
    }
}

/// Gives operands of each instruction registers that they must not have.
fn each_inst(function: &MFunction, allocation: &mut Allocation, fault: Option<RegallocFault>) {
    for block in (0..function.blocks.len()).map(Block::new) {
        for inst in 0..=function.blocks[block].insts.len() {
            let operands = operands_of(function, block, inst);
            let regs = &mut allocation.operands[block.index()][inst];
            let first =
                |access| operands.iter().position(|of| of.access == access && of.reg.is_virtual());
            let virtual_use = first(Access::Use);
            match (fault, first(Access::EarlyDef), virtual_use) {
                (Some(RegallocFault::EarlyDefinitionShares), Some(def), Some(used)) => {
                    regs[def] = regs[used];
                }
                (Some(RegallocFault::ResultsShare), Some(early), _) => {
                    if let Some(late) = first(Access::Def) {
                        regs[late] = regs[early];
                    }
                }
                (Some(RegallocFault::RegisterNotGiven), _, _) => {
                    if let Some(def) = first(Access::Def) {
                        regs[def] = Reg::T0;
                    }
                }
                (Some(RegallocFault::FixedOperandMoved), _, _) => {
                    let fixed = operands.iter().position(|of| of.implicit && !of.is_def());
                    if let Some(fixed) = fixed.filter(|&fixed| regs[fixed] == Reg::A0) {
                        regs[fixed] = Reg::A1;
                    }
                }
                _ => {}
            }
        }
    }
}
