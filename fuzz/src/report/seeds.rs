//! Which seeds a report covers.
//!
//! A shard takes every n-th seed, so what it has done is an arithmetic progression. Progressions of
//! several shards that together leave no gap become one again.

use serde::{Deserialize, Serialize};

/// The seeds `first`, `first + step`, .., `count` of them.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Seeds {
    /// The first.
    pub first: u64,
    /// The distance from each to the next, at least 1.
    pub step: u64,
    /// How many.
    pub count: u64,
}

impl Seeds {
    /// The seed at a position.
    ///
    /// Positions below `count` do not overflow, for seeds that [`Seeds::shard`] made.
    pub fn get(&self, index: u64) -> u64 {
        self.first + index * self.step
    }

    /// What shard `k` of `n` takes of the `cases` seeds from `first` on: those whose distance from
    /// `first` is `k - 1` modulo `n`. None if the last seed does not fit into 64 bits.
    pub fn shard(first: u64, cases: u64, k: u64, n: u64) -> Option<Seeds> {
        first.checked_add(cases.saturating_sub(1))?;
        let count = cases.saturating_sub(k - 1).div_ceil(n);
        Some(Seeds { first: first.checked_add(k - 1)?, step: n, count })
    }

    /// The first `count` of these.
    pub fn take(self, count: u64) -> Seeds {
        Seeds { count: self.count.min(count), ..self }
    }

    fn last(&self) -> u128 {
        u128::from(self.first) + u128::from(self.count.saturating_sub(1)) * u128::from(self.step)
    }

    /// A seed that is in both, if there is one.
    ///
    /// Walks the sparser progression inside the other's range for one period of the other, after
    /// which remainders repeat: at most `step` steps.
    pub fn common(&self, other: &Seeds) -> Option<u64> {
        let (dense, sparse) = if self.step <= other.step { (self, other) } else { (other, self) };
        if self.count == 0 || other.count == 0 {
            return None;
        }
        let skipped = dense.first.saturating_sub(sparse.first).div_ceil(sparse.step);
        (0..dense.step)
            .map(|turn| {
                let index = u128::from(skipped) + u128::from(turn);
                u128::from(sparse.first) + index * u128::from(sparse.step)
            })
            .take_while(|&seed| seed <= sparse.last().min(dense.last()))
            .find(|&seed| (seed - u128::from(dense.first)) % u128::from(dense.step) == 0)
            .map(|seed| seed as u64)
    }
}

/// The same seeds in fewer progressions, sorted. They must not overlap.
pub(super) fn unite(mut parts: Vec<Seeds>) -> Vec<Seeds> {
    parts.retain(|part| part.count > 0);
    for candidate in parts.clone() {
        if parts.contains(&candidate)
            && let Some(whole) = all_shards(&parts, candidate)
        {
            parts.retain(|part| part.step != candidate.step || !starts_in(part, candidate));
            parts.push(whole);
        }
    }
    parts.sort_unstable_by_key(|part| (part.step, part.first));
    parts.dedup_by(|next, part| {
        let follows =
            next.step == part.step && u128::from(next.first) == part.last() + u128::from(part.step);
        if follows {
            part.count += next.count;
        }
        follows
    });
    parts.sort_unstable();
    parts
}

/// What the shards are together of which `first_shard` is the first, if all of them are there.
fn all_shards(parts: &[Seeds], first_shard: Seeds) -> Option<Seeds> {
    let Seeds { first, step, .. } = first_shard;
    let of_whole = |part: &&Seeds| part.step == step && starts_in(part, first_shard);
    let count = parts.iter().filter(of_whole).map(|part| part.count).sum();
    let is_there = |k| {
        Seeds::shard(first, count, k, step)
            .is_some_and(|shard| shard.count == 0 || parts.contains(&shard))
    };
    let complete = step > 1 && (1..=step.min(count)).all(is_there);
    complete.then_some(Seeds { first, step: 1, count })
}

/// Whether `part` starts where a shard would of which `first_shard` is the first.
fn starts_in(part: &Seeds, first_shard: Seeds) -> bool {
    part.first >= first_shard.first && part.first - first_shard.first < first_shard.step
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seeds(first: u64, step: u64, count: u64) -> Seeds {
        Seeds { first, step, count }
    }

    fn list(seeds: Seeds) -> Vec<u64> {
        (0..seeds.count).map(|index| seeds.get(index)).collect()
    }

    #[test]
    fn shards_part_the_seeds() {
        for cases in 0..12 {
            for n in 1..5 {
                let shards = (1..=n).map(|k| Seeds::shard(7, cases, k, n).expect("fits"));
                let mut all: Vec<u64> = shards.flat_map(list).collect();
                all.sort_unstable();
                assert_eq!(all, (7..7 + cases).collect::<Vec<_>>(), "{cases} cases, {n} shards");
            }
        }
        assert_eq!(Seeds::shard(u64::MAX, 2, 1, 1), None);
        assert_eq!(Seeds::shard(u64::MAX, 1, 1, 1), Some(seeds(u64::MAX, 1, 1)));
    }

    #[test]
    fn united_shards_are_the_whole() {
        for cases in [1, 2, 3, 10, 11, 12] {
            let shards = (1..=3).map(|k| Seeds::shard(5, cases, k, 3).expect("fits")).collect();
            assert_eq!(unite(shards), [seeds(5, 1, cases)]);
        }
    }

    #[test]
    fn ranges_that_touch_are_one() {
        assert_eq!(unite(vec![seeds(10, 1, 5), seeds(0, 1, 10)]), [seeds(0, 1, 15)]);
        assert_eq!(unite(vec![seeds(0, 2, 2), seeds(4, 2, 2)]), [seeds(0, 2, 4)]);
        let apart = vec![seeds(0, 1, 3), seeds(4, 1, 3)];
        assert_eq!(unite(apart.clone()), apart);
        let uneven = vec![seeds(0, 2, 9), seeds(1, 2, 3)];
        assert_eq!(unite(uneven.clone()), uneven, "one shard has got further");
    }

    #[test]
    fn common_seeds_are_found() {
        for (first, step, count) in [(0, 1, 5), (3, 2, 4), (4, 3, 3), (9, 5, 2), (2, 4, 0)] {
            for (other_first, other_step) in [(0, 1), (1, 2), (5, 3), (6, 6), (20, 7)] {
                let (a, b) = (seeds(first, step, count), seeds(other_first, other_step, 4));
                let expected = list(a).into_iter().find(|seed| list(b).contains(seed));
                assert_eq!(a.common(&b), expected, "{a:?} {b:?}");
                assert_eq!(b.common(&a), expected, "{b:?} {a:?}");
            }
        }
    }
}
