//! Fills the blocks of one function.

use super::scope::Scope;
use super::signature::{Signature, Signatures};
use super::swarm::Swarm;
use super::types::Ty;
use super::{definite, names, owned};
use crate::generate::draw::{Draw, scale};
use crate::generate::graph::{Graph, Node};
use backedge_core::diagnostic::Span;
use backedge_core::ir::{
    Block, BlockData, Function, Inst, Local, Op, Operand, Operands, Place, Target, TerminatorKind,
};
use cranelift_entity::PrimaryMap;
use smallvec::SmallVec;

/// Most instructions that a block is given.
const MAX_INSTS: usize = 64;

/// What a function is filled from.
pub(super) struct Body<'c> {
    /// Which function of the program it is.
    pub(super) index: usize,
    pub(super) graph: &'c Graph,
    pub(super) swarm: &'c Swarm,
    pub(super) signatures: &'c Signatures,
    pub(super) scope: Scope,
    pub(super) ret: Option<Ty>,
    /// What the next operand shall be, whatever its byte says.
    pub(super) next_operand: Option<Local>,
}

/// The function for a graph, the one with this index in the program.
pub(super) fn fill(
    graph: &Graph,
    index: usize,
    swarm: &Swarm,
    signatures: &Signatures,
    draw: &mut Draw,
) -> Function {
    let signature = signatures.function(index);
    let scope = Scope::draw(draw, swarm, graph);
    let ret = signature.ret;
    let mut body = Body { index, graph, swarm, signatures, scope, ret, next_operand: None };
    let mut function = Function::new(signature.name.clone());
    function.ssa = swarm.ssa;
    function.ret = signature.ret.map(Ty::ir);
    let bytes = draw.array::<8>();
    let params = signature.params.iter().zip(bytes);
    function.params = params.map(|(&ty, byte)| body.scope.function_param(ty, byte)).collect();
    function.blocks = body.blocks(draw);
    function.locals = body.scope.locals;
    if swarm.owned > 0 && !swarm.ssa {
        owned::end_scopes(&mut function, graph);
    }
    if swarm.runnable {
        if swarm.owned > 0 {
            owned::repair(&mut function);
        }
        definite::assign(&mut function);
    }
    // SSA functions are not filled in the order of the text, and what is not an integer may have to be
    // declared before it. Everything else is numbered in canonical order already.
    if swarm.ssa || swarm.owned > 0 || swarm.thunks || swarm.runnable {
        function.renumber();
    }
    for (index, local) in function.locals.values_mut().enumerate() {
        local.name = names::local(index);
    }
    function
}

impl<'c> Body<'c> {
    fn blocks(&mut self, draw: &mut Draw) -> PrimaryMap<Block, BlockData> {
        let count = self.graph.len();
        let mut blocks = PrimaryMap::with_capacity(count);
        for block in 0..count {
            blocks.push(BlockData {
                name: names::block(block),
                params: Vec::new(),
                insts: Vec::new(),
                term: TerminatorKind::Unreachable.into(),
                span: Span::NONE,
            });
        }
        for node in self.scope.order(count) {
            let data = &mut blocks[Block::from_u32(node as u32)];
            data.params = self.scope.begin(node);
            if !self.graph.nodes[node].empty {
                data.insts = self.insts(draw);
            }
            let bytes = draw.array();
            data.insts.extend(self.ask(node, bytes));
            data.term = self.terminator(node, bytes).into();
            self.next_operand = None;
        }
        blocks
    }

    /// Instructions until a byte ends them.
    fn insts(&mut self, draw: &mut Draw) -> Vec<Inst> {
        let mut insts = Vec::with_capacity(16);
        while insts.len() < MAX_INSTS && draw.byte() >= self.swarm.stop {
            let bytes = draw.array();
            let inst = self.inst(bytes);
            self.scope.commit();
            let partner = self.partner(&inst, bytes);
            self.scope.commit();
            insts.push(inst);
            insts.extend(partner);
        }
        insts
    }

    /// In a case that can be run: a call whose result decides where control goes, or that uses up the
    /// tape on the way back in a loop. The terminator reads its result first.
    fn ask(&mut self, node: Node, bytes: [u8; 8]) -> Option<Inst> {
        let data = &self.graph.nodes[node];
        let goes_back = data.succs.iter().any(|&to| to <= node);
        let chooses = data.succs.len() > 1 && bytes[1] < 253;
        if !self.swarm.runnable || data.empty || !(goes_back || chooses) {
            return None;
        }
        let dest = self.scope.write(Ty::INT, bytes[7])?;
        self.scope.commit();
        self.next_operand = Some(dest);
        let op = Op::Call { callee: self.signatures.source(), args: Operands::new() };
        Some(Inst { dest: Some(dest.into()), op, span: Span::NONE })
    }

    /// An integer: a constant, or a local where there is one.
    pub(super) fn operand(&mut self, byte: u8) -> Operand {
        if let Some(local) = self.next_operand.take() {
            return Operand::Local(local);
        }
        // Bytes at the top are constants; the rest is spread over all locals.
        let locals = 256 - self.swarm.consts as u16;
        if byte as u16 >= locals {
            return constant(byte);
        }
        let spread = (byte as u16 * 256 / locals) as u8;
        self.scope.read(Ty::INT, spread).map_or(constant(byte), Operand::Local)
    }

    /// A value of the type; `None` where there is none.
    pub(super) fn value(&mut self, ty: Ty, byte: u8) -> Option<Operand> {
        if ty == Ty::INT {
            Some(self.operand(byte))
        } else {
            self.scope.read(ty, byte).map(Operand::Local)
        }
    }

    /// A target with an argument for each parameter.
    pub(super) fn target(&mut self, to: Node, bytes: &mut Spread) -> Target {
        let types = self.scope.param_types(to);
        let mut args = Operands::new();
        for index in 0..types.len() {
            let [swap, byte] = [bytes.next(), bytes.next()];
            // The next parameter of the same type: on a back edge, the loop's values trade places.
            let next = (index + 1..types.len()).chain(0..index).find(|&i| types[i] == types[index]);
            let swapped = next
                .filter(|_| swap as u16 + self.swarm.swaps as u16 > 255)
                .and_then(|next| self.scope.param_of(to, next).map(Operand::Local));
            let arg = swapped.or_else(|| self.value(types[index], byte));
            args.extend(arg);
        }
        Target { block: Block::from_u32(to as u32), args }
    }

    /// Something to call that every argument can be found for.
    pub(super) fn callee(&self, which: u8) -> Option<&'c Signature> {
        self.callable(self.signatures.callee(which, self.swarm, self.index))
    }

    /// The same for a call that shall be able to unwind.
    pub(super) fn unwinding_callee(&self, which: u8) -> Option<&'c Signature> {
        self.callable(self.signatures.unwinding_callee(which, self.swarm, self.index))
    }

    fn callable(&self, signature: &'c Signature) -> Option<&'c Signature> {
        let found = |&ty: &Ty| ty == Ty::INT || self.scope.can_read(ty);
        signature.params.iter().all(found).then_some(signature)
    }

    /// Arguments for a callee.
    pub(super) fn args(&mut self, callee: &Signature, bytes: &mut Spread) -> Operands {
        callee.params.iter().filter_map(|&ty| self.value(ty, bytes.next())).collect()
    }

    /// A place of an owned type that can be read here: a local, or a part of one.
    pub(super) fn owned_place(&mut self, which: u8, byte: u8) -> Option<(Place, Ty)> {
        let types = self.swarm.owned_types();
        let ty = *types.get(scale(which, types.len()))?;
        let local = self.scope.read(ty, byte)?;
        let places = ty.places();
        // The low bits, since the high ones chose the type.
        let (path, part) = places[scale(which.reverse_bits(), places.len())];
        Some((Place { local, path: SmallVec::from_slice(path) }, part))
    }
}

/// Spreads the few bytes that an element read over the many choices that it may make. Zeros stay
/// zeros.
#[derive(Copy, Clone, Debug)]
pub(super) struct Spread(u64);

impl Spread {
    pub(super) fn new(bytes: &[u8]) -> Spread {
        Spread(bytes.iter().fold(0, |all, &byte| all << 8 | byte as u64))
    }

    pub(super) fn next(&mut self) -> u8 {
        self.0 = self.0.wrapping_mul(0x2545_f491_4f6c_dd1d).rotate_left(29);
        (self.0 >> 56) as u8
    }
}

/// A constant that is worth trying.
pub(super) fn constant(byte: u8) -> Operand {
    const VALUES: [i64; 16] =
        [0, 1, 2, 3, 7, 8, 63, 64, 255, -1, -2, 1 << 32, i64::MAX, i64::MIN, 10, -8];
    Operand::Const(VALUES[byte as usize & 15])
}
