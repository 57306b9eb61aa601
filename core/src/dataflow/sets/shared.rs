//! Sets as tries whose equal parts are stored once.
//!
//! A trie of height 0 is a word of 64 bits, one of height `h` has 8 children of height `h - 1`. Words
//! and nodes are interned: each has one number, the empty ones number 0. So equal sets are equal
//! numbers, and an operation stops wherever its two operands are the same or one is empty. Recursion
//! follows the height, which is at most 9.

use super::{Sets, ValueSet};
use crate::entity::Value;
use rustc_hash::FxHashMap;

/// Binary logarithms of how many bits a word holds, and how many children a node has.
const WORD_BITS: u32 = 6;
const FANOUT_BITS: u32 = 3;

/// Binary logarithm of how many values a child of a trie of this height covers.
pub(super) fn child_bits(height: u32) -> u32 {
    WORD_BITS + FANOUT_BITS * (height - 1)
}

pub(super) type Children = [u32; 1 << FANOUT_BITS];

/// The store of all words and nodes.
#[derive(Clone, Debug)]
pub struct Shared {
    height: u32,
    words: Vec<u64>,
    word_numbers: FxHashMap<u64, u32>,
    nodes: Vec<Node>,
    /// By children and height: a number among the children is a word's below height 1.
    node_numbers: FxHashMap<(Children, u32), u32>,
}

#[derive(Clone, Debug)]
struct Node {
    children: Children,
    /// How many values the subtrie holds.
    len: u32,
}

/// The number of a trie.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct SharedSet(u32);

impl Shared {
    pub(super) fn height(&self) -> u32 {
        self.height
    }

    pub(super) fn word(&self, number: u32) -> u64 {
        self.words[number as usize]
    }

    pub(super) fn children(&self, number: u32) -> &Children {
        &self.nodes[number as usize].children
    }

    pub(super) fn len(&self, number: u32, height: u32) -> u32 {
        match height {
            0 => self.word(number).count_ones(),
            _ => self.nodes[number as usize].len,
        }
    }

    pub(super) fn contains(&self, mut number: u32, value: Value) -> bool {
        if u64::from(value.as_u32()) >> child_bits(self.height + 1) != 0 {
            return false;
        }
        for height in (1..=self.height).rev() {
            number = self.children(number)[child_index(value, height)];
        }
        self.word(number) & bit(value) != 0
    }

    /// How many words and nodes are stored.
    #[cfg(test)]
    pub(super) fn stored(&self) -> usize {
        self.words.len() + self.nodes.len()
    }

    fn intern_word(&mut self, word: u64) -> u32 {
        *self.word_numbers.entry(word).or_insert_with(|| {
            self.words.push(word);
            self.words.len() as u32 - 1
        })
    }

    fn intern_node(&mut self, children: Children, height: u32) -> u32 {
        if children.iter().all(|&child| child == 0) {
            return 0;
        }
        if let Some(&number) = self.node_numbers.get(&(children, height)) {
            return number;
        }
        let len = children.iter().map(|&child| self.len(child, height - 1)).sum();
        let number = self.nodes.len() as u32;
        self.nodes.push(Node { children, len });
        self.node_numbers.insert((children, height), number);
        number
    }

    /// The trie with `value` set to `present`.
    fn with(&mut self, number: u32, height: u32, value: Value, present: bool) -> u32 {
        if height == 0 {
            let word = self.word(number);
            let changed = if present { word | bit(value) } else { word & !bit(value) };
            return if changed == word { number } else { self.intern_word(changed) };
        }
        let mut children = *self.children(number);
        let child = &mut children[child_index(value, height)];
        let changed = self.with(*child, height - 1, value, present);
        if std::mem::replace(child, changed) == changed {
            return number;
        }
        self.intern_node(children, height)
    }

    fn union(&mut self, a: u32, b: u32, height: u32) -> u32 {
        if a == b || b == 0 {
            return a;
        }
        if a == 0 {
            return b;
        }
        if height == 0 {
            return self.intern_word(self.word(a) | self.word(b));
        }
        let (left, right) = (*self.children(a), *self.children(b));
        let children = std::array::from_fn(|at| self.union(left[at], right[at], height - 1));
        if children == left { a } else { self.intern_node(children, height) }
    }

    fn difference(&mut self, a: u32, b: u32, height: u32) -> u32 {
        if a == b || a == 0 {
            return 0;
        }
        if b == 0 {
            return a;
        }
        if height == 0 {
            return self.intern_word(self.word(a) & !self.word(b));
        }
        let (left, right) = (*self.children(a), *self.children(b));
        let children = std::array::from_fn(|at| self.difference(left[at], right[at], height - 1));
        if children == left { a } else { self.intern_node(children, height) }
    }
}

fn bit(value: Value) -> u64 {
    1 << (value.as_u32() % (1 << WORD_BITS))
}

fn child_index(value: Value, height: u32) -> usize {
    (value.as_u32() >> child_bits(height)) as usize % (1 << FANOUT_BITS)
}

fn replace(set: &mut SharedSet, number: u32) -> bool {
    std::mem::replace(&mut set.0, number) != number
}

impl Sets for Shared {
    type Set = SharedSet;
    type Table = Vec<SharedSet>;

    fn new(value_count: usize) -> Shared {
        let mut height = 0;
        while (1usize << child_bits(height + 1)) < value_count {
            height += 1;
        }
        Shared {
            height,
            words: vec![0],
            word_numbers: [(0, 0)].into_iter().collect(),
            nodes: vec![Node { children: Children::default(), len: 0 }],
            node_numbers: FxHashMap::default(),
        }
    }

    fn empty(&self) -> SharedSet {
        SharedSet(0)
    }

    fn insert(&mut self, set: &mut SharedSet, value: Value) -> bool {
        let number = self.with(set.0, self.height, value, true);
        replace(set, number)
    }

    fn remove(&mut self, set: &mut SharedSet, value: Value) -> bool {
        let number = self.with(set.0, self.height, value, false);
        replace(set, number)
    }

    fn unite(&mut self, set: &mut SharedSet, other: &SharedSet) -> bool {
        let number = self.union(set.0, other.0, self.height);
        replace(set, number)
    }

    fn subtract(&mut self, set: &mut SharedSet, other: &SharedSet) {
        set.0 = self.difference(set.0, other.0, self.height);
    }

    fn view<'s>(&'s self, set: &'s SharedSet) -> ValueSet<'s> {
        ValueSet::shared(self, set.0)
    }

    fn table(&self, count: usize) -> Vec<SharedSet> {
        vec![SharedSet(0); count]
    }

    fn put(&self, table: &mut Vec<SharedSet>, index: usize, set: &SharedSet) {
        table[index] = *set;
    }

    fn load(&self, table: &Vec<SharedSet>, index: usize, set: &mut SharedSet) {
        *set = table[index];
    }

    fn get<'s>(&'s self, table: &'s Vec<SharedSet>, index: usize) -> ValueSet<'s> {
        ValueSet::shared(self, table[index].0)
    }
}
