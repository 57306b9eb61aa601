//! Regions as blocks, the plainest way: one walk, with what follows each open node on a stack.
//!
//! The roots of thunk form become the blocks that they were made from, with their names and in their
//! order. Since a thunk is used right after it is bound, its `bind` is the jump.

use crate::diagnostic::Span;
use crate::ir::{
    Block, BlockData, Function, Local, Name, Operand, Operands, Target, Terminator, TerminatorKind,
    Type,
};
use crate::thunks::form::{Bind, End, Goal, Loop, Node, On, Region, RegionFunction, Select};
use crate::thunks::walk::{Step, Walk};
use cranelift_entity::packed_option::PackedOption;
use cranelift_entity::{EntityRef, SecondaryMap};
use rustc_hash::FxHashSet;

/// The blocks, and how many of them have names of their own.
pub(super) fn blocks(regions: &RegionFunction) -> (Function, usize) {
    let mut function = Function::new(regions.name.clone());
    function.params = regions.params.clone();
    function.ret = regions.ret.clone();
    function.locals = regions.locals.clone();
    function.span = regions.span;
    let mut lowering = Lowering {
        regions,
        function,
        targets: SecondaryMap::new(),
        open: Vec::new(),
        current: None,
    };
    for &root in &regions.roots {
        lowering.target(root);
    }
    let named = if regions.is_body() { 0 } else { regions.roots.len() };
    for step in Walk::new(regions) {
        lowering.step(step);
    }
    (lowering.function, named)
}

/// Names the blocks that have no name: `entry`, and `b1` and so on.
pub(super) fn name(function: &mut Function, named: usize) {
    let taken: FxHashSet<Name> =
        function.blocks.values().take(named).map(|block| block.name.clone()).collect();
    let mut number = 0;
    for (block, data) in function.blocks.iter_mut() {
        if !data.name.is_empty() && taken.contains(&data.name) {
            continue;
        }
        data.name = loop {
            let name: Name = if block.index() == 0 && number == 0 {
                "entry".into()
            } else {
                format!("b{number}").into()
            };
            number += 1;
            if !taken.contains(&name) {
                break name;
            }
        };
    }
}

/// A node whose regions are being lowered.
enum Open {
    /// Each arm starts with its block; what is yielded goes to the block after.
    Select {
        arms: Vec<Block>,
        after: Option<Block>,
    },
    Loop {
        head: Block,
        after: Block,
    },
    Match,
}

struct Lowering<'r> {
    regions: &'r RegionFunction,
    function: Function,
    /// By region with a name: its block.
    targets: SecondaryMap<Region, PackedOption<Block>>,
    open: Vec<Open>,
    /// Where instructions go; nowhere after a jump.
    current: Option<Block>,
}

impl Lowering<'_> {
    fn block(&mut self, params: Vec<Local>) -> Block {
        self.function.blocks.push(BlockData {
            name: Name::default(),
            params,
            insts: Vec::new(),
            term: TerminatorKind::Unreachable.into(),
            span: Span::NONE,
        })
    }

    /// The block of a region that thunks lead to, or of the only root.
    fn target(&mut self, region: Region) -> Block {
        if let Some(block) = self.targets[region].expand() {
            return block;
        }
        let data = &self.regions.regions[region];
        let block = self.block(data.inputs.clone());
        self.function.blocks[block].name = data.name.clone().unwrap_or_default();
        self.targets[region] = block.into();
        block
    }

    /// Ends the current block.
    fn end(&mut self, kind: TerminatorKind, span: Span) {
        if let Some(block) = self.current.take() {
            self.function.blocks[block].term = Terminator { kind, span };
        }
    }

    fn jump(&mut self, block: Block, args: Operands, span: Span) {
        self.end(TerminatorKind::Jump(Target { block, args }), span);
    }

    fn step(&mut self, step: Step) {
        let regions = self.regions;
        match step {
            Step::Root(region) => self.current = Some(self.target(region)),
            Step::Node(region, node) => self.node(&regions.regions[region].nodes[node]),
            Step::Arm(_, _, arm) => {
                let region = Walk::region(regions, step);
                self.current = match self.open.last() {
                    Some(Open::Select { arms, .. }) => arms.get(arm).copied(),
                    Some(Open::Loop { head, .. }) => Some(*head),
                    Some(Open::Match) | None => Some(self.target(region)),
                };
            }
            Step::Leave(region, node) => {
                if !regions.regions[region].nodes[node].arms().is_empty() {
                    self.current = match self.open.pop() {
                        Some(Open::Select { after, .. }) => after,
                        Some(Open::Loop { after, .. }) => Some(after),
                        Some(Open::Match) | None => None,
                    };
                }
            }
            Step::End(region) => {
                let data = &regions.regions[region];
                self.region_end(&data.end, data.end_span);
            }
        }
    }

    fn node(&mut self, node: &Node) {
        match node {
            Node::Inst(inst) => {
                if let Some(block) = self.current {
                    self.function.blocks[block].insts.push(inst.clone());
                }
            }
            Node::Bind(bind) => self.bind(bind),
            Node::Select(select) => self.select(select),
            Node::Loop(node) => self.repeated(node),
            Node::Match(_) => self.open.push(Open::Match),
        }
    }

    fn bind(&mut self, bind: &Bind) {
        match bind.to {
            Goal::Region(region) => {
                let block = self.target(region);
                self.jump(block, bind.args.clone(), bind.span);
            }
            Goal::Return => {
                self.end(TerminatorKind::Return(bind.args.first().copied()), bind.span);
            }
            Goal::Resume => self.end(TerminatorKind::Resume, bind.span),
        }
    }

    fn select(&mut self, select: &Select) {
        let arms: Vec<Block> = select.arms.iter().map(|_| self.block(Vec::new())).collect();
        let is_thunk = |&local: &Local| self.function.locals[local].ty == Type::Thunk;
        let after = match select.outputs.iter().any(is_thunk) {
            true => None,
            false => Some(self.block(select.outputs.clone())),
        };
        let to = |arm: usize| Target::new(arms[arm]);
        let kind = match &select.on {
            On::If(cond) => TerminatorKind::Branch { cond: *cond, then_to: to(0), else_to: to(1) },
            On::Switch(value, keys) => TerminatorKind::Switch {
                value: *value,
                default: to(keys.len()),
                cases: keys.iter().enumerate().map(|(arm, &key)| (key, to(arm))).collect(),
            },
            On::Call { dest, callee, args } => TerminatorKind::TryCall {
                dest: dest.clone(),
                callee: callee.clone(),
                args: args.clone(),
                normal: to(0),
                unwind: to(1),
            },
            On::Drop(place) => {
                TerminatorKind::TryDrop { place: place.clone(), normal: to(0), unwind: to(1) }
            }
        };
        self.end(kind, select.span);
        self.open.push(Open::Select { arms, after });
    }

    fn repeated(&mut self, node: &Loop) {
        let head = self.block(self.regions.regions[node.body].inputs.clone());
        let after = self.block(node.outputs.clone());
        self.jump(head, node.inits.clone(), node.span);
        self.open.push(Open::Loop { head, after });
    }

    fn region_end(&mut self, end: &End, span: Span) {
        match end {
            End::Yield(values) => {
                if let Some(Open::Select { after: Some(after), .. }) = self.open.last() {
                    self.jump(*after, values.clone(), span);
                }
            }
            End::Repeat { again, carried, outputs } => {
                let Some(&Open::Loop { head, after }) = self.open.last() else { return };
                let then_to = Target { block: head, args: carried.clone() };
                let else_to = Target { block: after, args: outputs.clone() };
                match again {
                    Operand::Const(0) => self.end(TerminatorKind::Jump(else_to), span),
                    Operand::Const(_) => self.end(TerminatorKind::Jump(then_to), span),
                    Operand::Local(_) => {
                        self.end(TerminatorKind::Branch { cond: *again, then_to, else_to }, span);
                    }
                }
            }
            End::Return(value) => self.end(TerminatorKind::Return(*value), span),
            End::Resume => self.end(TerminatorKind::Resume, span),
            End::Unreachable => self.end(TerminatorKind::Unreachable, span),
            End::Enter(_) => {}
        }
    }
}
