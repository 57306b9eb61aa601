//! Values that keep a register for life.

use super::RegallocFault;
use super::lives::{Lives, Set, operands_of};
use backedge_core::ir::Block;
use backedge_core::machine::{MFunction, Reg, RegSet};
use cranelift_entity::EntityRef;
use std::collections::{BTreeMap, BTreeSet};

/// Registers for life, to whoever comes first and interferes with nobody who has the register.
pub(super) fn choose(
    function: &MFunction,
    lives: &Lives,
    registers: &[Reg],
    fault: Option<RegallocFault>,
) -> BTreeMap<Reg, Reg> {
    let conflicts = conflicts(function, lives, fault);
    let mut chosen: BTreeMap<Reg, Reg> = BTreeMap::new();
    for value in (0..function.virtuals).map(Reg::virtual_register) {
        let none = BTreeSet::new();
        let others = conflicts.get(&value).unwrap_or(&none);
        let is_free = |reg: &&Reg| {
            !others.contains(reg) && !others.iter().any(|other| chosen.get(other) == Some(reg))
        };
        if let Some(&reg) = registers.iter().find(is_free) {
            chosen.insert(value, reg);
        }
    }
    chosen
}

/// By value: which values and registers it must not share with.
fn conflicts(
    function: &MFunction,
    lives: &Lives,
    fault: Option<RegallocFault>,
) -> BTreeMap<Reg, BTreeSet<Reg>> {
    let mut pairs: BTreeMap<Reg, BTreeSet<Reg>> = BTreeMap::new();
    let mut add = |one: &Set, other: &Set| {
        for (&a, &b) in one.iter().flat_map(|a| other.iter().map(move |b| (a, b))) {
            if a != b {
                pairs.entry(a).or_default().insert(b);
                pairs.entry(b).or_default().insert(a);
            }
        }
    };
    for (block, data) in &function.blocks {
        let into = &lives.into[block.index()];
        let params: Set = data.params.iter().copied().collect();
        add(&params, into);
        add(&params, &params);
        for inst in 0..=data.insts.len() {
            let operands = operands_of(function, block, inst).iter();
            let defs: Set = operands.clone().filter(|of| of.is_def()).map(|of| of.reg).collect();
            let after = &lives.after[block.index()][inst];
            add(&defs, after);
            add(&defs, &defs);
            // Early definitions are written while uses are still to be read.
            if defs.len() + usize::from(operands.clone().any(is_early)) > 1
                || operands.clone().any(is_early)
            {
                add(&defs, &operands.clone().map(|of| of.reg).collect());
            }
            if fault != Some(RegallocFault::ClobbersForgotten) {
                let survivors: Set = after.difference(&defs).copied().collect();
                add(&clobbers(function, block, inst), &survivors);
            }
        }
    }
    pairs
}

fn is_early(operand: &backedge_core::machine::RegOperand) -> bool {
    operand.access == backedge_core::machine::Access::EarlyDef
}

fn clobbers(function: &MFunction, block: Block, inst: usize) -> Set {
    let clobbers = function.blocks[block].insts.get(inst).map_or(RegSet::EMPTY, |of| of.clobbers);
    clobbers.iter().collect()
}
