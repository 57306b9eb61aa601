use super::*;
use proptest::prelude::*;
use std::collections::BTreeSet;

#[derive(Clone, Debug)]
enum Step {
    Insert(usize, u32),
    Remove(usize, u32),
    Change(usize, Vec<(u32, bool)>),
    Unite(usize, usize),
}

fn steps(values: u32) -> impl Strategy<Value = Vec<Step>> {
    let set = || 0..4usize;
    let many = proptest::collection::vec((0..values, any::<bool>()), 0..30);
    let step = prop_oneof![
        3 => (set(), 0..values).prop_map(|(set, value)| Step::Insert(set, value)),
        1 => (set(), 0..values).prop_map(|(set, value)| Step::Remove(set, value)),
        1 => (set(), set()).prop_map(|(set, other)| Step::Unite(set, other)),
        1 => (set(), many).prop_map(|(set, changes)| Step::Change(set, changes)),
    ];
    proptest::collection::vec(step, 0..60)
}

/// Does the steps on four sets and on four of the standard library, and compares.
fn agrees<S: Sets>(values: u32, steps: &[Step]) {
    let mut sets = S::new(values as usize);
    let mut ours = vec![sets.empty(); 4];
    let mut model = vec![BTreeSet::new(); 4];
    for step in steps {
        match *step {
            Step::Insert(set, value) => {
                sets.set(&mut ours[set], Value::from_u32(value), true);
                sets.settle(&mut ours[set]);
                model[set].insert(value);
            }
            Step::Remove(set, value) => {
                sets.set(&mut ours[set], Value::from_u32(value), false);
                sets.settle(&mut ours[set]);
                model[set].remove(&value);
            }
            Step::Change(set, ref changes) => {
                for &(value, present) in changes {
                    sets.set(&mut ours[set], Value::from_u32(value), present);
                    if present {
                        model[set].insert(value)
                    } else {
                        model[set].remove(&value)
                    };
                }
                sets.settle(&mut ours[set]);
            }
            Step::Unite(set, other) => {
                let from = ours[other].clone();
                let before = model[set].len();
                let added = model[other].clone();
                model[set].extend(added);
                assert_eq!(sets.unite(&mut ours[set], &from), model[set].len() > before);
            }
        }
    }
    let mut table = sets.table(4);
    for (index, (set, expected)) in ours.iter().zip(&model).enumerate() {
        sets.put(&mut table, index, set);
        let view = sets.get(&table, index);
        assert!(view.iter().map(Value::as_u32).eq(expected.iter().copied()));
        let (mut rest, mut folded) = (view.iter(), Vec::new());
        folded.extend(rest.next());
        rest.for_each(|value| folded.push(value));
        assert!(folded.into_iter().map(Value::as_u32).eq(expected.iter().copied()));
        assert_eq!(view.len(), expected.len());
        assert_eq!(view.is_empty(), expected.is_empty());
        for value in 0..values {
            assert_eq!(view.contains(Value::from_u32(value)), expected.contains(&value));
        }
        for (other, same) in ours.iter().zip(&model) {
            assert_eq!(set == other, expected == same);
        }
    }
}

proptest! {
    #[test]
    fn both_forms_agree_with_the_standard_library(
        (values, steps) in (1..1500u32).prop_flat_map(|values| (Just(values), steps(values)))
    ) {
        agrees::<Dense>(values, &steps);
        agrees::<Shared>(values, &steps);
    }
}

#[test]
fn no_values() {
    agrees::<Dense>(0, &[]);
    agrees::<Shared>(0, &[]);
}

#[test]
fn the_last_value_of_a_large_range() {
    let mut sets = Shared::new(1 << 20);
    let mut set = sets.empty();
    sets.set(&mut set, Value::from_u32((1 << 20) - 1), true);
    sets.settle(&mut set);
    let view = sets.view(&set);
    assert_eq!(view.iter().map(Value::as_u32).collect::<Vec<_>>(), [(1 << 20) - 1]);
    assert_eq!(view.len(), 1);
}

/// Sets that differ by one value share the rest.
#[test]
fn growing_sets_cost_their_differences() {
    let count = 100_000;
    let mut sets = Shared::new(count);
    let mut set = sets.empty();
    let mut table = sets.table(count);
    for index in 0..count {
        sets.set(&mut set, Value::from_u32(index as u32), true);
        sets.settle(&mut set);
        sets.put(&mut table, index, &set);
    }
    assert_eq!(sets.get(&table, count / 2).len(), count / 2 + 1);
    assert!(sets.stored() < 5 * count);
}
