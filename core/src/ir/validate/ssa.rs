//! The rules of SSA form: each local has one definition, which dominates its uses.
//!
//! An argument on an edge is used at the end of the block that the edge leaves. The result of a
//! `try_call` is defined on its normal edge: it dominates the argument of that edge, and what the
//! target dominates if no other path enters the target. What is used where the entry does not lead
//! is dominated by everything.

use super::{Spot, State, shorten};
use crate::cfg::{Cfg, Dominators};
use crate::diagnostic::Span;
use crate::ir::{Block, Function, Inst, Local, Target, TerminatorKind};
use cranelift_entity::SecondaryMap;

/// Checks a function in which everything that is named exists.
pub(super) fn check(function: &Function, state: &mut State<'_, '_>) {
    let mut definitions = Definitions { function, state, sites: SecondaryMap::new() };
    definitions.collect();
    let sites = definitions.sites;
    let cfg = Cfg::build(function);
    let dominators = Dominators::new(&cfg);
    let entering = count_entering(&cfg, &dominators);
    Uses { function, state, sites, dominators, entering }.check();
}

/// Where a local is defined.
#[derive(Copy, Clone, Default, PartialEq, Eq)]
enum Site {
    /// Nowhere.
    #[default]
    None,
    /// By the function's head, or in two places, which is reported as such.
    Everywhere,
    /// In this block: at 0 by its parameters, at `i + 1` by instruction `i`.
    At(Block, usize),
    /// On the first edge out of this block.
    OnEdge(Block),
}

/// The definitions that were seen, with their places in the text.
struct Definitions<'f, 's, 'p, 'a> {
    function: &'f Function,
    state: &'s mut State<'p, 'a>,
    sites: SecondaryMap<Local, Site>,
}

impl Definitions<'_, '_, '_, '_> {
    fn collect(&mut self) {
        let function = self.function;
        for &local in &function.params {
            self.define(local, Site::Everywhere, (function.span, Spot::Whole));
        }
        for (block, data) in &function.blocks {
            for (index, &local) in data.params.iter().enumerate() {
                self.define(local, Site::At(block, 0), (data.span, Spot::Param(index)));
            }
            for (index, inst) in data.insts.iter().enumerate() {
                self.inst(inst, Site::At(block, index + 1));
            }
            let at = (data.term.span, Spot::Dest);
            if let TerminatorKind::TryCall { dest: Some(dest), .. } = &data.term.kind {
                if dest.is_whole() {
                    self.define(dest.local, Site::OnEdge(block), at);
                } else {
                    self.part(dest.local, at);
                }
            }
        }
    }

    fn inst(&mut self, inst: &Inst, site: Site) {
        inst.for_each_def(|local| self.define(local, site, (inst.span, Spot::Dest)));
        inst.for_each_partial_def(|local| self.part(local, (inst.span, Spot::Dest)));
    }

    fn define(&mut self, local: Local, site: Site, at: (Span, Spot)) {
        if self.sites[local] == Site::None {
            self.sites[local] = site;
            return;
        }
        self.sites[local] = Site::Everywhere;
        let function = self.function;
        self.state.report("duplicate-definition", at, || {
            let name = shorten(&function.locals[local].name);
            format!("`%{name}` has another definition, which an `ssa` function does not allow")
        });
    }

    fn part(&mut self, local: Local, at: (Span, Spot)) {
        let function = self.function;
        self.state.report("part-in-ssa", at, || {
            let name = shorten(&function.locals[local].name);
            format!("a part of `%{name}` is assigned, which an `ssa` function does not allow")
        });
    }
}

/// How many edges enter each block from where it does not dominate.
fn count_entering(cfg: &Cfg<'_>, dominators: &Dominators<'_>) -> SecondaryMap<Block, u32> {
    let mut entering = SecondaryMap::new();
    // Control enters the entry from outside as well.
    entering[cfg.entry()] = 1;
    for (_, edge) in cfg.edges() {
        if dominators.is_reachable(edge.from) && !dominators.dominates(edge.to, edge.from) {
            entering[edge.to] += 1;
        }
    }
    entering
}

/// The uses, to be held against the definitions.
struct Uses<'f, 's, 'p, 'a> {
    function: &'f Function,
    state: &'s mut State<'p, 'a>,
    sites: SecondaryMap<Local, Site>,
    dominators: Dominators<'f>,
    entering: SecondaryMap<Block, u32>,
}

impl Uses<'_, '_, '_, '_> {
    fn check(&mut self) {
        let function = self.function;
        for (block, data) in &function.blocks {
            if !self.dominators.is_reachable(block) {
                continue;
            }
            for (index, inst) in data.insts.iter().enumerate() {
                let mut nth = 0;
                inst.for_each_use(|local| {
                    self.used(local, (block, index + 1), (inst.span, Spot::Use(nth)));
                    nth += 1;
                });
            }
            let end = (block, data.insts.len() + 1);
            let mut nth = 0;
            data.term.kind.for_each_use(|local| {
                self.used(local, end, (data.term.span, Spot::Use(nth)));
                nth += 1;
            });
            let mut slot = 0;
            data.term.kind.for_each_target(|target| {
                self.arguments(target, slot, end, data.term.span);
                slot += 1;
            });
        }
    }

    fn arguments(&mut self, target: &Target, slot: usize, end: (Block, usize), span: Span) {
        for (index, arg) in target.args.iter().enumerate() {
            if let Some(local) = arg.local()
                && !(slot == 0 && self.sites[local] == Site::OnEdge(end.0))
            {
                self.used(local, end, (span, Spot::Arg(slot, index)));
            }
        }
    }

    /// Checks a use at a position of a block, counted as in [`Site::At`].
    fn used(&mut self, local: Local, position: (Block, usize), at: (Span, Spot)) {
        let site = self.sites[local];
        if self.dominates(site, position) {
            return;
        }
        let function = self.function;
        self.state.report("undominated-use", at, || {
            let name = shorten(&function.locals[local].name);
            match site {
                Site::None => format!("`%{name}` has no definition"),
                _ => format!("the definition of `%{name}` does not dominate this use"),
            }
        });
    }

    fn dominates(&self, site: Site, (block, position): (Block, usize)) -> bool {
        match site {
            Site::None => false,
            Site::Everywhere => true,
            Site::At(defined_in, at) if defined_in == block => at < position,
            Site::At(defined_in, _) => self.dominators.dominates(defined_in, block),
            Site::OnEdge(from) => {
                let target = self.function.blocks[from].term.kind.target(0);
                target.is_some_and(|target| {
                    // Unless the edge is a back edge, it is the one edge that enters.
                    self.entering[target.block] == 1
                        && !self.dominators.dominates(target.block, from)
                        && self.dominators.is_reachable(from)
                        && self.dominators.dominates(target.block, block)
                })
            }
        }
    }
}
