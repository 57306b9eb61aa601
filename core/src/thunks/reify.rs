//! Reify: branches become thunks.
//!
//! Each block becomes a region with the block's name and parameters. Its terminator becomes values: a
//! `jump` binds its target, a selection has an arm a target that binds it and yields the thunk, and the
//! region enters what came of that. `return` and `resume` are targets too, and `unreachable` is the
//! undefined thunk. Every edge has a `bind` of its own, so that two edges to one target stay two.
//!
//! [`unreify`] reads the graph off the thunks again: same blocks in the same order, same edges in the
//! same slots, same arguments. It takes what [`reify`] gives; of any other region form,
//! [`lower`](super::lower) makes blocks.

use super::form::{Bind, End, Goal, Node, On, Region, RegionData, RegionFunction, Select};
use super::names::Fresh;
use crate::diagnostic::Span;
use crate::ir::{
    Block, BlockData, Function, Local, Op, Operand, Operands, Target, Terminator, TerminatorKind,
    Type,
};
use cranelift_entity::{EntityRef, PrimaryMap};
use std::fmt;

/// Why a function has no region form.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// It keeps thunks in locals (`bind` and `enter` of blocks), so that its edges are not known.
    KeptThunks,
    /// It is in thunk form, but not as [`reify`] makes it.
    OtherThunks,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Refusal::KeptThunks => {
                "the function keeps thunks in locals, so that its edges are not known"
            }
            Refusal::OtherThunks => "the thunks are not one for each edge of a block",
        })
    }
}

impl std::error::Error for Refusal {}

/// Thunk form of a function.
///
/// # Errors
/// [`Refusal::KeptThunks`] if it has a `bind` or an `enter` already.
pub fn reify(function: &Function) -> Result<RegionFunction, Refusal> {
    refuse_thunks(function)?;
    let mut reifier = Reifier {
        fresh: Fresh::new(&function.locals),
        out: RegionFunction {
            name: function.name.clone(),
            ssa: function.ssa,
            params: function.params.clone(),
            ret: function.ret.clone(),
            locals: function.locals.clone(),
            regions: PrimaryMap::new(),
            roots: Vec::new(),
            span: function.span,
        },
    };
    for block in function.blocks.values() {
        let mut data = RegionData::new(End::Unreachable);
        data.name = Some(block.name.clone());
        data.inputs = block.params.clone();
        data.nodes = block.insts.iter().cloned().map(Node::Inst).collect();
        (data.span, data.end_span) = (block.span, block.term.span);
        let root = reifier.out.regions.push(data);
        reifier.out.roots.push(root);
    }
    for (block, data) in &function.blocks {
        // Roots come first, so that a block and its region have one number.
        reifier.terminator(Region::new(block.index()), &data.term);
    }
    reifier.out.renumber();
    Ok(reifier.out)
}

/// Whether the edges of a function are known.
pub(super) fn refuse_thunks(function: &Function) -> Result<(), Refusal> {
    let binds = |block: &BlockData| block.insts.iter().any(|i| matches!(i.op, Op::Bind(_)));
    let enters = |block: &BlockData| matches!(block.term.kind, TerminatorKind::Enter(_));
    let kept = function.blocks.values().any(|block| binds(block) || enters(block));
    if kept { Err(Refusal::KeptThunks) } else { Ok(()) }
}

struct Reifier {
    fresh: Fresh,
    out: RegionFunction,
}

impl Reifier {
    fn thunk(&mut self) -> Local {
        self.fresh.local(&mut self.out.locals, "t", Type::Thunk)
    }

    /// Binds a target at the end of a region.
    fn bind(&mut self, region: Region, to: Goal, args: Operands, span: Span) -> Local {
        let dest = self.thunk();
        self.out.regions[region].nodes.push(Node::Bind(Bind { dest, to, args, span }));
        dest
    }

    fn bind_target(&mut self, region: Region, target: &Target, span: Span) -> Local {
        let to = Goal::Region(Region::new(target.block.index()));
        self.bind(region, to, target.args.clone(), span)
    }

    fn terminator(&mut self, region: Region, term: &Terminator) {
        let span = term.span;
        let (on, targets): (On, Vec<&Target>) = match &term.kind {
            TerminatorKind::Jump(to) => {
                let thunk = self.bind_target(region, to, span);
                return self.enter(region, thunk);
            }
            TerminatorKind::Return(value) => {
                let args = value.iter().copied().collect();
                let thunk = self.bind(region, Goal::Return, args, span);
                return self.enter(region, thunk);
            }
            TerminatorKind::Resume => {
                let thunk = self.bind(region, Goal::Resume, Operands::new(), span);
                return self.enter(region, thunk);
            }
            TerminatorKind::Unreachable | TerminatorKind::Enter(_) => return,
            TerminatorKind::Branch { cond, then_to, else_to } => {
                (On::If(*cond), vec![then_to, else_to])
            }
            TerminatorKind::Switch { value, default, cases } => {
                let keys = cases.iter().map(|(key, _)| *key).collect();
                let targets = cases.iter().map(|(_, to)| to).chain([default]).collect();
                (On::Switch(*value, keys), targets)
            }
            TerminatorKind::TryCall { dest, callee, args, normal, unwind } => {
                let (dest, callee, args) = (dest.clone(), callee.clone(), args.clone());
                (On::Call { dest, callee, args }, vec![normal, unwind])
            }
            TerminatorKind::TryDrop { place, normal, unwind } => {
                (On::Drop(place.clone()), vec![normal, unwind])
            }
        };
        let output = self.thunk();
        let arms = targets.into_iter().map(|target| self.arm(target, span)).collect();
        let select = Select { on, arms, outputs: vec![output], span };
        self.out.regions[region].nodes.push(Node::Select(select));
        self.enter(region, output);
    }

    fn enter(&mut self, region: Region, thunk: Local) {
        self.out.regions[region].end = End::Enter(thunk);
    }

    /// The arm that yields an edge.
    fn arm(&mut self, target: &Target, span: Span) -> Region {
        let mut data = RegionData::new(End::Unreachable);
        (data.span, data.end_span) = (span, span);
        let arm = self.out.regions.push(data);
        let thunk = self.bind_target(arm, target, span);
        self.out.regions[arm].end = End::Yield(Operands::from_slice(&[thunk.into()]));
        arm
    }
}

/// The function whose thunk form this is; `None` if it is not as [`reify`] makes it.
pub fn unreify(thunks: &RegionFunction) -> Option<Function> {
    let mut function = Function::new(thunks.name.clone());
    function.ssa = thunks.ssa;
    function.params = thunks.params.clone();
    function.ret = thunks.ret.clone();
    function.locals = thunks.locals.clone();
    function.span = thunks.span;
    let mut blocks = cranelift_entity::SecondaryMap::new();
    for (index, &root) in thunks.roots.iter().enumerate() {
        blocks[root] = Some(Block::new(index)).into();
    }
    let reader = Reader { thunks, blocks };
    for &root in &thunks.roots {
        let data = reader.block(root)?;
        function.blocks.push(data);
    }
    let thunks = |local| thunks.locals[local].ty == Type::Thunk;
    keep_locals(&mut function, |local| !thunks(local));
    Some(function)
}

/// Leaves out the locals that are not kept; they occur nowhere.
pub(super) fn keep_locals(function: &mut Function, keep: impl Fn(Local) -> bool) {
    let kept: Vec<Local> = function.locals.keys().filter(|&local| keep(local)).collect();
    let mut new = vec![Local::from_u32(0); function.locals.len()];
    let mut locals = PrimaryMap::with_capacity(kept.len());
    for local in kept {
        new[local.index()] = locals.push(function.locals[local].clone());
    }
    let mut number = |local: &mut Local| *local = new[local.index()];
    function.params.iter_mut().for_each(&mut number);
    for block in function.blocks.values_mut() {
        block.params.iter_mut().for_each(&mut number);
        block.insts.iter_mut().for_each(|inst| inst.for_each_local_mut(&mut number));
        block.term.kind.for_each_local_mut(&mut number);
    }
    function.locals = locals;
    function.renumber();
}

struct Reader<'t> {
    thunks: &'t RegionFunction,
    blocks: cranelift_entity::SecondaryMap<
        Region,
        cranelift_entity::packed_option::PackedOption<Block>,
    >,
}

impl Reader<'_> {
    fn block(&self, root: Region) -> Option<BlockData> {
        let data = &self.thunks.regions[root];
        let (last, insts) = match data.end {
            End::Enter(_) => data.nodes.split_last().map(|(last, insts)| (Some(last), insts))?,
            _ => (None, &data.nodes[..]),
        };
        let kind = match (last, &data.end) {
            (Some(last), End::Enter(thunk)) => self.entered(last, *thunk)?,
            (None, End::Unreachable) => TerminatorKind::Unreachable,
            _ => return None,
        };
        let plain = |node: &Node| match node {
            Node::Inst(inst) => Some(inst.clone()),
            _ => None,
        };
        Some(BlockData {
            name: data.name.clone()?,
            params: data.inputs.clone(),
            insts: insts.iter().map(plain).collect::<Option<_>>()?,
            term: Terminator { kind, span: data.end_span },
            span: data.span,
        })
    }

    fn target(&self, bind: &Bind) -> Option<Target> {
        let Goal::Region(region) = bind.to else { return None };
        Some(Target { block: self.blocks[region].expand()?, args: bind.args.clone() })
    }

    /// The terminator that enters the thunk that a node makes.
    fn entered(&self, node: &Node, thunk: Local) -> Option<TerminatorKind> {
        let select = match node {
            Node::Bind(bind) if bind.dest == thunk => {
                return match bind.to {
                    Goal::Region(_) => self.target(bind).map(TerminatorKind::Jump),
                    Goal::Return => Some(TerminatorKind::Return(bind.args.first().copied())),
                    Goal::Resume => Some(TerminatorKind::Resume),
                };
            }
            Node::Select(select) if select.outputs[..] == [thunk] => select,
            _ => return None,
        };
        let mut targets =
            select.arms.iter().map(|&arm| self.arm(arm)).collect::<Option<Vec<_>>>()?;
        let second = targets.pop()?;
        Some(match &select.on {
            On::Switch(value, keys) => TerminatorKind::Switch {
                value: *value,
                default: second,
                cases: keys.iter().copied().zip(targets).collect(),
            },
            On::If(cond) => {
                TerminatorKind::Branch { cond: *cond, then_to: targets.pop()?, else_to: second }
            }
            On::Call { dest, callee, args } => TerminatorKind::TryCall {
                dest: dest.clone(),
                callee: callee.clone(),
                args: args.clone(),
                normal: targets.pop()?,
                unwind: second,
            },
            On::Drop(place) => TerminatorKind::TryDrop {
                place: place.clone(),
                normal: targets.pop()?,
                unwind: second,
            },
        })
    }

    /// The edge that an arm yields.
    fn arm(&self, arm: Region) -> Option<Target> {
        let data = &self.thunks.regions[arm];
        match (&data.nodes[..], &data.end) {
            ([Node::Bind(bind)], End::Yield(values)) => {
                let yields = values[..] == [Operand::Local(bind.dest)];
                self.target(bind).filter(|_| yields)
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests;
