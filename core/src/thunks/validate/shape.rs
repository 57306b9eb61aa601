//! Where names, inputs, arms and ends may stand.
//!
//! A region is in *tail position* if it is a root, or an arm of the selection that is the last node of
//! a region in tail position: nothing would follow it but that region's end. Only there may a function
//! be left.

use super::Checker;
use crate::ir::Op;
use crate::thunks::form::{End, Node, On, Region, Select};
use crate::thunks::walk::{Step, Walk};
use cranelift_entity::EntitySet;

/// What a region is to the node that it lies in.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Role {
    Root,
    Arm,
    Body,
    MatchArm,
}

/// Checks one function.
pub(super) fn check(checker: &mut Checker<'_, '_>) {
    let function = checker.function;
    let mut tail = EntitySet::with_capacity(function.regions.len());
    for step in Walk::new(function) {
        match step {
            Step::Root(region) => {
                tail.insert(region);
                region_at(checker, region, Role::Root, true);
            }
            Step::Node(region, node) => check_node(checker, region, node),
            Step::Arm(region, node, _) => {
                let arm = Walk::region(function, step);
                let data = &function.regions[region];
                let role = match &data.nodes[node] {
                    Node::Loop(_) => Role::Body,
                    Node::Match(_) => Role::MatchArm,
                    _ => Role::Arm,
                };
                let last = node + 1 == data.nodes.len();
                let in_tail = role == Role::Arm && last && tail.contains(region);
                if in_tail {
                    tail.insert(arm);
                }
                region_at(checker, arm, role, in_tail);
            }
            Step::Leave(..) | Step::End(_) => {}
        }
    }
}

fn region_at(checker: &mut Checker<'_, '_>, region: Region, role: Role, tail: bool) {
    let function = checker.function;
    let data = &function.regions[region];
    let body = role == Role::Root && function.is_body();
    let named = role == Role::MatchArm || role == Role::Root && !body;
    if named != data.name.is_some() {
        let code = if named { "missing-name" } else { "unexpected-name" };
        checker.report(code, data.span, || "only what a thunk leads to has a name".into());
    }
    let inputs = role == Role::Body || named && region != function.entry();
    if !inputs && !data.inputs.is_empty() {
        checker
            .report("unexpected-inputs", data.span, || "nothing gives this region inputs".into());
    }
    let fits = match data.end {
        End::Yield(_) => matches!(role, Role::Arm | Role::MatchArm),
        End::Repeat { .. } => role == Role::Body,
        End::Enter(_) => role == Role::Root,
        End::Return(_) | End::Resume | End::Unreachable => true,
    };
    if !fits {
        checker.report("misplaced-end", data.end_span, || match role {
            Role::Root => "a function ends in `return`, `resume`, `unreachable` or `enter`".into(),
            Role::Body => "the body of a loop ends in `repeat` or `unreachable`".into(),
            Role::Arm | Role::MatchArm => "an arm ends in `yield` or `unreachable`".into(),
        });
    }
    if !tail && matches!(data.end, End::Return(_) | End::Resume) {
        checker.report("misplaced-return", data.end_span, || {
            "a function can be left only where nothing else would follow".into()
        });
    }
}

fn check_node(checker: &mut Checker<'_, '_>, region: Region, node: usize) {
    let node = &checker.function.regions[region].nodes[node];
    let wanted = match node {
        Node::Select(Select { on: On::Switch(_, keys), .. }) => keys.len() + 1,
        Node::Select(_) => 2,
        Node::Match(node) => node.arms.len().max(1),
        Node::Inst(inst) if matches!(inst.op, Op::Bind(_)) => {
            return checker.report("bind-as-instruction", inst.span, || {
                "this leads to a block, and there are none".into()
            });
        }
        Node::Inst(_) | Node::Bind(_) | Node::Loop(_) => return,
    };
    let found = node.arms().len();
    if found != wanted {
        checker.report("arm-count", node.span(), || {
            format!("there are {found} arms for {wanted} cases")
        });
    }
}
