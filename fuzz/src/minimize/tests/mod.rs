//! Whole searches, with predicates made for the purpose.

mod faults;

use super::*;
use backedge_core::ir::builder::FunctionBuilder;
use backedge_core::ir::{
    BinaryOp, Block, Local, Op, Operand, Program, Target, TerminatorKind, Type,
};
use cranelift_entity::EntityRef;
use rayon::ThreadPoolBuilder;
use std::sync::atomic::{AtomicU64, Ordering};

/// A linear congruential generator, good enough for shapes of graphs.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % bound as u64) as usize
    }

    fn operand(&mut self, locals: &[Local]) -> Operand {
        match self.below(5) {
            0 => Operand::Const(self.below(1000) as i64 - 500),
            _ => Operand::Local(locals[self.below(locals.len())]),
        }
    }
}

/// A function of `blocks` blocks with `insts` instructions each and random edges.
fn random(seed: u64, blocks: usize, insts: usize) -> Case {
    let mut random = Random(seed);
    let mut b = FunctionBuilder::new("random");
    let locals: Vec<Local> = (0..12)
        .map(|n| match n {
            0..3 => b.param(format!("x{n}"), Type::Int),
            _ => b.local(format!("x{n}"), Type::Int),
        })
        .collect();
    let names: Vec<Block> = (0..blocks).map(|n| b.block(format!("block{n}"))).collect();
    for &block in &names[1..] {
        for n in 0..random.below(3) {
            b.block_param(block, format!("p{}_{n}", block.index()), Type::Int);
        }
    }
    let all: Vec<Local> = b.function().locals.keys().collect();
    for &block in &names {
        for _ in 0..insts {
            let dest = locals[random.below(locals.len())];
            let (x, y) = (random.operand(&all), random.operand(&all));
            let op = BinaryOp::ALL[random.below(19)];
            b.at(block);
            match random.below(6) {
                0 => b.inst(None, Op::Store { addr: x, value: y }),
                1 => b.inst(Some(dest.into()), Op::Load(x)),
                2 => b.inst(Some(dest.into()), Op::Const(random.below(99) as i64)),
                _ => b.inst(Some(dest.into()), Op::Binary(op, x, y)),
            };
        }
        let mut target = |random: &mut Random| {
            let block = names[1 + random.below(blocks - 1)];
            let count = b.function().blocks[block].params.len();
            Target { block, args: (0..count).map(|_| random.operand(&all)).collect() }
        };
        let kind = match random.below(8) {
            0 => TerminatorKind::Return(None),
            1 => TerminatorKind::Jump(target(&mut random)),
            2 => TerminatorKind::Switch {
                value: random.operand(&all),
                default: target(&mut random),
                cases: (0..3).map(|key| (key, target(&mut random))).collect(),
            },
            _ => TerminatorKind::Branch {
                cond: random.operand(&all),
                then_to: target(&mut random),
                else_to: target(&mut random),
            },
        };
        b.at(block).terminate(kind);
    }
    let functions = vec![b.finish()];
    Case { program: Program { memory: Some(64), functions, ..Program::default() } }
}

/// Some block jumps to itself with an argument.
fn has_phi_on_self_loop(case: &Case) -> bool {
    case.program.functions.iter().any(|function| {
        function.blocks.iter().any(|(block, data)| {
            let targets = data.term.kind.targets();
            targets.iter().any(|target| target.block == block && !target.args.is_empty())
        })
    })
}

/// Some block stores a local that it has loaded before.
fn stores_what_it_loaded(case: &Case) -> bool {
    let mut blocks = case.program.functions.iter().flat_map(|function| function.blocks.values());
    blocks.any(|block| {
        let mut loaded = Vec::new();
        block.insts.iter().any(|inst| {
            if let (Op::Load(_), Some(dest)) = (&inst.op, &inst.dest) {
                loaded.push(dest.local);
            }
            matches!(inst.op, Op::Store { value: Operand::Local(local), .. } if loaded.contains(&local))
        })
    })
}

type Predicate = fn(&Case) -> bool;

const PREDICATES: [Predicate; 2] = [has_phi_on_self_loop, stores_what_it_loaded];

/// Cases of about 12 blocks and 120 instructions for which the predicate holds.
fn failing(predicate: Predicate) -> impl Iterator<Item = Case> {
    (0..).map(|seed| random(seed, 12, 10)).filter(predicate).take(5)
}

fn search(case: &Case, predicate: Predicate) -> Minimized {
    minimize(case, &Options::default(), &predicate)
}

#[test]
fn finds_the_smallest_program() {
    for case in failing(has_phi_on_self_loop) {
        let found = search(&case, has_phi_on_self_loop);
        assert!(found.one_minimal && found.limit.is_none());
        assert_eq!(size_of(&found.case), (2, 0));
    }
    for case in failing(stores_what_it_loaded) {
        let found = search(&case, stores_what_it_loaded);
        assert_eq!(size_of(&found.case), (1, 2));
        assert!(found.tries < 100, "{}", found.tries);
    }
}

#[test]
fn equal_bugs_look_equal() {
    for predicate in PREDICATES {
        let mut found = failing(predicate).map(|case| search(&case, predicate).case);
        let first = found.next().expect("a case");
        for other in found {
            assert_eq!(other, first);
            assert_eq!(shape_hash(&other), shape_hash(&first));
        }
    }
}

#[test]
fn a_result_is_its_own_result() {
    for predicate in PREDICATES {
        for case in failing(predicate) {
            let found = search(&case, predicate).case;
            let again = search(&found, predicate);
            assert_eq!((again.case, again.kept), (found, 0));
        }
    }
}

#[test]
fn the_number_of_threads_does_not_show() {
    let pool = |threads| ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
    let pools = [1, 2, 5].map(pool);
    for predicate in PREDICATES {
        for case in failing(predicate) {
            let mut results = pools.iter().map(|pool| {
                let found = pool.install(|| search(&case, predicate));
                (found.case, found.tries, found.kept)
            });
            let first = results.next();
            assert!(results.all(|result| Some(result) == first));
        }
    }
}

#[test]
fn limits_keep_the_best_so_far() {
    let case = failing(has_phi_on_self_loop).next().expect("a case");
    let cancel = Arc::new(AtomicBool::new(true));
    let cases = [
        (Limit::Tries, Options { tries: Some(3), ..Options::default() }),
        (Limit::Time, Options { time: Some(Duration::ZERO), ..Options::default() }),
        (Limit::Cancelled, Options { cancel: Some(cancel), ..Options::default() }),
    ];
    for (limit, options) in cases {
        let found = minimize(&case, &options, &has_phi_on_self_loop);
        assert_eq!((found.limit, found.one_minimal), (Some(limit), false));
        assert!(found.tries <= 3 && has_phi_on_self_loop(&found.case));
    }
}

#[test]
fn progress_goes_down_to_the_result() {
    let case = failing(stores_what_it_loaded).next().expect("a case");
    let last = Arc::new(AtomicU64::new(u64::MAX));
    let seen = last.clone();
    let progress = move |progress: &Progress| {
        let before = seen.swap(progress.instructions as u64, Ordering::Relaxed);
        assert!(progress.instructions as u64 <= before);
    };
    let options = Options { progress: Some(Arc::new(progress)), ..Options::default() };
    let found = minimize(&case, &options, &stores_what_it_loaded);
    assert_eq!(last.load(Ordering::Relaxed), size_of(&found.case).1 as u64);
}

#[test]
fn what_does_not_fail_stays_as_it_is() {
    let case = random(1, 5, 3);
    let found = minimize(&case, &Options::default(), &|_| false);
    assert_eq!((found.case, found.kept), (case, 0));
}
