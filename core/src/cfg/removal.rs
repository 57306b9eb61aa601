//! What may be removed from code because the entry does not reach it. Nothing is changed here.

use super::{Cfg, Postorder, Values};
use crate::entity::{Block, Edge, Value};

/// What to remove so that every block can be reached.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RemovalPlan {
    /// The blocks that can't be reached, by number.
    pub blocks: Vec<Block>,
    /// The edges out of them, by number. None leads from a block that stays.
    pub edges: Vec<Edge>,
    /// What the phis of blocks that stay lose, by edge.
    pub phi_inputs: Vec<PhiInput>,
}

/// What a phi gets over an edge.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct PhiInput {
    /// The edge; it leads to the phi's block.
    pub edge: Edge,
    /// The value that the phi defines.
    pub phi: Value,
}

impl RemovalPlan {
    /// Plans the removal of all that can't be reached.
    pub fn new<C: Values>(code: &C, cfg: &Cfg<'_>, postorder: &Postorder<'_>) -> RemovalPlan {
        let mut plan = RemovalPlan { blocks: postorder.unreachable().collect(), ..Self::default() };
        for edge in plan.blocks.iter().flat_map(|&block| cfg.succs(block)) {
            plan.edges.push(edge);
            let to = cfg.edge(edge).to;
            if postorder.is_reachable(to) {
                code.phi_defs(to, |phi| plan.phi_inputs.push(PhiInput { edge, phi }));
            }
        }
        plan
    }

    /// Whether everything can be reached.
    pub fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cfg::testing::{graph, numbers};
    use cranelift_entity::EntityRef;

    #[test]
    fn phis_of_blocks_that_stay_lose_an_input() {
        let graph = graph(&[&[1], &[], &[1, 3], &[2]]);
        let cfg = Cfg::build(&graph);
        let plan = RemovalPlan::new(&graph, &cfg, &Postorder::new(&cfg));
        assert_eq!(numbers(plan.blocks.iter().copied()), [2, 3]);
        assert_eq!(plan.edges, [1, 2, 3].map(Edge::new));
        assert_eq!(plan.phi_inputs, [PhiInput { edge: Edge::new(1), phi: Value::new(1) }]);
    }

    #[test]
    fn nothing_to_remove() {
        let graph = graph(&[&[1], &[0]]);
        let cfg = Cfg::build(&graph);
        assert!(RemovalPlan::new(&graph, &cfg, &Postorder::new(&cfg)).is_empty());
    }
}
