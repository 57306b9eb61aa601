//! Flags that say what to generate.

use crate::generate::{Config, Shape};

/// What to generate.
#[derive(Clone, Debug, clap::Args)]
pub(super) struct Generating {
    /// Draw from these shapes only [default: all].
    #[arg(long = "shape", value_name = "NAME", value_delimiter = ',')]
    shapes: Vec<Shape>,
    /// Most blocks a function may have.
    #[arg(long, value_name = "N", default_value_t = Config::default().max_blocks, value_parser = block_count)]
    max_blocks: usize,
}

impl Generating {
    /// What the generator needs to know. The order in which shapes are named makes no difference.
    pub(super) fn config(&self) -> Config {
        let wanted = |shape: &Shape| self.shapes.is_empty() || self.shapes.contains(shape);
        Config {
            shapes: Shape::ALL.into_iter().filter(wanted).collect(),
            max_blocks: self.max_blocks,
        }
    }
}

/// More blocks than this take the quadratic references too long.
const MOST_BLOCKS: usize = 1_000_000;

fn block_count(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(count) if (1..=MOST_BLOCKS).contains(&count) => Ok(count),
        _ => Err(format!("must be a number from 1 to {MOST_BLOCKS}")),
    }
}
