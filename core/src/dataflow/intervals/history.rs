//! Histories: random operations on several sets of points, whose answers are known.
//!
//! Sets that are made by a few insertions have few intervals, and mistakes hide where one set has many
//! and another few. So a history works on several sets that grow apart, unites them in both
//! directions, and after each step compares everything that can be asked with plain sets.

use std::collections::BTreeSet;
use std::fmt;

/// How many sets a history works on.
pub const SETS: usize = 4;

/// Points lie below this. Few, so that they meet.
pub const POINTS: u32 = 48;

/// One operation.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// Puts a point into a set.
    Insert(usize, u32),
    /// Puts a range, whose ends are in it, into a set. It is empty if the second is below the first.
    InsertRange(usize, u32, u32),
    /// Puts a point into a set, at the end; left out where the set has a higher one.
    Append(usize, u32),
    /// Puts all of one set into another.
    Union {
        /// What is united into.
        into: usize,
        /// What is put in.
        from: usize,
    },
    /// Takes all points out.
    Clear(usize),
}

/// What a history is run on. What it does not have is `None`.
pub trait Sets {
    /// Puts a range in, whose ends are in it; whether a point was missing.
    fn insert_range(&mut self, set: usize, first: u32, last: u32) -> bool;

    /// Puts a point in; whether it was missing.
    fn insert(&mut self, set: usize, point: u32) -> bool {
        self.insert_range(set, point, point)
    }

    /// Puts in a point that is as high as all that are there.
    fn append(&mut self, set: usize, point: u32);

    /// Unites; whether a point was missing.
    fn union(&mut self, into: usize, from: usize) -> bool;

    /// Takes all points out.
    fn clear(&mut self, set: usize);

    /// The points, in the order of iteration.
    fn points(&self, set: usize) -> Vec<u32>;

    /// The intervals, ends among them, in the order of iteration.
    fn intervals(&self, set: usize) -> Vec<(u32, u32)>;

    /// Whether a point is in a set.
    fn contains(&self, set: usize, point: u32) -> bool;

    /// The lowest point.
    fn first(&self, set: usize) -> Option<Option<u32>>;

    /// The highest point.
    fn last(&self, set: usize) -> Option<Option<u32>>;

    /// Whether the first has every point of the second.
    fn is_superset(&self, set: usize, of: usize) -> Option<bool>;

    /// Whether no point is in both.
    fn is_disjoint(&self, set: usize, from: usize) -> Option<bool>;

    /// The points that are in both.
    fn overlap(&self, set: usize, with: usize) -> Option<Vec<u32>>;
}

/// A wrong answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wrong {
    /// After how many steps; the step before that is the last that was done.
    pub after: usize,
    /// What was asked.
    pub asked: &'static str,
    /// The right answer.
    pub expected: String,
    /// What was answered.
    pub answered: String,
}

/// What is asked where a union says whether it changed its set.
pub const UNION_CHANGED: &str = "whether the union changed the set";

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Wrong { after, asked, expected, answered } = self;
        write!(f, "after {after} steps, {asked}: expected {expected}, answered {answered}")
    }
}

/// The history of a seed, with so many steps.
pub fn history(seed: u64, steps: usize) -> Vec<Step> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut below = move |limit: u32| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        ((state >> 33) % u64::from(limit)) as u32
    };
    let step = |_| {
        // The first sets get more than the last, so that they have more intervals.
        let set = (below(SETS as u32).min(below(SETS as u32))) as usize;
        let point = below(POINTS);
        match below(16) {
            0..6 => Step::Insert(set, point),
            6..8 => Step::InsertRange(set, point, (point + below(6)).min(POINTS - 1)),
            8 => Step::InsertRange(set, point, below(POINTS)),
            9..11 => Step::Append(set, point),
            11 => Step::Clear(below(SETS as u32) as usize),
            _ => Step::Union { into: below(SETS as u32) as usize, from: set },
        }
    };
    (0..steps).map(step).collect()
}

/// Runs a history, up to the first wrong answer.
///
/// # Errors
/// With that answer.
pub fn run(history: &[Step], sets: &mut impl Sets) -> Result<(), Wrong> {
    let mut plain: [BTreeSet<u32>; SETS] = Default::default();
    for (done, &step) in history.iter().enumerate() {
        let after = done + 1;
        apply(step, &mut plain, sets, after)?;
        for set in 0..SETS {
            ask_one(&plain, sets, set, after)?;
            for other in 0..SETS {
                ask_two(&plain, sets, [set, other], after)?;
            }
        }
    }
    Ok(())
}

/// Leaves out steps as long as the same question gets a wrong answer.
pub fn shortest<S: Sets>(
    mut history: Vec<Step>,
    asked: &'static str,
    make: impl Fn() -> S,
) -> Vec<Step> {
    let fails = |history: &[Step]| matches!(run(history, &mut make()), Err(w) if w.asked == asked);
    let mut at = 0;
    while at < history.len() {
        let mut shorter = history.clone();
        shorter.remove(at);
        if fails(&shorter) {
            history = shorter;
            at = 0;
        } else {
            at += 1;
        }
    }
    history
}

fn same<T: PartialEq + fmt::Debug>(
    asked: &'static str,
    expected: &T,
    answered: &T,
    after: usize,
) -> Result<(), Wrong> {
    if expected == answered {
        return Ok(());
    }
    let [expected, answered] = [expected, answered].map(|answer| format!("{answer:?}"));
    Err(Wrong { after, asked, expected, answered })
}

fn apply(
    step: Step,
    plain: &mut [BTreeSet<u32>; SETS],
    sets: &mut impl Sets,
    after: usize,
) -> Result<(), Wrong> {
    match step {
        Step::Insert(set, point) => {
            let missing = plain[set].insert(point);
            same("whether a point was missing", &missing, &sets.insert(set, point), after)
        }
        Step::InsertRange(set, first, last) => {
            let before = plain[set].len();
            plain[set].extend(first..=last);
            let missing = plain[set].len() > before;
            let answer = sets.insert_range(set, first, last);
            same("whether a point of a range was missing", &missing, &answer, after)
        }
        Step::Append(set, point) => {
            if plain[set].last().is_none_or(|&last| last <= point) {
                plain[set].insert(point);
                sets.append(set, point);
            }
            Ok(())
        }
        Step::Union { into, from } => {
            let before = plain[into].len();
            let other = plain[from].clone();
            plain[into].extend(other);
            let changed = plain[into].len() > before;
            same(UNION_CHANGED, &changed, &sets.union(into, from), after)
        }
        Step::Clear(set) => {
            plain[set].clear();
            sets.clear(set);
            Ok(())
        }
    }
}

fn ask_one(
    plain: &[BTreeSet<u32>; SETS],
    sets: &impl Sets,
    set: usize,
    after: usize,
) -> Result<(), Wrong> {
    let right = &plain[set];
    let points: Vec<u32> = right.iter().copied().collect();
    same("the points", &points, &sets.points(set), after)?;
    let parts = points.chunk_by(|a, b| a + 1 == *b);
    let intervals: Vec<(u32, u32)> = parts.map(|part| (part[0], part[part.len() - 1])).collect();
    same("the intervals", &intervals, &sets.intervals(set), after)?;
    if let Some(first) = sets.first(set) {
        same("the first point", &right.first().copied(), &first, after)?;
    }
    if let Some(last) = sets.last(set) {
        same("the last point", &right.last().copied(), &last, after)?;
    }
    for point in 0..POINTS {
        let answer = sets.contains(set, point);
        same("whether a point is there", &right.contains(&point), &answer, after)?;
    }
    Ok(())
}

fn ask_two(
    plain: &[BTreeSet<u32>; SETS],
    sets: &impl Sets,
    [set, other]: [usize; 2],
    after: usize,
) -> Result<(), Wrong> {
    let (left, right) = (&plain[set], &plain[other]);
    if let Some(answer) = sets.is_superset(set, other) {
        same("whether it is a superset", &left.is_superset(right), &answer, after)?;
    }
    if let Some(answer) = sets.is_disjoint(set, other) {
        same("whether they are disjoint", &left.is_disjoint(right), &answer, after)?;
    }
    if let Some(answer) = sets.overlap(set, other) {
        let both: Vec<u32> = left.intersection(right).copied().collect();
        same("what is in both", &both, &answer, after)?;
    }
    Ok(())
}
