//! Makes a program name fewer and earlier locals.

use super::Pick;
use crate::minimize::visit;
use backedge_core::ir::{Function, Local, Program};
use cranelift_entity::EntityRef;

/// Functions with more locals than this are left alone: pairs grow with the square, and by the time it
/// matters there are few.
const MOST_LOCALS: usize = 12;

/// Sites: a local with an earlier one of the same type, which takes its place everywhere. Two parameters of
/// one list stay two.
pub(super) fn merge(program: &mut Program, pick: &mut Pick) {
    for function in &mut program.functions {
        let pairs = pairs(function);
        let lists = function.blocks.values().map(|block| &block.params);
        let lists: Vec<Vec<Local>> = lists.chain([&function.params]).cloned().collect();
        for (earlier, later) in pairs {
            let together =
                lists.iter().any(|list| list.contains(&earlier) && list.contains(&later));
            if together || !pick.site() {
                continue;
            }
            visit::locals_mut(function, &mut |local| {
                if *local == later {
                    *local = earlier;
                }
            });
        }
    }
}

/// Sites: a place in an instruction or a terminator that names a local, with an earlier local of the same
/// type, which replaces it there.
pub(super) fn replace(program: &mut Program, pick: &mut Pick) {
    for function in &mut program.functions {
        let pairs = pairs(function);
        let mut replace = |local: &mut Local| {
            let before = *local;
            for &(earlier, later) in &pairs {
                if later == before && pick.site() {
                    *local = earlier;
                }
            }
        };
        for block in function.blocks.values_mut() {
            block.insts.iter_mut().for_each(|inst| inst.for_each_local_mut(&mut replace));
            block.term.kind.for_each_local_mut(&mut replace);
        }
    }
}

/// Pairs of locals of one type, the earlier one first.
fn pairs(function: &Function) -> Vec<(Local, Local)> {
    let count = function.locals.len();
    if count > MOST_LOCALS {
        return Vec::new();
    }
    let pairs = (0..count)
        .flat_map(|later| (0..later).map(move |earlier| (Local::new(earlier), Local::new(later))));
    let of_one_type = |&(earlier, later): &(Local, Local)| {
        function.locals[earlier].ty == function.locals[later].ty
    };
    pairs.filter(of_one_type).collect()
}
