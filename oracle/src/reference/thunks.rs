//! The rules of the forms of control flow, read off their definitions.
//!
//! Thunk form: [`graph`] reads off the blocks and edges that thunks stand for, and says which rule is broken where
//! it can't. Structured form: [`unstructured`] says what of it is a construct that only unstructured code has.

use backedge_core::ir::{
    Block, BlockData, Function, Inst, Local, Operands, Target, Terminator, TerminatorKind,
};
use backedge_core::thunks::form::{
    Bind, End, Goal, Node, On, Region, RegionData, RegionFunction, Select,
};
use cranelift_entity::EntityRef;
use std::collections::BTreeMap;

/// The function of blocks that a function in thunk form stands for, with the locals of the latter.
///
/// # Errors
/// The rule that is broken: each root is instructions, then one `bind` or one selection of thunks, then the
/// `enter` of what came of that, or nothing but instructions where control never gets on.
pub fn graph(thunks: &RegionFunction) -> Result<Function, String> {
    let blocks = thunks.roots.iter().enumerate();
    let blocks: BTreeMap<Region, Block> =
        blocks.map(|(index, &root)| (root, Block::from_u32(index as u32))).collect();
    let mut function = Function::new(thunks.name.clone());
    function.ssa = thunks.ssa;
    function.params = thunks.params.clone();
    function.ret = thunks.ret.clone();
    function.locals = thunks.locals.clone();
    for &root in &thunks.roots {
        let data = &thunks.regions[root];
        let name = data.name.clone().ok_or("a root without a name")?;
        let (insts, kind) =
            block(thunks, data, &blocks).map_err(|broken| format!("{broken} in `{name}`"))?;
        let term = Terminator { kind, span: data.end_span };
        let params = data.inputs.clone();
        function.blocks.push(BlockData { name, params, insts, term, span: data.span });
    }
    Ok(function)
}

fn block(
    thunks: &RegionFunction,
    data: &RegionData,
    blocks: &BTreeMap<Region, Block>,
) -> Result<(Vec<Inst>, TerminatorKind), String> {
    let plain = data.nodes.iter().take_while(|node| matches!(node, Node::Inst(_)));
    let insts: Vec<Inst> = plain
        .filter_map(|node| match node {
            Node::Inst(inst) => Some(inst.clone()),
            _ => None,
        })
        .collect();
    let rest = &data.nodes[insts.len()..];
    let kind = match (rest, &data.end) {
        ([], End::Unreachable) => TerminatorKind::Unreachable,
        ([Node::Bind(bind)], End::Enter(thunk)) if bind.dest == *thunk => leave(bind, blocks)?,
        ([Node::Select(select)], End::Enter(thunk)) if select.outputs == [*thunk] => {
            selection(thunks, select, blocks)?
        }
        _ => return Err("a region is not left by what is bound last".to_owned()),
    };
    Ok((insts, kind))
}

/// Where a thunk leads that is bound and entered.
fn leave(bind: &Bind, blocks: &BTreeMap<Region, Block>) -> Result<TerminatorKind, String> {
    Ok(match (bind.to, &bind.args[..]) {
        (Goal::Region(_), _) => TerminatorKind::Jump(target(bind, blocks)?),
        (Goal::Return, []) => TerminatorKind::Return(None),
        (Goal::Return, [value]) => TerminatorKind::Return(Some(*value)),
        (Goal::Resume, []) => TerminatorKind::Resume,
        _ => return Err("a thunk out of the function binds too much".to_owned()),
    })
}

fn target(bind: &Bind, blocks: &BTreeMap<Region, Block>) -> Result<Target, String> {
    let Goal::Region(region) = bind.to else { return Err("an arm leaves the function".to_owned()) };
    let block = *blocks.get(&region).ok_or("a thunk of a region that is no root")?;
    Ok(Target { block, args: bind.args.clone() })
}

fn selection(
    thunks: &RegionFunction,
    select: &Select,
    blocks: &BTreeMap<Region, Block>,
) -> Result<TerminatorKind, String> {
    let arm = |&region: &Region| -> Result<Target, String> {
        let data = &thunks.regions[region];
        match (&data.nodes[..], &data.end) {
            ([Node::Bind(bind)], End::Yield(values)) if yields(values, bind.dest) => {
                target(bind, blocks)
            }
            _ => Err("an arm is more than one `bind` that it yields".to_owned()),
        }
    };
    let mut targets = select.arms.iter().map(arm).collect::<Result<Vec<Target>, String>>()?;
    let last = targets.pop().ok_or("a selection without arms")?;
    Ok(match (&select.on, &targets[..]) {
        (On::If(cond), [then_to]) => {
            TerminatorKind::Branch { cond: *cond, then_to: then_to.clone(), else_to: last }
        }
        (On::Switch(value, keys), cases) if keys.len() == cases.len() => TerminatorKind::Switch {
            value: *value,
            default: last,
            cases: keys.iter().copied().zip(cases.iter().cloned()).collect(),
        },
        (On::Call { dest, callee, args }, [normal]) => TerminatorKind::TryCall {
            dest: dest.clone(),
            callee: callee.clone(),
            args: args.clone(),
            normal: normal.clone(),
            unwind: last,
        },
        (On::Drop(place), [normal]) => {
            TerminatorKind::TryDrop { place: place.clone(), normal: normal.clone(), unwind: last }
        }
        _ => return Err("a selection has another number of arms".to_owned()),
    })
}

fn yields(values: &Operands, local: Local) -> bool {
    values.len() == 1 && values[0].local() == Some(local)
}

/// What of a function is no structured construct, if anything: a thunk, a second root, an arm or a body that is
/// left in another way than theirs, `return` or `resume` where something follows.
pub fn unstructured(function: &RegionFunction) -> Option<String> {
    let [root] = function.roots[..] else { return Some("it has several roots".to_owned()) };
    let mut times = vec![0; function.regions.len()];
    // A region with how it may be left.
    let mut open = vec![(root, Leave::Function)];
    while let Some((region, leave)) = open.pop() {
        times[region.index()] += 1;
        if times[region.index()] > 1 {
            return Some("a region stands at two places".to_owned());
        }
        let data = &function.regions[region];
        if data.name.is_some() {
            return Some("a region has a name".to_owned());
        }
        if let Some(wrong) = wrong_end(&data.end, leave) {
            return Some(wrong);
        }
        let last = data.nodes.len().checked_sub(1);
        for (at, node) in data.nodes.iter().enumerate() {
            match node {
                Node::Inst(_) => {}
                Node::Bind(_) => return Some("a thunk is bound".to_owned()),
                Node::Match(_) => return Some("a thunk is matched on".to_owned()),
                Node::Select(select) => {
                    let tail = leave.is_tail() && Some(at) == last;
                    let leave = Leave::Arm { outputs: select.outputs.len(), tail };
                    open.extend(select.arms.iter().map(|&arm| (arm, leave)));
                }
                Node::Loop(of) => {
                    let inputs = function.regions[of.body].inputs.len();
                    if of.inits.len() != inputs {
                        return Some("a loop begins with other than its inputs".to_owned());
                    }
                    open.push((of.body, Leave::Body { inputs, outputs: of.outputs.len() }));
                }
            }
        }
    }
    None
}

/// Where a region stands.
#[derive(Copy, Clone)]
enum Leave {
    Function,
    Arm { outputs: usize, tail: bool },
    Body { inputs: usize, outputs: usize },
}

impl Leave {
    fn is_tail(self) -> bool {
        matches!(self, Leave::Function | Leave::Arm { tail: true, .. })
    }
}

fn wrong_end(end: &End, leave: Leave) -> Option<String> {
    let fits = match (end, leave) {
        (End::Unreachable, _) => true,
        (End::Return(_) | End::Resume, leave) => leave.is_tail(),
        (End::Yield(values), Leave::Arm { outputs, .. }) => values.len() == outputs,
        (End::Repeat { carried, outputs: given, .. }, Leave::Body { inputs, outputs }) => {
            carried.len() == inputs && given.len() == outputs
        }
        _ => false,
    };
    (!fits).then(|| format!("a region ends in `{}`, where it can't", word(end)))
}

fn word(end: &End) -> &'static str {
    match end {
        End::Yield(_) => "yield",
        End::Repeat { .. } => "repeat",
        End::Return(_) => "return",
        End::Resume => "resume",
        End::Unreachable => "unreachable",
        End::Enter(_) => "enter",
    }
}

/// How deep each loop lies in others, in ascending order.
pub fn loop_depths(function: &RegionFunction) -> Vec<usize> {
    let mut depths = Vec::new();
    let mut open: Vec<(Region, usize)> = function.roots.iter().map(|&root| (root, 0)).collect();
    while let Some((region, depth)) = open.pop() {
        for node in &function.regions[region].nodes {
            let inner = depth + usize::from(matches!(node, Node::Loop(_)));
            if inner > depth {
                depths.push(inner);
            }
            open.extend(node.arms().iter().map(|&arm| (arm, inner)));
        }
    }
    depths.sort_unstable();
    depths
}
