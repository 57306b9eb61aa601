//! Numbers for keys: equal keys get one number, counted from 0.

use rustc_hash::FxBuildHasher;
use std::hash::{BuildHasher, Hash};

const FREE: u32 = u32::MAX;

/// A table of numbers with linear probing. The keys stand in an array of their own, once.
#[derive(Clone, Debug)]
pub(super) struct Interner<K> {
    keys: Vec<K>,
    /// Its length is a power of two, and more than half of it is free.
    slots: Vec<u32>,
}

impl<K: Copy + Eq + Hash> Interner<K> {
    /// Knows `first`, as number 0.
    pub(super) fn new(first: K) -> Interner<K> {
        let mut interner = Interner { keys: Vec::new(), slots: vec![FREE; 64] };
        interner.intern(first);
        interner
    }

    pub(super) fn len(&self) -> usize {
        self.keys.len()
    }

    pub(super) fn key(&self, number: u32) -> &K {
        &self.keys[number as usize]
    }

    /// The number of the key, which gets the next one if it is new.
    pub(super) fn intern(&mut self, key: K) -> u32 {
        let slot = self.slot(&key);
        if self.slots[slot] != FREE {
            return self.slots[slot];
        }
        let number = self.keys.len() as u32;
        self.slots[slot] = number;
        self.keys.push(key);
        if 2 * self.keys.len() >= self.slots.len() {
            self.grow();
        }
        number
    }

    /// Where the key is, or else where it belongs.
    fn slot(&self, key: &K) -> usize {
        let mask = self.slots.len() - 1;
        let mut slot = FxBuildHasher.hash_one(key) as usize & mask;
        while self.slots[slot] != FREE && self.keys[self.slots[slot] as usize] != *key {
            slot = (slot + 1) & mask;
        }
        slot
    }

    fn grow(&mut self) {
        self.slots = vec![FREE; 4 * self.slots.len()];
        for number in 0..self.keys.len() {
            let slot = self.slot(&self.keys[number]);
            self.slots[slot] = number as u32;
        }
    }
}
