use super::history::{self, POINTS, SETS, Sets, Step, UNION_CHANGED};
use super::points::Place;
use super::*;
use crate::cfg::{Cfg, Code};
use crate::dataflow::testing::any_toy;
use cranelift_entity::EntityRef;
use proptest::prelude::*;

fn point(number: u32) -> Point {
    Point::from_u32(number)
}

fn set(ranges: &[(u32, u32)]) -> IntervalSet {
    let mut set = IntervalSet::new();
    for &(first, last) in ranges {
        set.insert_range(point(first)..=point(last));
    }
    set
}

fn list(set: &IntervalSet) -> Vec<(u32, u32)> {
    set.intervals().iter().map(|i| (i.first.as_u32(), i.last.as_u32())).collect()
}

/// Rows of a matrix; `lies` as `rustc_index` does about unions.
struct Ours {
    rows: SparseIntervalMatrix<Point>,
    lies: bool,
}

impl Ours {
    fn new(lies: bool) -> Ours {
        let mut rows = SparseIntervalMatrix::new();
        rows.make_row(point(SETS as u32 - 1));
        Ours { rows, lies }
    }

    fn row(&self, set: usize) -> &IntervalSet {
        self.rows.row(point(set as u32)).expect("all rows are made")
    }
}

impl Sets for Ours {
    fn insert_range(&mut self, set: usize, first: u32, last: u32) -> bool {
        self.rows.insert_range(point(set as u32), point(first)..=point(last))
    }

    fn append(&mut self, set: usize, at: u32) {
        self.rows.append_range(point(set as u32), point(at)..=point(at));
    }

    fn union(&mut self, into: usize, from: usize) -> bool {
        let lied = self.lies && self.row(from).intervals().len() > self.row(into).intervals().len();
        let other_is_all = self.row(from).is_superset(self.row(into));
        let changed = self.rows.union_rows(point(from as u32), point(into as u32));
        if lied { !other_is_all } else { changed }
    }

    fn clear(&mut self, set: usize) {
        self.rows.take_row(point(set as u32));
    }

    fn points(&self, set: usize) -> Vec<u32> {
        let points: Vec<u32> = self.row(set).iter().map(Point::as_u32).collect();
        assert_eq!(self.row(set).len(), points.len() as u64);
        points
    }

    fn intervals(&self, set: usize) -> Vec<(u32, u32)> {
        list(self.row(set))
    }

    fn contains(&self, set: usize, at: u32) -> bool {
        self.row(set).contains(point(at))
    }

    fn first(&self, set: usize) -> Option<Option<u32>> {
        Some(self.row(set).first().map(Point::as_u32))
    }

    fn last(&self, set: usize) -> Option<Option<u32>> {
        Some(self.row(set).last().map(Point::as_u32))
    }

    fn is_superset(&self, set: usize, of: usize) -> Option<bool> {
        Some(self.row(set).is_superset(self.row(of)))
    }

    fn is_disjoint(&self, set: usize, from: usize) -> Option<bool> {
        Some(self.row(set).is_disjoint(self.row(from)))
    }

    fn overlap(&self, set: usize, with: usize) -> Option<Vec<u32>> {
        let parts = self.row(set).overlaps(self.row(with));
        Some(parts.flat_map(|part| part.first.as_u32()..=part.last.as_u32()).collect())
    }
}

#[test]
fn histories_come_out_as_with_plain_sets() {
    for seed in 0..500 {
        let steps = history::history(seed, 40);
        if let Err(wrong) = history::run(&steps, &mut Ours::new(false)) {
            panic!("seed {seed}: {wrong}");
        }
    }
}

#[test]
fn histories_find_a_union_that_lies() {
    let make = || Ours::new(true);
    let mut found = 0;
    for seed in 0..100 {
        let steps = history::history(seed, 40);
        if let Err(wrong) = history::run(&steps, &mut make()) {
            assert_eq!(wrong.asked, UNION_CHANGED);
            let short = history::shortest(steps, UNION_CHANGED, make);
            assert!(short.len() <= 4, "{short:?}");
            found += 1;
        }
    }
    assert!(found > 50, "{found} of 100");
}

#[test]
fn histories_do_everything_and_reach_every_size() {
    let mut kinds = [0; 5];
    let mut most = 0;
    for seed in 0..100 {
        let mut ours = Ours::new(false);
        let steps = history::history(seed, 40);
        history::run(&steps, &mut ours).expect("ours are right");
        for step in steps {
            kinds[match step {
                Step::Insert(..) => 0,
                Step::InsertRange(..) => 1,
                Step::Append(..) => 2,
                Step::Union { .. } => 3,
                Step::Clear(_) => 4,
            }] += 1;
        }
        most = (0..SETS).map(|set| ours.row(set).intervals().len()).fold(most, usize::max);
    }
    assert!(kinds.iter().all(|&count| count > 50), "{kinds:?}");
    assert!(most >= 10, "{most}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    /// The same with histories that shrink.
    #[test]
    fn any_history_comes_out_as_with_plain_sets(steps in proptest::collection::vec(any_step(), 0..60)) {
        if let Err(wrong) = history::run(&steps, &mut Ours::new(false)) {
            prop_assert!(false, "{wrong}");
        }
    }

    /// Each number belongs to one place, and back.
    #[test]
    fn points_and_places_go_together(toy in any_toy()) {
        let cfg = Cfg::build(&toy);
        let points = Points::new(&toy, &cfg);
        let mut next = 0;
        let mut expect = |place: Place, at: &dyn Fn(Half) -> Point| {
            for half in [Half::Before, Half::After] {
                assert_eq!(at(half), point(next));
                assert_eq!(points.place(at(half)), (place, half));
                next += 1;
            }
        };
        expect(Place::Params, &|half| points.params(half));
        for block in cfg.blocks() {
            let count = toy.inst_count(block);
            for inst in 0..count {
                expect(Place::Statement(block, inst), &|half| points.statement(block, inst, half));
            }
            for edge in cfg.succs(block) {
                expect(Place::Edge(edge), &|half| points.edge(edge, half));
            }
            if count > 0 {
                let last = points.statement(block, count - 1, Half::After);
                assert_eq!(points.terminator(block, Half::After), last);
            }
        }
        assert_eq!(points.count(), next as usize);
    }
}

fn any_step() -> impl Strategy<Value = Step> {
    let set = || 0..SETS;
    prop_oneof![
        4 => (set(), 0..POINTS).prop_map(|(set, at)| Step::Insert(set, at)),
        2 => (set(), 0..POINTS, 0..POINTS).prop_map(|(set, a, b)| Step::InsertRange(set, a, b)),
        1 => (set(), 0..POINTS).prop_map(|(set, at)| Step::Append(set, at)),
        2 => (set(), set()).prop_map(|(into, from)| Step::Union { into, from }),
        1 => set().prop_map(Step::Clear),
    ]
}

#[test]
fn neighbors_grow_together() {
    let mut set = set(&[(2, 3), (6, 6)]);
    assert!(set.insert(point(4)));
    assert_eq!(list(&set), [(2, 4), (6, 6)]);
    assert!(set.insert(point(5)));
    assert_eq!(list(&set), [(2, 6)]);
    assert!(!set.insert_range(point(2)..=point(6)));
    assert!(set.insert_range(point(0)..=point(9)));
    assert_eq!(list(&set), [(0, 9)]);
}

#[test]
fn an_empty_range_changes_nothing() {
    let mut set = set(&[(2, 3)]);
    assert!(!set.insert_range(point(9)..=point(8)));
    assert_eq!(list(&set), [(2, 3)]);
}

#[test]
fn the_highest_point_is_no_special_case() {
    let top = u32::MAX - 1;
    let mut set = set(&[(top, top)]);
    assert!(!set.insert(point(top)));
    assert!(set.insert(point(top - 1)));
    assert_eq!(list(&set), [(top - 1, top)]);
    assert_eq!(set.len(), 2);
}

#[test]
fn a_union_with_few_or_with_many_gives_the_same() {
    let many: Vec<(u32, u32)> = (0..100).map(|at| (4 * at, 4 * at + 1)).collect();
    let few = set(&[(2, 3), (50, 60), (500, 501)]);
    let many = set(&many);
    let (mut a, mut b) = (many.clone(), few.clone());
    assert!(a.union_with(&few));
    assert!(b.union_with(&many));
    assert_eq!(a, b);
    assert!(!a.union_with(&few));
    assert!(!b.union_with(&many));
}

#[test]
#[should_panic(expected = "behind what is there")]
fn what_is_appended_out_of_order_is_a_mistake() {
    set(&[(5, 6)]).append(point(4));
}

#[test]
fn a_matrix_makes_rows_when_they_are_needed() {
    let mut matrix = SparseIntervalMatrix::<Point>::new();
    let [low, high] = [Point::new(1), Point::new(5)];
    assert_eq!(matrix.row(low), None);
    assert!(!matrix.union_rows(high, low));
    assert_eq!(matrix.row_count(), 0);
    assert!(matrix.insert(low, point(3)));
    assert!(matrix.union_rows(low, high));
    assert!(!matrix.union_rows(low, high));
    assert!(!matrix.union_rows(high, high));
    assert_eq!(matrix.row_count(), 6);
    assert!(matrix.contains(high, point(3)));
    assert!(!matrix.contains(Point::new(4), point(3)));
    assert_eq!(list(&matrix.take_row(high)), [(3, 3)]);
    assert!(matrix.row(high).is_some_and(IntervalSet::is_empty));
}
