//! Forms that are spoiled after they are made.

use super::StructurizeFault::{self, *};
use backedge_core::diagnostic::Span;
use backedge_core::ir::{BinaryOp, Inst, Local, LocalData, Name, Op, Operand, Operands, Type};
use backedge_core::thunks::form::{
    End, Loop, Node, On, Region, RegionData, RegionFunction, Select,
};

/// Spoils the first place that can be. `answers`: how many there have been, this one included.
pub(super) fn spoil(function: &mut RegionFunction, fault: StructurizeFault, answers: u64) {
    match fault {
        CarriedInSequence => in_sequence(function),
        SelectorNotSetAgain => set_once(function),
        PredicateInverted => invert(function),
        CarriedUndefined => undefine(function),
        TagUnset => unset(function),
        Unsteady if answers.is_multiple_of(3) => _ = local(function, "unsteady"),
        BlockCopied => copy(function),
        LoopAdded => add_loop(function),
        FlagsEverywhere => add_flags(function),
        _ => {}
    }
}

fn local(function: &mut RegionFunction, name: &str) -> Local {
    let name = Name::from(format!("{name}.{}", function.locals.len()));
    function.locals.push(LocalData { name, ty: Type::Int, span: Span::NONE })
}

fn inst(dest: Local, op: Op) -> Node {
    Node::Inst(Inst { dest: Some(dest.into()), op, span: Span::NONE })
}

fn regions(function: &RegionFunction) -> Vec<Region> {
    function.regions.keys().collect()
}

fn loops(function: &RegionFunction) -> Vec<Loop> {
    let nodes = function.regions.values().flat_map(|region| &region.nodes);
    nodes
        .filter_map(|node| match node {
            Node::Loop(of) => Some(of.clone()),
            _ => None,
        })
        .collect()
}

/// The second of two roots enters the thunk of the first.
pub(super) fn enter_twice(function: &mut RegionFunction) {
    let mut known = None;
    for root in function.roots.clone() {
        let data = &mut function.regions[root];
        let ([.., Node::Bind(_)], End::Enter(thunk)) = (&data.nodes[..], &data.end) else {
            continue;
        };
        match known {
            None => known = Some(*thunk),
            Some(other) => {
                data.nodes.pop();
                data.end = End::Enter(other);
                return;
            }
        }
    }
}

fn in_sequence(function: &mut RegionFunction) {
    for of in loops(function) {
        let inputs = function.regions[of.body].inputs.clone();
        let ints = inputs.iter().all(|&input| function.locals[input].ty == Type::Int);
        let data = &mut function.regions[of.body];
        if let End::Repeat { carried, .. } = &mut data.end
            && carried.len() > 1
            && ints
        {
            let pairs =
                inputs.iter().zip(carried.iter()).map(|(&to, &from)| inst(to, Op::Copy(from)));
            let copies: Vec<Node> = pairs.collect();
            *carried = inputs.iter().map(|&input| Operand::from(input)).collect();
            data.nodes.extend(copies);
            return;
        }
    }
}

/// What a loop's first switch asks is not set within the loop.
fn set_once(function: &mut RegionFunction) {
    for of in loops(function) {
        let Some(Node::Select(Select { on: On::Switch(Operand::Local(selector), _), .. })) =
            function.regions[of.body].nodes.first()
        else {
            continue;
        };
        let selector = *selector;
        let other = local(function, "unasked");
        let mut open = vec![of.body];
        while let Some(region) = open.pop() {
            for node in &mut function.regions[region].nodes {
                match node {
                    Node::Inst(inst) => {
                        let sets = inst.dest.as_ref().is_some_and(|dest| dest.local == selector);
                        if sets {
                            inst.dest = Some(other.into());
                        }
                    }
                    Node::Select(select) => rename(&mut select.outputs, selector, other),
                    Node::Loop(of) => rename(&mut of.outputs, selector, other),
                    _ => {}
                }
                open.extend(node.arms());
            }
        }
        return;
    }
}

fn rename(outputs: &mut [Local], from: Local, to: Local) {
    outputs.iter_mut().filter(|output| **output == from).for_each(|output| *output = to);
}

fn invert(function: &mut RegionFunction) {
    for region in regions(function) {
        let End::Repeat { again: Operand::Local(again), .. } = function.regions[region].end else {
            continue;
        };
        let inverted = local(function, "inverted");
        let data = &mut function.regions[region];
        data.nodes.push(inst(inverted, Op::Binary(BinaryOp::Eq, again.into(), Operand::Const(0))));
        if let End::Repeat { again, .. } = &mut data.end {
            *again = inverted.into();
        }
        return;
    }
}

fn undefine(function: &mut RegionFunction) {
    for of in loops(function) {
        let inputs = &function.regions[of.body].inputs;
        let int = inputs.iter().position(|&input| function.locals[input].ty == Type::Int);
        let Some(at) = int else { continue };
        if !matches!(function.regions[of.body].end, End::Repeat { .. }) {
            continue;
        }
        let nothing = local(function, "nothing");
        if let End::Repeat { carried, .. } = &mut function.regions[of.body].end {
            carried[at] = nothing.into();
        }
        return;
    }
}

/// The first constant that a later switch asks for is not set.
fn unset(function: &mut RegionFunction) {
    let asked: Vec<Local> = function
        .regions
        .values()
        .flat_map(|region| &region.nodes)
        .filter_map(|node| match node {
            Node::Select(Select { on: On::Switch(Operand::Local(asked), _), .. }) => Some(*asked),
            _ => None,
        })
        .collect();
    let other = local(function, "unasked");
    for region in function.regions.values_mut() {
        for node in &mut region.nodes {
            if let Node::Inst(Inst { dest: Some(dest), op: Op::Const(_), .. }) = node
                && asked.contains(&dest.local)
            {
                *dest = other.into();
                return;
            }
        }
    }
}

/// What follows a selection is done in its first arm as well, if that is one call.
fn copy(function: &mut RegionFunction) {
    for region in regions(function) {
        let nodes = &function.regions[region].nodes;
        let copied = nodes.windows(2).find_map(|pair| match pair {
            [Node::Select(select), Node::Inst(inst)] => Some((select.arms[0], inst.clone())),
            _ => None,
        });
        if let Some((arm, inst)) = copied {
            function.regions[arm].nodes.push(Node::Inst(inst));
            return;
        }
    }
}

/// All before the end is one iteration of a loop.
fn add_loop(function: &mut RegionFunction) {
    let root = function.roots[0];
    let last = function.regions[root].nodes.last();
    // The last node may leave the function, which it may not do out of a loop.
    if matches!(last, Some(Node::Select(_))) {
        return;
    }
    let mut body = RegionData::new(End::Repeat {
        again: Operand::Const(0),
        carried: Operands::new(),
        outputs: Operands::new(),
    });
    body.nodes = std::mem::take(&mut function.regions[root].nodes);
    let body = function.regions.push(body);
    let of = Loop { body, inits: Operands::new(), outputs: Vec::new(), span: Span::NONE };
    function.regions[root].nodes.push(Node::Loop(of));
}

fn add_flags(function: &mut RegionFunction) {
    let flag = local(function, "flag");
    for region in function.regions.values_mut() {
        region.nodes.extend((0..10).map(|value| inst(flag, Op::Const(value))));
    }
}
