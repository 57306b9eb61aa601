//! What threading knows of a function before it begins.

use super::thread::apply;
use crate::cfg::{Cfg, Postorder};
use crate::dataflow::liveness::Liveness;
use crate::entity::Block;
use crate::ir::{Function, Local, Op, Operand, Target, TerminatorKind};
use cranelift_entity::{EntitySet, SecondaryMap};

/// The end of a way of jumps.
#[derive(Clone)]
pub(super) struct Forward {
    /// Where it ends, in terms of the parameters of the block where it starts.
    pub(super) target: Target,
    /// Whether the header of a loop is on the way.
    pub(super) header: bool,
}

pub(super) struct Facts<'f> {
    /// By block without instructions that only jumps: where edges to it can go instead, in terms of its
    /// parameters.
    forward: SecondaryMap<Block, Option<Forward>>,
    /// Blocks that only jump in a circle.
    circles: EntitySet<Block>,
    /// Blocks that an edge leads back to.
    headers: EntitySet<Block>,
    /// By block: constants that locals hold at its end, of those that are asked.
    known: SecondaryMap<Block, Vec<(Local, i64)>>,
    liveness: &'f Liveness<'f, Function>,
}

impl<'f> Facts<'f> {
    pub(super) fn new(
        function: &Function,
        cfg: &Cfg<'_>,
        liveness: &'f Liveness<'f, Function>,
    ) -> Facts<'f> {
        let mut facts = Facts {
            forward: SecondaryMap::new(),
            circles: EntitySet::with_capacity(cfg.block_count()),
            headers: headers(cfg),
            known: SecondaryMap::new(),
            liveness,
        };
        facts.find_known(function);
        let mut places = SecondaryMap::new();
        for block in function.blocks.keys() {
            facts.find_forward(function, &mut places, block);
        }
        facts
    }

    /// The constant that a local holds at the end of a block, if it is asked anywhere.
    pub(super) fn known(&self, block: Block, local: Local) -> Option<i64> {
        self.known[block].iter().find(|(of, _)| *of == local).map(|(_, value)| *value)
    }

    /// Where edges to a block can go instead, if it only jumps.
    pub(super) fn forward(&self, block: Block) -> Option<&Forward> {
        self.forward[block].as_ref()
    }

    /// Whether an edge leads back to the block.
    pub(super) fn is_header(&self, block: Block) -> bool {
        self.headers.contains(block)
    }

    /// Whether nobody misses `params` where `next` is entered: they are not live there, or assigned again.
    /// A resource that is moved must be moved, so that one is only passed on to the same parameter.
    pub(super) fn can_pass(&self, function: &Function, params: &[Local], next: &Target) -> bool {
        let again = &function.blocks[next.block].params;
        params.iter().all(|&param| {
            let place = again.iter().position(|&other| other == param);
            if function.locals[param].ty.is_owned() {
                return place.is_some_and(|place| next.args.get(place) == Some(&param.into()));
            }
            place.is_some() || !self.liveness.live_in(next.block).contains(param.into())
        })
    }

    fn find_known(&mut self, function: &Function) {
        let mut asked: EntitySet<Local> = EntitySet::with_capacity(function.locals.len());
        for data in function.blocks.values().filter(|data| data.insts.is_empty()) {
            if let TerminatorKind::Branch { cond: Operand::Local(local), .. }
            | TerminatorKind::Switch { value: Operand::Local(local), .. } = data.term.kind
            {
                asked.insert(local);
            }
        }
        for (block, data) in &function.blocks {
            let known = &mut self.known[block];
            for inst in &data.insts {
                let assigned = |local: Local| asked.contains(local).then_some(local);
                inst.for_each_def(|local| {
                    let Some(local) = assigned(local) else { return };
                    known.retain(|(of, _)| *of != local);
                    if let Op::Const(value) = inst.op {
                        known.push((local, value));
                    }
                });
            }
        }
    }

    /// The block that this one only jumps to.
    fn next<'a>(&self, function: &'a Function, block: Block) -> Option<&'a Target> {
        let data = &function.blocks[block];
        match &data.term.kind {
            TerminatorKind::Jump(to) if data.insts.is_empty() => {
                self.can_pass(function, &data.params, to).then_some(to)
            }
            _ => None,
        }
    }

    /// Follows jumps from a block to the end, and notes it for all on the way; a circle has none.
    fn find_forward(
        &mut self,
        function: &Function,
        places: &mut SecondaryMap<Block, Option<usize>>,
        start: Block,
    ) {
        let mut way: Vec<(Block, &Target)> = Vec::new();
        let mut at = start;
        while self.forward[at].is_none()
            && !self.circles.contains(at)
            && let Some(next) = self.next(function, at)
        {
            if let Some(place) = places[at] {
                // What leads to a circle leads to where it is entered.
                self.circles.extend(way.drain(place..).map(|(block, _)| block));
                break;
            }
            places[at] = Some(way.len());
            way.push((at, next));
            at = next.block;
        }
        for (block, next) in way.into_iter().rev() {
            let params = &function.blocks[next.block].params;
            let (target, header) = match &self.forward[next.block] {
                Some(end) => (apply(&end.target, params, &next.args), end.header),
                None => (next.clone(), false),
            };
            let header = header || self.is_header(block);
            self.forward[block] = Some(Forward { target, header });
        }
    }
}

/// The blocks that an edge leads back to, as a depth-first walk sees it.
fn headers(cfg: &Cfg<'_>) -> EntitySet<Block> {
    let postorder = Postorder::new(cfg);
    let mut found = EntitySet::with_capacity(cfg.block_count());
    for (_, edge) in cfg.edges() {
        if postorder.position(edge.to) >= postorder.position(edge.from) {
            found.insert(edge.to);
        }
    }
    found
}
