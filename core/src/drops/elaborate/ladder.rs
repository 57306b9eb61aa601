//! What stands in the place of one drop.

use super::{Elaboration, Part, Step, ask, inst};
use crate::drops::DropClass;
use crate::drops::effects::Effect;
use crate::ir::{Block, Op, Place, Target, Terminator, TerminatorKind};

impl Elaboration<'_> {
    /// Part by part: destroyed, or destroyed where its flag says so.
    pub(super) fn ladder(&mut self, step: Step) {
        for part in step.parts {
            match part {
                Part::Destroy(place) => self.insts.push(inst(None, Op::Destroy(place))),
                Part::Ask(place, path) => {
                    let [destroy, next] =
                        ["drop", "next"].map(|what| self.new_block(self.current, what));
                    self.finish(ask(self.flags.of(path), destroy, next));
                    self.current = destroy;
                    self.insts.push(inst(None, Op::Destroy(place)));
                    self.finish(TerminatorKind::Jump(Target::new(next)));
                    self.current = next;
                }
            }
        }
    }

    /// A `try_drop` that is dead jumps on, and one that may have nothing to do is skipped then.
    pub(super) fn try_drop(&mut self, step: Step, term: Terminator) {
        let TerminatorKind::TryDrop { place, normal, unwind } = term.kind.clone() else { return };
        let is_sure = step.parts.iter().any(|part| matches!(part, Part::Destroy(_)));
        match step.class {
            DropClass::Dead => self.jump(&normal),
            DropClass::Unclassified => self.finish(term),
            _ if is_sure => {
                self.write_flags(&place, Effect::Uninit);
                self.finish(term);
            }
            _ => self.guarded(&step.parts, place, &normal, unwind),
        }
    }

    fn guarded(&mut self, parts: &[Part], place: Place, normal: &Target, unwind: Target) {
        let [drop, done] = ["drop", "done"].map(|what| self.new_block(self.current, what));
        for (index, part) in parts.iter().enumerate() {
            let Part::Ask(_, path) = part else { continue };
            let next =
                if index + 1 == parts.len() { done } else { self.new_block(self.current, "next") };
            self.finish(ask(self.flags.of(*path), drop, next));
            self.current = next;
        }
        self.current = drop;
        self.write_flags(&place, Effect::Uninit);
        self.finish(TerminatorKind::TryDrop { place, normal: Target::new(done), unwind });
        self.current = done;
        self.jump(normal);
    }

    /// Goes on where nothing else happens on the way; what the edge moves is moved.
    fn jump(&mut self, to: &Target) {
        let args = to.args.iter().filter_map(|arg| arg.local());
        let moved: Vec<Place> = args.map(Place::from).collect();
        moved.iter().for_each(|place| self.write_flags(place, Effect::Uninit));
        self.finish(TerminatorKind::Jump(to.clone()));
        self.done.insert(self.current);
    }

    /// The blocks whose edges have been seen to.
    pub(super) fn is_done(&self, block: Block) -> bool {
        self.done.contains(&block)
    }
}
