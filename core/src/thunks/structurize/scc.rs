//! Strongly connected components of a graph of items: Tarjan's algorithm, with its stack on the heap.

use super::forest::Item;
use cranelift_entity::EntityRef;

/// The components of a graph.
pub(super) struct Components {
    /// How many there are.
    pub(super) count: usize,
    /// By component: how many items it has.
    pub(super) sizes: Vec<u32>,
    /// Each item with its component.
    pub(super) members: Vec<(Item, u32)>,
    /// By edge: the components of both ends.
    pub(super) ends: Vec<(u32, u32)>,
}

const NONE: u32 = u32::MAX;

/// The components of the graph that the edges make. `local` is `NONE` for every item, before and after.
pub(super) fn components(edges: &[(Item, Item)], local: &mut [u32]) -> Components {
    let mut items = Vec::new();
    for item in edges.iter().flat_map(|&(from, to)| [from, to]) {
        if local[item.index()] == NONE {
            local[item.index()] = items.len() as u32;
            items.push(item);
        }
    }
    let ends = |&(from, to): &(Item, Item)| (local[from.index()], local[to.index()]);
    let edges: Vec<(u32, u32)> = edges.iter().map(ends).collect();
    let search = Search::new(items.len(), &edges).run();
    items.iter().for_each(|item| local[item.index()] = NONE);
    let of = |node: u32| search.component[node as usize];
    Components {
        count: search.sizes.len(),
        members: items.iter().zip(&search.component).map(|(&item, &of)| (item, of)).collect(),
        ends: edges.iter().map(|&(from, to)| (of(from), of(to))).collect(),
        sizes: search.sizes,
    }
}

struct Search {
    starts: Vec<u32>,
    succs: Vec<u32>,
    order: Vec<u32>,
    low: Vec<u32>,
    clock: u32,
    stack: Vec<u32>,
    component: Vec<u32>,
    sizes: Vec<u32>,
}

impl Search {
    fn new(count: usize, edges: &[(u32, u32)]) -> Search {
        let mut starts = vec![0u32; count + 1];
        edges.iter().for_each(|&(from, _)| starts[from as usize + 1] += 1);
        for node in 0..count {
            starts[node + 1] += starts[node];
        }
        let mut next = starts.clone();
        let mut succs = vec![0; edges.len()];
        for &(from, to) in edges {
            succs[next[from as usize] as usize] = to;
            next[from as usize] += 1;
        }
        Search {
            starts,
            succs,
            order: vec![NONE; count],
            low: vec![0; count],
            clock: 0,
            stack: Vec::new(),
            component: vec![NONE; count],
            sizes: Vec::new(),
        }
    }

    fn run(mut self) -> Search {
        let mut path: Vec<(u32, u32)> = Vec::new();
        for root in 0..self.order.len() as u32 {
            if self.order[root as usize] == NONE {
                self.enter(root, &mut path);
            }
            while let Some((node, at)) = path.last_mut() {
                let node = *node as usize;
                if *at == self.starts[node + 1] {
                    path.pop();
                    self.leave(node as u32, path.last().map(|&(parent, _)| parent));
                    continue;
                }
                let to = self.succs[*at as usize];
                *at += 1;
                if self.order[to as usize] == NONE {
                    self.enter(to, &mut path);
                } else if self.component[to as usize] == NONE {
                    self.low[node] = self.low[node].min(self.order[to as usize]);
                }
            }
        }
        self
    }

    fn enter(&mut self, node: u32, path: &mut Vec<(u32, u32)>) {
        (self.order[node as usize], self.low[node as usize]) = (self.clock, self.clock);
        self.clock += 1;
        self.stack.push(node);
        path.push((node, self.starts[node as usize]));
    }

    fn leave(&mut self, node: u32, parent: Option<u32>) {
        let low = self.low[node as usize];
        if let Some(parent) = parent {
            self.low[parent as usize] = self.low[parent as usize].min(low);
        }
        if low != self.order[node as usize] {
            return;
        }
        let number = self.sizes.len() as u32;
        let at = self.stack.iter().rposition(|&of| of == node).unwrap_or(0);
        self.sizes.push((self.stack.len() - at) as u32);
        for member in self.stack.drain(at..) {
            self.component[member as usize] = number;
        }
    }
}
