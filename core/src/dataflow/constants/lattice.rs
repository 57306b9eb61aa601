//! What is known of one local.

/// What is known of one local at one point: a lattice of height 2.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Hash)]
pub enum Lattice {
    /// Nothing was assigned on any way here.
    #[default]
    Undefined,
    /// The same on every way on which anything was assigned.
    Constant(i64),
    /// Perhaps different from run to run.
    Overdefined,
}

impl Lattice {
    /// The least that is above both.
    #[must_use]
    pub fn join(self, other: Lattice) -> Lattice {
        match (self, other) {
            (Lattice::Undefined, known) | (known, Lattice::Undefined) => known,
            (Lattice::Constant(a), Lattice::Constant(b)) if a == b => self,
            _ => Lattice::Overdefined,
        }
    }
}
