//! The one walk over a tree of regions, in the order of the text. Its stack is on the heap.

use super::form::{Region, RegionFunction};

/// What is met on a walk.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// A region is entered.
    Enter(Region),
    /// The node at this position of the region; the regions in it follow.
    Node(Region, usize),
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

    /// How many regions are open.
    pub fn depth(&self) -> usize {
        self.path.len()
    }

    fn enter(&mut self, region: Region) -> Step {
        self.path.push(Place { region, node: 0, arms: None });
        Step::Enter(region)
    }
}

impl Iterator for Walk<'_> {
    type Item = Step;

    fn next(&mut self) -> Option<Step> {
        let Some(place) = self.path.last_mut() else {
            let root = *self.function.roots.get(self.next_root)?;
            self.next_root += 1;
            return Some(self.enter(root));
        };
        let region = place.region;
        let Some(node) = self.function.regions[region].nodes.get(place.node) else {
            self.path.pop();
            return Some(Step::End(region));
        };
        let Some(arm) = place.arms else {
            place.arms = Some(0);
            return Some(Step::Node(region, place.node));
        };
        if let Some(&arm) = node.arms().get(arm) {
            place.arms = place.arms.map(|arms| arms + 1);
            return Some(self.enter(arm));
        }
        let left = place.node;
        (place.node, place.arms) = (left + 1, None);
        Some(Step::Leave(region, left))
    }
}
