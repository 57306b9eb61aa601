//! Whether two runs on one tape agree.

use super::{Ending, Event, Run};
use std::fmt;

/// The first difference between two runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Difference {
    /// The environment saw something else.
    Trace {
        /// At this event, counted from 0.
        at: usize,
        /// What the original did; `None` if nothing more.
        expected: Option<Event>,
        /// What the other did.
        found: Option<Event>,
    },
    /// They end in different ways.
    Ending {
        /// How the original ends.
        expected: Ending,
        /// How the other ends.
        found: Ending,
    },
    /// A word of the memory differs at the end.
    Memory {
        /// The address, in words.
        word: usize,
        /// What the original left there; `None` if it has no such word.
        expected: Option<i64>,
        /// What the other left there.
        found: Option<i64>,
    },
    /// Different resources leak.
    Leaks {
        /// Those of the original.
        expected: Vec<u64>,
        /// Those of the other.
        found: Vec<u64>,
    },
}

/// Compares the run of an original with one of what was made of it.
///
/// Trace, memory, leaks and ending have to agree. Where the original ends undefined or at
/// `unreachable`, the other may do anything after the trace so far; where either runs out of fuel, one
/// trace has to be a prefix of the other.
///
/// # Errors
/// With the first difference: of the traces, the endings, memory, leaks.
pub fn agree(original: &Run, other: &Run) -> Result<(), Box<Difference>> {
    let differ = original.trace.iter().zip(&other.trace).position(|(a, b)| a != b);
    let common = differ.unwrap_or(original.trace.len().min(other.trace.len()));
    let is_free = matches!(original.ending, Ending::Undefined(_) | Ending::Unreachable);
    let out_of_fuel = [original, other].iter().any(|run| run.ending == Ending::OutOfFuel);
    let may_go_on = out_of_fuel || is_free;
    let is_cut = differ.is_none() && common == original.trace.len();
    let stopped_early = differ.is_none() && common < original.trace.len();
    let traces_agree = match differ {
        Some(_) => false,
        None => {
            original.trace.len() == other.trace.len()
                || (is_cut && may_go_on)
                || (stopped_early && out_of_fuel)
        }
    };
    if !traces_agree {
        let [expected, found] = [original, other].map(|run| run.trace.get(common).cloned());
        return Err(Box::new(Difference::Trace { at: common, expected, found }));
    }
    if may_go_on { Ok(()) } else { ends_agree(original, other) }
}

fn ends_agree(original: &Run, other: &Run) -> Result<(), Box<Difference>> {
    if original.ending != other.ending {
        let [expected, found] = [original, other].map(|run| run.ending.clone());
        return Err(Box::new(Difference::Ending { expected, found }));
    }
    let words = original.memory.len().max(other.memory.len());
    for word in 0..words {
        let [expected, found] = [original, other].map(|run| run.memory.get(word).copied());
        if expected != found {
            return Err(Box::new(Difference::Memory { word, expected, found }));
        }
    }
    if original.leaks != other.leaks {
        let [expected, found] = [original, other].map(|run| run.leaks.clone());
        return Err(Box::new(Difference::Leaks { expected, found }));
    }
    Ok(())
}

impl Difference {
    /// What the original does, in words.
    pub fn expected(&self) -> String {
        match self {
            Difference::Trace { at, expected, .. } => event(*at, expected.as_ref()),
            Difference::Ending { expected, .. } => format!("a run that {expected}"),
            Difference::Memory { word, expected, .. } => memory(*word, *expected),
            Difference::Leaks { expected, .. } => leaks(expected),
        }
    }

    /// What the other does, in words.
    pub fn found(&self) -> String {
        match self {
            Difference::Trace { at, found, .. } => event(*at, found.as_ref()),
            Difference::Ending { found, .. } => format!("a run that {found}"),
            Difference::Memory { word, found, .. } => memory(*word, *found),
            Difference::Leaks { found, .. } => leaks(found),
        }
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "expected {}, found {}", self.expected(), self.found())
    }
}

fn event(at: usize, event: Option<&Event>) -> String {
    match event {
        Some(event) => format!("{event} as event {at}"),
        None => format!("no event {at}"),
    }
}

fn memory(word: usize, value: Option<i64>) -> String {
    match value {
        Some(value) => format!("{value} in word {word}"),
        None => format!("no word {word}"),
    }
}

fn leaks(tokens: &[u64]) -> String {
    match tokens {
        [] => "no leak".to_owned(),
        tokens => format!("leaks of {tokens:?}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(trace: &[u64], ending: Ending) -> Run {
        let trace = trace.iter().map(|&token| Event::Drop(token)).collect();
        Run { trace, memory: vec![0, 7], leaks: vec![1], ending, steps: 0 }
    }

    fn returned(trace: &[u64]) -> Run {
        run(trace, Ending::Returned(None))
    }

    #[test]
    fn steps_are_no_difference() {
        let other = Run { steps: 9, ..returned(&[1]) };
        assert_eq!(agree(&returned(&[1]), &other), Ok(()));
    }

    #[test]
    fn traces_have_to_be_equal() {
        for (a, b, place) in [(&[1, 2][..], &[1, 3][..], 1), (&[1], &[], 0), (&[], &[4], 0)] {
            let wrong = agree(&returned(a), &returned(b)).expect_err("they differ");
            assert!(matches!(*wrong, Difference::Trace { at, .. } if at == place), "{wrong}");
        }
    }

    #[test]
    fn what_is_left_has_to_be_equal() {
        let original = returned(&[1]);
        let memory = Run { memory: vec![0, 8], ..original.clone() };
        let short = Run { memory: vec![0], ..original.clone() };
        let leaks = Run { leaks: vec![], ..original.clone() };
        let ending = Run { ending: Ending::Returned(Some(0)), ..original.clone() };
        let found: Vec<String> = [memory, short, leaks, ending]
            .map(|other| agree(&original, &other).expect_err("they differ").to_string())
            .into();
        let expected = [
            "expected 7 in word 1, found 8 in word 1",
            "expected 7 in word 1, found no word 1",
            "expected leaks of [1], found no leak",
            "expected a run that returned, found a run that returned 0",
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn behind_an_undefined_ending_anything_goes() {
        for ending in [Ending::Unreachable, Ending::Undefined("x".to_owned())] {
            let original = run(&[1], ending.clone());
            assert_eq!(agree(&original, &returned(&[1, 2])), Ok(()));
            assert_eq!(agree(&original, &returned(&[1])), Ok(()));
            assert!(agree(&original, &returned(&[])).is_err(), "the trace so far is owed");
            assert!(agree(&original, &returned(&[2])).is_err());
            assert!(agree(&returned(&[1]), &original).is_err(), "the other may not be undefined");
        }
    }

    #[test]
    fn out_of_fuel_a_prefix_is_enough() {
        let tired = |trace| run(trace, Ending::OutOfFuel);
        assert_eq!(agree(&tired(&[1]), &returned(&[1, 2])), Ok(()));
        assert_eq!(agree(&returned(&[1, 2]), &tired(&[1])), Ok(()));
        assert!(agree(&returned(&[1, 2]), &tired(&[2])).is_err());
        assert!(agree(&tired(&[1, 2]), &returned(&[1, 3])).is_err());
        assert_eq!(agree(&run(&[1, 2], Ending::Unreachable), &tired(&[1])), Ok(()));
    }
}
