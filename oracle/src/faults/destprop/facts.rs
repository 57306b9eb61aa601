//! What the plain pass reads off a function: copies, points, what is live, what is written.

use super::DestpropFault::{self, *};
use crate::reference::destprop::has_thunks;
use crate::reference::graph::Graph;
use crate::reference::liveness::Liveness;
use backedge_core::ir::{Block, Function, Local, Op, Type};
use cranelift_entity::EntityRef;
use std::collections::{BTreeMap, BTreeSet};

/// A point of the function.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Point {
    /// Where the function's parameters are bound.
    Params,
    /// Before an instruction; the terminator is the last.
    Before(Block, usize),
    /// After an instruction.
    After(Block, usize),
    /// After an edge has bound parameters.
    Bound(usize),
}

/// A write of a local, with what is copied to it.
pub(super) struct Write {
    pub(super) at: Point,
    pub(super) local: Local,
    pub(super) source: Option<Local>,
}

/// Everything that the pass looks at.
pub(super) struct Facts {
    /// Destination and source of each copy that is tried.
    pub(super) copies: Vec<[Local; 2]>,
    /// The points in order.
    pub(super) order: Vec<Point>,
    /// By local, later by class: where it is live.
    pub(super) live: Vec<BTreeSet<Point>>,
    pub(super) writes: Vec<Write>,
    /// Pairs that stay apart whatever is live.
    pub(super) apart: Vec<(Local, Local)>,
}

impl Facts {
    pub(super) fn new(function: &Function, graph: &Graph, fault: Option<DestpropFault>) -> Facts {
        let mut facts = Facts {
            copies: Vec::new(),
            order: vec![Point::Params],
            live: vec![BTreeSet::new(); function.locals.len()],
            writes: Vec::new(),
            apart: Vec::new(),
        };
        let reachable = graph.reachable();
        let looks_at = |block: Block| fault == Some(CopyInDeadCode) || reachable[block.index()];
        if !has_thunks(function) {
            for block in function.blocks.keys().filter(|&block| looks_at(block)) {
                facts.copies_of(function, block);
            }
        }
        facts.points(function, graph);
        facts.written(function, graph, fault);
        facts.kept_apart(function, fault);
        if fault == Some(CopyInDeadCode) {
            facts.forget_dead_code(graph, &reachable);
        }
        facts
    }

    fn copies_of(&mut self, function: &Function, block: Block) {
        let data = &function.blocks[block];
        let mut add = |dest: Local, source: Option<Local>| {
            if let Some(source) = source.filter(|&source| source != dest)
                && function.locals[dest].ty == Type::Int
            {
                self.copies.push([dest, source]);
            }
        };
        for inst in &data.insts {
            if let (Op::Copy(source), Some(dest)) = (&inst.op, &inst.dest) {
                add(dest.local, source.local());
            }
        }
        data.term.kind.for_each_target(|target| {
            for (&param, arg) in function.blocks[target.block].params.iter().zip(&target.args) {
                add(param, arg.local());
            }
        });
    }

    /// What is live at each point.
    fn points(&mut self, function: &Function, graph: &Graph) {
        let right = Liveness::new(function, graph);
        let mut sets: BTreeMap<Point, &[Local]> = BTreeMap::new();
        sets.insert(Point::Params, right.live_in(function.entry()));
        for (block, data) in &function.blocks {
            for inst in 0..=data.insts.len() {
                self.order.extend([Point::Before(block, inst), Point::After(block, inst)]);
                sets.insert(Point::Before(block, inst), right.before(block, inst));
                sets.insert(Point::After(block, inst), right.after(block, inst));
            }
        }
        for (number, edge) in graph.edges().iter().enumerate() {
            self.order.push(Point::Bound(number));
            sets.insert(Point::Bound(number), right.live_in(edge.to));
        }
        for (point, set) in sets {
            set.iter().for_each(|local| _ = self.live[local.index()].insert(point));
        }
    }

    fn written(&mut self, function: &Function, graph: &Graph, fault: Option<DestpropFault>) {
        let mut writes = Vec::new();
        let mut add = |at, local, source| writes.push(Write { at, local, source });
        function.params.iter().for_each(|&param| add(Point::Params, param, None));
        for (block, data) in &function.blocks {
            for (inst, data) in data.insts.iter().enumerate() {
                let source = match data.op {
                    Op::Copy(source) => source.local(),
                    _ => None,
                };
                let at = Point::After(block, inst);
                data.for_each_def(|local| add(at, local, source));
                data.for_each_partial_def(|local| add(at, local, None));
            }
            for (slot, edge) in graph.edges_out(block).iter().enumerate() {
                if let Some(result) = data.term.kind.edge_def(slot) {
                    let at = match (fault, graph.edge_number(edge.from, slot)) {
                        (Some(UnwindForgotten), Some(number)) => Point::Bound(number),
                        _ => Point::After(block, data.insts.len()),
                    };
                    add(at, result, None);
                }
            }
        }
        for block in function.blocks.keys() {
            let edges = graph.edges_in_numbered(block);
            let most = if fault == Some(EdgeForgotten) { 1 } else { usize::MAX };
            for number in edges.take(most) {
                let edge = &graph.edges()[number];
                let target = function.blocks[edge.from].term.kind.target(edge.slot);
                let args = target.into_iter().flat_map(|target| &target.args);
                for (&param, arg) in function.blocks[block].params.iter().zip(args) {
                    add(Point::Bound(number), param, arg.local());
                }
            }
        }
        if fault == Some(DeadWriteForgotten) {
            writes.retain(|write| self.live[write.local.index()].contains(&write.at));
        }
        self.writes = writes;
    }

    fn kept_apart(&mut self, function: &Function, fault: Option<DestpropFault>) {
        for data in function.blocks.values() {
            for (at, &param) in data.params.iter().enumerate() {
                self.apart.extend(data.params[..at].iter().map(|&other| (param, other)));
            }
            for inst in &data.insts {
                let Op::Opaque(opaque) = &inst.op else { continue };
                let written: Vec<Local> =
                    opaque.defs.iter().chain(&opaque.partial).copied().collect();
                for &local in &written {
                    self.apart.extend(written.iter().map(|&other| (local, other)));
                    if fault != Some(OperandsOverlap) {
                        self.apart.extend(opaque.uses.iter().map(|&other| (local, other)));
                    }
                }
            }
        }
        self.apart.retain(|(a, b)| a != b);
    }

    /// Nothing is known of blocks that the entry does not reach.
    fn forget_dead_code(&mut self, graph: &Graph, reachable: &[bool]) {
        let is_dead = |point: &Point| match point {
            Point::Params => false,
            Point::Before(block, _) | Point::After(block, _) => !reachable[block.index()],
            Point::Bound(edge) => !reachable[graph.edges()[*edge].from.index()],
        };
        self.live.iter_mut().for_each(|set| set.retain(|point| !is_dead(point)));
        self.writes.retain(|write| !is_dead(&write.at));
    }
}
