//! What needs a register: physical registers where the code names them, values for all of their lifetimes,
//! and spilled values at each of their uses and definitions.

use super::Groups;
use crate::cfg::Loops;
use crate::entity::Block;
use crate::machine::{MFunction, MTarget, Reg, reg};
use crate::regalloc::lifetimes::{Lifetimes, Position, Range, range_of};
use cranelift_entity::EntityRef;
use rustc_hash::FxHashMap;

/// A node of the interference graph. The first ones are the colors themselves.
pub(super) type Node = u32;

/// Whom a node stands for, and what it costs to spill it.
#[derive(Copy, Clone, Debug)]
pub(super) struct NodeData {
    /// The virtual register; `None` for a color.
    pub(super) value: Option<u32>,
    /// Where it starts.
    pub(super) start: Position,
    /// Uses and definitions, ten times as many for each loop around them; infinite where nothing is
    /// gained any more.
    pub(super) cost: f32,
}

/// The nodes of one round, with the copies between them.
pub(super) struct Nodes<'l> {
    pub(super) colors: &'l [Reg],
    pub(super) lifetimes: &'l Lifetimes,
    pub(super) data: Vec<NodeData>,
    /// Every stretch in which a node needs a register.
    pub(super) ranges: Vec<(Range, Node)>,
    /// Pairs that one would like to have one color.
    pub(super) copies: Vec<(Node, Node)>,
    /// By virtual register: its node, if it is not spilled and occurs.
    whole: Vec<Option<Node>>,
    /// By spilled register and start of a use.
    parts: FxHashMap<(u32, Position), Node>,
}

impl<'l> Nodes<'l> {
    pub(super) fn new(
        function: &MFunction,
        lifetimes: &'l Lifetimes,
        loops: &Loops<'_>,
        colors: &'l [Reg],
        groups: &Groups,
    ) -> Nodes<'l> {
        let mut nodes = Nodes {
            colors,
            lifetimes,
            data: Vec::new(),
            ranges: Vec::new(),
            copies: Vec::new(),
            whole: vec![None; lifetimes.virtuals.len()],
            parts: FxHashMap::default(),
        };
        for reg in colors {
            let node = nodes.add(None, 0, f32::INFINITY);
            let fixed = lifetimes.fixed[reg.number() as usize].iter();
            nodes.ranges.extend(fixed.map(|&range| (range, node)));
        }
        let depth = |at: Position| loops.block_depth(lifetimes.block_at(at));
        for value in 0..lifetimes.virtuals.len() {
            match groups.of[value] {
                None => nodes.add_whole(value, depth),
                Some(_) => nodes.add_parts(value),
            }
        }
        nodes.add_copies(function);
        nodes
    }

    fn add(&mut self, value: Option<u32>, start: Position, cost: f32) -> Node {
        self.data.push(NodeData { value, start, cost });
        self.data.len() as Node - 1
    }

    fn add_whole(&mut self, value: usize, depth: impl Fn(Position) -> u32) {
        let lifetime = &self.lifetimes.virtuals[value];
        let Some(first) = lifetime.ranges.first() else { return };
        let weight = |at: Position| 10_f32.powi(depth(at).min(6) as i32);
        let uses = lifetime.uses.iter().map(|of| weight(of.range.start));
        // Parameters are no uses, but what is spilled is stored there too.
        let cost = uses.sum::<f32>().max(weight(first.start));
        let node = self.add(Some(value as u32), first.start, cost);
        self.whole[value] = Some(node);
        self.ranges.extend(lifetime.ranges.iter().map(|&range| (range, node)));
    }

    /// All that an instruction reads of a value is read from one register.
    fn add_parts(&mut self, value: usize) {
        for of in &self.lifetimes.virtuals[value].uses {
            let key = (value as u32, of.range.start);
            if !self.parts.contains_key(&key) {
                let node = self.add(Some(value as u32), of.range.start, f32::INFINITY);
                self.parts.insert(key, node);
                self.ranges.push((of.range, node));
            }
        }
    }

    /// Where an operand or a value that starts or ends an edge is, if it is in a register.
    pub(super) fn at(&self, of: Reg, position: Position) -> Option<Node> {
        if of.is_physical() {
            return self.colors.iter().position(|&color| color == of).map(|color| color as Node);
        }
        let value = of.number() - reg::PHYSICAL;
        self.whole[value as usize].or_else(|| self.parts.get(&(value, position)).copied())
    }

    /// The node of a value that is in one register all the time.
    pub(super) fn whole(&self, of: Reg) -> Option<Node> {
        self.whole[of.number().checked_sub(reg::PHYSICAL)? as usize]
    }

    pub(super) fn start(&self, node: Node) -> Position {
        self.data[node as usize].start
    }

    fn add_copies(&mut self, function: &MFunction) {
        for block in (0..function.blocks.len()).map(Block::new) {
            let data = &function.blocks[block];
            for (index, inst) in data.insts.iter().enumerate() {
                let Some((to, from)) = inst.as_move() else { continue };
                let at = self.lifetimes.position(block, index);
                let [to, from] = [(to, inst.regs[0].access), (from, inst.regs[1].access)]
                    .map(|(of, access)| self.at(of, range_of(access, at).start));
                self.copies.extend(to.zip(from));
            }
            let mut targets: Vec<&MTarget> = Vec::new();
            data.term.kind.for_each_target(|target| targets.push(target));
            for target in targets {
                let params = function.blocks[target.block].params.iter();
                for (&param, &arg) in params.zip(&target.args) {
                    self.copies.extend(self.whole(param).zip(self.whole(arg)));
                }
            }
        }
    }
}
