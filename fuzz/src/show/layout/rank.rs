//! Which layer each box stands on.

use super::Arrow;
use std::collections::VecDeque;

/// The result.
#[derive(Clone, Debug)]
pub(super) struct Ranks {
    /// By box, from 0 at the top.
    pub(super) ranks: Vec<usize>,
    /// By arrow: it is drawn upward, because it closes a cycle.
    pub(super) turned: Vec<bool>,
}

/// The length of the longest path to each box, after cycles are broken.
pub(super) fn rank(boxes: usize, arrows: &[Arrow]) -> Ranks {
    let turned = break_cycles(boxes, arrows);
    let mut below = vec![Vec::new(); boxes];
    let mut waiting = vec![0usize; boxes];
    for (arrow, &turned) in arrows.iter().zip(&turned).filter(|(arrow, _)| arrow.from != arrow.to) {
        let (upper, lower) = if turned { (arrow.to, arrow.from) } else { (arrow.from, arrow.to) };
        below[upper].push(lower);
        waiting[lower] += 1;
    }
    let sources: Vec<usize> = (0..boxes).filter(|&node| waiting[node] == 0).collect();
    let mut ranks = vec![0; boxes];
    let mut ready: VecDeque<usize> = sources.iter().copied().collect();
    while let Some(node) = ready.pop_front() {
        for &lower in &below[node] {
            ranks[lower] = ranks[lower].max(ranks[node] + 1);
            waiting[lower] -= 1;
            if waiting[lower] == 0 {
                ready.push_back(lower);
            }
        }
    }
    // What nothing leads to stands right above what it leads to.
    for &node in sources.iter().filter(|&&node| node != 0) {
        let nearest = below[node].iter().map(|&lower| ranks[lower]).min();
        ranks[node] = nearest.map_or(0, |rank| rank - 1);
    }
    Ranks { ranks, turned }
}

/// Marks the arrows that go back along the path of a depth-first walk.
fn break_cycles(boxes: usize, arrows: &[Arrow]) -> Vec<bool> {
    #[derive(Copy, Clone, PartialEq)]
    enum State {
        New,
        OnPath,
        Done,
    }
    let mut out = vec![Vec::new(); boxes];
    for (number, arrow) in arrows.iter().enumerate() {
        out[arrow.from].push(number);
    }
    let mut turned = vec![false; arrows.len()];
    let mut state = vec![State::New; boxes];
    for root in 0..boxes {
        if state[root] != State::New {
            continue;
        }
        state[root] = State::OnPath;
        let mut path = vec![(root, 0)];
        while let Some((node, next)) = path.last_mut() {
            let Some(&number) = out[*node].get(*next) else {
                state[*node] = State::Done;
                path.pop();
                continue;
            };
            *next += 1;
            let to = arrows[number].to;
            match state[to] {
                State::New => {
                    state[to] = State::OnPath;
                    path.push((to, 0));
                }
                State::OnPath => turned[number] = true,
                State::Done => {}
            }
        }
    }
    turned
}
