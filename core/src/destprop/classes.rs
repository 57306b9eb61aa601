//! Which locals were merged into one.

use super::relevant::Relevant;
use crate::entity::Value;
use crate::ir::{Function, Local};
use cranelift_entity::EntityRef;

/// Disjoint sets of locals. The root of a class, which its data is kept under, is what is cheapest; its
/// representative is what its members are renamed to.
#[derive(Clone, Debug)]
pub(super) struct Classes {
    parents: Vec<Value>,
    /// By root.
    representatives: Vec<Local>,
    /// By root: whether the representative is a parameter of the function.
    is_param: Vec<bool>,
    /// By root: how many locals the class has.
    sizes: Vec<u32>,
}

impl Classes {
    /// Each local a class of its own.
    pub(super) fn new(function: &Function, relevant: &Relevant) -> Classes {
        let count = relevant.locals().len();
        let mut is_param = vec![false; count];
        for &param in &function.params {
            if let Some(value) = relevant.value(param) {
                is_param[value.index()] = true;
            }
        }
        Classes {
            parents: (0..count).map(Value::new).collect(),
            representatives: relevant.locals().to_vec(),
            is_param,
            sizes: vec![1; count],
        }
    }

    /// The root of the class. The way there is at most the logarithm of the number of locals.
    pub(super) fn root(&self, mut value: Value) -> Value {
        loop {
            let parent = self.parents[value.index()];
            if parent == value {
                return value;
            }
            value = parent;
        }
    }

    /// What members of the class are renamed to.
    pub(super) fn representative(&self, value: Value) -> Local {
        self.representatives[self.root(value).index()]
    }

    /// Whether the class of this root has a parameter of the function.
    pub(super) fn is_param(&self, root: Value) -> bool {
        self.is_param[root.index()]
    }

    /// Makes one class of two, given by their roots; the root of the new one. The representative is the
    /// destination's, unless the source's can't be renamed.
    pub(super) fn merge(&mut self, dest: Value, source: Value) -> Value {
        debug_assert!(!(self.is_param(dest) && self.is_param(source)));
        let named = if self.is_param(source) { source } else { dest };
        let representative = self.representatives[named.index()];
        let is_param = self.is_param(named);
        let [dest_size, source_size] = [dest, source].map(|root| self.sizes[root.index()]);
        let (root, other) = if dest_size >= source_size { (dest, source) } else { (source, dest) };
        self.parents[other.index()] = root;
        self.sizes[root.index()] = dest_size + source_size;
        self.representatives[root.index()] = representative;
        self.is_param[root.index()] = is_param;
        root
    }
}
