//! The passes, coarse to fine: each is one way to make a program simpler.
//!
//! A pass is one function that walks over a program and asks a [`Pick`] at each site whether to
//! simplify it. Asked with an empty pick, the same walk counts the sites. A site that was simplified is
//! none any more.

mod blocks;
mod constants;
mod edges;
mod escapes;
mod functions;
mod heads;
mod insts;
mod locals;
mod merge;
mod operands;
mod ops;
mod params;
mod reads;
mod tapes;
mod types;

#[cfg(test)]
mod tests;

use backedge_core::ir::Program;
use std::ops::Range;

/// What is tried when no pass of [`ROUND`] finds anything more.
pub(super) const ESCAPES: &[Pass] = &[Pass::single("pairs of steps", escapes::in_pairs)];

/// Every pass of a round, in order.
pub(super) const ROUND: &[Pass] = &[
    Pass::ranges("drop ssa", heads::drop_ssa),
    Pass::ranges("drop directives", heads::drop_directives),
    Pass::ranges("drop calls", tapes::drop_calls),
    Pass::ranges("drop answers", tapes::drop_answers),
    Pass::ranges("remove functions", functions::remove),
    Pass::ranges("bypass blocks", blocks::bypass),
    Pass::ranges("cut blocks", blocks::cut),
    Pass::ranges("remove instructions", insts::remove),
    Pass::ranges("merge blocks", merge::merge),
    Pass::ranges("jump to the first target", edges::jump_to_first),
    Pass::ranges("jump to the last target", edges::jump_to_last),
    Pass::ranges("remove cases", edges::remove_cases),
    Pass::ranges("return", edges::halt),
    Pass::ranges("remove parameters", params::remove),
    Pass::ranges("remove results", params::remove_results),
    Pass::ranges("forget types", types::forget),
    Pass::ranges("operands to constants", operands::to_constants),
    Pass::ranges("trim opaque instructions", operands::trim_opaque),
    Pass::ranges("operations to constants", ops::to_constants),
    Pass::ranges("operations to copies", ops::to_copies),
    Pass::ranges("operations to additions", ops::to_additions),
    Pass::ranges("drop destinations", ops::drop_destinations),
    Pass::single("terminators to copies", reads::to_copies),
    Pass::single("instructions to returns", reads::to_returns),
    Pass::single("absorb blocks", merge::absorb),
    Pass::single("redirect blocks", blocks::redirect),
    Pass::single("redirect edges", edges::redirect),
    Pass::single("swap terminators", edges::swap_terminators),
    Pass::single("merge locals", locals::merge),
    Pass::single("replace operands", locals::replace),
    Pass::ranges("plain terminators", edges::plain),
    Pass::ranges("swap arms", edges::swap_arms),
    Pass::ranges("sort blocks", blocks::sort),
    Pass::ranges("answers to zero", tapes::to_zero),
    Pass::single("halve answers", tapes::halve),
    Pass::ranges("constants to zero", constants::to_zero),
    Pass::single("halve constants", constants::halve),
    Pass::ranges("number cases", constants::number_cases),
    Pass::ranges("shrink memory", heads::shrink_memory),
];

/// One way to simplify.
pub(super) struct Pass {
    /// What it does, for people.
    pub(super) name: &'static str,
    /// Which sets of sites are tried.
    pub(super) granularity: Granularity,
    /// Simplifies the picked sites.
    pub(super) edit: fn(&mut Program, &mut Pick),
}

/// Which sets of sites a pass is tried on.
#[derive(Copy, Clone, PartialEq, Eq)]
pub(super) enum Granularity {
    /// Ranges, halved again and again.
    Ranges,
    /// Single sites, since they exclude each other.
    Single,
}

impl Pass {
    const fn ranges(name: &'static str, edit: fn(&mut Program, &mut Pick)) -> Pass {
        Pass { name, granularity: Granularity::Ranges, edit }
    }

    const fn single(name: &'static str, edit: fn(&mut Program, &mut Pick)) -> Pass {
        Pass { name, granularity: Granularity::Single, edit }
    }

    /// How many sites `program` has.
    pub(super) fn sites(&self, program: &Program) -> usize {
        let mut pick = Pick::of(0..0);
        (self.edit)(&mut program.clone(), &mut pick);
        pick.seen
    }
}

/// Numbers the sites of a walk, and says which to simplify.
pub(super) struct Pick {
    seen: usize,
    chosen: Range<usize>,
}

impl Pick {
    /// Picks these sites.
    pub(super) fn of(chosen: Range<usize>) -> Pick {
        Pick { seen: 0, chosen }
    }

    /// Whether to simplify the next site.
    pub(super) fn site(&mut self) -> bool {
        self.seen += 1;
        self.chosen.contains(&(self.seen - 1))
    }
}
