//! Gives terminators fewer and simpler edges.

use super::Pick;
use backedge_core::ir::{
    Block, BlockData, Function, Operand, Operands, Program, Target, TerminatorKind, Type,
};
use cranelift_entity::EntityRef;

/// Functions with more blocks than this have no sites in passes that look at pairs of blocks.
pub(super) const MOST_BLOCKS: usize = 12;

/// Sites: terminators with an edge, and those that end a run otherwise than by `return`.
pub(super) fn halt(program: &mut Program, pick: &mut Pick) {
    for function in &mut program.functions {
        let halted = halted(function);
        for block in function.blocks.values_mut() {
            let is_halted = matches!(block.term.kind, TerminatorKind::Return(_));
            if !is_halted && block.term.kind != halted && pick.site() {
                block.term.kind = halted.clone();
            }
        }
    }
}

/// The simplest end of a run of this function: `return`, or `unreachable` where there is no constant
/// to return.
pub(super) fn halted(function: &Function) -> TerminatorKind {
    match function.ret {
        None => TerminatorKind::Return(None),
        Some(Type::Int) => TerminatorKind::Return(Some(Operand::Const(0))),
        Some(_) => TerminatorKind::Unreachable,
    }
}

/// Sites: terminators with several edges.
pub(super) fn jump_to_first(program: &mut Program, pick: &mut Pick) {
    jump(program, pick, |targets| targets.first().map(|target| (*target).clone()));
}

/// Sites: terminators with several edges.
pub(super) fn jump_to_last(program: &mut Program, pick: &mut Pick) {
    jump(program, pick, |targets| targets.last().map(|target| (*target).clone()));
}

fn jump(program: &mut Program, pick: &mut Pick, choose: impl Fn(&[&Target]) -> Option<Target>) {
    each_block(program, |block| {
        let targets = block.term.kind.targets();
        let chosen = (targets.len() > 1 && pick.site()).then(|| choose(&targets)).flatten();
        drop(targets);
        if let Some(target) = chosen {
            block.term.kind = TerminatorKind::Jump(target);
        }
    });
}

/// Sites: the targets of switches. Where the default goes, the first case takes its place.
pub(super) fn remove_cases(program: &mut Program, pick: &mut Pick) {
    each_block(program, |block| {
        if let TerminatorKind::Switch { default, cases, .. } = &mut block.term.kind {
            let drop_default = !cases.is_empty() && pick.site();
            cases.retain(|_| !pick.site());
            if drop_default && !cases.is_empty() {
                *default = cases.remove(0).1;
            }
        }
    });
}

/// Sites: switches with one case or none, and `try_` terminators. They become branches and jumps.
pub(super) fn plain(program: &mut Program, pick: &mut Pick) {
    each_block(program, |block| {
        let plain = match &block.term.kind {
            TerminatorKind::Switch { value, default, cases } => match &cases[..] {
                [] => TerminatorKind::Jump(default.clone()),
                [(_, else_to)] => branch(*value, default, else_to),
                _ => return,
            },
            TerminatorKind::TryCall { args, normal, unwind, .. } => {
                let cond = args.iter().copied().find(|arg| arg.local().is_some());
                branch(cond.unwrap_or(Operand::Const(0)), normal, unwind)
            }
            TerminatorKind::TryDrop { normal, unwind, .. } => {
                branch(Operand::Const(0), normal, unwind)
            }
            _ => return,
        };
        if pick.site() {
            block.term.kind = plain;
        }
    });
}

fn branch(cond: Operand, then_to: &Target, else_to: &Target) -> TerminatorKind {
    TerminatorKind::Branch { cond, then_to: then_to.clone(), else_to: else_to.clone() }
}

/// Sites: branches.
pub(super) fn swap_arms(program: &mut Program, pick: &mut Pick) {
    each_block(program, |block| {
        if let TerminatorKind::Branch { then_to, else_to, .. } = &mut block.term.kind
            && pick.site()
        {
            std::mem::swap(then_to, else_to);
        }
    });
}

/// Sites: two blocks that change terminators.
pub(super) fn swap_terminators(program: &mut Program, pick: &mut Pick) {
    for function in program.functions.iter_mut().filter(|f| f.blocks.len() <= MOST_BLOCKS) {
        for second in function.blocks.keys() {
            for first in function.blocks.keys().take_while(|&first| first != second) {
                if pick.site() {
                    let kind = function.blocks[first].term.kind.clone();
                    let kind = std::mem::replace(&mut function.blocks[second].term.kind, kind);
                    function.blocks[first].term.kind = kind;
                }
            }
        }
    }
}

/// Sites: an edge with another block that it could lead to.
pub(super) fn redirect(program: &mut Program, pick: &mut Pick) {
    for function in &mut program.functions {
        if function.blocks.len() > MOST_BLOCKS {
            continue;
        }
        let targets: Vec<Target> =
            function.blocks.keys().filter_map(|block| default_target(function, block)).collect();
        for block in function.blocks.values_mut() {
            block.term.kind.for_each_target_mut(|edge| {
                let before = edge.block;
                for target in targets.iter().filter(|target| target.block != before) {
                    if pick.site() {
                        edge.clone_from(target);
                    }
                }
            });
        }
    }
}

/// The block, with 0 for each parameter; `None` if one is no integer.
pub(super) fn default_target(function: &Function, block: Block) -> Option<Target> {
    let params = &function.blocks[block].params;
    let integers = params.iter().all(|&param| function.locals[param].ty == Type::Int);
    let args: Operands = params.iter().map(|_| Operand::Const(0)).collect();
    (integers && (block.index() > 0 || args.is_empty())).then_some(Target { block, args })
}

fn each_block(program: &mut Program, mut visit: impl FnMut(&mut BlockData)) {
    let functions = program.functions.iter_mut();
    functions.flat_map(|function| function.blocks.values_mut()).for_each(&mut visit);
}
