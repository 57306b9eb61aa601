//! Random functions for the tests of this crate: small, with every way that a local can be read or
//! assigned and every way that a block can end. Block names are `b0`, `b1`, ..; locals `v0`, `v1`, ..

use backedge_core::diagnostic::Span;
use backedge_core::ir::builder::FunctionBuilder;
use backedge_core::ir::{
    BinaryOp, Block, Function, Inst, Local, LocalData, Op, Opaque, Operand, Place, Target,
    TerminatorKind, Type,
};

/// The bits of a xorshift generator: enough for tests, and the same everywhere.
pub(crate) struct Bits(u64);

impl Bits {
    pub(crate) fn new(seed: u64) -> Bits {
        Bits(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// A number below `limit`.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 33) as usize % limit
    }
}

/// The function of a seed, with at most `most_blocks` blocks.
pub(crate) fn random_function(seed: u64, most_blocks: usize) -> Function {
    let mut bits = Bits::new(seed);
    let mut b = FunctionBuilder::new("f");
    let mut locals: Vec<Local> = Vec::new();
    for number in 0..1 + bits.below(5) {
        locals.push(b.local(format!("v{number}"), Type::Int));
    }
    let blocks: Vec<Block> =
        (0..1 + bits.below(most_blocks)).map(|number| b.block(format!("b{number}"))).collect();
    let mut params = vec![Vec::new(); blocks.len()];
    for (params, &block) in params.iter_mut().zip(&blocks).skip(1) {
        let from = bits.below(locals.len());
        params.extend(locals.iter().skip(from).take(bits.below(3)).copied());
        b.function().blocks[block].params = params.clone();
    }
    // Every other function has a parameter.
    b.function().params.extend(locals.first().filter(|_| seed % 2 == 1));
    let mut draw = Draw { bits, locals, blocks, params };
    for block in draw.blocks.clone() {
        b.at(block);
        for _ in 0..draw.bits.below(4) {
            let (dest, op) = draw.inst();
            b.inst(dest, op);
        }
        let terminator = draw.terminator();
        b.terminate(terminator);
    }
    b.finish()
}

struct Draw {
    bits: Bits,
    locals: Vec<Local>,
    blocks: Vec<Block>,
    params: Vec<Vec<Local>>,
}

impl Draw {
    fn local(&mut self) -> Local {
        self.locals[self.bits.below(self.locals.len())]
    }

    fn operand(&mut self) -> Operand {
        match self.bits.below(4) {
            0 => Operand::Const(self.bits.below(2) as i64),
            _ => self.local().into(),
        }
    }

    fn operands(&mut self) -> impl Iterator<Item = Operand> {
        (0..self.bits.below(3)).map(|_| self.operand())
    }

    fn target(&mut self) -> Target {
        let index = self.bits.below(self.blocks.len());
        let args = (0..self.params[index].len()).map(|_| self.operand()).collect();
        Target { block: self.blocks[index], args }
    }

    fn inst(&mut self) -> (Option<Place>, Op) {
        let dest = Some(self.local().into());
        match self.bits.below(6) {
            0 => (dest, Op::Const(7)),
            1 => (dest, Op::Copy(self.operand())),
            2 => {
                let op = BinaryOp::ALL[self.bits.below(BinaryOp::ALL.len())];
                (dest, Op::Binary(op, self.operand(), self.operand()))
            }
            3 => (None, Op::Store { addr: self.operand(), value: self.operand() }),
            4 => (dest, Op::Call { callee: "g".into(), args: self.operands().collect() }),
            _ => {
                let [def, part, used] = [self.local(), self.local(), self.local()];
                let opaque = Opaque {
                    text: "op".into(),
                    defs: [def].into_iter().collect(),
                    uses: [used].into_iter().collect(),
                    partial: [part].into_iter().collect(),
                };
                (None, Op::Opaque(Box::new(opaque)))
            }
        }
    }

    fn terminator(&mut self) -> TerminatorKind {
        match self.bits.below(8) {
            0 => TerminatorKind::Return(Some(self.operand())),
            1 => TerminatorKind::Unreachable,
            2 | 3 => TerminatorKind::Jump(self.target()),
            4 => TerminatorKind::Switch {
                value: self.operand(),
                default: self.target(),
                cases: (0..self.bits.below(3)).map(|key| (key as i64, self.target())).collect(),
            },
            5 => TerminatorKind::TryCall {
                dest: Some(self.local().into()),
                callee: "g".into(),
                args: self.operands().collect(),
                normal: self.target(),
                unwind: self.target(),
            },
            _ => TerminatorKind::Branch {
                cond: self.operand(),
                then_to: self.target(),
                else_to: self.target(),
            },
        }
    }
}

/// A function of blocks without instructions, by the successors of each.
pub(crate) fn graph_function(successors: &[&[usize]]) -> Function {
    let mut b = FunctionBuilder::new("f");
    let blocks: Vec<Block> =
        (0..successors.len()).map(|number| b.block(format!("b{number}"))).collect();
    for (&block, successors) in blocks.iter().zip(successors) {
        let mut targets = successors.iter().map(|&to| Target::new(blocks[to]));
        b.at(block).terminate(match targets.next() {
            None => TerminatorKind::Return(None),
            Some(default) => TerminatorKind::Switch {
                value: Operand::Const(0),
                default,
                cases: targets.enumerate().map(|(key, to)| (key as i64, to)).collect(),
            },
        });
    }
    b.finish()
}

/// The function with a division and its remainder for every opaque operation, so that machine code can
/// say it; half of the calls have no result.
pub(crate) fn lowerable(mut function: Function) -> Function {
    let locals: Vec<Local> = function.locals.keys().collect();
    for data in function.blocks.values_mut() {
        let insts = std::mem::take(&mut data.insts);
        for (index, mut inst) in insts.into_iter().enumerate() {
            if inst.is_call() && index % 2 == 0 {
                inst.dest = None;
            }
            if !matches!(inst.op, Op::Opaque(_)) {
                data.insts.push(inst);
                continue;
            }
            let local = |step: usize| locals[(index + step) % locals.len()];
            let operands: [Operand; 2] = [local(2).into(), local(3).into()];
            for (op, dest) in [(BinaryOp::Sdiv, local(0)), (BinaryOp::Srem, local(1))] {
                let op = Op::Binary(op, operands[0], operands[1]);
                let dest = Some(dest.into());
                data.insts.push(Inst { dest, op, span: inst.span });
            }
        }
    }
    function
}

/// The function with locals of their own for half of what instructions make, from which it is copied to where
/// it was made: copies that can go, which are rare otherwise.
pub(crate) fn copying(mut function: Function) -> Function {
    let mut turn = 7 * function.inst_count() + function.blocks.len();
    for data in function.blocks.values_mut() {
        for mut inst in std::mem::take(&mut data.insts) {
            turn = (29 * turn + 17) % 10_007;
            let dest = match &mut inst.op {
                Op::Opaque(does) => does.defs.first_mut(),
                _ => inst.dest.as_mut().map(|dest| &mut dest.local),
            };
            let Some(dest) = dest.filter(|_| turn.is_multiple_of(2)) else {
                data.insts.push(inst);
                continue;
            };
            let name = format!("made{}", function.locals.len()).into();
            let made = function.locals.push(LocalData { name, ty: Type::Int, span: Span::NONE });
            let dest = std::mem::replace(dest, made);
            let op = Op::Copy(made.into());
            data.insts.extend([inst, Inst { dest: Some(dest.into()), op, span: Span::NONE }]);
        }
    }
    function
}

/// The function with three owned locals, one of two parts: they are made, moved, dropped and called with in
/// the place of other instructions and terminators.
pub(crate) fn owning(mut function: Function) -> Function {
    let pair = Type::Aggregate([Type::Own, Type::Own].into());
    let mut local = |name: &str, ty: Type| {
        let data = LocalData { name: name.into(), ty, span: Span::NONE };
        function.locals.push(data)
    };
    let [p, q, r] = [local("p", pair), local("q", Type::Own), local("r", Type::Own)];
    if function.params.is_empty() {
        function.params.push(q);
    }
    let part = |index: u32| Place { local: p, path: [index].into_iter().collect() };
    let mut turn = 5 * function.inst_count() + function.blocks.len();
    for data in function.blocks.values_mut() {
        for inst in &mut data.insts {
            turn = (29 * turn + 17) % 10_007;
            let (dest, op) = match turn % 11 {
                0 => (Some(p.into()), Op::New),
                1 => (Some(q.into()), Op::New),
                2 => (Some(q.into()), Op::Move(part(0))),
                3 => (None, Op::Drop(p.into())),
                4 => (None, Op::Drop(q.into())),
                5 => (Some(part(1)), Op::Move(q.into())),
                6 => (Some(r.into()), Op::Move(q.into())),
                7 => (None, Op::Drop(r.into())),
                8 => (None, Op::Drop(part(1))),
                _ => continue,
            };
            *inst = Inst { dest, op, span: Span::NONE };
        }
        match &mut data.term.kind {
            TerminatorKind::TryCall { dest, args, .. } if turn.is_multiple_of(2) => {
                *dest = Some(r.into());
                *args = [q.into()].into_iter().collect();
            }
            TerminatorKind::Branch { then_to, else_to, .. } if turn.is_multiple_of(3) => {
                let (normal, unwind) = (then_to.clone(), else_to.clone());
                data.term.kind = TerminatorKind::TryDrop { place: p.into(), normal, unwind };
            }
            _ => {}
        }
    }
    function
}

/// The function with nothing to return, so that it is well typed in this.
pub(crate) fn returning_nothing(mut function: Function) -> Function {
    for data in function.blocks.values_mut() {
        if let TerminatorKind::Return(value) = &mut data.term.kind {
            *value = None;
        }
    }
    function.ret = None;
    function
}
