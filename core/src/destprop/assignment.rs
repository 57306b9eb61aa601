//! The copies between locals.

use crate::ir::{Block, Function, Local, Op};

/// Where a copy stands.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Site {
    /// An instruction of a block.
    Statement {
        /// The block.
        block: Block,
        /// Its position.
        inst: usize,
    },
    /// An argument of an edge.
    Edge {
        /// Where the edge starts.
        block: Block,
        /// Which successor of that it leads to.
        slot: usize,
        /// The position of the argument.
        argument: usize,
    },
}

impl Site {
    /// The block that the copy belongs to; of an edge, the one where it starts.
    pub fn block(self) -> Block {
        match self {
            Site::Statement { block, .. } | Site::Edge { block, .. } => block,
        }
    }
}

/// `dest = source`
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct Assignment {
    /// Where it stands.
    pub site: Site,
    /// What is assigned.
    pub dest: Local,
    /// What it gets.
    pub source: Local,
}

/// Every copy of a whole local to a whole local, moves among them: block by block, instructions first,
/// then edges.
pub fn assignments(function: &Function) -> Vec<Assignment> {
    let mut found = Vec::new();
    for (block, data) in &function.blocks {
        for (inst, data) in data.insts.iter().enumerate() {
            let source = match &data.op {
                Op::Copy(source) => source.local(),
                Op::Move(place) if place.is_whole() => Some(place.local),
                _ => None,
            };
            let dest = data.dest.as_ref().filter(|dest| dest.is_whole());
            if let (Some(source), Some(dest)) = (source, dest) {
                let site = Site::Statement { block, inst };
                found.push(Assignment { site, dest: dest.local, source });
            }
        }
        let mut slot = 0;
        data.term.kind.for_each_target(|target| {
            let params = &function.blocks[target.block].params;
            for (argument, (&dest, source)) in params.iter().zip(&target.args).enumerate() {
                if let Some(source) = source.local() {
                    found.push(Assignment {
                        site: Site::Edge { block, slot, argument },
                        dest,
                        source,
                    });
                }
            }
            slot += 1;
        });
    }
    found
}
