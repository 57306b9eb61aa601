//! Coordinates: each vertex as near as possible to its neighbors, with room between them.
//!
//! In one layer the order and the distances are given. The places that are nearest (in least squares)
//! to where the vertices want to be are an isotonic regression, which pooling neighbors that want to
//! be on the wrong side of each other solves exactly.

use super::Net;

const SWEEPS: usize = 16;
/// Room beside a box, and beside an invisible point.
const BOX_GAP: f64 = 28.0;
const POINT_GAP: f64 = 9.0;
/// Between two layers: at least this, and more where arrows go far to the side.
const LAYER_GAP: f64 = 15.0;
const MOST_LAYER_GAP: f64 = 46.0;
const SLOPE: f64 = 0.07;

/// Where everything is.
#[derive(Clone, Debug)]
pub(super) struct Places {
    /// By vertex: the middle of a box, the line of an arrow.
    pub(super) x: Vec<f64>,
    /// By layer: upper end and lower end.
    pub(super) layers: Vec<(f64, f64)>,
    pub(super) width: f64,
}

pub(super) fn place(net: &Net) -> Places {
    let mut x = vec![0.0; net.vertices.len()];
    for layer in &net.layers {
        let offsets = offsets(net, layer);
        for (&vertex, offset) in layer.iter().zip(offsets) {
            x[vertex] = offset;
        }
    }
    for sweep in 0..SWEEPS {
        let count = net.layers.len();
        for step in 0..count {
            let (layer, side) = match (sweep + 1 == SWEEPS, sweep % 2 == 0) {
                (true, _) => (step, Side::Both),
                (false, true) => (step, Side::Up),
                (false, false) => (count - 1 - step, Side::Down),
            };
            settle(net, &net.layers[layer], side, &mut x);
        }
    }
    let left = |vertex: usize| x[vertex] - net.vertices[vertex].left;
    let leftmost = (0..x.len()).map(left).fold(f64::INFINITY, f64::min);
    let leftmost = if leftmost.is_finite() { leftmost } else { 0.0 };
    x.iter_mut().for_each(|x| *x -= leftmost);
    let right = |vertex: usize| x[vertex] + net.vertices[vertex].right;
    let width = (0..x.len()).map(right).fold(0.0, f64::max);
    let layers = heights(net, &x);
    Places { x, layers, width }
}

#[derive(Copy, Clone)]
enum Side {
    Up,
    Down,
    Both,
}

/// Distances of the vertices of a layer from its first one, as close as they may stand.
fn offsets(net: &Net, layer: &[usize]) -> Vec<f64> {
    let mut at = 0.0;
    let mut offsets = Vec::with_capacity(layer.len());
    for (position, &vertex) in layer.iter().enumerate() {
        if position > 0 {
            let before = layer[position - 1];
            let gap = |v| if net.is_box(v) { BOX_GAP } else { POINT_GAP };
            let room = net.vertices[before].right + net.vertices[vertex].left;
            at += room + (gap(before) + gap(vertex)) / 2.0;
        }
        offsets.push(at);
    }
    offsets
}

/// Moves a layer toward its neighbors.
fn settle(net: &Net, layer: &[usize], side: Side, x: &mut [f64]) {
    let offsets = offsets(net, layer);
    let wishes: Vec<(f64, f64)> = layer
        .iter()
        .zip(&offsets)
        .map(|(&vertex, offset)| {
            let (place, weight) = wish(net, vertex, side, x);
            (place - offset, weight)
        })
        .collect();
    for ((&vertex, offset), place) in layer.iter().zip(offsets).zip(isotonic(&wishes)) {
        x[vertex] = place + offset;
    }
}

/// Where a vertex wants to be, and how much. Arrows that pass many layers want most to be straight.
fn wish(net: &Net, vertex: usize, side: Side, x: &[f64]) -> (f64, f64) {
    let data = &net.vertices[vertex];
    let near: Vec<usize> = match side {
        Side::Up => data.up.clone(),
        Side::Down => data.down.clone(),
        Side::Both => data.up.iter().chain(&data.down).copied().collect(),
    };
    if near.is_empty() {
        return (x[vertex], 0.05);
    }
    let weight = |other: usize| match (net.is_box(vertex), net.is_box(other)) {
        (false, false) => 8.0,
        (true, true) => 1.0,
        _ => 2.0,
    };
    let total: f64 = near.iter().map(|&other| weight(other)).sum();
    let sum: f64 = near.iter().map(|&other| weight(other) * x[other]).sum();
    (sum / total, total)
}

/// The nearest list to these values, by weight, that never decreases.
fn isotonic(wishes: &[(f64, f64)]) -> Vec<f64> {
    let mut pools: Vec<(f64, f64, usize)> = Vec::new();
    for &(value, weight) in wishes {
        let mut pool = (value, weight, 1);
        while let Some(&(before, heavy, count)) = pools.last()
            && before > pool.0
        {
            let weight = heavy + pool.1;
            pool = ((before * heavy + pool.0 * pool.1) / weight, weight, count + pool.2);
            pools.pop();
        }
        pools.push(pool);
    }
    pools.into_iter().flat_map(|(value, _, count)| std::iter::repeat_n(value, count)).collect()
}

fn heights(net: &Net, x: &[f64]) -> Vec<(f64, f64)> {
    let mut layers = Vec::with_capacity(net.layers.len());
    let mut y = 0.0;
    for layer in &net.layers {
        let tallest = layer.iter().map(|&vertex| net.vertices[vertex].height);
        let bottom = y + tallest.fold(0.0, f64::max);
        layers.push((y, bottom));
        let aside = layer.iter().flat_map(|&vertex| {
            net.vertices[vertex].down.iter().map(move |&below| (x[vertex] - x[below]).abs())
        });
        let gap = LAYER_GAP + SLOPE * aside.fold(0.0, f64::max);
        y = bottom + gap.min(MOST_LAYER_GAP);
    }
    layers
}

#[cfg(test)]
mod tests {
    use super::isotonic;

    #[test]
    fn what_is_out_of_order_is_pooled() {
        assert_eq!(isotonic(&[(1.0, 1.0), (2.0, 1.0)]), [1.0, 2.0]);
        assert_eq!(isotonic(&[(3.0, 1.0), (1.0, 1.0), (2.0, 1.0)]), [2.0, 2.0, 2.0]);
        assert_eq!(isotonic(&[(4.0, 3.0), (0.0, 1.0), (9.0, 1.0)]), [3.0, 3.0, 9.0]);
    }
}
