//! Whether the regions are a tree: every one lies in exactly one node, or is a root. Everything else
//! walks the tree and relies on this.

use super::report;
use crate::diagnostic::{Sink, Span};
use crate::ir::text::names::shorten;
use crate::thunks::form::{Bind, Goal, Node, Region, RegionFunction};
use crate::thunks::walk::{Step, Walk};
use cranelift_entity::EntityRef;
use rustc_hash::FxHashMap;

/// Tells whether the regions can be walked.
pub(super) fn check(function: &RegionFunction, sink: &mut Sink) -> bool {
    if function.roots.is_empty() {
        report(sink, "no-entry", function.span, || {
            format!("`@{}` has no region to enter", shorten(&function.name))
        });
        return false;
    }
    let mut owners = Owners { owned: vec![false; function.regions.len()], sound: true };
    for &root in &function.roots {
        owners.claim(root, function.span, sink);
    }
    for data in function.regions.values() {
        for node in &data.nodes {
            node.arms().iter().for_each(|&arm| owners.claim(arm, node.span(), sink));
            if let Node::Bind(Bind { to: Goal::Region(to), span, .. }) = node
                && !function.regions.is_valid(*to)
            {
                owners.dangling(*to, *span, sink);
            }
        }
    }
    owners.sound && nothing_stray(function, sink) && names_are_unique(function, sink)
}

struct Owners {
    owned: Vec<bool>,
    sound: bool,
}

impl Owners {
    fn claim(&mut self, region: Region, span: Span, sink: &mut Sink) {
        let Some(owned) = self.owned.get_mut(region.index()) else {
            return self.dangling(region, span, sink);
        };
        if std::mem::replace(owned, true) {
            self.sound = false;
            report(sink, "shared-region", span, || {
                format!("region number {} lies in two places", region.as_u32())
            });
        }
    }

    fn dangling(&mut self, region: Region, span: Span, sink: &mut Sink) {
        self.sound = false;
        report(sink, "dangling-region", span, || {
            format!("there is no region number {}", region.as_u32())
        });
    }
}

/// Regions that lie in no root, or in themselves, are never met.
fn nothing_stray(function: &RegionFunction, sink: &mut Sink) -> bool {
    let entered = |step: &Step| matches!(step, Step::Root(_) | Step::Arm(..));
    let met = Walk::new(function).filter(entered).count();
    let stray = met < function.regions.len();
    if stray {
        report(sink, "stray-region", function.span, || {
            format!("{} regions lie in no other and are no roots", function.regions.len() - met)
        });
    }
    !stray
}

fn names_are_unique(function: &RegionFunction, sink: &mut Sink) -> bool {
    let mut names = FxHashMap::default();
    let mut unique = true;
    for data in function.regions.values() {
        let Some(name) = &data.name else { continue };
        if names.insert(name, data.span).is_some() {
            unique = false;
            report(sink, "duplicate-region", data.span, || {
                format!("there are two regions called `{}`", shorten(name))
            });
        }
    }
    unique
}
