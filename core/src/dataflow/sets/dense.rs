//! Sets as rows of bits, all of one length.

use super::{Sets, ValueSet};
use crate::entity::Value;
use smallvec::SmallVec;

/// Rows of bits.
#[derive(Clone, Debug)]
pub struct Dense {
    words: usize,
}

/// One row; up to 256 values need no allocation.
#[derive(PartialEq, Eq, Debug)]
pub struct Row(SmallVec<[u64; 4]>);

impl Clone for Row {
    fn clone(&self) -> Row {
        Row(SmallVec::from_slice(&self.0))
    }

    fn clone_from(&mut self, source: &Row) {
        self.0.copy_from_slice(&source.0);
    }
}

/// Many rows, one after the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Matrix(Vec<u64>);

fn place(value: Value) -> (usize, u64) {
    let index = value.as_u32();
    ((index / 64) as usize, 1 << (index % 64))
}

impl Sets for Dense {
    type Set = Row;
    type Table = Matrix;

    fn new(value_count: usize) -> Dense {
        Dense { words: value_count.div_ceil(64) }
    }

    fn empty(&self) -> Row {
        Row(SmallVec::from_elem(0, self.words))
    }

    fn set(&mut self, set: &mut Row, value: Value, present: bool) {
        let (word, bit) = place(value);
        if present {
            set.0[word] |= bit;
        } else {
            set.0[word] &= !bit;
        }
    }

    fn settle(&mut self, _: &mut Row) {}

    fn unite(&mut self, set: &mut Row, other: &Row) -> bool {
        let mut missing = 0;
        for (word, other) in set.0.iter_mut().zip(&other.0) {
            missing |= other & !*word;
            *word |= other;
        }
        missing != 0
    }

    fn view<'s>(&'s self, set: &'s Row) -> ValueSet<'s> {
        ValueSet::words(&set.0)
    }

    fn table(&self, count: usize) -> Matrix {
        Matrix(vec![0; count * self.words])
    }

    fn put(&self, table: &mut Matrix, index: usize, set: &Row) {
        table.0[index * self.words..][..self.words].copy_from_slice(&set.0);
    }

    fn load(&self, table: &Matrix, index: usize, set: &mut Row) {
        set.0.copy_from_slice(&table.0[index * self.words..][..self.words]);
    }

    fn get<'s>(&'s self, table: &'s Matrix, index: usize) -> ValueSet<'s> {
        ValueSet::words(&table.0[index * self.words..][..self.words])
    }
}
