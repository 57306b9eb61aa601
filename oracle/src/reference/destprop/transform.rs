//! The function with its locals renamed, without what then copies a local to itself.

use super::{Phi, args, has_thunks};
use crate::reference::graph::Graph;
use backedge_core::ir::{Block, Function, Local, Op, Operands, Type};
use cranelift_entity::EntityRef;

/// What merges make of a function.
#[derive(Clone, Debug)]
pub struct Transformed {
    /// The function.
    pub function: Function,
    /// By block, by instruction of the original: whether it was removed.
    removed: Vec<Vec<bool>>,
    /// By block, by parameter of the original: whether it was removed.
    removed_params: Vec<Vec<bool>>,
}

impl Transformed {
    /// Renames by phi, and removes copies of integers to themselves: instructions, and parameters that get
    /// themselves on all edges, of which there is at least one. A function with thunks stays as it is.
    pub fn new(original: &Function, graph: &Graph, phi: &Phi) -> Transformed {
        let mut function = original.clone();
        let mut rename = |local: &mut Local| *local = phi.of(*local);
        for data in function.blocks.values_mut() {
            data.params.iter_mut().for_each(&mut rename);
            data.insts.iter_mut().for_each(|inst| inst.for_each_local_mut(&mut rename));
            data.term.kind.for_each_local_mut(&mut rename);
        }
        let keeps_all = has_thunks(original);
        let removed = function.blocks.values().map(|data| {
            let copies_to_itself = data.insts.iter().map(|inst| match (&inst.op, &inst.dest) {
                (Op::Copy(source), Some(dest)) => !keeps_all && source.local() == Some(dest.local),
                _ => false,
            });
            copies_to_itself.collect::<Vec<bool>>()
        });
        let removed: Vec<Vec<bool>> = removed.collect();
        let removed_params = function.blocks.keys().map(|block| {
            let params = 0..function.blocks[block].params.len();
            let goes = |param| !keeps_all && gets_itself(&function, graph, block, param);
            params.map(goes).collect::<Vec<bool>>()
        });
        let removed_params: Vec<Vec<bool>> = removed_params.collect();
        let mut transformed = Transformed { function, removed, removed_params };
        transformed.remove();
        transformed
    }

    /// Whether another function has the same instructions and parameters, whatever locals they name, so
    /// that it can stand in place of the right one.
    pub fn has_shape_of(&self, other: &Function) -> bool {
        let shape = |function: &Function| {
            let mut function = function.clone();
            let mut valid = function.locals.len() == self.function.locals.len();
            let count = function.locals.len();
            let mut check = |local: &mut Local| valid &= local.index() < count;
            for data in function.blocks.values_mut() {
                data.params.iter_mut().for_each(&mut check);
                data.insts.iter_mut().for_each(|inst| inst.for_each_local_mut(&mut check));
                data.term.kind.for_each_local_mut(&mut check);
            }
            let blocks = function.blocks.values().map(|data| {
                let targets = data.term.kind.targets();
                let targets: Vec<_> = targets.iter().map(|to| (to.block, to.args.len())).collect();
                (data.params.len(), data.insts.len(), targets)
            });
            (valid, blocks.collect::<Vec<_>>())
        };
        shape(other).0 && shape(other) == shape(&self.function)
    }

    /// The same with another function, which has its shape.
    pub fn with(self, function: Function) -> Transformed {
        Transformed { function, ..self }
    }

    fn remove(&mut self) {
        for (block, data) in self.function.blocks.iter_mut() {
            let index = block.index();
            keep(&mut data.insts, &self.removed[index]);
            keep(&mut data.params, &self.removed_params[index]);
            data.term.kind.for_each_target_mut(|target| {
                let removed = &self.removed_params[target.block.index()];
                // A terminator that can't be entered may name too few.
                let args = target.args.iter().enumerate();
                let args = args.filter(|(at, _)| !removed.get(*at).is_some_and(|removed| *removed));
                target.args = args.map(|(_, arg)| *arg).collect::<Operands>();
            });
        }
    }

    /// Whether an instruction of the original was removed.
    pub fn is_removed(&self, block: Block, inst: usize) -> bool {
        self.removed[block.index()].get(inst) == Some(&true)
    }

    /// Whether a parameter of a block of the original was removed.
    pub fn is_param_removed(&self, block: Block, param: usize) -> bool {
        self.removed_params[block.index()][param]
    }

    /// Where an instruction of the original is; of one that was removed, what came behind it.
    pub fn position(&self, block: Block, inst: usize) -> usize {
        self.removed[block.index()][..inst].iter().filter(|removed| !**removed).count()
    }
}

fn keep<T>(list: &mut Vec<T>, removed: &[bool]) {
    let mut removed = removed.iter();
    list.retain(|_| removed.next() == Some(&false));
}

/// Whether every edge into a block copies this parameter of it to itself, and there is one.
fn gets_itself(function: &Function, graph: &Graph, block: Block, param: usize) -> bool {
    let local = function.blocks[block].params[param];
    let mut edges = graph.edges_in(block).peekable();
    let is_int = function.locals[local].ty == Type::Int;
    is_int && edges.peek().is_some() && edges.all(|edge| args(function, edge)[param] == Some(local))
}
