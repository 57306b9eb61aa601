//! Destination propagation of `core` as a subject's.

use crate::subject::{
    DestinationPropagator, DestpropAnswer, Locals, MergeRule, NoAnswer, SavedAnswer,
};
use backedge_core::dataflow::intervals::{Half, Interval};
use backedge_core::destprop::{Method, Propagation, SavedLiveness, propagate};
use backedge_core::ir::{Function, Local};
use std::collections::BTreeSet;

/// One method.
#[derive(Copy, Clone, Debug)]
pub(super) struct Propagator(pub(super) Method);

impl DestinationPropagator for Propagator {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn rule(&self) -> MergeRule {
        match self.0 {
            Method::Recompute => MergeRule::WrittenWhereLiveNow,
            Method::Saved => MergeRule::WrittenWhereLive,
            Method::LiveRanges => MergeRule::RangesMeet,
        }
    }

    fn propagate(&mut self, function: &Function) -> Result<DestpropAnswer, NoAnswer> {
        let propagation = propagate(function, self.0);
        let saved = propagation.liveness.as_ref();
        let saved = saved.map(|liveness| saved_answer(function, &propagation, liveness));
        Ok(DestpropAnswer {
            merges: propagation.merges,
            refused: propagation.refused.iter().map(|(_, why)| why.name()).collect(),
            saved,
            function: propagation.function,
        })
    }
}

/// The rows, point by point.
fn saved_answer(
    function: &Function,
    propagation: &Propagation,
    liveness: &SavedLiveness,
) -> SavedAnswer {
    let mut at_points = vec![Locals::new(); liveness.points().count()];
    let mut rows: Vec<_> = liveness.rows().collect();
    rows.sort_by_key(|(owner, _)| *owner);
    let mut tracked: BTreeSet<Local> = propagation.merges.iter().map(|(from, _)| *from).collect();
    for (owner, set) in rows {
        tracked.insert(owner);
        for &Interval { first, last } in set.intervals() {
            for point in &mut at_points[first.as_u32() as usize..=last.as_u32() as usize] {
                point.push(owner);
            }
        }
    }
    let all = |half: Half| {
        let of_block = |(block, data): (_, &backedge_core::ir::BlockData)| {
            let insts = 0..=data.insts.len();
            let point = |inst| liveness.points().statement(block, inst, half).as_u32() as usize;
            insts.map(|inst| at_points[point(inst)].clone()).collect()
        };
        function.blocks.iter().map(of_block).collect()
    };
    SavedAnswer {
        tracked: tracked.into_iter().collect(),
        before: all(Half::Before),
        after: all(Half::After),
    }
}
