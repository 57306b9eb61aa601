//! The order of programs, by which every step of the minimizer goes down.
//!
//! Shortlex: counts of what a reader has to take in, most important first, then the text. All
//! counts are natural numbers and the last of them is the length of the text, so the order is
//! well-founded and a search that only goes down ends.

use super::graph;
use backedge_core::ir::{
    BinaryOp, BlockData, Directive, Function, Inst, Local, Name, Op, Opaque, Operand, Place,
    Program, Target, TerminatorKind, Type,
};
use cranelift_entity::EntityRef;
use rustc_hash::FxHashMap;

/// How big a program is. Smaller is simpler.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Size {
    blocks: u64,
    /// Instructions and edges; a switch counts as one more.
    steps: u64,
    edges: u64,
    /// Blocks that the entry does not reach.
    unreachable: u64,
    /// Parameters of functions, externs and blocks, and arguments of edges.
    params: u64,
    /// Ranks of types, operations and terminators.
    ranks: u64,
    /// Operands, places and destinations that are locals.
    uses: u64,
    /// Operands that are constants.
    constants: u64,
    locals: u64,
    /// Directives, externs, results, `ssa`.
    heads: u64,
    /// Blocks that stand elsewhere than in reverse postorder.
    disorder: u64,
    length: u64,
    text: Vec<u64>,
}

impl Size {
    /// The size of a program without locals that nothing names.
    pub(super) fn of(program: &Program) -> Size {
        let mut encoder = Encoder { size: Size::default(), erase: false, names: names(program) };
        encoder.program(program);
        encoder.size.length = encoder.size.text.len() as u64;
        encoder.size
    }

    /// A number that differs between programs that differ in more than names, but for chance.
    pub(super) fn hash(&self) -> u64 {
        fnv(&self.text)
    }
}

/// Like [`Size::hash`], but the same as well for programs that differ only in constants and
/// directives.
pub(super) fn shape(program: &Program) -> u64 {
    let mut encoder = Encoder { size: Size::default(), erase: true, names: names(program) };
    encoder.program(program);
    fnv(&encoder.size.text)
}

/// FNV-1a, which is the same on every machine and in every version.
fn fnv(words: &[u64]) -> u64 {
    let bytes = words.iter().flat_map(|word| word.to_le_bytes());
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// The number of each function and extern, for what a call names.
fn names(program: &Program) -> FxHashMap<Name, u64> {
    let functions = program.functions.iter().map(|function| &function.name);
    let externs = program.externs.iter().map(|external| &external.name);
    functions.chain(externs).cloned().zip(0..).collect()
}

/// Writes a program as numbers, names left out, and counts on the way.
struct Encoder {
    size: Size,
    /// Leave out constants and directives.
    erase: bool,
    names: FxHashMap<Name, u64>,
}

impl Encoder {
    fn put(&mut self, word: u64) {
        self.size.text.push(word);
    }

    fn bytes(&mut self, text: &str) {
        self.put(text.len() as u64);
        self.size.text.extend(text.bytes().map(u64::from));
    }

    fn program(&mut self, program: &Program) {
        if !self.erase {
            program.directives.iter().for_each(|directive| self.directive(directive));
        }
        for external in &program.externs {
            self.size.heads += 1;
            self.size.params += external.params.len() as u64;
            self.put(external.params.len() as u64);
            external.params.iter().for_each(|ty| self.ty(ty));
            self.result(external.ret.as_ref());
        }
        self.put(if self.erase { 0 } else { program.memory.unwrap_or(0) });
        self.put(program.functions.len() as u64);
        program.functions.iter().for_each(|function| self.function(function));
    }

    fn directive(&mut self, directive: &Directive) {
        self.size.heads += 1;
        self.bytes(&directive.key);
        self.bytes(&directive.value);
    }

    fn result(&mut self, ty: Option<&Type>) {
        self.put(u64::from(ty.is_some()));
        self.size.heads += u64::from(ty.is_some());
        ty.into_iter().for_each(|ty| self.ty(ty));
    }

    fn ty(&mut self, ty: &Type) {
        // Types nest as deep as the text says, so no recursion.
        let mut open = vec![ty];
        while let Some(ty) = open.pop() {
            let rank = match ty {
                Type::Int => 0,
                Type::Own => 1,
                Type::Thunk => 2,
                Type::Aggregate(parts) => {
                    open.extend(parts.iter());
                    3 + parts.len() as u64
                }
            };
            self.size.ranks += rank;
            self.put(rank);
        }
    }

    fn function(&mut self, function: &Function) {
        self.size.heads += u64::from(function.ssa);
        self.put(u64::from(function.ssa));
        self.size.locals += function.locals.len() as u64;
        self.put(function.locals.len() as u64);
        function.locals.values().for_each(|local| self.ty(&local.ty));
        self.params(&function.params);
        self.result(function.ret.as_ref());
        let order = graph::reverse_postorder(function);
        self.size.unreachable += order.unreachable as u64;
        let blocks = order.blocks.iter().enumerate();
        self.size.disorder +=
            blocks.filter(|&(place, block)| block.index() != place).count() as u64;
        self.put(function.blocks.len() as u64);
        function.blocks.values().for_each(|block| self.block(block));
    }

    fn block(&mut self, block: &BlockData) {
        self.size.blocks += 1;
        self.params(&block.params);
        self.size.steps += block.insts.len() as u64;
        self.put(block.insts.len() as u64);
        block.insts.iter().for_each(|inst| self.inst(inst));
        self.terminator(&block.term.kind);
    }

    fn params(&mut self, params: &[Local]) {
        self.size.params += params.len() as u64;
        self.put(params.len() as u64);
        params.iter().for_each(|&param| self.put(param.index() as u64));
    }

    fn rank(&mut self, rank: u64) {
        self.size.ranks += rank;
        self.put(rank);
    }

    fn local(&mut self, local: Local) {
        self.size.uses += 1;
        self.put(local.index() as u64);
    }

    fn place(&mut self, place: &Place) {
        self.local(place.local);
        self.put(place.path.len() as u64);
        place.path.iter().for_each(|&field| self.put(u64::from(field)));
    }

    fn dest(&mut self, dest: Option<&Place>) {
        self.put(u64::from(dest.is_some()));
        dest.into_iter().for_each(|dest| self.place(dest));
    }

    fn number(&mut self, number: i64) {
        // 0, -1, 1, -2, ..: small numbers first.
        let zigzag = ((number << 1) ^ (number >> 63)) as u64;
        self.put(if self.erase { 0 } else { zigzag });
    }

    fn operand(&mut self, operand: &Operand) {
        match *operand {
            Operand::Const(number) => {
                self.put(0);
                self.size.constants += 1;
                self.number(number);
            }
            Operand::Local(local) => {
                self.put(1);
                self.local(local);
            }
        }
    }

    fn operands(&mut self, operands: &[Operand]) {
        self.put(operands.len() as u64);
        operands.iter().for_each(|operand| self.operand(operand));
    }

    fn target(&mut self, target: &Target) {
        self.put(target.block.index() as u64);
        self.size.params += target.args.len() as u64;
        self.operands(&target.args);
    }

    fn callee(&mut self, name: &Name) {
        let number = self.names.get(name).copied();
        self.put(number.map_or(0, |number| number + 1));
    }

    fn inst(&mut self, inst: &Inst) {
        self.dest(inst.dest.as_ref());
        self.rank(op_rank(&inst.op));
        match &inst.op {
            Op::Const(number) => self.number(*number),
            Op::Copy(a) | Op::Load(a) => self.operand(a),
            Op::Binary(op, a, b) => {
                self.rank(BinaryOp::ALL.iter().position(|other| other == op).unwrap_or(0) as u64);
                [a, b].into_iter().for_each(|operand| self.operand(operand));
            }
            Op::Select(c, a, b) => [c, a, b].into_iter().for_each(|operand| self.operand(operand)),
            Op::Store { addr, value } => {
                [addr, value].into_iter().for_each(|operand| self.operand(operand));
            }
            Op::Call { callee, args } => {
                self.callee(callee);
                self.operands(args);
            }
            Op::Bind(target) => self.target(target),
            Op::New => {}
            Op::Move(place) | Op::Drop(place) | Op::Destroy(place) => self.place(place),
            Op::Opaque(opaque) => self.opaque(opaque),
        }
    }

    fn opaque(&mut self, opaque: &Opaque) {
        for list in [&opaque.defs[..], &opaque.uses[..], &opaque.partial[..]] {
            self.put(list.len() as u64);
            list.iter().for_each(|&local| self.local(local));
        }
        if !self.erase {
            self.bytes(&opaque.text);
        }
    }

    fn terminator(&mut self, kind: &TerminatorKind) {
        self.rank(terminator_rank(kind));
        match kind {
            TerminatorKind::Branch { cond: value, .. } | TerminatorKind::Enter(value) => {
                self.operand(value);
            }
            TerminatorKind::Switch { value, cases, .. } => {
                self.size.steps += 1;
                self.operand(value);
                self.put(cases.len() as u64);
                cases.iter().for_each(|&(key, _)| self.number(key));
            }
            TerminatorKind::TryCall { dest, callee, args, .. } => {
                self.dest(dest.as_ref());
                self.callee(callee);
                self.operands(args);
            }
            TerminatorKind::TryDrop { place, .. } => self.place(place),
            TerminatorKind::Return(value) => self.operands(value.as_slice()),
            TerminatorKind::Jump(_) | TerminatorKind::Unreachable | TerminatorKind::Resume => {}
        }
        kind.for_each_target(|target| {
            self.size.edges += 1;
            self.size.steps += 1;
            self.target(target);
        });
    }
}

fn op_rank(op: &Op) -> u64 {
    match op {
        Op::Const(_) => 0,
        Op::Copy(_) => 1,
        Op::Binary(..) => 2,
        Op::Select(..) => 22,
        Op::Load(_) => 23,
        Op::Store { .. } => 24,
        Op::Call { .. } => 25,
        Op::New => 26,
        Op::Move(_) => 27,
        Op::Drop(_) => 28,
        Op::Destroy(_) => 29,
        Op::Bind(_) => 30,
        Op::Opaque(_) => 31,
    }
}

fn terminator_rank(kind: &TerminatorKind) -> u64 {
    match kind {
        TerminatorKind::Return(_) => 0,
        TerminatorKind::Jump(_) => 1,
        TerminatorKind::Branch { .. } => 2,
        TerminatorKind::Switch { .. } => 3,
        TerminatorKind::TryDrop { .. } => 4,
        TerminatorKind::TryCall { .. } => 5,
        TerminatorKind::Unreachable => 6,
        TerminatorKind::Resume => 7,
        TerminatorKind::Enter(_) => 8,
    }
}
