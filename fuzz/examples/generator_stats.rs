//! Prints what the generator makes of the first seeds: sizes, kinds of graphs, features, by shape,
//! and how long it takes. Arguments: how many seeds, and the most blocks of a function.

use backedge::generate::{Config, from_seed, stats::Stats};
use std::time::Instant;

fn main() {
    let mut numbers = std::env::args().skip(1).filter_map(|arg| arg.parse::<u32>().ok());
    let seeds = u64::from(numbers.next().unwrap_or(20_000));
    let mut config = Config::default();
    config.max_blocks = numbers.next().map_or(config.max_blocks, |blocks| blocks as usize);
    let start = Instant::now();
    let functions = |seed| from_seed(seed, &config).case.program.functions.len();
    let count: usize = (0..seeds).map(functions).sum();
    println!("{:?} a function\n", start.elapsed() / count.max(1) as u32);
    print!("{}", Stats::measure(0..seeds, &config));
}
