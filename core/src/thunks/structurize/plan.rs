//! What is known of every edge and item before regions are made.
//!
//! The body of a loop, or of the function, with the loops inside of it as items and the edges to its
//! entries taken out, is acyclic. An item with one edge into it stands right where this edge is. Any other
//! stands after the item that dominates it, its immediate dominator in the body: by then all its edges
//! have been gathered. Items after one dominator stand in topological order.

use super::forest::{Forest, Item, LoopId, Target};
use crate::cfg::{Cfg, Code, Dominators, Postorder};
use crate::entity::{Block, Edge};
use crate::ir::{Function, TerminatorKind};
use cranelift_entity::{EntityRef, SecondaryMap};
use rustc_hash::FxHashSet;

/// Everything known of a function.
pub(super) struct Plan {
    pub(super) forest: Forest,
    pub(super) entry: Item,
    /// By edge: where it leads. Edges from blocks that can't be reached have no place.
    targets: Vec<Option<Target>>,
    /// By block: its first edge.
    first_edge: Vec<u32>,
    /// By item: how many edges of its body lead to it.
    pub(super) edges_in: Vec<u32>,
    /// By loop: how many edges lead back.
    pub(super) edges_back: Vec<u32>,
    /// By item: the latest edge to it; by loop: the latest one back.
    edge_in: Vec<Option<(Block, usize)>>,
    edge_back: Vec<Option<(Block, usize)>>,
    /// How many blocks return.
    pub(super) returns: u32,
    /// By item, and then by loop for what starts its body: what stands after it, in order. Those with one
    /// edge into them stand at that edge instead.
    after: Vec<Vec<Item>>,
    /// By item: what only an edge out of this loop leads to.
    exits: Vec<Vec<Item>>,
    /// By loop: whether it is left for more than one target.
    pub(super) many_exits: SecondaryMap<LoopId, bool>,
}

impl Plan {
    pub(super) fn new(function: &Function) -> Plan {
        let cfg = Cfg::build(function);
        let postorder = Postorder::new(&cfg);
        let forest = Forest::new(&cfg, &postorder);
        let (items, loops) = (forest.item_count(), forest.loops.len());
        let first = |block| cfg.succs(block).next().map_or(0, |edge: Edge| edge.as_u32());
        let mut plan = Plan {
            entry: forest.root_item(cfg.entry()),
            targets: vec![None; cfg.edge_count()],
            first_edge: cfg.blocks().map(first).collect(),
            edges_in: vec![0; items],
            edges_back: vec![0; loops],
            edge_in: vec![None; items],
            edge_back: vec![None; loops],
            returns: 0,
            after: vec![Vec::new(); items + loops],
            exits: vec![Vec::new(); items],
            many_exits: SecondaryMap::new(),
            forest,
        };
        let returns = |block: &&Block| {
            matches!(function.blocks[**block].term.kind, TerminatorKind::Return(_))
        };
        plan.returns = postorder.blocks().iter().filter(returns).count() as u32;
        let bodies = plan.read_edges(&cfg, &postorder);
        plan.dominate(bodies);
        plan.count_exits(&cfg, &postorder);
        plan
    }

    /// Where the edge in `slot` of a block leads.
    pub(super) fn target(&self, block: Block, slot: usize) -> Target {
        let edge = self.first_edge[block.index()] as usize + slot;
        self.targets[edge].expect("only blocks that can be reached are asked for")
    }

    /// The only edge that brings control to this target, if there is just one.
    pub(super) fn only_edge(&self, target: Target) -> Option<(Block, usize)> {
        match target {
            Target::Item(item) if self.edges_in[item.index()] == 1 => self.edge_in[item.index()],
            Target::Back(of) if self.edges_back[of.index()] == 1 => self.edge_back[of.index()],
            _ => None,
        }
    }

    /// Whether the item stands at an edge from this block: at the only one, if no loop is left.
    pub(super) fn is_nested(&self, item: Item, from: Block) -> bool {
        let body = self.forest.innermost[from.index()].expand();
        self.edges_in[item.index()] == 1 && self.forest.body_of(item) == body
    }

    /// What stands after the item.
    pub(super) fn after(&self, item: Item) -> &[Item] {
        &self.after[item.index()]
    }

    /// What only an edge out of this loop leads to.
    pub(super) fn exits(&self, item: Item) -> &[Item] {
        &self.exits[item.index()]
    }

    /// What stands after the switch over the entries of a loop.
    pub(super) fn after_entries(&self, of: LoopId) -> &[Item] {
        &self.after[self.forest.item_count() + of.index()]
    }

    /// Whether a loop has several entries.
    pub(super) fn has_entries(&self, of: LoopId) -> bool {
        self.forest.loops[of].entries.len() > 1
    }

    /// Fills in what is known by edge, and gives the edges of every body, the function's first.
    fn read_edges(&mut self, cfg: &Cfg<'_>, postorder: &Postorder<'_>) -> Vec<Vec<(Item, Item)>> {
        let Plan { forest, targets, edges_in, edges_back, edge_in, edge_back, .. } = self;
        let mut bodies = vec![Vec::new(); forest.loops.len() + 1];
        forest.for_each_edge(cfg, postorder, |edge, target, source| {
            targets[edge.index()] = Some(target);
            let data = cfg.edge(edge);
            let at = Some((data.from, data.slot as usize));
            match target {
                Target::Item(item) => {
                    edges_in[item.index()] += 1;
                    edge_in[item.index()] = at;
                    let body = forest.body_of(item).map_or(0, |of| of.index() + 1);
                    bodies[body].extend(source.map(|source| (source, item)));
                }
                Target::Back(of) => {
                    edges_back[of.index()] += 1;
                    edge_back[of.index()] = at;
                }
                Target::Return | Target::Resume => {}
            }
        });
        bodies
    }

    /// Finds after which item each stands.
    fn dominate(&mut self, bodies: Vec<Vec<(Item, Item)>>) {
        let mut local = vec![0u32; self.forest.item_count()];
        for (body, edges) in bodies.into_iter().enumerate() {
            let of = body.checked_sub(1).map(LoopId::new);
            let starts: Vec<Item> = match of {
                None => vec![self.entry],
                Some(of) => {
                    let entries = &self.forest.loops[of].entries;
                    entries.iter().map(|&block| self.forest.entry_item(of, block)).collect()
                }
            };
            for &start in &starts {
                self.edges_in[start.index()] += 1;
                self.edge_in[start.index()] = None;
            }
            let graph = Items::new(&starts, &edges, &mut local);
            self.place(of, &graph);
        }
    }

    fn place(&mut self, of: Option<LoopId>, graph: &Items) {
        let cfg = Cfg::build(graph);
        let dominators = Dominators::new(&cfg);
        let postorder = Postorder::new(&cfg);
        for node in postorder.reversed() {
            let Some(above) = dominators.idom(node) else { continue };
            let item = graph.items[node.index() - 1];
            let owner = match above.index().checked_sub(1) {
                Some(above) => graph.items[above].index(),
                None => match of {
                    Some(of) => self.forest.item_count() + of.index(),
                    None => continue,
                },
            };
            let from_loop =
                owner >= self.forest.innermost.len() && owner < self.forest.item_count();
            if self.edges_in[item.index()] > 1 {
                self.after[owner].push(item);
            } else if from_loop {
                self.exits[owner].push(item);
            }
        }
    }

    /// Finds the loops that are left for several targets: the sets of what is jumped to out of each,
    /// smaller merged into larger.
    fn count_exits(&mut self, cfg: &Cfg<'_>, postorder: &Postorder<'_>) {
        let loops = self.forest.loops.len();
        let mut sets: Vec<FxHashSet<Target>> = vec![FxHashSet::default(); loops];
        for &from in postorder.blocks() {
            let Some(of) = self.forest.innermost[from.index()].expand() else { continue };
            let first = self.first_edge[from.index()] as usize;
            let edges = first..first + cfg.succs(from).len();
            sets[of.index()].extend(self.targets[edges].iter().flatten());
        }
        let mut items: Vec<Vec<Item>> = vec![Vec::new(); loops];
        for item in (0..self.forest.item_count()).map(Item::new) {
            if let Some(of) = self.forest.body_of(item) {
                items[of.index()].push(item);
            }
        }
        for of in self.forest.inner_first() {
            let mut set = std::mem::take(&mut sets[of.index()]);
            set.remove(&Target::Back(of));
            for &item in &items[of.index()] {
                set.remove(&Target::Item(item));
            }
            self.many_exits[of] = set.len() > 1;
            if let Some(parent) = self.forest.loops[of].parent.expand() {
                let other = &mut sets[parent.index()];
                if other.len() < set.len() {
                    std::mem::swap(other, &mut set);
                }
                other.extend(set);
            }
        }
    }
}

/// The acyclic graph of a body: node 0 leads to where the body is entered.
struct Items {
    items: Vec<Item>,
    succs: Vec<Vec<Block>>,
}

impl Items {
    /// `local` is zero for every item, before and after.
    fn new(starts: &[Item], edges: &[(Item, Item)], local: &mut [u32]) -> Items {
        let mut graph = Items { items: Vec::new(), succs: vec![Vec::new()] };
        for &item in starts {
            let node = graph.node(item, local);
            graph.succs[0].push(node);
        }
        for &(from, to) in edges {
            let [from, to] = [from, to].map(|item| graph.node(item, local));
            graph.succs[from.index()].push(to);
        }
        graph.items.iter().for_each(|item| local[item.index()] = 0);
        graph
    }

    fn node(&mut self, item: Item, local: &mut [u32]) -> Block {
        let node = &mut local[item.index()];
        if *node == 0 {
            self.items.push(item);
            self.succs.push(Vec::new());
            *node = self.items.len() as u32;
        }
        Block::from_u32(*node)
    }
}

impl Code for Items {
    fn block_count(&self) -> usize {
        self.succs.len()
    }

    fn block_name(&self, _: Block) -> &str {
        ""
    }

    fn inst_count(&self, _: Block) -> usize {
        0
    }

    fn successors(&self, block: Block, visit: impl FnMut(Block)) {
        self.succs[block.index()].iter().copied().for_each(visit);
    }
}
