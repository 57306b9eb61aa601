//! The families of graphs, by the names that the command line uses.

use std::fmt;
use std::str::FromStr;

/// A family of graphs.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Shape {
    /// if, switch, while, for, break and continue.
    Structured,
    /// Random edges over a spine.
    Goto,
    /// Random, then made reducible.
    Reducible,
    /// Forced to be irreducible.
    Irreducible,
    /// Two rails with rungs between them.
    Ladder,
    /// Deep loops.
    Nest,
    /// Big switches.
    Wide,
    /// Many edges.
    Dense,
    /// One long path.
    Chain,
    /// A grid.
    Mesh,
    /// No exit.
    LoopsOnly,
    /// All graphs of up to 4 blocks, enumerated.
    Tiny,
}

impl Shape {
    /// Every shape, in the order of the manual.
    pub const ALL: [Shape; 12] = {
        use Shape::*;
        [
            Structured,
            Goto,
            Reducible,
            Irreducible,
            Ladder,
            Nest,
            Wide,
            Dense,
            Chain,
            Mesh,
            LoopsOnly,
            Tiny,
        ]
    };

    /// What the command line and the reports call it.
    pub fn name(self) -> &'static str {
        match self {
            Shape::Structured => "structured",
            Shape::Goto => "goto",
            Shape::Reducible => "reducible",
            Shape::Irreducible => "irreducible",
            Shape::Ladder => "ladder",
            Shape::Nest => "nest",
            Shape::Wide => "wide",
            Shape::Dense => "dense",
            Shape::Chain => "chain",
            Shape::Mesh => "mesh",
            Shape::LoopsOnly => "loops-only",
            Shape::Tiny => "tiny",
        }
    }

    /// The fewest blocks that show what the shape is about. Where fewer are allowed, the graph is
    /// as much of the shape as fits.
    pub fn min_blocks(self) -> usize {
        match self {
            Shape::Irreducible | Shape::Wide => 4,
            Shape::Ladder | Shape::Mesh | Shape::Nest => 6,
            Shape::Dense => 3,
            Shape::Chain => 2,
            Shape::Structured | Shape::Goto | Shape::Reducible => 1,
            Shape::LoopsOnly | Shape::Tiny => 1,
        }
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A name that no shape has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no shape `{0}`; the shapes are {names}", names = Shape::ALL.map(Shape::name).join(", "))]
pub struct UnknownShape(pub String);

impl FromStr for Shape {
    type Err = UnknownShape;

    fn from_str(name: &str) -> Result<Shape, UnknownShape> {
        let found = Shape::ALL.into_iter().find(|shape| shape.name() == name);
        found.ok_or_else(|| UnknownShape(name.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_read_back() {
        for shape in Shape::ALL {
            assert_eq!(shape.to_string().parse(), Ok(shape));
        }
        assert_eq!(Shape::ALL.len(), 1 + Shape::Tiny as usize);
        let error = "loop".parse::<Shape>().unwrap_err().to_string();
        assert!(error.contains("`loop`") && error.contains("loops-only, tiny"), "{error}");
    }
}
