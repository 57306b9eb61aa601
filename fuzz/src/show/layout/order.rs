//! Sorts each layer so that few edges cross: every vertex goes to the mean position of its
//! neighbors, down and up again, and the best order seen is kept.

use super::Net;

const SWEEPS: usize = 12;

/// Fills and sorts the layers.
pub(super) fn order(net: &mut Net) {
    fill(net);
    let mut best = net.layers.clone();
    let mut fewest = crossings(net);
    for sweep in 0..SWEEPS {
        if fewest == 0 {
            break;
        }
        let down = sweep % 2 == 0;
        let count = net.layers.len();
        for step in 1..count {
            sort(net, if down { step } else { count - 1 - step }, down);
        }
        let now = crossings(net);
        if now < fewest {
            fewest = now;
            best.clone_from(&net.layers);
        }
    }
    net.layers = best;
}

/// Depth first from box 0, so that what belongs together starts side by side.
fn fill(net: &mut Net) {
    let layers = net.vertices.iter().map(|vertex| vertex.layer + 1).max().unwrap_or(0);
    net.layers = vec![Vec::new(); layers];
    let mut seen = vec![false; net.vertices.len()];
    for root in 0..net.boxes {
        let mut stack = vec![root];
        while let Some(vertex) = stack.pop() {
            if !std::mem::replace(&mut seen[vertex], true) {
                net.layers[net.vertices[vertex].layer].push(vertex);
                stack.extend(net.vertices[vertex].down.iter().rev());
            }
        }
    }
}

fn positions(net: &Net) -> Vec<usize> {
    let mut positions = vec![0; net.vertices.len()];
    for layer in &net.layers {
        for (position, &vertex) in layer.iter().enumerate() {
            positions[vertex] = position;
        }
    }
    positions
}

/// Sorts a layer by the layer above it, or by the one below.
fn sort(net: &mut Net, layer: usize, by_above: bool) {
    let Net { vertices, layers, .. } = net;
    let fixed = if by_above { layer.wrapping_sub(1) } else { layer + 1 };
    let Some(fixed) = layers.get(fixed) else { return };
    let at: rustc_hash::FxHashMap<usize, usize> =
        fixed.iter().enumerate().map(|(position, &vertex)| (vertex, position)).collect();
    let mut keyed: Vec<(f64, usize)> = layers[layer]
        .iter()
        .enumerate()
        .map(|(position, &vertex)| {
            let near = if by_above { &vertices[vertex].up } else { &vertices[vertex].down };
            let sum: usize = near.iter().filter_map(|other| at.get(other)).sum();
            let key =
                if near.is_empty() { position as f64 } else { sum as f64 / near.len() as f64 };
            (key, vertex)
        })
        .collect();
    keyed.sort_by(|a, b| a.0.total_cmp(&b.0));
    layers[layer] = keyed.into_iter().map(|(_, vertex)| vertex).collect();
}

/// How many pairs of edges between neighboring layers cross.
fn crossings(net: &Net) -> usize {
    let positions = positions(net);
    let mut total = 0;
    for layer in &net.layers {
        let mut ends = Vec::new();
        for &vertex in layer {
            let mut lower: Vec<usize> =
                net.vertices[vertex].down.iter().map(|&below| positions[below]).collect();
            lower.sort_unstable();
            ends.extend(lower);
        }
        total += inversions(&ends);
    }
    total
}

/// How many pairs stand in the wrong order, by a Fenwick tree.
fn inversions(list: &[usize]) -> usize {
    let size = list.iter().max().map_or(0, |&max| max + 1);
    let mut tree = vec![0usize; size + 1];
    let mut total = 0;
    for (seen, &item) in list.iter().enumerate() {
        let (mut at, mut not_larger) = (item + 1, 0);
        while at > 0 {
            not_larger += tree[at];
            at &= at - 1;
        }
        total += seen - not_larger;
        let mut at = item + 1;
        while at <= size {
            tree[at] += 1;
            at += at & at.wrapping_neg();
        }
    }
    total
}

#[cfg(test)]
mod tests {
    use super::inversions;

    #[test]
    fn inversions_are_counted() {
        assert_eq!(inversions(&[]), 0);
        assert_eq!(inversions(&[0, 1, 1, 2]), 0);
        assert_eq!(inversions(&[3, 2, 1, 0]), 6);
        assert_eq!(inversions(&[1, 0, 1, 0]), 3);
    }
}
