//! Sets as tries whose equal parts are stored once.
//!
//! A trie of height 0 is a word of 64 bits, one of height `h` has 16 children of height `h - 1`. Words
//! and nodes are interned: each has one number, the empty ones number 0. So equal sets are equal
//! numbers, and a union stops wherever its two operands are the same or one is empty, or where it is
//! remembered from before. Recursion follows the height, which is at most 7.

use super::interner::Interner;
use super::{Sets, ValueSet};
use crate::entity::Value;
use rustc_hash::FxBuildHasher;
use std::hash::BuildHasher;

/// Binary logarithms of how many bits a word holds, and how many children a node has.
const WORD_BITS: u32 = 6;
const FANOUT_BITS: u32 = 4;

/// Binary logarithm of how many values a child of a trie of this height covers.
pub(super) fn child_bits(height: u32) -> u32 {
    WORD_BITS + FANOUT_BITS * (height - 1)
}

pub(super) type Children = [u32; 1 << FANOUT_BITS];

/// Tries are at least this high, so that code of all sizes with up to 262,144 values takes as long in
/// proportion: sets for less code are better dense anyway.
const LEAST_HEIGHT: u32 = 3;

/// Marks the numbers of words, so that no two tries of different height have the same number. The
/// empty trie of every height is 0.
const WORD: u32 = 1 << 31;

/// The store of all words and nodes.
#[derive(Clone, Debug)]
pub struct Shared {
    height: u32,
    words: Interner<u64>,
    nodes: Interner<Children>,
    /// By node: how many values the trie holds.
    lens: Vec<u32>,
    unions: Vec<Union>,
    /// Changes of one set that are made together, so that its path is copied once.
    changes: Vec<(Value, bool)>,
}

/// A union that was made before: its operands, the lower number first, and the result.
#[derive(Copy, Clone, Debug)]
struct Union(u32, u32, u32);

/// How many unions are remembered, one for each hash.
const UNIONS: usize = 1 << 14;

/// The number of a trie.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct SharedSet(u32);

impl Shared {
    pub(super) fn height(&self) -> u32 {
        self.height
    }

    pub(super) fn word(&self, number: u32) -> u64 {
        *self.words.key(number & !WORD)
    }

    pub(super) fn children(&self, number: u32) -> &Children {
        self.nodes.key(number)
    }

    pub(super) fn len(&self, number: u32) -> u32 {
        match number & WORD {
            0 => self.lens[number as usize],
            _ => self.word(number).count_ones(),
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
        match self.words.intern(word) {
            0 => 0,
            number => number | WORD,
        }
    }

    fn intern_node(&mut self, children: Children) -> u32 {
        let number = self.nodes.intern(children);
        if self.lens.len() < self.nodes.len() {
            self.lens.push(children.iter().map(|&child| self.len(child)).sum());
        }
        number
    }

    /// The trie after changes, which are sorted by value, each value once.
    fn changed(&mut self, number: u32, height: u32, changes: &[(Value, bool)]) -> u32 {
        if height == 0 {
            let word = changes.iter().fold(self.word(number), |word, &(value, present)| {
                if present { word | bit(value) } else { word & !bit(value) }
            });
            return self.intern_word(word);
        }
        let before = *self.children(number);
        let mut children = before;
        for changes in changes.chunk_by(|a, b| child_index(a.0, height) == child_index(b.0, height))
        {
            let child = &mut children[child_index(changes[0].0, height)];
            *child = self.changed(*child, height - 1, changes);
        }
        if children == before { number } else { self.intern_node(children) }
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
        let (a, b) = (a.min(b), a.max(b));
        let slot = FxBuildHasher.hash_one((a, b)) as usize % UNIONS;
        if let Union(left, right, union) = self.unions[slot]
            && (left, right) == (a, b)
        {
            return union;
        }
        let (left, right) = (*self.children(a), *self.children(b));
        let children = std::array::from_fn(|at| self.union(left[at], right[at], height - 1));
        let union = match children {
            same if same == left => a,
            same if same == right => b,
            new => self.intern_node(new),
        };
        self.unions[slot] = Union(a, b, union);
        union
    }
}

fn bit(value: Value) -> u64 {
    1 << (value.as_u32() % (1 << WORD_BITS))
}

fn child_index(value: Value, height: u32) -> usize {
    (value.as_u32() >> child_bits(height)) as usize % (1 << FANOUT_BITS)
}

impl Sets for Shared {
    type Set = SharedSet;
    type Table = Vec<SharedSet>;

    fn new(value_count: usize) -> Shared {
        let mut height = LEAST_HEIGHT;
        while (1usize << child_bits(height + 1)) < value_count {
            height += 1;
        }
        Shared {
            height,
            words: Interner::new(0),
            nodes: Interner::new(Children::default()),
            lens: vec![0],
            unions: vec![Union(0, 0, 0); UNIONS],
            changes: Vec::new(),
        }
    }

    fn empty(&self) -> SharedSet {
        SharedSet(0)
    }

    fn set(&mut self, _: &mut SharedSet, value: Value, present: bool) {
        self.changes.push((value, present));
    }

    fn settle(&mut self, set: &mut SharedSet) {
        if self.changes.is_empty() {
            return;
        }
        let mut changes = std::mem::take(&mut self.changes);
        changes.sort_by_key(|&(value, _)| value);
        changes.dedup_by(|later, kept| {
            let same = later.0 == kept.0;
            if same {
                *kept = *later;
            }
            same
        });
        set.0 = self.changed(set.0, self.height, &changes);
        changes.clear();
        self.changes = changes;
    }

    fn unite(&mut self, set: &mut SharedSet, other: &SharedSet) -> bool {
        debug_assert!(self.changes.is_empty(), "changes are settled");
        let number = self.union(set.0, other.0, self.height);
        std::mem::replace(&mut set.0, number) != number
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
