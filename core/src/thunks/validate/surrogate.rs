//! A function of blocks with the instructions of a function in region form, for the rules that both
//! have: types, places, callees, memory, cases.
//!
//! A region becomes a chain of blocks. A selection ends a block of the chain with a terminator that
//! reads the same, and all of whose targets are the next one. Where locals only occur, such as in
//! `yield`, an opaque instruction reads them, so that those that do not exist are found.

use crate::diagnostic::Span;
use crate::ir::{
    Block, BlockData, Function, Inst, Local, Op, Opaque, Operand, Program, Target, Terminator,
    TerminatorKind,
};
use crate::thunks::form::{End, Node, On, RegionFunction, RegionProgram, Select};
use crate::thunks::walk::{Step, Walk};
use cranelift_entity::EntityRef;

/// The surrogate of a program. Functions that are broken have an empty body.
pub(super) fn program(program: &RegionProgram, broken: &[bool]) -> Program {
    let functions = program.functions.iter().zip(broken);
    let functions = functions.map(|(function, &broken)| surrogate(function, broken)).collect();
    Program {
        directives: Vec::new(),
        externs: program.externs.clone(),
        memory: program.memory,
        functions,
    }
}

fn surrogate(function: &RegionFunction, broken: bool) -> Function {
    let mut builder = Builder { function: Function::new(function.name.clone()) };
    builder.function.params = function.params.clone();
    builder.function.ret = function.ret.clone();
    builder.function.locals = function.locals.clone();
    builder.function.span = function.span;
    builder.start();
    if !broken {
        for step in Walk::new(function) {
            builder.step(function, step);
        }
    }
    builder.function
}

struct Builder {
    function: Function,
}

impl Builder {
    fn start(&mut self) -> Block {
        let name = self.function.blocks.len().to_string().into();
        self.function.blocks.push(BlockData {
            name,
            params: Vec::new(),
            insts: Vec::new(),
            term: TerminatorKind::Unreachable.into(),
            span: Span::NONE,
        })
    }

    /// Ends the last block, and starts the next.
    fn end(&mut self, kind: impl FnOnce(Target) -> TerminatorKind, span: Span) {
        let next = self.start();
        let last = Block::new(next.index() - 1);
        let kind = kind(Target::new(next));
        self.function.blocks[last].term = Terminator { kind, span };
    }

    fn inst(&mut self, inst: Inst) {
        if let Some((_, block)) = self.function.blocks.iter_mut().next_back() {
            block.insts.push(inst);
        }
    }

    /// Locals that occur, and are not looked at otherwise.
    fn occurs(&mut self, locals: impl Iterator<Item = Local>, span: Span) {
        let uses: smallvec::SmallVec<[Local; 4]> = locals.collect();
        if uses.is_empty() {
            return;
        }
        let (defs, partial) = Default::default();
        let op = Op::Opaque(Box::new(Opaque { text: Default::default(), defs, uses, partial }));
        self.inst(Inst { dest: None, op, span });
    }

    fn step(&mut self, function: &RegionFunction, step: Step) {
        match step {
            Step::Node(region, node) => self.node(&function.regions[region].nodes[node]),
            Step::Root(_) | Step::Arm(..) => {
                let data = &function.regions[Walk::region(function, step)];
                self.occurs(data.inputs.iter().copied(), data.span);
            }
            Step::Leave(..) => {}
            Step::End(region) => {
                let data = &function.regions[region];
                self.region_end(&data.end, data.end_span);
            }
        }
    }

    fn node(&mut self, node: &Node) {
        let span = node.span();
        match node {
            Node::Inst(inst) if matches!(inst.op, Op::Bind(_)) => {}
            Node::Inst(inst) => self.inst(inst.clone()),
            Node::Bind(bind) => {
                let args = bind.args.iter().filter_map(|arg| arg.local());
                self.occurs(args.chain([bind.dest]), span);
            }
            Node::Select(select) => self.select(select),
            Node::Loop(node) => {
                let inits = node.inits.iter().filter_map(|init| init.local());
                self.occurs(inits.chain(node.outputs.iter().copied()), span);
            }
            Node::Match(node) => self.occurs([node.thunk, node.output].into_iter(), span),
        }
    }

    fn select(&mut self, select: &Select) {
        let span = select.span;
        self.occurs(select.outputs.iter().copied(), span);
        match select.on.clone() {
            On::If(cond) => self
                .end(|to| TerminatorKind::Branch { cond, then_to: to.clone(), else_to: to }, span),
            On::Switch(value, keys) => self.end(
                |to| TerminatorKind::Switch {
                    value,
                    cases: keys.into_iter().map(|key| (key, to.clone())).collect(),
                    default: to,
                },
                span,
            ),
            On::Call { dest, callee, args } => self.end(
                |to| TerminatorKind::TryCall { dest, callee, args, normal: to.clone(), unwind: to },
                span,
            ),
            On::Drop(place) => self
                .end(|to| TerminatorKind::TryDrop { place, normal: to.clone(), unwind: to }, span),
        }
    }

    fn region_end(&mut self, end: &End, span: Span) {
        let local = |operand: &Operand| operand.local();
        match end {
            End::Yield(values) => self.occurs(values.iter().filter_map(local), span),
            End::Repeat { again, carried, outputs } => {
                let values = carried.iter().chain(outputs).filter_map(local);
                self.occurs(values, span);
                let cond = *again;
                self.end(
                    |to| TerminatorKind::Branch { cond, then_to: to.clone(), else_to: to },
                    span,
                );
            }
            End::Return(value) => self.end(|_| TerminatorKind::Return(*value), span),
            End::Enter(thunk) => self.end(|_| TerminatorKind::Enter((*thunk).into()), span),
            End::Resume | End::Unreachable => {}
        }
    }
}
