//! Graphs that are hard on structurizers, at any size: for tests of what grows how.

use crate::ir::builder::FunctionBuilder;
use crate::ir::{Block, Function, Local, Op, Place, Target, Type};

struct Maker {
    b: FunctionBuilder,
    c: Local,
}

impl Maker {
    fn new(name: &str) -> Maker {
        let mut b = FunctionBuilder::new(name);
        let c = b.param("c", Type::Int);
        Maker { b, c }
    }

    fn blocks(&mut self, count: usize) -> Vec<Block> {
        (0..count).map(|index| self.b.block(format!("b{index}"))).collect()
    }

    /// A block that does something that no block but this does, and may branch.
    fn at(&mut self, block: Block, to: &[Block]) {
        let args = [i64::from(block.as_u32())];
        self.b.at(block).call(Place::from(self.c), "g", args);
        match *to {
            [] => drop(self.b.return_nothing()),
            [to] => drop(self.b.jump(to)),
            [a, b] => drop(self.b.branch(self.c, a, b)),
            [default, ref cases @ ..] => {
                let cases = cases.iter().enumerate().map(|(key, &to)| (key as i64, to));
                self.b.switch(self.c, default, cases.collect::<Vec<_>>());
            }
        }
    }
}

/// A straight chain.
pub(super) fn chain(count: usize) -> Function {
    let mut m = Maker::new("chain");
    let blocks = m.blocks(count);
    for (index, &block) in blocks.iter().enumerate() {
        m.at(block, blocks.get(index + 1..index + 2).unwrap_or(&[]));
    }
    m.b.finish()
}

/// Diamonds in a row, with a value that each passes on.
pub(super) fn diamonds(count: usize) -> Function {
    let mut m = Maker::new("diamonds");
    let blocks = m.blocks(3 * count + 1);
    let x = m.b.local("x", Type::Int);
    for index in 0..count {
        let [head, left, right, join] = [0, 1, 2, 3].map(|at| blocks[3 * index + at]);
        m.at(head, &[left, right]);
        m.b.at(left).jump(Target::with(join, [1]));
        m.b.at(right).jump(Target::with(join, [2]));
        m.b.function().blocks[join].params = vec![x];
    }
    m.at(blocks[3 * count], &[]);
    m.b.finish()
}

/// Two rails with rungs: each block of one may go on, or over to the other.
pub(super) fn ladder(count: usize) -> Function {
    let mut m = Maker::new("ladder");
    let blocks = m.blocks(2 * count + 2);
    m.at(blocks[0], &[blocks[1], blocks[2]]);
    for index in 0..count {
        let [left, right] = [1, 2].map(|at| blocks[2 * index + at]);
        let next = |at: usize| blocks[(2 * index + 2 + at).min(2 * count + 1)];
        m.at(left, &[next(1), next(2)]);
        m.at(right, &[next(2), next(1)]);
    }
    m.at(blocks[2 * count + 1], &[]);
    m.b.finish()
}

/// Loops within one another, each with an exit of its own.
pub(super) fn nest(depth: usize) -> Function {
    let mut m = Maker::new("nest");
    let blocks = m.blocks(2 * depth + 1);
    for level in 0..depth {
        let after = if level == 0 { blocks[2 * depth] } else { blocks[depth + level - 1] };
        let inner = if level + 1 == depth { blocks[depth + level] } else { blocks[level + 1] };
        m.at(blocks[level], &[inner, after]);
        m.at(blocks[depth + level], &[blocks[level]]);
    }
    m.at(blocks[2 * depth], &[]);
    m.b.finish()
}

/// Loops within one another, each entered at two blocks.
pub(super) fn irreducible_nest(depth: usize) -> Function {
    let mut m = Maker::new("irreducible");
    let blocks = m.blocks(2 * depth + 2);
    m.at(blocks[0], &[blocks[1], blocks[2]]);
    for level in 0..depth {
        let [a, b] = [1, 2].map(|at| blocks[2 * level + at]);
        let out = blocks[2 * depth + 1];
        if level + 1 == depth {
            m.at(a, &[b, out]);
            m.at(b, &[a, blocks[1]]);
        } else {
            m.at(a, &[b, blocks[2 * level + 3]]);
            m.at(b, &[a, blocks[2 * level + 4]]);
        }
    }
    m.at(blocks[2 * depth + 1], &[]);
    m.b.finish()
}

/// Every block goes to every other.
pub(super) fn complete(count: usize) -> Function {
    let mut m = Maker::new("complete");
    let blocks = m.blocks(count + 1);
    for &block in &blocks[..count] {
        let mut to = blocks.clone();
        to.retain(|&other| other != block && other != blocks[0]);
        m.at(block, &to);
    }
    m.at(blocks[count], &[]);
    m.b.finish()
}

/// A switch with arms that fall through to the next.
pub(super) fn fallthrough(count: usize) -> Function {
    let mut m = Maker::new("fallthrough");
    let blocks = m.blocks(count + 2);
    m.at(blocks[0], &blocks[1..]);
    for index in 1..=count {
        m.at(blocks[index], &[blocks[index + 1]]);
    }
    m.at(blocks[count + 1], &[]);
    m.b.finish()
}

/// Exits from each level of a nest of branches to one of a few ends.
pub(super) fn early_exits(count: usize) -> Function {
    let mut m = Maker::new("exits");
    let blocks = m.blocks(count + 3);
    for index in 0..count {
        m.at(blocks[index], &[blocks[index + 1], blocks[count + 1 + index % 2]]);
    }
    m.b.at(blocks[count])
        .inst(None, Op::Call { callee: "g".into(), args: [1.into()].into_iter().collect() });
    m.b.jump(blocks[count + 1]);
    m.at(blocks[count + 1], &[blocks[count + 2]]);
    m.at(blocks[count + 2], &[]);
    m.b.finish()
}
