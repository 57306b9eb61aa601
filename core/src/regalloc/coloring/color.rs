//! Colors a graph by simplification, coalescing, freezing and optimistic spilling.
//!
//! A node with fewer neighbors than there are colors can be colored last, and is taken away; that makes
//! others simple. Two nodes with a copy between them become one where that is known to keep the graph
//! colorable: by Briggs' test, or George's if one is a color. Where neither goes on, a node gives up its
//! copies, or is taken away as a candidate for spilling. Every step takes a node or a copy off the lists
//! for good, or merges two nodes, so that it ends.

use super::graph::Graph;
use super::nodes::{Node, Nodes};
use smallvec::SmallVec;

#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum State {
    Color,
    /// Few neighbors, and no copy.
    Simple,
    /// Few neighbors, and a copy.
    Copied,
    /// Many neighbors.
    Crowded,
    /// Taken away, to be colored when it is put back.
    Taken,
    Merged,
}

#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum CopyState {
    /// To be looked at.
    Ready,
    /// Can't be merged as yet.
    Waiting,
    /// Merged, given up, or impossible.
    Done,
}

/// A coloring under way, and then its result.
pub(super) struct Coloring<'n> {
    nodes: &'n Nodes<'n>,
    graph: Graph,
    count: usize,
    degrees: Vec<u32>,
    states: Vec<State>,
    aliases: Vec<Node>,
    costs: Vec<f32>,
    /// By node: its copies.
    copies: Vec<SmallVec<[u32; 2]>>,
    copy_states: Vec<CopyState>,
    ready: Vec<u32>,
    /// Lists may hold nodes that are in another state by now.
    simple: Vec<Node>,
    copied: Vec<Node>,
    crowded: Vec<Node>,
    stack: Vec<Node>,
    colors: Vec<Option<u32>>,
    /// Nodes, each standing for those merged into it, that got no color.
    pub(super) spilled: Vec<Node>,
}

impl<'n> Coloring<'n> {
    pub(super) fn new(nodes: &'n Nodes<'n>, count: usize) -> Coloring<'n> {
        let graph = Graph::new(nodes);
        let total = nodes.data.len();
        let mut copies = vec![SmallVec::new(); total];
        for (index, &(a, b)) in nodes.copies.iter().enumerate() {
            for node in [a, b] {
                copies[node as usize].push(index as u32);
            }
        }
        Coloring {
            degrees: graph.neighbors.iter().map(|list| list.len() as u32).collect(),
            graph,
            count,
            states: vec![State::Color; total],
            aliases: (0..total as Node).collect(),
            costs: nodes.data.iter().map(|data| data.cost).collect(),
            copies,
            copy_states: vec![CopyState::Ready; nodes.copies.len()],
            ready: (0..nodes.copies.len() as u32).rev().collect(),
            simple: Vec::new(),
            copied: Vec::new(),
            crowded: Vec::new(),
            stack: Vec::new(),
            colors: vec![None; total],
            spilled: Vec::new(),
            nodes,
        }
    }

    pub(super) fn run(mut self) -> Coloring<'n> {
        for node in (self.count..self.states.len()).rev() {
            self.sort_in(node as Node);
        }
        loop {
            if let Some(node) = self.next_simple() {
                self.take(node);
            } else if let Some(copy) = self.ready.pop() {
                self.merge(copy);
            } else if let Some(node) = self.next_copied() {
                self.freeze(node);
            } else if let Some(node) = self.next_crowded() {
                self.freeze(node);
            } else {
                break;
            }
        }
        self.assign();
        self
    }

    /// The color of a node.
    pub(super) fn color(&self, node: Node) -> Option<usize> {
        self.colors[self.alias(node) as usize].map(|color| color as usize)
    }

    /// The values that a node stands for.
    pub(super) fn members(&self, node: Node) -> Vec<u32> {
        let members = (self.count..self.states.len()).filter(|&of| self.alias(of as Node) == node);
        let mut values: Vec<u32> = members.filter_map(|of| self.nodes.data[of].value).collect();
        values.sort_unstable();
        values.dedup();
        values
    }

    /// Who stands in a node's way, the cheapest first.
    pub(super) fn neighbors_by_cost(&self, node: Node) -> Vec<Node> {
        let neighbors = self.graph.neighbors[node as usize].iter().map(|&of| self.alias(of));
        let mut neighbors: Vec<Node> = neighbors.collect();
        let cost = |node: Node| self.costs[node as usize];
        neighbors.sort_unstable_by(|&a, &b| cost(a).total_cmp(&cost(b)).then(a.cmp(&b)));
        neighbors.dedup();
        neighbors
    }

    fn alias(&self, mut node: Node) -> Node {
        while self.aliases[node as usize] != node {
            node = self.aliases[node as usize];
        }
        node
    }

    fn is_color(&self, node: Node) -> bool {
        (node as usize) < self.count
    }

    fn is_crowded(&self, node: Node) -> bool {
        self.is_color(node) || self.degrees[node as usize] as usize >= self.count
    }

    /// Neighbors that are neither taken nor merged.
    fn neighbors(&self, node: Node) -> impl Iterator<Item = Node> + '_ {
        let list = self.graph.neighbors[node as usize].iter().copied();
        list.filter(|&of| !matches!(self.states[of as usize], State::Taken | State::Merged))
    }

    fn has_copies(&self, node: Node) -> bool {
        let mut copies = self.copies[node as usize].iter();
        copies.any(|&copy| self.copy_states[copy as usize] != CopyState::Done)
    }

    /// Puts a node on the list that it belongs to.
    fn sort_in(&mut self, node: Node) {
        let (state, list) = if self.is_crowded(node) {
            (State::Crowded, &mut self.crowded)
        } else if self.has_copies(node) {
            (State::Copied, &mut self.copied)
        } else {
            (State::Simple, &mut self.simple)
        };
        self.states[node as usize] = state;
        list.push(node);
    }

    fn next_simple(&mut self) -> Option<Node> {
        while let Some(node) = self.simple.pop() {
            if self.states[node as usize] == State::Simple {
                return Some(node);
            }
        }
        None
    }

    fn next_copied(&mut self) -> Option<Node> {
        while let Some(node) = self.copied.pop() {
            if self.states[node as usize] == State::Copied {
                return Some(node);
            }
        }
        None
    }

    /// The one that costs least for each neighbor that it stands in the way of.
    fn next_crowded(&mut self) -> Option<Node> {
        let states = &self.states;
        self.crowded.retain(|&node| states[node as usize] == State::Crowded);
        let rank =
            |&node: &Node| self.costs[node as usize] / (1.0 + self.degrees[node as usize] as f32);
        self.crowded.iter().copied().min_by(|a, b| rank(a).total_cmp(&rank(b)).then(a.cmp(b)))
    }

    fn take(&mut self, node: Node) {
        self.states[node as usize] = State::Taken;
        self.stack.push(node);
        let neighbors: SmallVec<[Node; 16]> = self.neighbors(node).collect();
        neighbors.into_iter().for_each(|other| self.lose_neighbor(other));
    }

    fn lose_neighbor(&mut self, node: Node) {
        if self.is_color(node) {
            return;
        }
        let was_crowded = self.is_crowded(node);
        self.degrees[node as usize] -= 1;
        if was_crowded && !self.is_crowded(node) {
            let around: SmallVec<[Node; 16]> = self.neighbors(node).collect();
            around.into_iter().chain([node]).for_each(|of| self.wake_copies(of));
            if self.states[node as usize] == State::Crowded {
                self.sort_in(node);
            }
        }
    }

    /// Copies of a node are to be looked at once more.
    fn wake_copies(&mut self, node: Node) {
        for &copy in &self.copies[node as usize] {
            let state = &mut self.copy_states[copy as usize];
            if *state == CopyState::Waiting {
                *state = CopyState::Ready;
                self.ready.push(copy);
            }
        }
    }

    fn merge(&mut self, copy: u32) {
        if self.copy_states[copy as usize] != CopyState::Ready {
            return;
        }
        let (a, b) = self.nodes.copies[copy as usize];
        let (a, b) = (self.alias(a), self.alias(b));
        let (keep, other) = if self.is_color(b) { (b, a) } else { (a, b) };
        if [keep, other].iter().any(|&of| self.states[of as usize] == State::Taken) {
            self.copy_states[copy as usize] = CopyState::Done;
            return;
        }
        if keep == other || self.is_color(other) || self.graph.contains(keep, other) {
            self.copy_states[copy as usize] = CopyState::Done;
            [keep, other].into_iter().for_each(|of| self.lose_copy(of));
        } else if self.stays_colorable(keep, other) {
            self.copy_states[copy as usize] = CopyState::Done;
            self.unite(keep, other);
            self.lose_copy(keep);
        } else {
            self.copy_states[copy as usize] = CopyState::Waiting;
        }
    }

    /// A node that has no copy left may be simple now.
    fn lose_copy(&mut self, node: Node) {
        if self.states[node as usize] == State::Copied && !self.has_copies(node) {
            self.sort_in(node);
        }
    }

    fn stays_colorable(&self, keep: Node, other: Node) -> bool {
        if self.is_color(keep) {
            // George: every neighbor is one of both, or easy to color.
            return self.neighbors(other).all(|of| {
                !self.is_crowded(of) || self.is_color(of) || self.graph.contains(of, keep)
            });
        }
        // Briggs: fewer crowded neighbors than colors.
        let of_other = self.neighbors(other).filter(|&of| !self.graph.contains(of, keep));
        let crowded = self.neighbors(keep).chain(of_other).filter(|&of| {
            // A neighbor of both loses one.
            let both = self.graph.contains(of, keep) && self.graph.contains(of, other);
            let lost = usize::from(both);
            self.is_color(of) || self.degrees[of as usize] as usize >= self.count + lost
        });
        crowded.count() < self.count
    }

    fn unite(&mut self, keep: Node, other: Node) {
        self.states[other as usize] = State::Merged;
        self.aliases[other as usize] = keep;
        self.costs[keep as usize] += self.costs[other as usize];
        self.wake_copies(other);
        let copies = std::mem::take(&mut self.copies[other as usize]);
        self.copies[keep as usize].extend(copies);
        let neighbors: SmallVec<[Node; 16]> = self.neighbors(other).collect();
        for of in neighbors {
            if self.graph.add(of, keep) {
                self.degrees[keep as usize] += u32::from(!self.is_color(keep));
                self.degrees[of as usize] += u32::from(!self.is_color(of));
            }
            self.lose_neighbor(of);
        }
        if self.states[keep as usize] == State::Copied && self.is_crowded(keep) {
            self.sort_in(keep);
        }
    }

    /// Gives a node's copies up, so that it can be taken away.
    fn freeze(&mut self, node: Node) {
        self.states[node as usize] = State::Simple;
        self.simple.push(node);
        for copy in self.copies[node as usize].clone() {
            if self.copy_states[copy as usize] == CopyState::Done {
                continue;
            }
            self.copy_states[copy as usize] = CopyState::Done;
            let (a, b) = self.nodes.copies[copy as usize];
            let (a, b) = (self.alias(a), self.alias(b));
            self.lose_copy(if a == node { b } else { a });
        }
    }

    /// Puts the nodes back, each with a color that no neighbor has, if there is one.
    fn assign(&mut self) {
        for color in 0..self.count {
            self.colors[color] = Some(color as u32);
        }
        let mut used = vec![false; self.count];
        while let Some(node) = self.stack.pop() {
            let mut free = vec![true; self.count];
            for &of in &self.graph.neighbors[node as usize] {
                if let Some(color) = self.colors[self.alias(of) as usize] {
                    free[color as usize] = false;
                }
            }
            match self.pick(node, &free, &used) {
                Some(color) => {
                    used[color] = true;
                    self.colors[node as usize] = Some(color as u32);
                }
                None => self.spilled.push(node),
            }
        }
    }

    /// The color of someone who is copied to or from here, or else the first; of those that have to be
    /// saved, one that is in use.
    fn pick(&self, node: Node, free: &[bool], used: &[bool]) -> Option<usize> {
        let partners = self.copies[node as usize].iter().flat_map(|&copy| {
            let (a, b) = self.nodes.copies[copy as usize];
            [a, b]
        });
        let wanted = partners.filter_map(|of| self.color(of)).find(|&color| free[color]);
        wanted.or_else(|| {
            let all = || (0..self.count).filter(|&color| free[color]);
            let needs_saving = |color: usize| {
                crate::machine::RegSet::CALLEE_SAVED.contains(self.nodes.colors[color])
            };
            all().find(|&color| !needs_saving(color) || used[color]).or_else(|| all().next())
        })
    }
}
