//! Our pipeline next to regalloc2's own fuzz pipeline, on one core, as functions a second.
//!
//! Theirs: generate a function, allocate it with ion, check the allocation symbolically. Ours: generate
//! a program with its tapes, allocate it with two allocators, check both symbolically, encode both,
//! run both in the emulator on every tape and compare with the interpreter. Both take turns, so that
//! what else the machine does hits both.

use arbitrary::Unstructured;
use backedge::generate::{Config, from_seed, random_bytes};
use backedge_core::ir::Function;
use backedge_oracle::check::{self, Verdict};
use backedge_oracle::core_subject::Core;
use regalloc2::fuzzing::func::{Func, Options, machine_env};
use regalloc2::{Function as _, RegallocOptions, checker::Checker};
use std::time::{Duration, Instant};

/// What a pipeline did.
#[derive(Default)]
struct Sum {
    functions: u64,
    instructions: u64,
    time: Duration,
}

impl Sum {
    fn add(&mut self, run: impl FnOnce() -> (u64, u64)) {
        let started = Instant::now();
        let (functions, instructions) = run();
        self.time += started.elapsed();
        self.functions += functions;
        self.instructions += instructions;
    }

    fn rate(&self) -> f64 {
        self.functions as f64 / self.time.as_secs_f64()
    }

    fn tell(&self, name: &str) {
        let mean = self.instructions as f64 / self.functions as f64;
        println!("{name:10} {:7.0} functions a second, {mean:5.0} instructions each", self.rate());
    }
}

/// Functions and instructions (terminators included) of the case of a seed, once it passed; none where
/// it is one of those that can't be run.
fn ours(seed: u64, checks: &[Box<dyn check::Check>], config: &Config) -> (u64, u64) {
    let case = from_seed(seed, config).case;
    if case.program.directives("tape").next().is_none() {
        return (0, 0);
    }
    for check in checks {
        let verdict = check.judge(&case, &mut Core::default());
        assert_eq!(verdict, Verdict::Pass, "seed {seed}");
    }
    let functions = &case.program.functions;
    let size = |function: &Function| function.inst_count() + function.blocks.len();
    (functions.len() as u64, functions.iter().map(|f| size(f) as u64).sum())
}

/// Their options for ion.
const OPTIONS: Options = Options {
    reused_inputs: true,
    fixed_regs: true,
    fixed_nonallocatable: true,
    clobbers: true,
    reftypes: true,
    callsite_ish_constraints: true,
    ..Options::DEFAULT
};

fn theirs(seed: u64, bytes: usize) -> (u64, u64) {
    let bytes = random_bytes(seed, bytes);
    let Ok(func) = Func::arbitrary_with_options(&mut Unstructured::new(&bytes), &OPTIONS) else {
        return (0, 0);
    };
    let env = machine_env();
    let output = regalloc2::run(&func, &env, &RegallocOptions::default()).expect("it allocates");
    let mut checker = Checker::new(&func, &env);
    checker.prepare(&output);
    checker.run().expect("it is right");
    (1, func.num_insts() as u64)
}

fn main() {
    let argument = |index| std::env::args().nth(index).and_then(|text| text.parse().ok());
    let seconds = argument(1).unwrap_or(20);
    let bytes = argument(2).unwrap_or(1200) as usize;
    let config = Config::default();
    let checks: Vec<_> = ["regalloc", "execute"].map(|name| check::by_name(name).expect(name)).into();
    let (mut here, mut there) = (Sum::default(), Sum::default());
    let started = Instant::now();
    for seed in 0.. {
        here.add(|| ours(seed, &checks, &config));
        there.add(|| theirs(seed, bytes));
        if started.elapsed() > Duration::from_secs(seconds) {
            break;
        }
    }
    here.tell("backedge");
    there.tell("regalloc2");
    println!("ratio      {:7.2}", here.rate() / there.rate());
}
