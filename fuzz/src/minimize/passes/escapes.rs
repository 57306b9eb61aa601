//! Steps in pairs, out of places where no single step leads down.
//!
//! The first step goes sideways: it moves something without making the program simpler. The second is a
//! single step of a pass that makes it much simpler. Pairs are many, so only small programs are tried,
//! when all else is done.

use super::{Pick, blocks, edges, insts};
use backedge_core::ir::Program;

/// Programs with more blocks and instructions than this are left alone.
const MOST: usize = 8;

type Edit = fn(&mut Program, &mut Pick);

const SIDEWAYS: [Edit; 3] = [edges::redirect, edges::swap_arms, insts::swap];

const DOWN: [Edit; 5] =
    [blocks::bypass, blocks::redirect, edges::jump_to_first, edges::halt, insts::remove];

/// Sites: a site of a sideways step, with a site that the other step has after it.
pub(super) fn in_pairs(program: &mut Program, pick: &mut Pick) {
    let size = |program: &Program| -> usize {
        let functions = program.functions.iter();
        functions.map(|function| function.blocks.len() + function.inst_count()).sum()
    };
    if size(program) > MOST {
        return;
    }
    let before = program.clone();
    for first in SIDEWAYS {
        for site in 0..sites(first, &before) {
            let mut moved = before.clone();
            first(&mut moved, &mut Pick::of(site..site + 1));
            for second in DOWN {
                for site in 0..sites(second, &moved) {
                    if pick.site() {
                        program.clone_from(&moved);
                        second(program, &mut Pick::of(site..site + 1));
                    }
                }
            }
        }
    }
}

fn sites(edit: Edit, program: &Program) -> usize {
    let mut pick = Pick::of(0..0);
    edit(&mut program.clone(), &mut pick);
    pick.seen
}
