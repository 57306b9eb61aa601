//! Turns a body that has been read into a function of the IR, with the same uses, definitions and
//! edges.

use super::body::{Line, RawBody};
use super::edges::{Edges, Unwind};
use super::externs::Externs;
use super::ops::Words;
use super::parse::{ParsedBlock, ParsedBody};
use super::place::{Effects, MirOperand, MirPlace};
use super::rvalue::Rvalue;
use super::statement::Statement;
use super::terminator::{Call, MirTerminator};
use super::types;
use backedge_core::diagnostic::Span;
use backedge_core::ir::{
    Block, BlockData, Function, Inst, Local, LocalData, Name, Op, Opaque, Operand, Operands, Place,
    Target, Terminator, TerminatorKind, Type,
};

/// The function of a body, without locals that occur nowhere. Its name is the one of the text, which
/// need not be unique.
pub(super) fn lower(body: &ParsedBody<'_>, externs: &mut Externs) -> Function {
    let count = body.raw.decls().count();
    let types = types::types(count, body.blocks.iter().map(|block| &block.terminator));
    let function = declare(body.raw, &types);
    let mut lower = Lower {
        result: body.scope.locals.get(&0).copied(),
        words: Words::new(body.raw),
        function,
        types,
        externs,
        insts: Vec::new(),
        choice: None,
    };
    lower.function.ret = lower.result.map(|result| types::of(&lower.types, result).clone());
    for (index, block) in body.blocks.iter().enumerate() {
        lower.block(Block::from_u32(index as u32), block);
    }
    lower.function.canonicalize();
    lower.function
}

/// The function with its locals, and its blocks still empty.
fn declare(raw: &RawBody<'_>, types: &[Type]) -> Function {
    let mut function = Function::new(raw.name);
    function.span = raw.span;
    for (decl, ty) in raw.decls().zip(types) {
        let name = Name::from(format!("_{}", decl.number));
        let local = function.locals.push(LocalData { name, ty: ty.clone(), span: decl.span });
        if function.params.len() < raw.params.len() {
            function.params.push(local);
        }
    }
    for block in &raw.blocks {
        function.blocks.push(empty_block(format!("bb{}", block.number), block.span));
    }
    function
}

fn empty_block(name: String, span: Span) -> BlockData {
    let term = Terminator { kind: TerminatorKind::Unreachable, span };
    BlockData { name: Name::from(name), params: Vec::new(), insts: Vec::new(), term, span }
}

struct Lower<'e> {
    function: Function,
    types: Vec<Type>,
    words: Words,
    /// The return place.
    result: Option<Local>,
    externs: &'e mut Externs,
    /// Instructions of the block at hand.
    insts: Vec<Inst>,
    /// Holds which way an opaque terminator goes.
    choice: Option<Local>,
}

impl Lower<'_> {
    fn block(&mut self, block: Block, parsed: &ParsedBlock<'_>) {
        for (line, statement) in &parsed.statements {
            match statement {
                Statement::Assign(dest, rvalue) => self.assign(line, dest, rvalue),
                Statement::Effect(effects) => self.opaque(line, effects.clone()),
                Statement::Nothing => {}
            }
        }
        let kind = self.terminator(block, &parsed.line, &parsed.terminator);
        let data = &mut self.function.blocks[block];
        data.term = Terminator { kind, span: parsed.line.span };
        data.insts = std::mem::take(&mut self.insts);
    }

    fn push(&mut self, line: &Line<'_>, dest: Option<Place>, op: Op) {
        self.insts.push(Inst { dest, op, span: line.span });
    }

    fn opaque(&mut self, line: &Line<'_>, effects: Effects) {
        self.push(line, None, opaque(line, effects));
    }

    fn is_int(&self, local: Local) -> bool {
        *types::of(&self.types, local) == Type::Int
    }

    fn assign(&mut self, line: &Line<'_>, dest: &MirPlace, rvalue: &Rvalue<'_>) {
        if let Some((dest, op)) = self.known(dest, rvalue) {
            return self.push(line, Some(dest), op);
        }
        let mut effects = Effects::default();
        match rvalue {
            Rvalue::Use(operand) => effects.operand(operand),
            Rvalue::Binary(_, left, right) => {
                effects.operand(left);
                effects.operand(right);
            }
            Rvalue::Other(reads) => effects = reads.clone(),
        }
        effects.write(dest);
        self.opaque(line, effects);
    }

    /// The operation of the IR that does the same, if there is one.
    fn known(&self, dest: &MirPlace, rvalue: &Rvalue<'_>) -> Option<(Place, Op)> {
        if let Rvalue::Use(MirOperand::Read { place, moved: true }) = rvalue
            && let Some(to) = types::owned(&self.types, dest)
        {
            let from = types::owned(&self.types, place)?;
            let ty = |place: &Place| types::of(&self.types, place.local).at(&place.path).cloned();
            return (ty(&to) == ty(&from)).then_some((to, Op::Move(from)));
        }
        if !dest.whole || !self.is_int(dest.local) {
            return None;
        }
        let op = match rvalue {
            Rvalue::Use(MirOperand::Const(value)) => Op::Const((*value)?),
            Rvalue::Use(read) => Op::Copy(read.whole().filter(|&l| self.is_int(l))?.into()),
            Rvalue::Binary(name, left, right) => {
                let [left, right] = [self.operand(left)?, self.operand(right)?];
                self.words.binary(name, dest.local, left, right)?
            }
            Rvalue::Other(_) => return None,
        };
        Some((dest.local.into(), op))
    }

    /// The operand, if it is a whole `int` or a constant with a value.
    fn operand(&self, operand: &MirOperand) -> Option<Operand> {
        match operand {
            MirOperand::Const(value) => value.map(Operand::Const),
            read => read.whole().filter(|&local| self.is_int(local)).map(Operand::Local),
        }
    }

    fn terminator(
        &mut self,
        block: Block,
        line: &Line<'_>,
        terminator: &MirTerminator<'_>,
    ) -> TerminatorKind {
        match terminator {
            MirTerminator::Goto(to) => TerminatorKind::Jump((*to).into()),
            MirTerminator::Return => TerminatorKind::Return(self.result.map(Operand::Local)),
            MirTerminator::Dead => TerminatorKind::Unreachable,
            MirTerminator::Resume => TerminatorKind::Resume,
            MirTerminator::Switch { value, cases, default } => {
                self.switch(line, value, cases, *default)
            }
            MirTerminator::Call(call) => self.call(block, line, call),
            MirTerminator::Drop(place, edges) => self.drop(line, place, edges),
            MirTerminator::Yield { value, dest, resume, drop } => {
                self.suspend(block, line, value, dest, (*resume, *drop))
            }
            MirTerminator::Ways { reads, writes, edges } => {
                self.ways(block, line, (reads, writes), edges)
            }
        }
    }

    /// Keys become 64 bits as they are; where they do not fit, the number of the case stands in.
    fn switch(
        &mut self,
        line: &Line<'_>,
        value: &MirOperand,
        cases: &[(u128, Block)],
        default: Block,
    ) -> TerminatorKind {
        let fits = cases.iter().all(|&(key, _)| key <= u128::from(u64::MAX));
        let value = match self.operand(value) {
            Some(value) if fits => value,
            _ => {
                let mut effects = Effects::default();
                effects.operand(value);
                self.choose(line, effects)
            }
        };
        let number = |at: usize, key: u128| if fits { key as u64 as i64 } else { at as i64 };
        let cases = cases.iter().enumerate();
        let cases = cases.map(|(at, &(key, to))| (number(at, key), to.into())).collect();
        TerminatorKind::Switch { value, default: default.into(), cases }
    }

    /// Computes, in a way that is not known, which way to go.
    fn choose(&mut self, line: &Line<'_>, mut effects: Effects) -> Operand {
        let data = LocalData { name: "choice".into(), ty: Type::Int, span: line.span };
        let choice = *self.choice.get_or_insert_with(|| self.function.locals.push(data));
        effects.defs.push(choice);
        self.opaque(line, effects);
        choice.into()
    }

    fn ways(
        &mut self,
        block: Block,
        line: &Line<'_>,
        (reads, writes): (&Effects, &Effects),
        edges: &Edges,
    ) -> TerminatorKind {
        let mut effects = reads.clone();
        let writes_something = !writes.defs.is_empty() || !writes.partial.is_empty();
        let mut targets: Vec<Block> = edges.targets().collect();
        if writes_something && matches!(edges.unwind, Unwind::To(_)) {
            for target in &mut targets[..edges.ways.len()] {
                *target = self.edge_block(block, line, writes.clone(), *target);
            }
        } else {
            effects.defs.extend_from_slice(&writes.defs);
            effects.partial.extend_from_slice(&writes.partial);
        }
        self.opaque_ways(line, effects, &targets, edges.unwind)
    }

    fn opaque_ways(
        &mut self,
        line: &Line<'_>,
        effects: Effects,
        targets: &[Block],
        unwind: Unwind,
    ) -> TerminatorKind {
        if let [then_to, else_to] = *targets {
            let cond = self.choose(line, effects);
            let [then_to, else_to] = [then_to.into(), else_to.into()];
            return TerminatorKind::Branch { cond, then_to, else_to };
        }
        if let [default, cases @ ..] = targets
            && !cases.is_empty()
        {
            let value = self.choose(line, effects);
            let cases = (1..).zip(cases.iter().map(|&to| to.into())).collect();
            return TerminatorKind::Switch { value, default: (*default).into(), cases };
        }
        if !line.text.starts_with("false") {
            self.opaque(line, effects);
        }
        match targets {
            [to, ..] => TerminatorKind::Jump((*to).into()),
            [] => leave(unwind),
        }
    }

    fn drop(&mut self, line: &Line<'_>, place: &MirPlace, edges: &Edges) -> TerminatorKind {
        let targets: Vec<Block> = edges.targets().collect();
        if let Some(dropped) = types::owned(&self.types, place)
            && let [(_, normal)] = edges.ways[..]
        {
            let normal = Target::new(normal);
            if let Unwind::To(unwind) = edges.unwind {
                return TerminatorKind::TryDrop { place: dropped, normal, unwind: unwind.into() };
            }
            self.push(line, None, Op::Drop(dropped));
            return TerminatorKind::Jump(normal);
        }
        let mut effects = Effects::default();
        effects.read(place);
        self.opaque_ways(line, effects, &targets, edges.unwind)
    }

    /// What a call passes: the locals that its operands and `more` read, in order, with constants
    /// that have a value. A part of an owned local is read by an opaque instruction before the call,
    /// since passing the local would move the whole of it.
    fn args(&mut self, line: &Line<'_>, operands: &[MirOperand], more: &Effects) -> Operands {
        let mut args = Operands::new();
        let mut before = Effects::default();
        let mut reads = Effects::default();
        for operand in operands {
            match operand {
                MirOperand::Const(value) => args.extend(value.map(Operand::Const)),
                MirOperand::Read { place, .. } if place.whole => args.push(place.local.into()),
                MirOperand::Read { place, .. } => {
                    reads.read(place);
                    self.pass(&mut reads, &mut args, &mut before);
                }
            }
        }
        reads.uses.extend_from_slice(&more.uses);
        self.pass(&mut reads, &mut args, &mut before);
        if !before.uses.is_empty() {
            self.opaque(line, before);
        }
        args
    }

    /// Sorts what is read in part into `args` and, where that would be a move, `before`.
    fn pass(&self, reads: &mut Effects, args: &mut Operands, before: &mut Effects) {
        for local in reads.uses.drain(..) {
            if types::of(&self.types, local).is_owned() {
                before.uses.push(local);
            } else {
                args.push(local.into());
            }
        }
    }

    fn declare(
        &mut self,
        line: &Line<'_>,
        callee: &str,
        args: &Operands,
        dest: Option<&Place>,
    ) -> Name {
        let ty = |operand: &Operand| match operand {
            Operand::Local(local) => types::of(&self.types, *local).clone(),
            Operand::Const(_) => Type::Int,
        };
        let params = args.iter().map(ty).collect();
        let ret = dest.map(|dest| types::of(&self.types, dest.local).clone());
        self.externs.name(callee, params, ret, line.span)
    }

    fn call(&mut self, block: Block, line: &Line<'_>, call: &Call<'_>) -> TerminatorKind {
        let normal = call.edges.ways.first().map(|&(_, normal)| normal);
        let mut writes = Effects::default();
        call.dest.iter().for_each(|dest| writes.write(dest));
        let args = self.args(line, &call.args, &writes);
        let whole = writes.defs.first().filter(|_| normal.is_some());
        let dest = whole.map(|&local| Place::from(local));
        let callee = self.declare(line, call.callee, &args, dest.as_ref());
        writes.uses.clear();
        if let (Some(mut normal), Unwind::To(unwind)) = (normal, call.edges.unwind) {
            if !writes.partial.is_empty() {
                normal = self.edge_block(block, line, writes, normal);
            }
            let [normal, unwind] = [normal.into(), unwind.into()];
            return TerminatorKind::TryCall { dest, callee, args, normal, unwind };
        }
        self.push(line, dest, Op::Call { callee, args });
        if normal.is_some() && !writes.partial.is_empty() {
            self.opaque(line, writes);
        }
        match (normal, call.edges.unwind) {
            (Some(to), _) | (None, Unwind::To(to)) => TerminatorKind::Jump(to.into()),
            (None, unwind) => leave(unwind),
        }
    }

    fn suspend(
        &mut self,
        block: Block,
        line: &Line<'_>,
        value: &MirOperand,
        dest: &MirPlace,
        (mut resume, drop): (Block, Option<Block>),
    ) -> TerminatorKind {
        let args = self.args(line, std::slice::from_ref(value), &Effects::default());
        let mut writes = Effects::default();
        writes.write(dest);
        let whole = dest.whole.then(|| Place::from(dest.local));
        let callee = self.declare(line, "yield", &args, whole.as_ref());
        if whole.is_none() {
            resume = self.edge_block(block, line, writes, resume);
        }
        if let Some(drop) = drop {
            let [normal, unwind] = [resume.into(), drop.into()];
            return TerminatorKind::TryCall { dest: whole, callee, args, normal, unwind };
        }
        self.push(line, whole, Op::Call { callee, args });
        TerminatorKind::Jump(resume.into())
    }

    /// A new block on the edge from `from` to `to`, for what happens on that edge alone.
    fn edge_block(&mut self, from: Block, line: &Line<'_>, effects: Effects, to: Block) -> Block {
        let name =
            format!("{}_edge{}", self.function.blocks[from].name, self.function.blocks.len());
        let mut data = empty_block(name, line.span);
        data.insts.push(Inst { dest: None, op: opaque(line, effects), span: line.span });
        data.term.kind = TerminatorKind::Jump(to.into());
        self.function.blocks.push(data)
    }
}

/// How a block ends that has no successor.
fn leave(unwind: Unwind) -> TerminatorKind {
    match unwind {
        Unwind::Continue => TerminatorKind::Resume,
        _ => TerminatorKind::Unreachable,
    }
}

fn opaque(line: &Line<'_>, effects: Effects) -> Op {
    let Effects { uses, defs, partial } = effects;
    Op::Opaque(Box::new(Opaque { text: Name::from(line.text), defs, uses, partial }))
}
