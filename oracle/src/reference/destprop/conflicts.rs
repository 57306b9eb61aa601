//! Which locals may not be one: tried by everything that is written, and all that is live then.

use super::cover::Needed;
use super::{Copied, Phi, Spot, args, copies};
use crate::reference::graph::Graph;
use crate::reference::liveness::Liveness;
use backedge_core::ir::{Function, Local, Op};
use std::collections::{BTreeMap, BTreeSet};

/// When two classes conflict.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Rule {
    /// One is live where the other is written.
    Written,
    /// Their live ranges meet, in which each write is a point of its own.
    Ranges,
}

/// A function with what is live in it.
pub struct Facts<'f> {
    /// The function.
    pub function: &'f Function,
    /// Its edges.
    pub graph: &'f Graph,
    /// What is live where.
    pub live: &'f Liveness,
}

/// One local written where another is needed.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Clash {
    /// Where.
    pub spot: Spot,
    /// What is written.
    pub written: Local,
    /// What is needed.
    pub needed: Local,
}

/// A write of one local, with what is copied to it, if it is a copy.
struct Write {
    spot: Spot,
    local: Local,
    source: Option<Local>,
}

impl Facts<'_> {
    fn writes(&self) -> Vec<Write> {
        let Facts { function, graph, .. } = self;
        let params = function.params.iter();
        let mut writes: Vec<Write> =
            params.map(|&local| Write { spot: Spot::Params, local, source: None }).collect();
        for (block, data) in &function.blocks {
            for (inst, data) in data.insts.iter().enumerate() {
                let source = match data.op {
                    Op::Copy(source) => source.local(),
                    _ => None,
                };
                let spot = Spot::Inst(block, inst);
                data.for_each_def(|local| writes.push(Write { spot, local, source }));
                data.for_each_partial_def(|local| writes.push(Write { spot, local, source: None }));
            }
            let spot = Spot::Inst(block, data.insts.len());
            for slot in 0..graph.edges_out(block).len() {
                let result = data.term.kind.edge_def(slot);
                writes.extend(result.map(|local| Write { spot, local, source: None }));
            }
        }
        for (number, edge) in graph.edges().iter().enumerate() {
            let params = &function.blocks[edge.to].params;
            for (&local, source) in params.iter().zip(args(function, edge)) {
                writes.push(Write { spot: Spot::Edge(number), local, source });
            }
        }
        writes
    }

    /// What is live right after what happens there.
    fn live_after(&self, spot: Spot) -> &[Local] {
        match spot {
            Spot::Params => self.live.live_in(self.function.entry()),
            Spot::Inst(block, inst) => self.live.after(block, inst),
            Spot::Edge(edge) => self.live.live_in(self.graph.edges()[edge].to),
        }
    }

    /// What must not share a place whatever is live: the parameters of a block, what one instruction
    /// writes, and what an operation of another language writes with what it reads.
    fn together(&self) -> Vec<Clash> {
        let mut pairs = Vec::new();
        let mut add = |spot, written: &[Local], read: &[Local]| {
            for &local in written {
                for &other in written.iter().chain(read).filter(|&&other| other != local) {
                    pairs.push(Clash { spot, written: local, needed: other });
                }
            }
        };
        for (block, data) in &self.function.blocks {
            add(Spot::Inst(block, 0), &data.params, &[]);
            for (inst, data) in data.insts.iter().enumerate() {
                if let Op::Opaque(opaque) = &data.op {
                    let written: Vec<Local> =
                        opaque.defs.iter().chain(&opaque.partial).copied().collect();
                    add(Spot::Inst(block, inst), &written, &opaque.uses);
                }
            }
        }
        pairs
    }

    /// Two locals that are one and must not be. Parameters of blocks that are one are so if one of them
    /// is a parameter no longer; whether that is so can be seen in the function that was made.
    ///
    /// A pass that looks at liveness again between merges sees that some locals were live for the sake of
    /// copies that are gone. Of such a pass, `needed` are those that still are.
    pub fn merged_wrongly(&self, phi: &Phi, needed: Option<&Needed>) -> Option<Clash> {
        let clashes = |clash: &Clash| phi.same(clash.written, clash.needed);
        let is_param = |clash: &Clash| match clash.spot {
            Spot::Inst(block, 0) => self.function.blocks[block].params.contains(&clash.written),
            _ => false,
        };
        let apart = self.together().into_iter().find(|clash| clashes(clash) && !is_param(clash));
        apart.or_else(|| {
            self.writes().into_iter().find_map(|write| {
                if write.source.is_some_and(|source| phi.same(source, write.local)) {
                    return None;
                }
                let Write { spot, local: written, .. } = write;
                let is_needed =
                    |local| needed.is_none_or(|n| n.after(self.function, self.graph, spot, local));
                let mut others = self.live_after(spot).iter().copied();
                let needed = others
                    .find(|&live| live != written && phi.same(live, written) && is_needed(live))?;
                Some(Clash { spot, written, needed })
            })
        })
    }

    /// A copy that is left though its two locals, with all that was merged with them, conflict nowhere.
    pub fn left(&self, phi: &Phi, rule: Rule) -> Option<Copied> {
        let mut pending: BTreeMap<[Local; 2], Copied> = BTreeMap::new();
        for copy in copies(self.function, self.graph) {
            if !phi.same(copy.dest, copy.source) {
                pending.entry(pair(phi, copy.dest, copy.source)).or_insert(copy);
            }
        }
        let params: Vec<Local> = self.function.params.iter().map(|&param| phi.of(param)).collect();
        pending.retain(|[a, b], _| !(params.contains(a) && params.contains(b)));
        for clash in self.together() {
            pending.remove(&pair(phi, clash.written, clash.needed));
        }
        match rule {
            Rule::Written => self.drop_written(phi, &mut pending),
            Rule::Ranges => self.drop_met(phi, &mut pending),
        }
        pending.into_values().min_by_key(|copy| copy.spot)
    }

    /// Takes out pairs of classes of which one is live where the other is written.
    fn drop_written(&self, phi: &Phi, pending: &mut BTreeMap<[Local; 2], Copied>) {
        for write in self.writes() {
            let class = phi.of(write.local);
            let source = write.source.map(|source| phi.of(source));
            if source == Some(class) {
                continue;
            }
            for &live in self.live_after(write.spot) {
                if source != Some(phi.of(live)) {
                    pending.remove(&pair(phi, write.local, live));
                }
            }
        }
    }

    /// Takes out pairs of classes that are at some point both there.
    fn drop_met(&self, phi: &Phi, pending: &mut BTreeMap<[Local; 2], Copied>) {
        let mut at_writes: BTreeMap<Spot, BTreeSet<Local>> = BTreeMap::new();
        for write in self.writes() {
            at_writes.entry(write.spot).or_default().insert(phi.of(write.local));
        }
        let mut point = |live: &[Local], written: Option<&BTreeSet<Local>>| {
            let mut there: BTreeSet<Local> = live.iter().map(|&local| phi.of(local)).collect();
            there.extend(written.into_iter().flatten());
            pending.retain(|[a, b], _| !(there.contains(a) && there.contains(b)));
        };
        let mut after = |spot| point(self.live_after(spot), at_writes.get(&spot));
        after(Spot::Params);
        (0..self.graph.edges().len()).for_each(|edge| after(Spot::Edge(edge)));
        for (block, data) in &self.function.blocks {
            (0..=data.insts.len()).for_each(|inst| after(Spot::Inst(block, inst)));
        }
        for (block, data) in &self.function.blocks {
            (0..=data.insts.len()).for_each(|inst| point(self.live.before(block, inst), None));
        }
        for (number, edge) in self.graph.edges().iter().enumerate() {
            let result = self.function.blocks[edge.from].term.kind.edge_def(edge.slot);
            let result = result.map(|local| BTreeSet::from([phi.of(local)]));
            point(self.live.edge(number), result.as_ref());
        }
    }
}

/// Two classes, the lower first.
fn pair(phi: &Phi, a: Local, b: Local) -> [Local; 2] {
    let (a, b) = (phi.of(a), phi.of(b));
    [a.min(b), a.max(b)]
}
