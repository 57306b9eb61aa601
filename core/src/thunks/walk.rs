//! The one walk over a tree of regions, in the order of the text. Its stack is on the heap.

use super::form::{Region, RegionFunction};

/// What is met on a walk.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// A region that lies in no other.
    Root(Region),
    /// The node at this position of the region; the regions in it follow.
    Node(Region, usize),
    /// The arm with this number of the node at this position of the region.
    Arm(Region, usize, usize),
    /// All regions in this node have been left.
    Leave(Region, usize),
    /// The end of the region.
    End(Region),
}

/// Where the walk is in a region.
struct Place {
    region: Region,
    node: usize,
    /// The arms of the node that were entered; `None` before the node itself.
    arms: Option<usize>,
}

/// A walk over all regions of a function, roots in order.
pub struct Walk<'f> {
    function: &'f RegionFunction,
    next_root: usize,
    path: Vec<Place>,
}

impl<'f> Walk<'f> {
    /// Starts before the first root.
    pub fn new(function: &'f RegionFunction) -> Walk<'f> {
        Walk { function, next_root: 0, path: Vec::new() }
    }

    /// The region that a step is in: the one entered, or the one that holds the node.
    pub fn region(function: &RegionFunction, step: Step) -> Region {
        match step {
            Step::Root(region) | Step::End(region) => region,
            Step::Node(region, _) | Step::Leave(region, _) => region,
            Step::Arm(region, node, arm) => function.regions[region].nodes[node].arms()[arm],
        }
    }
}

impl Iterator for Walk<'_> {
    type Item = Step;

    fn next(&mut self) -> Option<Step> {
        let Some(place) = self.path.last_mut() else {
            let root = *self.function.roots.get(self.next_root)?;
            self.next_root += 1;
            self.path.push(Place { region: root, node: 0, arms: None });
            return Some(Step::Root(root));
        };
        let region = place.region;
        let Some(node) = self.function.regions[region].nodes.get(place.node) else {
            self.path.pop();
            return Some(Step::End(region));
        };
        let at = place.node;
        let Some(index) = place.arms else {
            place.arms = Some(0);
            return Some(Step::Node(region, at));
        };
        if let Some(&arm) = node.arms().get(index) {
            place.arms = Some(index + 1);
            self.path.push(Place { region: arm, node: 0, arms: None });
            return Some(Step::Arm(region, at, index));
        }
        (place.node, place.arms) = (at + 1, None);
        Some(Step::Leave(region, at))
    }
}
