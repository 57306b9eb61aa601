//! The rules of thunks.
//!
//! A thunk is bound, selected or left by a match as the last thing before it is used, and its one use is
//! the region's `enter`, the arm's `yield`, or a match that is the next node. So no thunk can be kept,
//! stored, passed or entered twice, and the path from each `bind` to the place where its target is
//! entered is a chain of ends: control can be read off data.
//!
//! - A *selection of thunks* yields nothing else, so that each of its cases is one thunk: a `bind`, a
//!   nested selection or match, or the undefined thunk (an arm that ends in `unreachable`).
//! - A *thunk switch* (`match`) enters what its thunk leads to if that is one of its arms, and passes on
//!   any other. What leads to an arm can be bound only where the thunk goes to this match.
//! - A *thunk loop* (`loop match`) does so again with each thunk that an arm yields, so that the arms can
//!   be bound within the arms, too; what leaves it leads to none of them.
//!
//! The last two are checked by the set of arms that a thunk may lead to and has not been matched on: it
//! is passed from node to node, and must be empty at `enter`. Sets are merged smaller into larger.

use super::Checker;
use crate::diagnostic::Span;
use crate::ir::{Inst, Local, Op};
use crate::thunks::form::{End, Goal, Match, Node, On, Region};
use crate::thunks::walk::{Step, Walk};
use cranelift_entity::EntitySet;
use rustc_hash::FxHashSet;

/// Checks one function.
pub(super) fn check(checker: &mut Checker<'_, '_>) {
    let function = checker.function;
    for (region, data) in &function.regions {
        for node in 0..data.nodes.len() {
            checker.node_rules(region, node);
        }
        checker.end_rules(region);
    }
    let mut roots = EntitySet::with_capacity(function.regions.len());
    roots.extend(function.roots.iter().copied());
    Scopes { roots, open: Vec::new(), sets: Vec::new() }.walk(checker);
}

/// The thunk that a node makes.
fn made(checker: &Checker<'_, '_>, node: &Node) -> Option<Local> {
    match node {
        Node::Inst(_) | Node::Loop(_) => None,
        Node::Bind(bind) => Some(bind.dest),
        Node::Match(node) => Some(node.output),
        Node::Select(select) => select.outputs.iter().copied().find(|&l| checker.is_thunk(l)),
    }
}

impl Checker<'_, '_> {
    fn node_rules(&mut self, region: Region, at: usize) {
        let data = &self.function.regions[region];
        let node = &data.nodes[at];
        match node {
            Node::Inst(inst) => self.kept_by_inst(inst),
            Node::Bind(bind) => {
                self.kept(bind.args.iter().filter_map(|a| a.local()), "bound", bind.span);
            }
            Node::Loop(node) => {
                let inits = node.inits.iter().filter_map(|init| init.local());
                let locals = inits.chain(node.outputs.iter().copied());
                self.kept(locals, "carried by a loop", node.span);
            }
            Node::Select(select) => {
                if let On::Call { args, .. } = &select.on {
                    self.kept(args.iter().filter_map(|a| a.local()), "passed", select.span);
                }
                if select.outputs.len() > 1 && made(self, node).is_some() {
                    self.report("thunk-beside-others", select.span, || {
                        "a selection of thunks has no other outputs".into()
                    });
                }
            }
            Node::Match(node) => {
                let before = at.checked_sub(1).and_then(|before| data.nodes.get(before));
                self.follows(before, node.thunk, node.span);
            }
        }
        let Some(thunk) = made(self, node) else { return };
        let used = match (data.nodes.get(at + 1), &data.end) {
            (Some(Node::Match(next)), _) => next.thunk == thunk,
            (Some(_), _) => false,
            (None, End::Enter(entered)) => *entered == thunk,
            (None, End::Yield(values)) => values.first() == Some(&thunk.into()),
            (None, _) => false,
        };
        if !used {
            let shown = self.show(thunk.into());
            self.report("thunk-not-entered", node.span(), || {
                format!("{shown} must be entered, yielded or matched on right after this")
            });
        }
    }

    fn kept_by_inst(&mut self, inst: &Inst) {
        let mut locals: smallvec::SmallVec<[Local; 4]> = smallvec::SmallVec::new();
        inst.for_each_use(|local| locals.push(local));
        let what = match inst.op {
            Op::Call { .. } => "passed",
            Op::Store { .. } => "stored",
            _ => "kept",
        };
        self.kept(locals.into_iter(), what, inst.span);
    }

    fn kept(&mut self, locals: impl Iterator<Item = Local>, what: &str, span: Span) {
        for local in locals {
            if self.is_thunk(local) {
                let shown = self.show(local.into());
                let message = || format!("{shown} is a thunk, which can't be {what}");
                self.report("thunk-kept", span, message);
            }
        }
    }

    /// Checks that the node before makes the thunk that is used.
    fn follows(&mut self, before: Option<&Node>, thunk: Local, span: Span) {
        if before.and_then(|node| made(self, node)) != Some(thunk) {
            let shown = self.show(thunk.into());
            self.report("thunk-not-bound", span, || {
                format!("{shown} is not bound just before this")
            });
        }
    }

    fn end_rules(&mut self, region: Region) {
        let data = &self.function.regions[region];
        let span = data.end_span;
        let last = data.nodes.last();
        match &data.end {
            End::Enter(thunk) => self.follows(last, *thunk, span),
            End::Yield(values) => {
                for local in values.iter().filter_map(|value| value.local()) {
                    if self.is_thunk(local) {
                        self.follows(last, local, span);
                    }
                }
            }
            End::Repeat { carried, outputs, .. } => {
                let locals = carried.iter().chain(outputs).filter_map(|value| value.local());
                self.kept(locals, "carried by a loop", span);
            }
            End::Return(value) => {
                self.kept(value.iter().filter_map(|value| value.local()), "returned", span);
            }
            End::Resume | End::Unreachable => {}
        }
        if !self.function.is_body() && matches!(data.end, End::Return(_) | End::Resume) {
            self.report("exit-without-thunk", span, || {
                "bind `return` or `resume`, and enter that".into()
            });
        }
    }
}

/// Arms that a thunk may lead to, and that were not matched on.
type Unmatched = FxHashSet<Region>;

/// The walk that passes on where thunks may lead.
struct Scopes {
    roots: EntitySet<Region>,
    /// By open region: what the node before left.
    open: Vec<Unmatched>,
    /// By open node with arms: what the arms left so far.
    sets: Vec<Unmatched>,
}

impl Scopes {
    fn walk(mut self, checker: &mut Checker<'_, '_>) {
        let function = checker.function;
        for step in Walk::new(function) {
            match step {
                Step::Root(_) | Step::Arm(..) => self.open.push(Unmatched::default()),
                Step::Node(region, node) => match &function.regions[region].nodes[node] {
                    Node::Inst(_) => self.leave(Unmatched::default()),
                    Node::Bind(bind) => {
                        let mut set = Unmatched::default();
                        if let Goal::Region(to) = bind.to
                            && !self.roots.contains(to)
                        {
                            set.insert(to);
                        }
                        self.leave(set);
                    }
                    _ => self.sets.push(Unmatched::default()),
                },
                Step::Leave(region, node) => {
                    let node = &function.regions[region].nodes[node];
                    if !matches!(node, Node::Inst(_) | Node::Bind(_)) {
                        self.leave_node(node);
                    }
                }
                Step::End(region) => self.end(checker, region),
            }
        }
    }

    fn leave(&mut self, set: Unmatched) {
        if let Some(open) = self.open.last_mut() {
            *open = set;
        }
    }

    fn leave_node(&mut self, node: &Node) {
        let mut left = self.sets.pop().unwrap_or_default();
        if let Node::Match(Match { arms, again, .. }) = node {
            let mut before = self.open.last_mut().map(std::mem::take).unwrap_or_default();
            if *again {
                left = union(left, before);
                remove(&mut left, arms);
            } else {
                remove(&mut before, arms);
                left = union(left, before);
            }
        }
        self.leave(left);
    }

    fn end(&mut self, checker: &mut Checker<'_, '_>, region: Region) {
        let left = self.open.pop().unwrap_or_default();
        let data = &checker.function.regions[region];
        match data.end {
            End::Yield(_) => {
                if let Some(sets) = self.sets.last_mut() {
                    *sets = union(std::mem::take(sets), left);
                }
            }
            End::Enter(_) => {
                if let Some(&arm) = left.iter().min() {
                    let name = checker.region_name(arm);
                    checker.report("thunk-out-of-scope", data.end_span, || {
                        format!("`{name}` is an arm of a match, and can be entered only there")
                    });
                }
            }
            _ => {}
        }
    }
}

fn remove(set: &mut Unmatched, arms: &[Region]) {
    for arm in arms {
        set.remove(arm);
    }
}

fn union(mut a: Unmatched, mut b: Unmatched) -> Unmatched {
    if a.len() < b.len() {
        std::mem::swap(&mut a, &mut b);
    }
    a.extend(b);
    a
}
