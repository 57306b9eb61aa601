//! A set to look at, whatever its representation.

use super::Shared;
use super::shared::child_bits;
use crate::entity::Value;
use smallvec::SmallVec;
use std::fmt;

/// A set of values that can be read.
#[derive(Copy, Clone)]
pub struct ValueSet<'s>(Form<'s>);

#[derive(Copy, Clone)]
enum Form<'s> {
    Words(&'s [u64]),
    Trie(&'s Shared, u32),
}

impl<'s> ValueSet<'s> {
    pub(super) fn words(words: &'s [u64]) -> ValueSet<'s> {
        ValueSet(Form::Words(words))
    }

    pub(super) fn shared(store: &'s Shared, number: u32) -> ValueSet<'s> {
        ValueSet(Form::Trie(store, number))
    }

    /// Whether the value is in the set. A value that the code does not have is in none.
    pub fn contains(&self, value: Value) -> bool {
        let index = value.as_u32();
        match self.0 {
            Form::Words(words) => {
                words.get((index / 64) as usize).is_some_and(|word| word >> (index % 64) & 1 != 0)
            }
            Form::Trie(store, number) => store.contains(number, value),
        }
    }

    /// How many values there are.
    pub fn len(&self) -> usize {
        match self.0 {
            Form::Words(words) => words.iter().map(|word| word.count_ones() as usize).sum(),
            Form::Trie(store, number) => store.len(number) as usize,
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        match self.0 {
            Form::Words(words) => words.iter().all(|&word| word == 0),
            Form::Trie(_, number) => number == 0,
        }
    }

    /// The values, lowest first.
    pub fn iter(&self) -> Iter<'s> {
        let source = match self.0 {
            Form::Words(words) => Source::Words(words.iter()),
            Form::Trie(store, number) => {
                Source::Trie(store, SmallVec::from_slice(&[(number, store.height(), 0)]))
            }
        };
        Iter { source, word: 0, base: 0, next_base: 0 }
    }
}

impl<'s> IntoIterator for ValueSet<'s> {
    type Item = Value;
    type IntoIter = Iter<'s>;

    fn into_iter(self) -> Iter<'s> {
        self.iter()
    }
}

impl PartialEq for ValueSet<'_> {
    fn eq(&self, other: &ValueSet<'_>) -> bool {
        self.iter().eq(other.iter())
    }
}

impl Eq for ValueSet<'_> {}

impl fmt::Debug for ValueSet<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

/// The values of a set, lowest first.
#[derive(Clone)]
pub struct Iter<'s> {
    source: Source<'s>,
    /// What is left of the word that starts at `base`.
    word: u64,
    base: u32,
    next_base: u32,
}

#[derive(Clone)]
enum Source<'s> {
    Words(std::slice::Iter<'s, u64>),
    /// Subtries still to be looked at, the next last: number, height, first value.
    Trie(&'s Shared, SmallVec<[(u32, u32, u32); 16]>),
}

impl Iter<'_> {
    /// Goes on to the next word that is not empty, if there is one.
    fn advance(&mut self) -> Option<()> {
        match &mut self.source {
            Source::Words(words) => loop {
                let word = *words.next()?;
                let base = self.next_base;
                self.next_base += 64;
                if word != 0 {
                    (self.word, self.base) = (word, base);
                    return Some(());
                }
            },
            Source::Trie(store, stack) => loop {
                let (number, height, base) = stack.pop()?;
                if number == 0 {
                    continue;
                }
                if height == 0 {
                    (self.word, self.base) = (store.word(number), base);
                    return Some(());
                }
                let width = 1u32 << child_bits(height);
                let children = store.children(number).iter().enumerate().rev();
                for (at, &child) in children.filter(|&(_, &child)| child != 0) {
                    stack.push((child, height - 1, base + at as u32 * width));
                }
            },
        }
    }
}

impl Iterator for Iter<'_> {
    type Item = Value;

    fn next(&mut self) -> Option<Value> {
        if self.word == 0 {
            self.advance()?;
        }
        let value = self.base + self.word.trailing_zeros();
        self.word &= self.word - 1;
        Some(Value::from_u32(value))
    }

    /// A loop over the bits of each word, which is faster than asking for one value after the other.
    fn fold<A, F: FnMut(A, Value) -> A>(mut self, start: A, mut step: F) -> A {
        let mut total = start;
        loop {
            while self.word != 0 {
                total = step(total, Value::from_u32(self.base + self.word.trailing_zeros()));
                self.word &= self.word - 1;
            }
            if self.advance().is_none() {
                return total;
            }
        }
    }
}
