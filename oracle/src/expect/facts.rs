//! Looks up in a subject's answers what an expectation is about.

use super::read::{Edge, What};
use crate::check::ask;
use crate::check::drops::resource_names;
use crate::subject::{
    CfgAnswer, ConstantsAnswer, DropsAnswer, Known, LivenessAnswer, Locals, Maybe, NoAnswer,
    Subject, Unwinding,
};
use backedge_core::ir::{Block, Function, Type};
use cranelift_entity::EntityRef;
use std::collections::BTreeSet;

/// The answers of one subject on one function.
pub(super) struct Facts<'f> {
    function: &'f Function,
    liveness: Result<LivenessAnswer, NoAnswer>,
    cfg: Result<CfgAnswer, NoAnswer>,
    constants: Result<ConstantsAnswer, NoAnswer>,
    drops: Result<DropsAnswer, NoAnswer>,
}

impl<'f> Facts<'f> {
    pub(super) fn ask(function: &'f Function, subject: &mut dyn Subject) -> Facts<'f> {
        Facts {
            function,
            liveness: ask(subject, |subject| Some(subject.liveness()?.liveness(function))),
            drops: ask(subject, |subject| {
                Some(subject.drops()?.drops(function, Unwinding::WhereInitialized))
            }),
            constants: ask(subject, |subject| Some(subject.constants()?.constants(function))),
            cfg: ask(subject, |subject| Some(subject.cfg()?.cfg(function))),
        }
    }

    /// The names that the subject answers, sorted.
    ///
    /// # Errors
    /// When it does not answer this.
    pub(super) fn of(&self, what: &What) -> Result<Vec<String>, NoAnswer> {
        let mut names = match what {
            What::LiveIn(_)
            | What::LiveOut(_)
            | What::EdgeLive(_)
            | What::Before(..)
            | What::After(..) => {
                let live = live(self.liveness.as_ref().map_err(Clone::clone)?, what);
                live.map(|live| self.locals(live))
            }
            What::ConstIn(_) | What::Folds(_) | What::Taken(_) => {
                self.constant(self.constants.as_ref().map_err(Clone::clone)?, what)
            }
            What::Drop(..) | What::MaybeInit(_) | What::MaybeUninit(_) => {
                self.drop(self.drops.as_ref().map_err(Clone::clone)?, what)
            }
            _ => {
                let cfg = self.cfg.as_ref().map_err(Clone::clone)?;
                self.shape(cfg, what)
            }
        }
        .ok_or_else(|| NoAnswer::Skip("the answer does not say".into()))?;
        names.sort_unstable();
        Ok(names)
    }

    fn shape(&self, cfg: &CfgAnswer, what: &What) -> Option<Vec<String>> {
        let edges = || cfg.edges.iter();
        let blocks = |blocks: Vec<Block>| blocks.into_iter().map(|b| self.block(b)).collect();
        Some(match *what {
            What::Succs(from) => blocks(edges().filter(|e| e.0 == from).map(|e| e.1).collect()),
            What::Preds(to) => blocks(edges().filter(|e| e.1 == to).map(|e| e.0).collect()),
            What::Reachable => blocks(cfg.reachable.as_ref()?.iter().copied().collect()),
            What::Unreachable => {
                let reachable = cfg.reachable.as_ref()?;
                blocks(self.function.blocks.keys().filter(|b| !reachable.contains(b)).collect())
            }
            What::Idom(block) => {
                let idom = cfg.idom.as_ref()?.iter();
                blocks(idom.filter(|pair| pair.0 == block).map(|pair| pair.1).collect())
            }
            What::Loop(header) => {
                let mut loops = cfg.loops.as_ref()?.iter().filter(|one| one.header == header);
                blocks(loops.next().into_iter().flat_map(|one| &one.blocks).copied().collect())
            }
            What::Loops => blocks(cfg.loops.as_ref()?.iter().map(|one| one.header).collect()),
            What::Reducible => yes_or_no(cfg.reducible?),
            What::NeverReturns => yes_or_no(never_returns(cfg)?),
            What::Critical => self.critical(cfg),
            What::LiveIn(_)
            | What::LiveOut(_)
            | What::EdgeLive(_)
            | What::Before(..)
            | What::After(..)
            | What::ConstIn(_)
            | What::Folds(_)
            | What::Taken(_)
            | What::Drop(..)
            | What::MaybeInit(_)
            | What::MaybeUninit(_) => return None,
        })
    }

    fn constant(&self, answer: &ConstantsAnswer, what: &What) -> Option<Vec<String>> {
        Some(match *what {
            What::ConstIn(block) => match answer.entry.get(block.index())? {
                None => vec!["never".to_owned()],
                Some(known) => self.known(known),
            },
            What::Folds(block) => {
                let folds = answer.foldable.as_ref()?.iter().filter(|fold| fold.0 == block);
                folds.map(|(_, inst, value)| format!("{inst} = {value}")).collect()
            }
            What::Taken(block) => {
                let term = &self.function.blocks.get(block)?.term.kind;
                let edges = answer.edges.as_ref()?.iter().filter(|edge| edge.0 == block);
                let to = edges.filter_map(|edge| term.target(edge.1 as usize));
                to.map(|target| self.block(target.block)).collect()
            }
            _ => return None,
        })
    }

    fn drop(&self, answer: &DropsAnswer, what: &What) -> Option<Vec<String>> {
        let state = |block: Block| answer.entry.as_ref()?.get(block.index());
        let holds: (Block, &dyn Fn(&Maybe) -> bool) = match *what {
            What::Drop(block, inst) => {
                let class = answer.classes.get(&(block, inst))?;
                return Some(vec![class.name().to_owned()]);
            }
            What::MaybeInit(block) => (block, &|maybe| maybe.initialized),
            What::MaybeUninit(block) => (block, &|maybe| maybe.uninitialized),
            _ => return None,
        };
        let (block, holds) = holds;
        let names = resource_names(self.function).into_iter();
        let Some(state) = state(block)? else { return Some(Vec::new()) };
        Some(names.zip(state).filter(|(_, maybe)| holds(maybe)).map(|(name, _)| name).collect())
    }

    /// Integers that are assigned on some way.
    fn known(&self, known: &[Known]) -> Vec<String> {
        let locals = self.function.locals.values().zip(known);
        let locals = locals.filter(|(data, _)| data.ty == Type::Int);
        let told = locals.filter_map(|(data, known)| match known {
            Known::Undefined => None,
            Known::Constant(value) => Some(format!("{} = {value}", data.name)),
            Known::Overdefined => Some(format!("{} = overdefined", data.name)),
        });
        told.collect()
    }

    /// An edge is critical if its source has other edges out and its target is come to in another
    /// way: over another edge, or from the caller.
    fn critical(&self, cfg: &CfgAnswer) -> Vec<String> {
        let count =
            |is: &dyn Fn(&(Block, Block)) -> bool| cfg.edges.iter().filter(|e| is(e)).count();
        let ways_in = |to: Block| count(&|e| e.1 == to) + usize::from(to.index() == 0);
        let critical = |e: &&(Block, Block)| count(&|other| other.0 == e.0) > 1 && ways_in(e.1) > 1;
        let name = |e: &(Block, Block)| format!("{} -> {}", self.block(e.0), self.block(e.1));
        cfg.edges.iter().filter(critical).map(name).collect()
    }

    fn block(&self, block: Block) -> String {
        self.function.blocks.get(block).map_or_else(|| format!("{block:?}"), |b| b.name.to_string())
    }

    fn locals(&self, set: &Locals) -> Vec<String> {
        let name = |local: &_| match self.function.locals.get(*local) {
            Some(data) => data.name.to_string(),
            None => format!("{local:?}"),
        };
        set.iter().map(name).collect()
    }
}

fn live<'a>(answer: &'a LivenessAnswer, what: &What) -> Option<&'a Locals> {
    let block = |block: Block| answer.blocks.get(block.index())?.as_ref();
    let point = |points: &'a Option<Vec<Vec<Locals>>>, block: Block, inst: usize| {
        points.as_ref()?.get(block.index())?.get(inst)
    };
    match *what {
        What::LiveIn(at) => Some(&block(at)?.live_in),
        What::LiveOut(at) => block(at)?.live_out.as_ref(),
        What::Before(at, inst) => point(&answer.before, at, inst),
        What::After(at, inst) => point(&answer.after, at, inst),
        What::EdgeLive(Edge { from, slot, to }) => {
            let mut edges = answer.edges.as_ref()?.iter();
            let same_slot = |other: Option<u32>| other.is_none_or(|other| other as usize == slot);
            let edge = edges.find(|e| e.from == from && e.to == to && same_slot(e.slot))?;
            Some(&edge.live)
        }
        _ => None,
    }
}

/// Whether some reachable block reaches none that has no successor.
fn never_returns(cfg: &CfgAnswer) -> Option<bool> {
    let reachable = cfg.reachable.as_ref()?;
    let has_successor: BTreeSet<Block> = cfg.edges.iter().map(|edge| edge.0).collect();
    let mut exits: BTreeSet<Block> = reachable.difference(&has_successor).copied().collect();
    let mut before = usize::MAX;
    while std::mem::replace(&mut before, exits.len()) != exits.len() {
        let reaches = cfg.edges.iter().filter(|edge| exits.contains(&edge.1)).map(|edge| edge.0);
        exits.extend(reaches.collect::<Vec<_>>());
    }
    Some(!reachable.is_subset(&exits))
}

fn yes_or_no(is: bool) -> Vec<String> {
    vec![if is { "yes" } else { "no" }.into()]
}
