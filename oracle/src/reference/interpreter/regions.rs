//! What a program in region form means: the tree of regions is walked as the text of it says.
//!
//! What instructions do, what the environment answers and what leaks is as in [`super`], whose machine holds
//! the locals. Here is only where control is: in each function under way, the regions entered and not yet
//! left, outermost first, and the node that each is at. Nothing is turned into blocks for that.
//!
//! - The arms of a selection yield what is assigned to its outputs, all at once.
//! - A loop's inputs are what it begins with, then what is carried, all at once.
//! - `enter` leaves its region for the one that the thunk leads to. Naming a thunk moves it, so that one that
//!   is entered twice is undefined.
//!
//! Every node and every end of a region is a step.

use super::frame::ill_typed;
use super::value::{Cell, Thunk};
use super::{Callee, Interpreter, MOST_WORDS, Machine, Memory, Silent, Stop};
use crate::run::{Ending, Limits, Run, start};
use crate::tape::{Answer, Tape};
use backedge_core::ir::{
    Block, BlockData, Function, Local, Name, Op, Operand, Place, Program, Terminator,
    TerminatorKind,
};
use backedge_core::thunks::form::{
    End, Goal, Loop, Match, Node, On, Region, RegionFunction, RegionProgram, Select,
};
use cranelift_entity::EntityRef;

/// Runs a program in region form on a tape.
pub fn run_regions(program: &RegionProgram, tape: &Tape, limits: Limits) -> Run {
    let shadow = shadow(program);
    let interpreter = Interpreter::new(&shadow);
    let memory = Memory::new(shadow.memory.unwrap_or(0).min(MOST_WORDS));
    let machine = Machine {
        interpreter: &interpreter,
        observer: &mut Silent,
        limits,
        tape: &tape.0,
        trace: Vec::new(),
        memory,
        leaks: Vec::new(),
        cells: Vec::new(),
        frames: Vec::new(),
        steps: 0,
        next_token: 0,
    };
    let mut walker = Walker { machine, functions: &program.functions, places: Vec::new() };
    let ending = walker.run(&shadow);
    let mut machine = walker.machine;
    machine.leaks.sort_unstable();
    Run {
        trace: machine.trace,
        memory: machine.memory.into_words(),
        leaks: machine.leaks,
        ending,
        steps: machine.steps,
    }
}

/// The same functions with the same locals, and no code: what the machine asks of them.
fn shadow(program: &RegionProgram) -> Program {
    let function = |of: &RegionFunction| {
        let mut function = Function::new(of.name.clone());
        function.params = of.params.clone();
        function.ret = of.ret.clone();
        function.locals = of.locals.clone();
        function.span = of.span;
        function.blocks.push(BlockData {
            name: Name::new_static("regions"),
            params: Vec::new(),
            insts: Vec::new(),
            term: Terminator { kind: TerminatorKind::Unreachable, span: of.span },
            span: of.span,
        });
        function
    };
    Program {
        directives: Vec::new(),
        externs: program.externs.clone(),
        memory: program.memory,
        functions: program.functions.iter().map(function).collect(),
    }
}

/// A region that was entered, and the node it is at.
#[derive(Copy, Clone)]
struct At {
    region: Region,
    node: usize,
}

struct Walker<'r, 'p> {
    machine: Machine<'r, 'p, Silent>,
    functions: &'p [RegionFunction],
    /// By function under way: the regions entered, outermost first.
    places: Vec<Vec<At>>,
}

impl<'p> Walker<'_, 'p> {
    fn run(&mut self, shadow: &Program) -> Ending {
        let Some(first) = start(shadow) else {
            return Ending::Undefined("there is no function to run".to_owned());
        };
        let begun = self.begin(first);
        let run = begun.and_then(|()| {
            loop {
                self.step()?;
            }
        });
        match run {
            Ok(()) => Ending::OutOfFuel,
            Err(ending) => ending,
        }
    }

    /// Enters the first function with parameters from the tape.
    fn begin(&mut self, first: &Function) -> Result<(), Stop> {
        let mut args = Vec::with_capacity(first.params.len());
        for &param in &first.params {
            let value = match self.machine.answer()? {
                Answer::Value(value) => value,
                Answer::Unwind => 0,
            };
            args.push(self.machine.fresh(&first.locals[param].ty, value));
        }
        let index = self.functions.iter().take_while(|of| of.name != first.name).count();
        self.call(index, args)
    }

    fn call(&mut self, index: usize, args: Vec<Cell>) -> Result<(), Stop> {
        self.machine.call_function(index, args)?;
        let entry = self.functions[index].roots.first().ok_or_else(ill_typed)?;
        self.places.push(vec![At { region: *entry, node: 0 }]);
        Ok(())
    }

    fn function(&self) -> &'p RegionFunction {
        &self.functions[self.machine.frame().index]
    }

    /// The innermost region of the function at work.
    fn place(&mut self) -> Result<&mut At, Stop> {
        self.places.last_mut().and_then(|places| places.last_mut()).ok_or_else(ill_typed)
    }

    /// The node that the innermost region is at.
    fn node(&mut self) -> Result<&'p Node, Stop> {
        let At { region, node } = *self.place()?;
        self.function().regions[region].nodes.get(node).ok_or_else(ill_typed)
    }

    fn step(&mut self) -> Result<(), Stop> {
        if self.machine.steps >= self.machine.limits.steps {
            return Err(Ending::OutOfFuel);
        }
        self.machine.steps += 1;
        let At { region, node } = *self.place()?;
        let data = &self.function().regions[region];
        match data.nodes.get(node) {
            Some(node) => self.carry_out(node),
            None => self.end(region, &data.end),
        }
    }

    fn carry_out(&mut self, node: &'p Node) -> Result<(), Stop> {
        match node {
            Node::Inst(inst) => match &inst.op {
                Op::Call { callee, args } => return self.plain_call(callee, args),
                _ => self.machine.inst(inst)?,
            },
            Node::Bind(bind) => {
                let args = self.machine.values(&bind.args)?;
                let thunk = Cell::Thunk(Box::new(Thunk { block: encoded(bind.to), args }));
                self.machine.assign_local(bind.dest, thunk)?;
            }
            Node::Select(select) => return self.select(select),
            Node::Loop(of) => {
                let inits = self.machine.values(&of.inits)?;
                return self.enter(of.body, inits);
            }
            Node::Match(of) => {
                let thunk = self.machine.value(of.thunk.into())?;
                return self.matched(of, thunk);
            }
        }
        self.place()?.node += 1;
        Ok(())
    }

    /// Enters a region that lies in the node at hand.
    fn enter(&mut self, region: Region, inputs: Vec<Cell>) -> Result<(), Stop> {
        for (&input, value) in self.function().regions[region].inputs.iter().zip(inputs) {
            self.machine.assign_local(input, value)?;
        }
        let places = self.places.last_mut().ok_or_else(ill_typed)?;
        places.push(At { region, node: 0 });
        Ok(())
    }

    fn arm(&mut self, select: &Select, arm: usize) -> Result<(), Stop> {
        let region = *select.arms.get(arm).ok_or_else(ill_typed)?;
        self.enter(region, Vec::new())
    }

    fn select(&mut self, select: &'p Select) -> Result<(), Stop> {
        match &select.on {
            On::If(cond) => {
                let arm = usize::from(self.machine.int(*cond)? == 0);
                self.arm(select, arm)
            }
            On::Switch(value, keys) => {
                let value = self.machine.int(*value)?;
                let arm = keys.iter().position(|&key| key == value).unwrap_or(keys.len());
                self.arm(select, arm)
            }
            On::Call { callee, args, .. } => {
                let args = self.machine.values(args)?;
                match self.machine.callee(callee)? {
                    Callee::Function(index) => self.call(index, args),
                    Callee::Extern(of) => match self.machine.call_extern(of, args)? {
                        Some(value) => self.returned(value),
                        None => self.unwind(),
                    },
                }
            }
            On::Drop(place) => {
                let dropped = self.machine.drop_place(place)?;
                let unwinds = dropped && self.machine.answer()? == Answer::Unwind;
                self.arm(select, usize::from(unwinds))
            }
        }
    }

    /// A call that does not catch an unwind.
    fn plain_call(&mut self, callee: &Name, args: &[Operand]) -> Result<(), Stop> {
        let args = self.machine.values(args)?;
        match self.machine.callee(callee)? {
            Callee::Function(index) => self.call(index, args),
            Callee::Extern(of) => match self.machine.call_extern(of, args)? {
                Some(value) => self.returned(value),
                None => Err(Ending::Unwound),
            },
        }
    }

    /// Enters the arm that a thunk leads to, or goes on with the thunk.
    fn matched(&mut self, of: &Match, thunk: Cell) -> Result<(), Stop> {
        let Cell::Thunk(mut thunk) = thunk else { return Err(ill_typed()) };
        match of.arms.iter().find(|&&arm| encoded(Goal::Region(arm)) == thunk.block) {
            Some(&arm) => {
                let args = std::mem::take(&mut thunk.args);
                self.enter(arm, args)
            }
            None => {
                self.machine.assign_local(of.output, Cell::Thunk(thunk))?;
                self.place()?.node += 1;
                Ok(())
            }
        }
    }

    fn end(&mut self, region: Region, end: &'p End) -> Result<(), Stop> {
        match end {
            End::Yield(values) => {
                let values = self.machine.values(values)?;
                self.leave_region()?;
                match self.node()? {
                    Node::Select(select) => self.give(&select.outputs, values),
                    Node::Match(of) if of.again => {
                        let next = values.into_iter().next().ok_or_else(ill_typed)?;
                        self.matched(of, next)
                    }
                    Node::Match(of) => self.give(&[of.output], values),
                    _ => Err(ill_typed()),
                }
            }
            End::Repeat { again, carried, outputs } => {
                if self.machine.int(*again)? != 0 {
                    let carried = self.machine.values(carried)?;
                    self.leave_region()?;
                    return self.enter(region, carried);
                }
                let outputs = self.machine.values(outputs)?;
                self.leave_region()?;
                match self.node()? {
                    Node::Loop(Loop { outputs: to, .. }) => self.give(to, outputs),
                    _ => Err(ill_typed()),
                }
            }
            End::Return(value) => {
                let value = match value {
                    Some(value) => self.machine.value(*value)?,
                    None => Cell::Nothing,
                };
                self.leave_function();
                self.returned(value)
            }
            End::Resume => {
                self.leave_function();
                self.unwind()
            }
            End::Unreachable => Err(Ending::Unreachable),
            End::Enter(thunk) => match self.machine.value((*thunk).into())? {
                Cell::Thunk(thunk) => self.enter_thunk(*thunk),
                _ => Err(ill_typed()),
            },
        }
    }

    fn enter_thunk(&mut self, mut thunk: Thunk) -> Result<(), Stop> {
        let args = std::mem::take(&mut thunk.args);
        self.leave_region()?;
        match decoded(thunk.block) {
            Goal::Region(region) => self.enter(region, args),
            Goal::Return => {
                let value = args.into_iter().next().unwrap_or_default();
                self.leave_function();
                self.returned(value)
            }
            Goal::Resume => {
                self.leave_function();
                self.unwind()
            }
        }
    }

    fn leave_region(&mut self) -> Result<(), Stop> {
        let places = self.places.last_mut().ok_or_else(ill_typed)?;
        places.pop().map(drop).ok_or_else(ill_typed)
    }

    fn leave_function(&mut self) {
        self.machine.leave();
        self.places.pop();
    }

    /// Assigns the outputs of the node at hand, and goes on behind it.
    fn give(&mut self, to: &[Local], values: Vec<Cell>) -> Result<(), Stop> {
        for (&output, value) in to.iter().zip(values) {
            self.machine.assign_local(output, value)?;
        }
        self.place()?.node += 1;
        Ok(())
    }

    /// Goes on in the caller with a result: behind the call, or in the first arm of the selection.
    fn returned(&mut self, value: Cell) -> Result<(), Stop> {
        if self.places.is_empty() {
            return Err(Ending::Returned(match value {
                Cell::Int(value) => Some(value),
                _ => None,
            }));
        }
        match self.node()? {
            Node::Inst(inst) => {
                self.result(inst.dest.as_ref(), value)?;
                self.place()?.node += 1;
                Ok(())
            }
            Node::Select(select) => match &select.on {
                On::Call { dest, .. } => {
                    self.result(dest.as_ref(), value)?;
                    self.arm(select, 0)
                }
                _ => Err(ill_typed()),
            },
            _ => Err(ill_typed()),
        }
    }

    fn result(&mut self, dest: Option<&Place>, value: Cell) -> Result<(), Stop> {
        self.machine.result(dest, value)
    }

    /// Unwinds into the function at work: to the second arm of its call; a plain call ends the run.
    fn unwind(&mut self) -> Result<(), Stop> {
        if self.places.is_empty() {
            return Err(Ending::Unwound);
        }
        match self.node()? {
            Node::Select(select) if matches!(select.on, On::Call { .. }) => self.arm(select, 1),
            _ => Err(Ending::Unwound),
        }
    }
}

/// Numbers that no region has.
const RETURN: u32 = u32::MAX - 1;
const RESUME: u32 = u32::MAX - 2;

/// Where a thunk leads, as thunks of blocks say it.
fn encoded(goal: Goal) -> Block {
    Block::from_u32(match goal {
        Goal::Region(region) => region.index() as u32,
        Goal::Return => RETURN,
        Goal::Resume => RESUME,
    })
}

fn decoded(block: Block) -> Goal {
    match block.as_u32() {
        RETURN => Goal::Return,
        RESUME => Goal::Resume,
        region => Goal::Region(Region::from_u32(region)),
    }
}
