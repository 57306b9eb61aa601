//! The canonical numbers of locals: the order in which the text form first shows them.
//!
//! That is: the parameters of the function; the locals that the text must declare; then every other
//! local where it first occurs.

use super::{Function, Local, LocalData, Type};
use cranelift_entity::{EntityRef, EntitySet, PrimaryMap};

impl Function {
    /// Numbers the locals in canonical order. A function that was parsed has it; of any other, this
    /// makes that parsing what is printed gives an equal function.
    pub fn renumber(&mut self) {
        let declared = self.declared_locals();
        self.renumber_after(&declared);
    }

    /// Leaves out locals that occur nowhere, and numbers the others in canonical order.
    pub fn canonicalize(&mut self) {
        let usage = Usage::of(self);
        let declared: Vec<Local> =
            self.declared_locals().into_iter().filter(|&l| usage.occurs.contains(l)).collect();
        self.renumber_after(&declared);
    }

    /// The locals that the text must declare, since it would otherwise not show their type, or not
    /// show them at all: those that are not `int` and nowhere assigned whole, and those that do not
    /// occur.
    pub(super) fn declared_locals(&self) -> Vec<Local> {
        let usage = Usage::of(self);
        let hidden = |local: Local, data: &LocalData| {
            !usage.occurs.contains(local) || data.ty != Type::Int && !usage.assigned.contains(local)
        };
        self.locals.iter().filter(|(l, data)| hidden(*l, data)).map(|(l, _)| l).collect()
    }

    fn renumber_after(&mut self, declared: &[Local]) {
        let mut order = Order { new: vec![None; self.locals.len()], old: Vec::new() };
        let mut number = |local: &mut Local| order.number(local);
        self.params.iter_mut().for_each(&mut number);
        for mut local in declared.iter().copied() {
            number(&mut local);
        }
        for block in self.blocks.values_mut() {
            block.params.iter_mut().for_each(&mut number);
            block.insts.iter_mut().for_each(|inst| inst.for_each_local_mut(&mut number));
            block.term.kind.for_each_local_mut(&mut number);
        }
        if order.old.iter().copied().eq(self.locals.keys()) {
            return;
        }
        let mut locals = PrimaryMap::with_capacity(order.old.len());
        for old in order.old {
            locals.push(self.locals[old].clone());
        }
        self.locals = locals;
    }
}

/// Which locals occur, and which are somewhere assigned whole.
struct Usage {
    occurs: EntitySet<Local>,
    assigned: EntitySet<Local>,
}

impl Usage {
    fn of(function: &Function) -> Usage {
        let mut usage = Usage { occurs: EntitySet::new(), assigned: EntitySet::new() };
        function.params.iter().for_each(|&local| usage.assign(local));
        for block in function.blocks.values() {
            block.params.iter().for_each(|&local| usage.assign(local));
            for inst in &block.insts {
                inst.for_each_def(|local| usage.assign(local));
                inst.for_each_partial_def(|local| usage.occur(local));
                inst.for_each_use(|local| usage.occur(local));
            }
            let term = &block.term.kind;
            term.for_each_use(|local| usage.occur(local));
            if let super::TerminatorKind::TryCall { dest: Some(dest), .. } = term {
                usage.occur(dest.local);
            }
            term.edge_def(0).into_iter().for_each(|local| usage.assign(local));
            term.for_each_target(|target| {
                target.args.iter().filter_map(|o| o.local()).for_each(|l| usage.occur(l));
            });
        }
        usage
    }

    fn occur(&mut self, local: Local) {
        self.occurs.insert(local);
    }

    fn assign(&mut self, local: Local) {
        self.occurs.insert(local);
        self.assigned.insert(local);
    }
}

/// New numbers, handed out on first sight.
struct Order {
    new: Vec<Option<Local>>,
    old: Vec<Local>,
}

impl Order {
    fn number(&mut self, local: &mut Local) {
        // A number that no local has is left alone: to report it is up to validation.
        if let Some(new) = self.new.get_mut(local.index()) {
            let old = *local;
            *local = *new.get_or_insert_with(|| {
                self.old.push(old);
                Local::new(self.old.len() - 1)
            });
        }
    }
}
