//! What tests share: an interpreter of integers and calls for both forms, and random functions.

use crate::ir::builder::FunctionBuilder;
use crate::ir::{BinaryOp, Program, Target};
use crate::ir::{Block, Function, Inst, Local, Op, Operand, Place, TerminatorKind, Type};
use crate::thunks::form::{End, Goal, Loop, Node, On, Region, RegionFunction};

/// What a run did: the arguments of every call, and how it ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Run {
    pub(super) trace: Vec<Vec<i64>>,
    pub(super) ending: Ending,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    Returned(Option<i64>),
    Resumed,
    Unreachable,
    /// The tape ended, or nothing was called for long.
    Stopped,
    /// A local was read before it was assigned.
    Undefined,
}

struct Machine<'t> {
    locals: Vec<Option<i64>>,
    tape: &'t [i64],
    fuel: u32,
    trace: Vec<Vec<i64>>,
}

type Step<T> = Result<T, Ending>;

impl Machine<'_> {
    fn value(&self, operand: Operand) -> Step<i64> {
        match operand {
            Operand::Const(value) => Ok(value),
            Operand::Local(local) => self.locals[local.as_u32() as usize].ok_or(Ending::Undefined),
        }
    }

    fn values(&self, operands: &[Operand]) -> Step<Vec<i64>> {
        operands.iter().map(|&operand| self.value(operand)).collect()
    }

    fn set(&mut self, local: Local, value: i64) {
        self.locals[local.as_u32() as usize] = Some(value);
    }

    fn assign(&mut self, locals: &[Local], values: &[i64]) {
        assert_eq!(locals.len(), values.len());
        locals.iter().zip(values).for_each(|(&local, &value)| self.set(local, value));
    }

    fn burn(&mut self) -> Step<()> {
        self.fuel = self.fuel.checked_sub(1).ok_or(Ending::Stopped)?;
        Ok(())
    }

    /// A negative answer is an unwind.
    fn call(&mut self, args: &[Operand]) -> Step<i64> {
        let args = self.values(args)?;
        self.trace.push(args);
        let (&answer, rest) = self.tape.split_first().ok_or(Ending::Stopped)?;
        self.tape = rest;
        Ok(answer)
    }

    fn inst(&mut self, inst: &Inst) -> Step<()> {
        let value = match &inst.op {
            Op::Const(value) => *value,
            Op::Copy(a) => self.value(*a)?,
            Op::Binary(BinaryOp::Add, a, b) => self.value(*a)?.wrapping_add(self.value(*b)?),
            Op::Call { args, .. } => self.call(args)?,
            other => panic!("{other:?}"),
        };
        if let Some(Place { local, .. }) = inst.dest {
            self.set(local, value);
        }
        Ok(())
    }
}

fn machine<'t>(params: &[Local], locals: usize, tape: &'t [i64]) -> Machine<'t> {
    let mut machine = Machine { locals: vec![None; locals], tape, fuel: 20_000, trace: Vec::new() };
    for (index, &param) in params.iter().enumerate() {
        machine.set(param, index as i64 + 1);
    }
    machine
}

/// Runs blocks.
pub(super) fn run(function: &Function, tape: &[i64]) -> Run {
    let mut machine = machine(&function.params, function.locals.len(), tape);
    let ending = run_blocks(&mut machine, function).unwrap_or_else(|ending| ending);
    Run { trace: machine.trace, ending }
}

fn run_blocks(machine: &mut Machine<'_>, function: &Function) -> Step<Ending> {
    let mut block = Block::from_u32(0);
    loop {
        machine.burn()?;
        let data = &function.blocks[block];
        data.insts.iter().try_for_each(|inst| machine.inst(inst))?;
        let to = match &data.term.kind {
            TerminatorKind::Jump(to) => to,
            TerminatorKind::Branch { cond, then_to, else_to } => {
                if machine.value(*cond)? != 0 {
                    then_to
                } else {
                    else_to
                }
            }
            TerminatorKind::Switch { value, default, cases } => {
                let value = machine.value(*value)?;
                cases.iter().find(|(key, _)| *key == value).map_or(default, |(_, to)| to)
            }
            TerminatorKind::TryCall { dest, args, normal, unwind, .. } => {
                let answer = machine.call(args)?;
                if answer < 0 {
                    unwind
                } else {
                    dest.iter().for_each(|dest| machine.set(dest.local, answer));
                    normal
                }
            }
            TerminatorKind::Return(value) => {
                return Ok(Ending::Returned(value.map(|v| machine.value(v)).transpose()?));
            }
            TerminatorKind::Resume => return Ok(Ending::Resumed),
            TerminatorKind::Unreachable => return Ok(Ending::Unreachable),
            other => panic!("{other:?}"),
        };
        let values = machine.values(&to.args)?;
        machine.assign(&function.blocks[to.block].params, &values);
        block = to.block;
    }
}

/// What a region came to.
enum Left {
    Yield(Vec<i64>),
    Repeat(bool, Vec<i64>),
    Enter(Goal, Vec<i64>),
}

/// Runs regions. It recurses, as deep as they nest.
pub(super) fn run_regions(function: &RegionFunction, tape: &[i64]) -> Run {
    let mut machine = machine(&function.params, function.locals.len(), tape);
    let mut region = function.entry();
    let ending = loop {
        match run_region(&mut machine, function, region) {
            Ok(Left::Enter(Goal::Region(to), values)) => {
                machine.assign(&function.regions[to].inputs, &values);
                region = to;
            }
            Ok(Left::Enter(Goal::Return, values)) => {
                break Ending::Returned(values.first().copied());
            }
            Ok(Left::Enter(Goal::Resume, _)) => break Ending::Resumed,
            Ok(_) => panic!("a root yields"),
            Err(ending) => break ending,
        }
    };
    Run { trace: machine.trace, ending }
}

fn run_region(machine: &mut Machine<'_>, f: &RegionFunction, region: Region) -> Step<Left> {
    machine.burn()?;
    let data = &f.regions[region];
    let mut thunk = None;
    for node in &data.nodes {
        match node {
            Node::Inst(inst) => machine.inst(inst)?,
            Node::Bind(bind) => thunk = Some((bind.to, machine.values(&bind.args)?)),
            Node::Select(select) => {
                let arm = choose(machine, &select.on)?;
                match run_region(machine, f, select.arms[arm])? {
                    Left::Yield(values) => machine.assign(&select.outputs, &values),
                    left @ Left::Enter(..) if select.outputs.is_empty() => return Ok(left),
                    Left::Enter(to, values) => thunk = Some((to, values)),
                    Left::Repeat(..) => panic!("an arm repeats"),
                }
            }
            Node::Loop(node) => run_loop(machine, f, node)?,
            Node::Match(_) => panic!("a match"),
        }
    }
    Ok(match &data.end {
        End::Yield(values) => match thunk {
            Some((to, values)) => Left::Enter(to, values),
            None => Left::Yield(machine.values(values)?),
        },
        End::Repeat { again, carried, outputs } => {
            let again = machine.value(*again)? != 0;
            Left::Repeat(again, machine.values(if again { carried } else { outputs })?)
        }
        End::Enter(_) => {
            let (to, values) = thunk.expect("a thunk was bound");
            Left::Enter(to, values)
        }
        End::Return(value) => Left::Enter(Goal::Return, machine.values(value.as_slice())?),
        End::Resume => return Err(Ending::Resumed),
        End::Unreachable => return Err(Ending::Unreachable),
    })
}

fn run_loop(machine: &mut Machine<'_>, f: &RegionFunction, node: &Loop) -> Step<()> {
    let mut values = machine.values(&node.inits)?;
    loop {
        machine.assign(&f.regions[node.body].inputs, &values);
        match run_region(machine, f, node.body)? {
            Left::Repeat(true, carried) => values = carried,
            Left::Repeat(false, outputs) => {
                machine.assign(&node.outputs, &outputs);
                return Ok(());
            }
            _ => panic!("a body yields"),
        }
    }
}

fn choose(machine: &mut Machine<'_>, on: &On) -> Step<usize> {
    Ok(match on {
        On::If(cond) => usize::from(machine.value(*cond)? == 0),
        On::Switch(value, keys) => {
            let value = machine.value(*value)?;
            keys.iter().position(|key| *key == value).unwrap_or(keys.len())
        }
        On::Call { dest, args, .. } => {
            let answer = machine.call(args)?;
            if answer >= 0 {
                dest.iter().for_each(|dest| machine.set(dest.local, answer));
            }
            usize::from(answer < 0)
        }
        On::Drop(_) => panic!("a drop"),
    })
}

/// Whether a run may stand in for another: where the first is undefined or stopped, it is enough that
/// one trace starts with the other.
pub(super) fn agree(original: &Run, other: &Run) -> bool {
    let (short, long) = if original.trace.len() < other.trace.len() {
        (&original.trace, &other.trace)
    } else {
        (&other.trace, &original.trace)
    };
    match (&original.ending, &other.ending) {
        (Ending::Undefined | Ending::Unreachable, _) => other.trace.starts_with(&original.trace),
        (Ending::Stopped, _) | (_, Ending::Stopped) => long.starts_with(short),
        _ => original == other,
    }
}

/// Numbers that look random, the same each time.
pub(super) struct Dice(pub(super) u64);

impl Dice {
    pub(super) fn roll(&mut self, below: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 33) % below as u64) as usize
    }

    pub(super) fn tape(&mut self) -> Vec<i64> {
        (0..self.roll(60)).map(|_| self.roll(6) as i64 - 1).collect()
    }

    /// A function of up to `most` blocks, any graph, with parameters and arguments.
    pub(super) fn function(&mut self, most: usize) -> Program {
        let count = 1 + self.roll(most);
        let mut b = FunctionBuilder::new("f");
        let mut locals = vec![b.param("p", Type::Int), b.param("q", Type::Int)];
        locals.extend(["x", "y", "z"].map(|name| b.local(name, Type::Int)));
        let blocks: Vec<Block> = (0..count).map(|index| b.block(format!("b{index}"))).collect();
        for &block in &blocks[1..] {
            for _ in 0..self.roll(3) {
                let param = if self.roll(3) == 0 {
                    locals[2 + self.roll(3)]
                } else {
                    let name = format!("v{}", b.function().locals.len());
                    let local = b.local(name, Type::Int);
                    locals.push(local);
                    local
                };
                let params = &mut b.function().blocks[block].params;
                if !params.contains(&param) {
                    params.push(param);
                }
            }
        }
        for (index, &block) in blocks.iter().enumerate() {
            self.block(&mut b, block, index as i64, &locals, &blocks);
        }
        let mut function = b.finish();
        function.ret = Some(Type::Int);
        function.renumber();
        let external = crate::ir::Extern {
            name: "g".into(),
            params: vec![Type::Int; 3],
            ret: Some(Type::Int),
            span: Default::default(),
        };
        Program { externs: vec![external], functions: vec![function], ..Program::default() }
    }

    fn operand(&mut self, locals: &[Local]) -> Operand {
        match self.roll(4) {
            0 => Operand::Const(self.roll(4) as i64),
            1 => locals[self.roll(2)].into(),
            _ => locals[self.roll(locals.len())].into(),
        }
    }

    fn target(&mut self, b: &mut FunctionBuilder, locals: &[Local], blocks: &[Block]) -> Target {
        let block = blocks[self.roll(blocks.len())];
        let params = b.function().blocks[block].params.len();
        Target::with(block, (0..params).map(|_| self.operand(locals)).collect::<Vec<_>>())
    }

    fn block(
        &mut self,
        b: &mut FunctionBuilder,
        block: Block,
        index: i64,
        locals: &[Local],
        blocks: &[Block],
    ) {
        b.at(block);
        // What is read is assigned first, most of the time.
        if index == 0 {
            for &local in &locals[2..] {
                if self.roll(20) > 0 {
                    b.inst(Place::from(local), Op::Const(self.roll(9) as i64));
                }
            }
        }
        let dest = locals[2 + self.roll(locals.len() - 2)];
        if self.roll(2) == 0 {
            let args = [self.operand(locals), self.operand(locals)];
            b.inst(Place::from(dest), Op::Binary(BinaryOp::Add, args[0], args[1]));
        }
        let args = [Operand::Const(index), self.operand(locals), self.operand(locals)];
        if self.roll(4) > 0 {
            b.call(Place::from(dest), "g", args);
        }
        self.terminator(b, (dest, args), locals, blocks);
    }

    fn terminator(
        &mut self,
        b: &mut FunctionBuilder,
        (dest, args): (Local, [Operand; 3]),
        locals: &[Local],
        blocks: &[Block],
    ) {
        let cond = self.operand(locals);
        match self.roll(10) {
            0 => drop(b.terminate(TerminatorKind::Return(Some(cond)))),
            1..=3 => {
                let to = self.target(b, locals, blocks);
                b.jump(to);
            }
            4..=6 => {
                let to = [(); 2].map(|()| self.target(b, locals, blocks));
                b.branch(cond, to[0].clone(), to[1].clone());
            }
            7 => {
                let to = [(); 2].map(|()| self.target(b, locals, blocks));
                b.try_call(Place::from(dest), "g", args, to[0].clone(), to[1].clone());
            }
            8 => {
                let cases: Vec<_> =
                    (0..self.roll(4)).map(|k| (k as i64, self.target(b, locals, blocks))).collect();
                let default = self.target(b, locals, blocks);
                b.switch(cond, default, cases);
            }
            _ if self.roll(2) == 0 => drop(b.resume()),
            _ => drop(b.unreachable()),
        }
    }
}
