//! SSA functions are in SSA form, by the reference's dominators.

use super::functions;
use crate::generate::*;
use backedge_core::ir::{Block, Function, Local, Operand};
use backedge_oracle::reference::dominators::Dominators;
use backedge_oracle::reference::graph::Graph as RefGraph;
use cranelift_entity::EntityRef;

/// Where a local is defined.
#[derive(Copy, Clone, Debug, PartialEq)]
enum Site {
    /// Before the entry.
    Function,
    /// At a position of a block: 0 is its parameters, `i + 1` its instruction `i`.
    Block(Block, usize),
    /// On the edge out of a block in a slot.
    Edge(Block, usize),
}

struct Form<'f> {
    function: &'f Function,
    graph: RefGraph,
    dominators: Dominators,
    sites: Vec<Option<Site>>,
}

impl<'f> Form<'f> {
    fn new(function: &'f Function) -> Form<'f> {
        let graph = RefGraph::new(function);
        let dominators = Dominators::new(&graph);
        let sites = vec![None; function.locals.len()];
        let mut form = Form { function, graph, dominators, sites };
        function.params.iter().for_each(|&local| form.define(local, Site::Function));
        for (block, data) in &function.blocks {
            data.params.iter().for_each(|&local| form.define(local, Site::Block(block, 0)));
            for (index, inst) in data.insts.iter().enumerate() {
                inst.for_each_def(|local| form.define(local, Site::Block(block, index + 1)));
            }
            for slot in 0..data.term.kind.targets().len() {
                let def = data.term.kind.edge_def(slot);
                def.into_iter().for_each(|local| form.define(local, Site::Edge(block, slot)));
            }
        }
        form
    }

    fn define(&mut self, local: Local, site: Site) {
        let old = self.sites[local.index()].replace(site);
        assert_eq!(old, None, "{local} is defined twice");
    }

    /// Whether every use has a definition that dominates it.
    fn check(&self) {
        for (block, data) in &self.function.blocks {
            for (index, inst) in data.insts.iter().enumerate() {
                inst.for_each_use(|local| self.check_use(local, block, index + 1));
            }
            let end = data.insts.len() + 1;
            let term = &data.term.kind;
            term.for_each_use(|local| self.check_use(local, block, end));
            for (slot, target) in term.targets().into_iter().enumerate() {
                for local in target.args.iter().filter_map(|operand: &Operand| operand.local()) {
                    if self.sites[local.index()] != Some(Site::Edge(block, slot)) {
                        self.check_use(local, block, end);
                    }
                }
            }
        }
    }

    fn check_use(&self, local: Local, block: Block, position: usize) {
        let dominates = match self.sites[local.index()].expect("every local is defined") {
            Site::Function => true,
            Site::Block(site, at) if site == block => at < position,
            Site::Block(site, _) => self.dominators.dominates(site, block),
            Site::Edge(from, slot) => {
                let to = self.graph.edges_out(from)[slot].to;
                let only = self.graph.edges_in(to).count() == 1;
                only && (to == block || self.dominators.dominates(to, block))
            }
        };
        assert!(dominates, "{local} does not dominate its use in {block}");
    }
}

#[test]
fn ssa_functions_are_in_ssa_form() {
    let mut seen = 0;
    let mut on_edges = 0;
    for shape in Shape::ALL {
        for (_, function) in functions(shape, 250) {
            if function.ssa {
                let form = Form::new(&function);
                form.check();
                seen += 1;
                let is_edge = |site: &&Option<Site>| matches!(site, Some(Site::Edge(..)));
                on_edges += form.sites.iter().filter(is_edge).count();
            }
        }
    }
    assert!(seen > 800 && on_edges > 50, "{seen} functions, {on_edges} definitions on edges");
}
