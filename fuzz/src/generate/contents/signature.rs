//! What can be called: the case's externs and its own functions.

use super::names;
use super::swarm::Swarm;
use super::types::Ty;
use crate::generate::dominance::Dominance;
use crate::generate::draw::{Draw, scale};
use crate::generate::graph::Graph;
use backedge_core::diagnostic::Span;
use backedge_core::ir::{Extern, Name};
use smallvec::SmallVec;

/// A name with the types of its parameters and its result.
#[derive(Clone, Debug)]
pub(super) struct Signature {
    pub(super) name: Name,
    pub(super) params: SmallVec<[Ty; 6]>,
    pub(super) ret: Option<Ty>,
}

/// All signatures of a case: externs first, then the functions in order.
#[derive(Clone, Debug)]
pub(super) struct Signatures {
    pub(super) all: Vec<Signature>,
    externs: usize,
    /// By function: whether a path leads out of it.
    returns: Vec<bool>,
}

/// The externs that a case can have. Those with owned values come last.
const EXTERNS: [(&str, &[Ty], Option<Ty>); 9] = [
    ("source", &[], Some(Ty::INT)),
    ("probe", &[Ty::INT], Some(Ty::INT)),
    ("sink", &[Ty::INT], None),
    ("mark", &[], None),
    ("mix", &[Ty::INT; 6], Some(Ty::INT)),
    ("wide", &[Ty::INT; 12], Some(Ty::INT)),
    ("make", &[Ty::INT], Some(Ty::OWN)),
    ("take", &[Ty::OWN], None),
    ("unpair", &[Ty::PAIR, Ty::INT], Some(Ty::OWN)),
];
const WITHOUT_OWNED: usize = 6;

impl Signatures {
    /// Draws half of the externs, and a signature for each of so many functions. A case that can be run
    /// has a source, which decides where it goes.
    pub(super) fn draw(draw: &mut Draw, swarm: &Swarm, graphs: &[Graph]) -> Signatures {
        let mask = u16::from_le_bytes(draw.array()) | u16::from(swarm.runnable);
        let known = if swarm.owned > 0 { EXTERNS.len() } else { WITHOUT_OWNED };
        let externs =
            EXTERNS[..known].iter().enumerate().filter(|(index, _)| mask >> index & 1 == 1);
        let mut all = Vec::with_capacity(EXTERNS.len() + graphs.len());
        all.extend(externs.map(|(_, &(name, params, ret))| Signature {
            name: Name::new_static(name),
            params: SmallVec::from_slice(params),
            ret,
        }));
        let externs = all.len();
        for index in 0..graphs.len() {
            all.push(draw_function(draw, swarm, index));
        }
        let returns = graphs.iter().map(|graph| {
            let dominance = Dominance::of(graph);
            dominance.order.iter().any(|&node| graph.succs(node).is_empty())
        });
        Signatures { all, externs, returns: returns.collect() }
    }

    /// What a number in the low 8 bits names, to be called by the function with index `caller`. In a case
    /// that can be run that is no function through which control might never come back: it would keep
    /// tapes from what follows the call. Recursion is left to one case in eight.
    pub(super) fn callee(&self, which: u8, swarm: &Swarm, caller: usize) -> &Signature {
        let picked = scale(which, self.all.len());
        let comes_back =
            |function: usize| self.returns[function] && (function > caller || swarm.recursive);
        let fits = !swarm.runnable || picked.checked_sub(self.externs).is_none_or(comes_back);
        &self.all[if fits { picked } else { scale(which, self.externs) }]
    }

    /// Likewise, for a call that shall be able to unwind: externs can at any time.
    pub(super) fn unwinding_callee(&self, which: u8, swarm: &Swarm, caller: usize) -> &Signature {
        if swarm.runnable && which & 7 != 0 {
            return &self.all[scale(which, self.externs)];
        }
        self.callee(which, swarm, caller)
    }

    /// What gives an integer without being told anything, in a case that can be run.
    pub(super) fn source(&self) -> Name {
        Name::new_static(EXTERNS[0].0)
    }

    /// The signature of the function with this index.
    pub(super) fn function(&self, index: usize) -> &Signature {
        &self.all[self.externs + index]
    }

    /// The externs as the program declares them.
    pub(super) fn externs(&self) -> Vec<Extern> {
        let declare = |signature: &Signature| Extern {
            name: signature.name.clone(),
            params: signature.params.iter().map(|ty| ty.ir()).collect(),
            ret: signature.ret.map(Ty::ir),
            span: Span::NONE,
        };
        self.all[..self.externs].iter().map(declare).collect()
    }
}

fn draw_function(draw: &mut Draw, swarm: &Swarm, index: usize) -> Signature {
    let [params, ret, owned] = draw.array();
    let mut types: SmallVec<[Ty; 6]> = SmallVec::from_elem(Ty::INT, scale(params, 5));
    let owned_type = |byte: u8| Ty::OWNED[scale(byte << 1, 3)];
    if swarm.owned > 0 && owned >= 128 {
        types.push(owned_type(owned));
    }
    let ret = match ret {
        0..56 => None,
        56..232 => Some(Ty::INT),
        232.. if swarm.owned > 0 => Some(owned_type(owned)),
        232.. => Some(Ty::INT),
    };
    Signature { name: names::function(index), params: types, ret }
}
