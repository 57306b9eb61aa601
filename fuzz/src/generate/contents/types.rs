//! The types that generated programs use, by number, so that locals can be kept by type.

use backedge_core::ir::Type;
use std::sync::{Arc, LazyLock};

/// A type, by its position in [`ALL`].
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct Ty(u8);

impl Ty {
    pub(super) const INT: Ty = Ty(0);
    pub(super) const THUNK: Ty = Ty(1);
    pub(super) const OWN: Ty = Ty(2);
    /// `own{own, own}`
    pub(super) const PAIR: Ty = Ty(3);
    /// `own{own, own{own, own}}`
    pub(super) const TREE: Ty = Ty(4);
    /// Every type whose values must be dropped. A part of one is another.
    pub(super) const OWNED: [Ty; 3] = [Ty::OWN, Ty::PAIR, Ty::TREE];
    /// How many types there are.
    pub(super) const COUNT: usize = 5;

    /// The position in arrays of [`Ty::COUNT`].
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }

    /// The type as the IR has it.
    pub(super) fn ir(self) -> Type {
        ALL[self.index()].clone()
    }

    /// Paths to the places of a value of this type, each with its type; the whole comes first.
    pub(super) fn places(self) -> &'static [(&'static [u32], Ty)] {
        match self {
            Ty::PAIR => &[(&[], Ty::PAIR), (&[0], Ty::OWN), (&[1], Ty::OWN)],
            Ty::TREE => &[
                (&[], Ty::TREE),
                (&[0], Ty::OWN),
                (&[1], Ty::PAIR),
                (&[1, 0], Ty::OWN),
                (&[1, 1], Ty::OWN),
            ],
            Ty::OWN => &[(&[], Ty::OWN)],
            Ty::THUNK => &[(&[], Ty::THUNK)],
            _ => &[(&[], Ty::INT)],
        }
    }
}

static ALL: LazyLock<[Type; Ty::COUNT]> = LazyLock::new(|| {
    let aggregate = |parts: [Type; 2]| Type::Aggregate(Arc::from(parts));
    let pair = aggregate([Type::Own, Type::Own]);
    let tree = aggregate([Type::Own, pair.clone()]);
    [Type::Int, Type::Thunk, Type::Own, pair, tree]
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_have_the_types_they_say() {
        for ty in [Ty::INT, Ty::THUNK, Ty::OWN, Ty::PAIR, Ty::TREE] {
            for &(path, part) in ty.places() {
                assert_eq!(ty.ir().at(path), Some(&part.ir()));
            }
            assert_eq!(Ty::OWNED.contains(&ty), ty.ir().is_owned());
        }
    }
}
