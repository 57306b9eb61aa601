//! The loops of any graph, as structured code needs them: every cycle lies in a loop, and an edge into a
//! loop leads to one of its entries.
//!
//! Natural loops come first ([`Loops`]), near-linear however deep they nest. What is left of a loop's
//! body, with the loops inside of it as single items, has a cycle only where the graph is irreducible.
//! Such a strongly connected component becomes a loop with several entries: the blocks that an edge from
//! outside leads to. Its edges to entries are taken out, and what is left of it is searched again. Each
//! round takes at least one item out of every component, so the search ends; a block is an entry of one
//! such loop at most, since nothing leads to it any more. Time is linear in the graph for each level of
//! irreducible loops within one another.
//!
//! Natural loops stay as they are: a component may have one as an item, but never cuts through it.

use crate::cfg::{Cfg, Dominators, Loops, Postorder};
use crate::entity::{Block, Edge};
use crate::thunks::structurize::scc::components;
use cranelift_entity::packed_option::PackedOption;
use cranelift_entity::{EntityRef, PrimaryMap, entity_impl};

/// A loop.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct LoopId(u32);
entity_impl!(LoopId, "loop");

/// A block, or a loop shrunk to one: blocks have the lower numbers.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Item(u32);
entity_impl!(Item, "item");

/// Where an edge leads, seen from the body that has to bring it there.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Target {
    /// To an item of a body; into a loop from outside is to that loop.
    Item(Item),
    /// To the next round of a loop, from inside.
    Back(LoopId),
    /// Out of the function.
    Return,
    /// To the caller's handler.
    Resume,
}

/// What is known of a loop.
pub(super) struct LoopData {
    /// The loop around it.
    pub(super) parent: PackedOption<LoopId>,
    /// Where it can be entered, by number.
    pub(super) entries: Vec<Block>,
    /// When a walk over the tree of loops enters it, and when it leaves it.
    start: u32,
    end: u32,
    /// How many loops are around it.
    depth: u32,
}

/// The loops that the entry reaches.
pub(super) struct Forest {
    blocks: usize,
    pub(super) loops: PrimaryMap<LoopId, LoopData>,
    /// By block: the innermost loop around it.
    pub(super) innermost: Vec<PackedOption<LoopId>>,
    /// By block: the natural loop whose header it is.
    header_of: Vec<PackedOption<LoopId>>,
    /// By block: the loop that a component gave, whose entry it is.
    entry_of: Vec<PackedOption<LoopId>>,
}

impl Forest {
    /// Finds the loops.
    pub(super) fn new(cfg: &Cfg<'_>, postorder: &Postorder<'_>) -> Forest {
        let dominators = Dominators::new(cfg);
        let mut forest = natural(cfg, &Loops::new(cfg, postorder, &dominators));
        forest.number();
        forest.refine(cfg, postorder);
        forest.number();
        forest
    }

    pub(super) fn block(&self, block: Block) -> Item {
        Item(block.as_u32())
    }

    pub(super) fn item(&self, of: LoopId) -> Item {
        Item((self.blocks + of.index()) as u32)
    }

    /// How many items there can be.
    pub(super) fn item_count(&self) -> usize {
        self.blocks + self.loops.len()
    }

    /// The block or the loop.
    pub(super) fn what(&self, item: Item) -> Result<Block, LoopId> {
        match item.index().checked_sub(self.blocks) {
            None => Ok(Block::new(item.index())),
            Some(number) => Err(LoopId::new(number)),
        }
    }

    /// The loop whose body the item lies in.
    pub(super) fn body_of(&self, item: Item) -> Option<LoopId> {
        match self.what(item) {
            Ok(block) => self.innermost[block.index()].expand(),
            Err(of) => self.loops[of].parent.expand(),
        }
    }

    fn contains(&self, of: LoopId, block: Block) -> bool {
        let Some(inner) = self.innermost[block.index()].expand() else { return false };
        let data = &self.loops[of];
        (data.start..data.end).contains(&self.loops[inner].start)
    }

    /// The item through which `block` is first met inside of a loop that it is an entry of.
    pub(super) fn entry_item(&self, of: LoopId, block: Block) -> Item {
        match self.header_of[block.index()].expand() {
            Some(inner) if inner != of => self.item(inner),
            _ => self.block(block),
        }
    }

    /// The item of the function's body that the entry is.
    pub(super) fn root_item(&self, entry: Block) -> Item {
        let [component, natural] =
            [&self.entry_of, &self.header_of].map(|of| of[entry.index()].expand());
        match component.or(natural) {
            Some(of) => self.item(of),
            None => self.block(entry),
        }
    }

    /// Where an edge leads.
    pub(super) fn target(&self, from: Block, to: Block) -> Target {
        let natural = self.header_of[to.index()].expand();
        let component = self.entry_of[to.index()].expand();
        if let Some(of) = natural.filter(|&of| self.contains(of, from)) {
            return Target::Back(of);
        }
        match (component, natural) {
            (Some(of), _) if self.contains(of, from) => Target::Back(of),
            (Some(of), _) | (None, Some(of)) => Target::Item(self.item(of)),
            (None, None) => Target::Item(self.block(to)),
        }
    }

    /// Calls `visit` on every edge between reachable blocks with where it leads and, where that is an
    /// item, the item of the same body that it comes from.
    pub(super) fn for_each_edge(
        &self,
        cfg: &Cfg<'_>,
        postorder: &Postorder<'_>,
        mut visit: impl FnMut(Edge, Target, Option<Item>),
    ) {
        let mut blocks: Vec<Block> = postorder.blocks().to_vec();
        // Blocks of one loop after the other, and loops in the order of a walk over their tree, so that
        // the loops around a block are the latest of each depth.
        let start =
            |block: &Block| self.innermost[block.index()].expand().map(|l| self.loops[l].start);
        blocks.sort_by_key(|block| (start(block), *block));
        let mut walk: Vec<LoopId> = self.loops.keys().collect();
        walk.sort_by_key(|&of| self.loops[of].start);
        let mut walk = walk.into_iter().peekable();
        let mut path: Vec<LoopId> = Vec::new();
        for from in blocks {
            let depth = self.innermost[from.index()].expand().map_or(0, |of| {
                while let Some(next) =
                    walk.next_if(|&l| self.loops[l].start <= self.loops[of].start)
                {
                    path.truncate(self.loops[next].depth as usize);
                    path.push(next);
                }
                self.loops[of].depth as usize + 1
            });
            for edge in cfg.succs(from) {
                let target = self.target(from, cfg.edge(edge).to);
                let source = match target {
                    Target::Item(item) => {
                        let level = self.body_of(item).map_or(0, |of| self.loops[of].depth + 1);
                        let inner = path[..depth].get(level as usize);
                        Some(inner.map_or(self.block(from), |&of| self.item(of)))
                    }
                    _ => None,
                };
                visit(edge, target, source);
            }
        }
    }

    /// The loops, each after those inside of it.
    pub(super) fn inner_first(&self) -> Vec<LoopId> {
        let mut order: Vec<LoopId> = self.loops.keys().collect();
        order.sort_by_key(|&of| std::cmp::Reverse(self.loops[of].start));
        order
    }

    /// Numbers the tree of loops.
    fn number(&mut self) {
        let mut children: Vec<Vec<LoopId>> = vec![Vec::new(); self.loops.len()];
        let mut stack = Vec::new();
        for of in self.loops.keys().rev() {
            match self.loops[of].parent.expand() {
                Some(parent) => children[parent.index()].push(of),
                None => stack.push((of, 0)),
            }
        }
        let mut clock = 0;
        let mut open: Vec<LoopId> = Vec::new();
        while let Some((of, depth)) = stack.pop() {
            while open.len() > depth as usize {
                if let Some(left) = open.pop() {
                    self.loops[left].end = clock;
                }
            }
            (self.loops[of].start, self.loops[of].depth) = (clock, depth);
            clock += 1;
            open.push(of);
            stack.extend(children[of.index()].iter().map(|&child| (child, depth + 1)));
        }
        for left in open {
            self.loops[left].end = clock;
        }
    }

    /// Finds the components that natural loops leave.
    fn refine(&mut self, cfg: &Cfg<'_>, postorder: &Postorder<'_>) {
        let mut edges: Vec<Vec<(Item, Item)>> = vec![Vec::new(); self.loops.len() + 1];
        self.for_each_edge(cfg, postorder, |_, target, source| {
            if let (Target::Item(to), Some(from)) = (target, source) {
                let body = self.body_of(to).map_or(0, |of| of.index() + 1);
                edges[body].push((from, to));
            }
        });
        let natural = self.loops.len();
        let mut work: Vec<Work> = Vec::new();
        for (body, edges) in edges.into_iter().enumerate() {
            work.push((body.checked_sub(1).map(LoopId::new), edges));
        }
        let mut local = vec![u32::MAX; self.blocks + natural];
        while let Some((parent, edges)) = work.pop() {
            self.split(parent, &edges, &mut local, &mut work);
        }
    }

    /// Makes a loop of each component of a graph of items, and leaves its inside to be searched.
    fn split(
        &mut self,
        parent: Option<LoopId>,
        edges: &[(Item, Item)],
        local: &mut [u32],
        work: &mut Vec<Work>,
    ) {
        let found = components(edges, local);
        let mut loops: Vec<Option<LoopId>> = vec![None; found.count];
        let mut inside: Vec<Vec<(Item, Item)>> = vec![Vec::new(); found.count];
        let mut entries: Vec<Vec<Item>> = vec![Vec::new(); found.count];
        for (&(_, to), ends) in edges.iter().zip(&found.ends) {
            if ends.0 != ends.1 && found.sizes[ends.1 as usize] > 1 {
                entries[ends.1 as usize].push(to);
            }
        }
        for (number, entries) in entries.iter_mut().enumerate() {
            if found.sizes[number] > 1 {
                entries.sort_unstable();
                entries.dedup();
                loops[number] = Some(self.component(parent, entries));
            }
        }
        for &(item, component) in &found.members {
            let Some(of) = loops[component as usize] else { continue };
            match self.what(item) {
                Ok(block) => self.innermost[block.index()] = of.into(),
                Err(inner) => self.loops[inner].parent = of.into(),
            }
        }
        for (&(from, to), ends) in edges.iter().zip(&found.ends) {
            let component = ends.0 as usize;
            if ends.0 == ends.1 && entries[component].binary_search(&to).is_err() {
                inside[component].push((from, to));
            }
        }
        for (of, inside) in loops.into_iter().zip(inside) {
            if of.is_some() && !inside.is_empty() {
                work.push((of, inside));
            }
        }
    }

    fn component(&mut self, parent: Option<LoopId>, entries: &[Item]) -> LoopId {
        let block = |&item: &Item| match self.what(item) {
            Ok(block) => block,
            Err(of) => self.loops[of].entries[0],
        };
        let mut entries: Vec<Block> = entries.iter().map(block).collect();
        entries.sort_unstable();
        let of = self.loops.next_key();
        entries.iter().for_each(|entry| self.entry_of[entry.index()] = of.into());
        self.loops.push(LoopData { parent: parent.into(), entries, start: 0, end: 0, depth: 0 })
    }
}

/// A graph of items to be searched, by its edges, and the loop that it lies in.
type Work = (Option<LoopId>, Vec<(Item, Item)>);

/// The natural loops alone.
fn natural(cfg: &Cfg<'_>, found: &Loops<'_>) -> Forest {
    let count = cfg.block_count();
    let number = |of: crate::cfg::Loop| LoopId::new(of.index());
    let mut loops = PrimaryMap::with_capacity(found.len());
    let mut header_of = vec![PackedOption::default(); count];
    for of in found.iter() {
        let header = found.header(of);
        header_of[header.index()] = number(of).into();
        let parent = found.parent(of).map(number).into();
        loops.push(LoopData { parent, entries: vec![header], start: 0, end: 0, depth: 0 });
    }
    let innermost = cfg.blocks().map(|block| found.innermost(block).map(number).into()).collect();
    Forest {
        blocks: count,
        loops,
        innermost,
        header_of,
        entry_of: vec![PackedOption::default(); count],
    }
}
