//! Whether locals were merged rightly, by the definitions.
//!
//! Let phi take each local to the one that it was merged into. [`mod@transform`] renames by phi and removes
//! what then copies a local to itself. [`conflicts`] looks at every write and at everything that is live
//! right after it. [`cover`] compares what is live before and after, point by point, and says why less is
//! live where it is.
//!
//! Everything is read off the function as it was and its liveness. What is written, and by what:
//!
//! - the parameters of the function, on entry;
//! - what an instruction assigns, whole or in part;
//! - the result of a call that may unwind, by the terminator: where a call is told where to put its
//!   result, it may write it before it unwinds, so what is live on either edge is in the way;
//! - a block's parameters, on each edge into it.
//!
//! A copy is no write of what holds that value already: from within the class, or from the class that it
//! is to be merged with.

pub mod conflicts;
pub mod cover;
#[cfg(test)]
mod tests;
pub mod transform;

use super::graph::Graph;
use backedge_core::ir::{Block, Function, Local, Op, TerminatorKind, Type};
use cranelift_entity::EntityRef;

/// Something that happens in a function.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Spot {
    /// Its parameters are bound.
    Params,
    /// An instruction; the terminator is the last.
    Inst(Block, usize),
    /// The edge with this position in [`Graph::edges`] binds the target's parameters.
    Edge(usize),
}

/// `dest = source`, of integers.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Copied {
    /// What carries it out.
    pub spot: Spot,
    /// What is assigned.
    pub dest: Local,
    /// What it gets.
    pub source: Local,
}

/// The copies that can be asked for: of integers, where the entry reaches, in functions without thunks.
pub fn copies(function: &Function, graph: &Graph) -> Vec<Copied> {
    if has_thunks(function) {
        return Vec::new();
    }
    let reachable = graph.reachable();
    let mut copies = Vec::new();
    let mut add = |spot, dest: Local, source: Option<Local>| {
        if let Some(source) = source.filter(|_| function.locals[dest].ty == Type::Int) {
            copies.push(Copied { spot, dest, source });
        }
    };
    for block in function.blocks.keys().filter(|block| reachable[block.index()]) {
        for (inst, data) in function.blocks[block].insts.iter().enumerate() {
            if let (Op::Copy(source), Some(dest)) = (&data.op, &data.dest) {
                add(Spot::Inst(block, inst), dest.local, source.local());
            }
        }
        for (slot, edge) in graph.edges_out(block).iter().enumerate() {
            let Some(number) = graph.edge_number(block, slot) else { continue };
            for (&param, arg) in function.blocks[edge.to].params.iter().zip(args(function, edge)) {
                add(Spot::Edge(number), param, arg);
            }
        }
    }
    copies
}

/// The arguments of an edge: the local of each, if it is one.
fn args(function: &Function, edge: &super::graph::GraphEdge) -> Vec<Option<Local>> {
    let target = function.blocks[edge.from].term.kind.target(edge.slot);
    target.into_iter().flat_map(|target| &target.args).map(|arg| arg.local()).collect()
}

/// Whether control can take ways that are not in the graph.
pub fn has_thunks(function: &Function) -> bool {
    function.blocks.values().any(|data| {
        matches!(data.term.kind, TerminatorKind::Enter(_))
            || data.insts.iter().any(|inst| matches!(inst.op, Op::Bind(_)))
    })
}

/// What each local was merged into.
#[derive(Clone, Debug)]
pub struct Phi {
    to: Vec<Local>,
}

impl Phi {
    /// Nothing was merged.
    pub fn identity(function: &Function) -> Phi {
        Phi { to: function.locals.keys().collect() }
    }

    /// Each first local was merged into the second.
    ///
    /// # Errors
    /// Says what no merges can be: of what is no integer of the function, of a parameter of the function
    /// or of one local twice, or into one that was merged itself.
    pub fn new(function: &Function, merges: &[(Local, Local)]) -> Result<Phi, String> {
        let mut phi = Phi::identity(function);
        let is_int = |local: Local| function.locals.get(local).is_some_and(|d| d.ty == Type::Int);
        for &(from, into) in merges {
            if !is_int(from) || !is_int(into) {
                return Err(format!("{from:?} and {into:?} are not both integers"));
            }
            let name = &function.locals[from].name;
            if function.params.contains(&from) {
                return Err(format!("`{name}`, a parameter of the function, renamed"));
            }
            if from == into || std::mem::replace(&mut phi.to[from.index()], into) != from {
                return Err(format!("`{name}` merged twice or into itself"));
            }
        }
        match merges.iter().find(|(_, into)| phi.of(*into) != *into) {
            Some((_, into)) => Err(format!(
                "`{}` merged into others and others into it",
                function.locals[*into].name
            )),
            None => Ok(phi),
        }
    }

    /// What a local was merged into; itself, if into none.
    pub fn of(&self, local: Local) -> Local {
        self.to[local.index()]
    }

    /// What the locals of a set were merged into, sorted.
    pub fn of_set(&self, set: &[Local]) -> Vec<Local> {
        let mut to: Vec<Local> = set.iter().map(|&local| self.of(local)).collect();
        to.sort_unstable();
        to.dedup();
        to
    }

    /// Whether two locals are one.
    pub fn same(&self, a: Local, b: Local) -> bool {
        self.of(a) == self.of(b)
    }

    /// A local that was merged though no copies connect it to what it was merged into.
    pub fn unconnected(&self, copies: &[Copied]) -> Option<Local> {
        let mut near: Vec<Vec<Local>> = vec![Vec::new(); self.to.len()];
        for copy in copies.iter().filter(|copy| self.same(copy.dest, copy.source)) {
            near[copy.dest.index()].push(copy.source);
            near[copy.source.index()].push(copy.dest);
        }
        let mut connected: Vec<bool> =
            (0..).zip(&self.to).map(|(at, to)| to.index() == at).collect();
        let mut stack: Vec<Local> =
            self.to.iter().copied().filter(|&to| self.of(to) == to).collect();
        while let Some(local) = stack.pop() {
            for &next in &near[local.index()] {
                if !std::mem::replace(&mut connected[next.index()], true) {
                    stack.push(next);
                }
            }
        }
        connected.iter().position(|connected| !connected).map(Local::new)
    }
}
