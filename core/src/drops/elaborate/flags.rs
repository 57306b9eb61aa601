//! The flags, and which of their writes are needed.

use super::write;
use crate::cfg::Cfg;
use crate::dataflow::Liveness;
use crate::diagnostic::Span;
use crate::drops::Initialized;
use crate::drops::effects::{self, Effect};
use crate::drops::paths::{Path, Paths};
use crate::ir::{Block, Function, Inst, Local, LocalData, Name, Op, Place, Type};
use rustc_hash::FxHashSet;
use smallvec::SmallVec;
use std::collections::BTreeMap;

/// Flags by move path.
pub(super) struct Flags {
    paths: Paths,
    of: BTreeMap<Path, Local>,
}

impl Flags {
    /// A flag for each of these paths, as locals of the function.
    pub(super) fn new(
        function: &mut Function,
        paths: &Paths,
        asked: impl Iterator<Item = Path>,
    ) -> Flags {
        let mut names: FxHashSet<Name> =
            function.locals.values().map(|data| data.name.clone()).collect();
        let mut of = BTreeMap::new();
        for path in asked {
            of.entry(path).or_insert_with(|| {
                let name = unused(&mut names, function, paths.place(path));
                function.locals.push(LocalData { name, ty: Type::Int, span: Span::NONE })
            });
        }
        function.ssa &= of.is_empty();
        Flags { paths: paths.clone(), of }
    }

    /// The flag of a path that was asked for.
    pub(super) fn of(&self, path: Path) -> Local {
        self.of[&path]
    }

    /// Every flag, with the local that it tells of.
    pub(super) fn all(&self) -> impl Iterator<Item = (Local, Local)> {
        self.of.iter().map(|(&path, &flag)| (flag, self.paths.place(path).local))
    }

    /// What an effect on a place writes.
    pub(super) fn writes(&self, place: &Place, effect: Effect) -> Vec<Inst> {
        if self.of.is_empty() {
            return Vec::new();
        }
        let within = self.of.range(self.paths.within(place));
        within.map(|(_, &flag)| write(flag, effect != Effect::Uninit)).collect()
    }

    /// Which flags an instruction need not write, by block and position: those that hold what it would
    /// write anyway, as the states before it say.
    pub(super) fn idle(
        &self,
        function: &Function,
        initialized: &Initialized<'_>,
    ) -> FxHashSet<(Block, usize, Local)> {
        let mut idle = FxHashSet::default();
        if self.of.is_empty() {
            return idle;
        }
        initialized.walk(function.blocks.keys(), |block, index, state| {
            let Some(inst) = function.blocks[block].insts.get(index) else { return };
            // Of a place that it touches more than once, the first counts.
            let mut touched: SmallVec<[Path; 4]> = SmallVec::new();
            effects::of_inst(function, inst, &mut |place, effect| {
                for (&path, &flag) in self.of.range(self.paths.within(place)) {
                    let stays = match effect {
                        Effect::Uninit => !state.maybe_initialized(path),
                        _ => !state.maybe_uninitialized(path),
                    };
                    if touched.contains(&path) {
                        idle.remove(&(block, index, flag));
                    } else if stays && state.is_reached() {
                        idle.insert((block, index, flag));
                    }
                    touched.push(path);
                }
            });
        });
        idle
    }

    /// Takes away writes that nobody reads.
    pub(super) fn tidy(&self, function: &mut Function) {
        if !self.of.is_empty() {
            let unread = unread(function, &self.of.values().copied().collect());
            remove(function, &unread);
        }
    }
}

fn unused(names: &mut FxHashSet<Name>, function: &Function, place: &Place) -> Name {
    let mut base = format!("{}_flag", function.locals[place.local].name);
    place.path.iter().for_each(|part| base += &format!("_{part}"));
    let mut name = Name::from(base.clone());
    let mut number = 1;
    while !names.insert(name.clone()) {
        name = Name::from(format!("{base}_{number}"));
        number += 1;
    }
    name
}

/// The flag that an instruction writes, and what.
fn written(inst: &Inst, flags: &FxHashSet<Local>) -> Option<(Local, i64)> {
    match (&inst.dest, &inst.op) {
        (Some(dest), Op::Const(value)) if flags.contains(&dest.local) => Some((dest.local, *value)),
        _ => None,
    }
}

/// Writes that are overwritten, or forgotten, before anybody reads them.
fn unread(function: &Function, flags: &FxHashSet<Local>) -> FxHashSet<(Block, usize)> {
    let cfg = Cfg::build(function);
    let live = Liveness::solve(function, &cfg);
    let mut unread = FxHashSet::default();
    for (block, data) in &function.blocks {
        let at_end = live.at_end(block);
        let at_end = at_end.iter().map(Local::from);
        let mut live: FxHashSet<Local> = at_end.filter(|local| flags.contains(local)).collect();
        data.term.kind.for_each_use(|local| _ = flags.contains(&local) && live.insert(local));
        for (index, inst) in data.insts.iter().enumerate().rev() {
            if let Some((flag, _)) = written(inst, flags)
                && !live.remove(&flag)
            {
                unread.insert((block, index));
            }
        }
    }
    unread
}

fn remove(function: &mut Function, which: &FxHashSet<(Block, usize)>) {
    for (block, data) in &mut function.blocks {
        let mut index = 0..;
        data.insts.retain(|_| index.next().is_none_or(|index| !which.contains(&(block, index))));
    }
}
