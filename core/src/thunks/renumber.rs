//! The canonical numbers of regions and locals: the order in which the text form first shows them.
//!
//! Of locals that is: the parameters of the function; those that the text must declare; then every
//! other where it first occurs. Regions that no tree holds are left out.

use super::form::{Bind, End, Node, On, Region, RegionData, RegionFunction, Select};
use super::walk::{Step, Walk};
use crate::ir::{Local, LocalData, Operand, Type};
use cranelift_entity::packed_option::PackedOption;
use cranelift_entity::{EntityRef, EntitySet, PrimaryMap, SecondaryMap};

/// How a local occurs.
#[derive(Copy, Clone, PartialEq, Eq)]
pub(crate) enum Role {
    /// It is assigned whole.
    Def,
    /// It is read, or a part of it is assigned.
    Use,
}

fn operand(operand: &mut Operand, visit: &mut impl FnMut(&mut Local, Role)) {
    if let Operand::Local(local) = operand {
        visit(local, Role::Use);
    }
}

fn operands(operands: &mut [Operand], visit: &mut impl FnMut(&mut Local, Role)) {
    operands.iter_mut().for_each(|o| operand(o, visit));
}

impl Node {
    /// Calls `visit` on each local that the node itself shows, in the order of the text; `inputs` are
    /// those of a loop's body.
    pub(crate) fn for_each_local_mut(
        &mut self,
        inputs: &mut [Local],
        visit: &mut impl FnMut(&mut Local, Role),
    ) {
        match self {
            Node::Inst(inst) => {
                let mut defs: smallvec::SmallVec<[Local; 2]> = smallvec::SmallVec::new();
                inst.for_each_def(|local| defs.push(local));
                inst.for_each_local_mut(&mut |local| {
                    let role = if defs.contains(local) { Role::Def } else { Role::Use };
                    visit(local, role);
                });
            }
            Node::Bind(Bind { dest, args, .. }) => {
                visit(dest, Role::Def);
                operands(args, visit);
            }
            Node::Select(select) => select.for_each_local_mut(visit),
            Node::Loop(node) => {
                node.outputs.iter_mut().for_each(|local| visit(local, Role::Def));
                for (input, init) in inputs.iter_mut().zip(&mut node.inits) {
                    visit(input, Role::Def);
                    operand(init, visit);
                }
            }
            Node::Match(node) => {
                visit(&mut node.output, Role::Def);
                visit(&mut node.thunk, Role::Use);
            }
        }
    }
}

impl Select {
    fn for_each_local_mut(&mut self, visit: &mut impl FnMut(&mut Local, Role)) {
        self.outputs.iter_mut().for_each(|local| visit(local, Role::Def));
        match &mut self.on {
            On::If(value) | On::Switch(value, _) => operand(value, visit),
            On::Call { dest, args, .. } => {
                if let Some(dest) = dest {
                    let role = if dest.is_whole() { Role::Def } else { Role::Use };
                    visit(&mut dest.local, role);
                }
                operands(args, visit);
            }
            On::Drop(place) => visit(&mut place.local, Role::Use),
        }
    }
}

impl End {
    /// Calls `visit` on each local that the end reads, in the order of the text.
    pub(crate) fn for_each_local_mut(&mut self, visit: &mut impl FnMut(&mut Local, Role)) {
        match self {
            End::Yield(values) => operands(values, visit),
            End::Repeat { again, carried, outputs } => {
                operand(again, visit);
                operands(carried, visit);
                operands(outputs, visit);
            }
            End::Return(Some(value)) => operand(value, visit),
            End::Enter(thunk) => visit(thunk, Role::Use),
            End::Return(None) | End::Resume | End::Unreachable => {}
        }
    }
}

impl RegionFunction {
    /// Calls `visit` on each local, in the order of the text, the function's parameters left out.
    pub(crate) fn for_each_local_mut(&mut self, mut visit: impl FnMut(&mut Local, Role)) {
        let steps: Vec<Step> = Walk::new(self).collect();
        for step in steps {
            match step {
                Step::Root(region) => self.visit_inputs(region, &mut visit),
                Step::Arm(region, node, arm) => {
                    if let Node::Match(node) = &self.regions[region].nodes[node] {
                        self.visit_inputs(node.arms[arm], &mut visit);
                    }
                }
                Step::Node(region, at) => {
                    let empty = Node::Loop(super::form::Loop {
                        body: region,
                        inits: Default::default(),
                        outputs: Vec::new(),
                        span: Default::default(),
                    });
                    let mut node = std::mem::replace(&mut self.regions[region].nodes[at], empty);
                    match &node {
                        Node::Loop(of) => {
                            let body = of.body;
                            let mut inputs = std::mem::take(&mut self.regions[body].inputs);
                            node.for_each_local_mut(&mut inputs, &mut visit);
                            self.regions[body].inputs = inputs;
                        }
                        _ => node.for_each_local_mut(&mut [], &mut visit),
                    }
                    self.regions[region].nodes[at] = node;
                }
                Step::Leave(..) => {}
                Step::End(region) => self.regions[region].end.for_each_local_mut(&mut visit),
            }
        }
    }

    fn visit_inputs(&mut self, region: Region, visit: &mut impl FnMut(&mut Local, Role)) {
        self.regions[region].inputs.iter_mut().for_each(|local| visit(local, Role::Def));
    }

    /// The locals that the text must declare: those that are not `int` and nowhere assigned whole, and
    /// those that do not occur.
    pub(crate) fn declared_locals(&self) -> Vec<Local> {
        let mut occurs: EntitySet<Local> = EntitySet::with_capacity(self.locals.len());
        occurs.extend(self.params.iter().copied());
        let mut assigned = occurs.clone();
        self.clone().for_each_local_mut(|local, role| {
            occurs.insert(*local);
            if role == Role::Def {
                assigned.insert(*local);
            }
        });
        let hidden = |local: Local, data: &LocalData| {
            !occurs.contains(local) || data.ty != Type::Int && !assigned.contains(local)
        };
        self.locals.iter().filter(|(l, data)| hidden(*l, data)).map(|(l, _)| l).collect()
    }

    /// Numbers regions and locals in canonical order, so that parsing what is printed gives an equal
    /// function.
    pub fn renumber(&mut self) {
        self.renumber_regions();
        let declared = self.declared_locals();
        self.renumber_locals(&declared);
    }

    /// Leaves out locals that occur nowhere, and numbers everything in canonical order.
    pub fn canonicalize(&mut self) {
        self.renumber_regions();
        let mut occurs: EntitySet<Local> = EntitySet::with_capacity(self.locals.len());
        occurs.extend(self.params.iter().copied());
        self.for_each_local_mut(|local, _| {
            occurs.insert(*local);
        });
        let mut declared = self.declared_locals();
        declared.retain(|&local| occurs.contains(local));
        self.renumber_locals(&declared);
    }

    fn renumber_locals(&mut self, declared: &[Local]) {
        let mut new = vec![PackedOption::<Local>::default(); self.locals.len()];
        let mut old = Vec::new();
        let mut number = |local: &mut Local| {
            let Some(new) = new.get_mut(local.index()) else { return };
            *local = new.expand().unwrap_or_else(|| {
                old.push(*local);
                *new = Some(Local::new(old.len() - 1)).into();
                Local::new(old.len() - 1)
            });
        };
        self.params.iter_mut().for_each(&mut number);
        declared.iter().for_each(|&local| number(&mut { local }));
        self.for_each_local_mut(|local, _| number(local));
        let mut locals = PrimaryMap::with_capacity(old.len());
        for old in old {
            locals.push(self.locals[old].clone());
        }
        self.locals = locals;
    }

    fn renumber_regions(&mut self) {
        let mut new: SecondaryMap<Region, PackedOption<Region>> = SecondaryMap::new();
        let mut order = Vec::with_capacity(self.regions.len());
        for step in Walk::new(self) {
            if let Step::Root(_) | Step::Arm(..) = step {
                let region = Walk::region(self, step);
                new[region] = Some(Region::new(order.len())).into();
                order.push(region);
            }
        }
        let number = |region: &mut Region| *region = new[*region].expand().unwrap_or(*region);
        let mut regions = PrimaryMap::with_capacity(order.len());
        for old in order {
            let mut data =
                std::mem::replace(&mut self.regions[old], RegionData::new(End::Unreachable));
            for node in &mut data.nodes {
                if let Node::Bind(Bind { to: super::form::Goal::Region(region), .. }) = node {
                    number(region);
                }
                node.arms_mut().iter_mut().for_each(number);
            }
            regions.push(data);
        }
        self.roots.iter_mut().for_each(number);
        self.regions = regions;
    }
}
