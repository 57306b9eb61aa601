//! Which locals can be read and written where.

use super::chain::Chain;
use super::pool::{Params, Pool};
use super::swarm::Swarm;
use super::types::Ty;
use crate::generate::dominance::Dominance;
use crate::generate::draw::Draw;
use crate::generate::graph::{Graph, Node};
use backedge_core::diagnostic::Span;
use backedge_core::ir::{Local, LocalData, Name};
use cranelift_entity::PrimaryMap;
use smallvec::SmallVec;

/// The locals of a function that is being filled, without names as yet.
pub(super) struct Scope {
    pub(super) locals: PrimaryMap<Local, LocalData>,
    form: Form,
    /// By block: the types of its parameters.
    param_types: Vec<SmallVec<[Ty; 4]>>,
    /// The block that is being filled.
    block: Node,
}

enum Form {
    Mutable { pool: Pool, params: Vec<Params>, windowed: bool },
    Ssa(Box<Ssa>),
}

struct Ssa {
    dominance: Dominance,
    /// By type; empty for types that the case does not have.
    chains: Vec<Chain>,
    /// By block: its parameters, once it is filled.
    params: Vec<SmallVec<[Local; 4]>>,
    /// By block: what the only edge into it defines.
    edge_defs: Vec<Option<(Ty, Local)>>,
    in_degrees: Vec<u32>,
    /// What the current instruction defines: it can't read that itself.
    pending: SmallVec<[(Ty, Local); 2]>,
}

impl Scope {
    /// Draws the parameters of the blocks. The entry has none.
    pub(super) fn draw(draw: &mut Draw, swarm: &Swarm, graph: &Graph) -> Scope {
        let mut param_types: Vec<SmallVec<[Ty; 4]>> = Vec::with_capacity(graph.len());
        let mut param_bytes = SmallVec::<[(Node, u8); 32]>::new();
        for block in 0..graph.len() {
            let bytes = draw.array::<4>();
            let count = bytes.iter().take_while(|&&byte| byte as u16 + swarm.phis as u16 > 255);
            let count = if block == 0 { 0 } else { count.count() };
            // The bits that were not needed to compare choose the type and the slot.
            let types = bytes[..count].iter().map(|&byte| param_type(swarm, byte));
            param_types.push(types.collect());
            param_bytes.extend(bytes[..count].iter().map(|&byte| (block, byte.wrapping_mul(37))));
        }
        let form = if swarm.ssa {
            Form::Ssa(Box::new(Ssa::new(graph, swarm)))
        } else {
            mutable(swarm, &param_types, &param_bytes)
        };
        Scope { locals: PrimaryMap::with_capacity(64), form, param_types, block: 0 }
    }

    /// The order in which blocks must be filled: dominators first.
    pub(super) fn order(&self, blocks: usize) -> Vec<Node> {
        match &self.form {
            Form::Mutable { .. } => (0..blocks).collect(),
            Form::Ssa(ssa) => {
                let unreachable = (0..blocks).filter(|&node| !ssa.dominance.is_reachable(node));
                ssa.dominance.order.iter().copied().chain(unreachable).collect()
            }
        }
    }

    /// A parameter of the function. They come before any block.
    pub(super) fn function_param(&mut self, ty: Ty, byte: u8) -> Local {
        match &mut self.form {
            Form::Mutable { pool, .. } => {
                let slot = pool.param(ty, byte);
                occur(&mut self.locals, pool, slot)
            }
            Form::Ssa(ssa) => {
                let local = fresh(&mut self.locals, ty);
                ssa.chains[ty.index()].push(local);
                local
            }
        }
    }

    /// Goes on to a block, and gives its parameters.
    pub(super) fn begin(&mut self, block: Node) -> Vec<Local> {
        self.block = block;
        match &mut self.form {
            Form::Mutable { pool, params, .. } => {
                params[block].iter().map(|&slot| occur(&mut self.locals, pool, slot)).collect()
            }
            Form::Ssa(ssa) => ssa.begin(block, &self.param_types[block], &mut self.locals),
        }
    }

    /// Types of a block's parameters.
    pub(super) fn param_types(&self, block: Node) -> SmallVec<[Ty; 4]> {
        self.param_types[block].clone()
    }

    /// A parameter of a block, if the current block can read it.
    pub(super) fn param_of(&mut self, block: Node, index: usize) -> Option<Local> {
        match &mut self.form {
            Form::Mutable { pool, params, .. } => {
                Some(occur(&mut self.locals, pool, params[block][index]))
            }
            Form::Ssa(ssa) => ssa.param_of(self.block, block, index),
        }
    }

    /// A local of the type that can be read here; `None` if there is none.
    pub(super) fn read(&mut self, ty: Ty, byte: u8) -> Option<Local> {
        match &mut self.form {
            Form::Mutable { pool, .. } => {
                let slot = pool.pick(ty, byte)?;
                Some(occur(&mut self.locals, pool, slot))
            }
            Form::Ssa(ssa) => ssa.chains.get(ty.index())?.back(distance(byte)),
        }
    }

    /// Whether there is a local of the type that can be read here.
    pub(super) fn can_read(&self, ty: Ty) -> bool {
        match &self.form {
            Form::Mutable { pool, .. } => pool.pick(ty, 0).is_some(),
            Form::Ssa(ssa) => ssa.chains.get(ty.index()).is_some_and(|c| c.back(0).is_some()),
        }
    }

    /// A local of the type that can be written here. It can be read after [`Scope::commit`]. `None`
    /// if the function has no locals of the type.
    pub(super) fn write(&mut self, ty: Ty, byte: u8) -> Option<Local> {
        match &mut self.form {
            Form::Mutable { pool, windowed, .. } => {
                let near = *windowed && ty == Ty::INT;
                let slot =
                    if near { pool.pick_near(ty, self.block, byte) } else { pool.pick(ty, byte) };
                Some(occur(&mut self.locals, pool, slot?))
            }
            Form::Ssa(ssa) => {
                (ty.index() < ssa.chains.len()).then_some(())?;
                let local = fresh(&mut self.locals, ty);
                ssa.pending.push((ty, local));
                Some(local)
            }
        }
    }

    /// Whether locals can be written more than once.
    pub(super) fn is_mutable(&self) -> bool {
        matches!(self.form, Form::Mutable { .. })
    }

    /// Makes what was written since the last time readable.
    pub(super) fn commit(&mut self) {
        if let Form::Ssa(ssa) = &mut self.form {
            for (ty, local) in std::mem::take(&mut ssa.pending) {
                ssa.chains[ty.index()].push(local);
            }
        }
    }

    /// Makes what was written readable on the edge to `to` alone, until [`Scope::leave_edge`].
    pub(super) fn enter_edge(&mut self, to: Node) {
        if let Form::Ssa(ssa) = &mut self.form
            && let Some(&(ty, local)) = ssa.pending.first()
        {
            ssa.chains[ty.index()].push(local);
            if to != 0 && ssa.in_degrees[to] == 1 {
                ssa.edge_defs[to] = Some((ty, local));
            }
        }
    }

    /// Ends what [`Scope::enter_edge`] began.
    pub(super) fn leave_edge(&mut self) {
        if let Form::Ssa(ssa) = &mut self.form
            && let Some((ty, _)) = ssa.pending.pop()
        {
            ssa.chains[ty.index()].pop();
        }
    }
}

impl Ssa {
    fn new(graph: &Graph, swarm: &Swarm) -> Ssa {
        let types = if swarm.owned > 0 { Ty::COUNT } else { 1 };
        Ssa {
            dominance: Dominance::of(graph),
            chains: vec![Chain::new(graph.len()); types],
            params: vec![SmallVec::new(); graph.len()],
            edge_defs: vec![None; graph.len()],
            in_degrees: graph.in_degrees(),
            pending: SmallVec::new(),
        }
    }

    fn begin(
        &mut self,
        block: Node,
        types: &[Ty],
        locals: &mut PrimaryMap<Local, LocalData>,
    ) -> Vec<Local> {
        let idom = self.dominance.idom[block];
        self.chains.iter_mut().for_each(|chain| chain.begin(block, idom));
        if let Some((ty, local)) = self.edge_defs[block] {
            self.chains[ty.index()].push(local);
        }
        let params = &mut self.params[block];
        for &ty in types {
            let local = fresh(locals, ty);
            params.push(local);
            self.chains[ty.index()].push(local);
        }
        params.to_vec()
    }

    /// Looks at the nearest dominators only, to stay fast in deep graphs.
    fn param_of(&self, from: Node, block: Node, index: usize) -> Option<Local> {
        let mut above = self.dominance.dominators(from).take(64);
        above.any(|node| node == block).then(|| self.params[block][index])
    }
}

/// Integers mostly. An owned parameter needs an argument on every edge, which SSA form may not have.
fn param_type(swarm: &Swarm, byte: u8) -> Ty {
    let owned = swarm.owned > 0 && !swarm.ssa && byte & 3 == 0;
    if owned { Ty::OWNED[byte as usize / 4 % Ty::OWNED.len()] } else { Ty::INT }
}

fn mutable(swarm: &Swarm, types: &[SmallVec<[Ty; 4]>], bytes: &[(Node, u8)]) -> Form {
    let mut counts = SmallVec::<[(Ty, usize); 8]>::from_slice(&[(Ty::INT, swarm.ints)]);
    counts.extend(swarm.owned_types().iter().map(|&ty| (ty, swarm.owned)));
    counts.push((Ty::THUNK, swarm.thunks as usize));
    let mut pool = Pool::new(&counts);
    let mut params: Vec<Params> = vec![Params::new(); types.len()];
    for &(block, byte) in bytes {
        let ty = types[block][params[block].len()];
        params[block].push(pool.param(ty, byte));
    }
    Form::Mutable { pool, params, windowed: swarm.windowed }
}

/// How many definitions back a byte reaches: near ones mostly, far ones for long live ranges.
fn distance(byte: u8) -> usize {
    match byte {
        0..128 => byte as usize & 3,
        128..208 => byte as usize & 15,
        208.. => byte as usize - 200,
    }
}

/// The local of a slot, which comes into being here if it has not occurred yet.
fn occur(locals: &mut PrimaryMap<Local, LocalData>, pool: &mut Pool, slot: u32) -> Local {
    let slot = &mut pool.slots[slot as usize];
    *slot.local.get_or_insert_with(|| fresh(locals, slot.ty))
}

fn fresh(locals: &mut PrimaryMap<Local, LocalData>, ty: Ty) -> Local {
    locals.push(LocalData { name: Name::default(), ty: ty.ir(), span: Span::NONE })
}
